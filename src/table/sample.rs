//! The tables that are part of the library, so that there is something to ask with nothing
//! built.

use std::io;

use super::source::ByteSource;
use super::tables::{TableOptions, Tables};

const MANIFEST: &str = include_str!("../../data/sample/granero.json");

macro_rules! sample_file {
    ($seeds:literal) => {{
        const NAME: &str = concat!("layer-0", $seeds, ".granero");
        let bytes: &[u8] = include_bytes!(concat!("../../data/sample/layer-0", $seeds, ".granero"));
        (NAME, bytes)
    }};
}

const FILES: [(&str, &[u8]); 9] = [
    sample_file!(0),
    sample_file!(1),
    sample_file!(2),
    sample_file!(3),
    sample_file!(4),
    sample_file!(5),
    sample_file!(6),
    sample_file!(7),
    sample_file!(8),
];

/// Opens them; the tests make sure that it can be done.
pub(super) fn open() -> Tables {
    let source = |entry: &super::FileEntry| {
        let file = FILES.iter().find(|(name, _)| *name == entry.name);
        let (_, bytes) = file.ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(*bytes) as Box<dyn ByteSource>)
    };
    TableOptions::new()
        .open_sources(MANIFEST, source)
        .expect("the sample is sound")
}

//! Any text as the manifest of the sample tables, as it is and with a corrected checksum: it is refused, or
//! the values are right.

use std::io;

use granero::table::ByteSource;
use granero::{Cycles, Position, TableOptions, Tables};

use super::sample;
use super::sealed::seal;

/// Panics if a value is wrong.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    open(&text);
    open(&sealed(&text));
}

/// Corrects the checksum of a manifest.
fn sealed(text: &str) -> String {
    let end = text.rfind(",\"sha256\":").unwrap_or(text.len());
    // The hash of the last file is within a list, and not this checksum.
    seal(match &text[end..] {
        tail if tail.contains(']') => text.trim_end().strip_suffix('}').unwrap_or(text),
        _ => &text[..end],
    })
}

fn open(text: &str) {
    let opened = TableOptions::new()
        .cache_bytes(0)
        .open_sources(text, |entry| {
            let number = entry
                .name
                .strip_prefix("layer-")
                .and_then(|name| name.get(..2));
            let number = number.and_then(|number| number.parse().ok());
            let file = number.and_then(|number: usize| sample::layers(Cycles::Split).get(number));
            Ok(Box::new(file.ok_or(io::ErrorKind::NotFound)?.clone()) as Box<dyn ByteSource>)
        });
    let tables = match opened {
        Ok(tables) => tables,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    for seeds in 0..=u8::MAX {
        let Ok(position) =
            Position::new([0, seeds / 3, 0, seeds % 3, 0, 0, 0, seeds / 3, 0, 0, 0, 0])
        else {
            break;
        };
        if let Ok(Some(value)) = tables.value(&position) {
            assert_eq!(Tables::sample().value(&position).ok(), Some(Some(value)));
        }
    }
}

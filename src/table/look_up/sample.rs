//! The sample: small tables inside the library, from `src/table/sample`.

use std::path::Path;
use std::{fs, io};

use once_cell::race::OnceBox;

use super::options::TableOptions;
use super::tables::Tables;
use crate::bytes::source::ByteSource;
use crate::file::manifest::Manifest;
use granero_game::Cycles;

/// A file of the sample: its name and its bytes.
type File = (&'static str, &'static [u8]);

macro_rules! files {
    ($folder:literal) => { files!($folder 0 1 2 3 4 5 6 7 8) };
    ($folder:literal $($seeds:literal)+) => {
        [$((
            concat!($folder, "layer-0", $seeds, ".granero"),
            include_bytes!(concat!("../sample/", $folder, "layer-0", $seeds, ".granero")),
        )),+]
    };
}

static SPLIT: [File; 9] = files!("");
static OWN_SIDE: [File; 9] = files!("own-side/");

fn sample(cycles: Cycles) -> (&'static str, &'static [File]) {
    match cycles {
        Cycles::Split => (include_str!("../sample/granero.json"), &SPLIT),
        Cycles::OwnSide => (include_str!("../sample/own-side/granero.json"), &OWN_SIDE),
    }
}

impl Tables {
    /// The sample tables inside the library: ruleset `abapa`, up to 8 seeds, endless play by `split`.
    pub fn sample() -> &'static Tables {
        Tables::sample_of(Cycles::Split)
    }

    /// The sample tables with the given convention for endless play.
    ///
    /// ```
    /// # use granero::{Cycles, Tables};
    /// let position = "0 0 0 3 0 1 0 0 0 0 0 2".parse()?;
    /// let bounds = Tables::sample_of(Cycles::OwnSide).value(&position)?.unwrap();
    /// assert_eq!(bounds.to_string(), "+2…+6");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sample_of(cycles: Cycles) -> &'static Tables {
        static SAMPLES: [OnceBox<Tables>; Cycles::ALL.len()] =
            [const { OnceBox::new() }; Cycles::ALL.len()];
        SAMPLES[cycles as usize].get_or_init(|| Box::new(Tables::open_sample(cycles)))
    }
}

#[doc(hidden)]
impl Tables {
    /// Opens the sample with a cache of its own. Tests show that this cannot fail.
    pub fn open_sample(cycles: Cycles) -> Tables {
        let (manifest, files) = sample(cycles);
        let source = |entry: &crate::file::manifest::FileEntry| {
            let file = files.iter().find(|(name, _)| name.ends_with(&entry.name));
            let (_, bytes) = file.ok_or(io::ErrorKind::NotFound)?;
            Ok(Box::new(*bytes) as Box<dyn ByteSource>)
        };
        TableOptions::new()
            .open_sources(manifest, source)
            .expect("the sample is sound")
    }

    /// Writes the sample of both conventions into a directory.
    pub fn write_sample(directory: &Path) -> io::Result<()> {
        fs::create_dir(directory.join(Cycles::OwnSide.name()))?;
        for cycles in Cycles::ALL {
            let (manifest, files) = sample(cycles);
            for (name, bytes) in files {
                fs::write(directory.join(name), bytes)?;
            }
            let tables = directory.join(files[0].0);
            fs::write(tables.with_file_name(Manifest::FILE), manifest)?;
        }
        Ok(())
    }
}

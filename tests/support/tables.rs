//! Small tables for tests, in a temporary directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use granero::build::{Build, BuildError};
use granero::table::TableWriter;
use granero::{Cycles, Extent, Kind, Ruleset, Tables};
use tempfile::TempDir;

/// The directory of the sample tables of a convention.
pub fn sample(cycles: Cycles) -> PathBuf {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../table/sample");
    tables_in(&place, cycles)
}

/// The directory of the tables of a convention that are built in a place.
pub fn tables_in(place: &Path, cycles: Cycles) -> PathBuf {
    match cycles {
        Cycles::Split => place.into(),
        Cycles::OwnSide => place.join(cycles.name()),
    }
}

/// Builds the tables of a ruleset up to some number of seeds.
pub fn build(ruleset: Ruleset, seeds: u8) -> TempDir {
    build_kind((ruleset, Cycles::Split), seeds)
}

/// Builds tables with endless play by `own-side`.
pub fn build_bounds(ruleset: Ruleset, seeds: u8) -> TempDir {
    build_kind((ruleset, Cycles::OwnSide), seeds)
}

/// Builds deciding tables for a game of so few seeds that its last layers are small.
pub fn build_deciding(ruleset: Ruleset, cycles: Cycles, game: u8, seeds: u8) -> TempDir {
    build_kind((ruleset, cycles, Extent::deciding(game).unwrap()), seeds)
}

pub fn build_kind(kind: impl Into<Kind>, seeds: u8) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let mut writer = TableWriter::open(place.path(), kind).unwrap();
    run(&mut writer, seeds).unwrap();
    place
}

/// Opens tables in a directory, which goes away with what is returned first.
pub fn opened(place: TempDir) -> (TempDir, Tables) {
    let tables = Tables::open(place.path()).unwrap();
    (place, tables)
}

/// Builds up to some number of seeds.
pub fn run(writer: &mut TableWriter, seeds: u8) -> Result<(), BuildError> {
    let build = Build {
        cycles: writer.manifest().cycles,
        extent: writer.manifest().extent,
        checkpoint: None,
        seeds,
        threads: 2,
        memory: 1 << 30,
    };
    build.run(writer, &())?;
    Ok(())
}

/// All files of a directory with their contents, except the lock.
pub fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_file())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .filter(|(name, _)| name != "granero.lock")
        .collect()
}

/// Copies a directory with all that is in it.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let name = entry.unwrap().file_name();
        let [from, to] = [from, to].map(|place| place.join(&name));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}

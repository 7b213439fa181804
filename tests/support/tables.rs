//! Small tables for tests, in a temporary directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use granero::build::{Build, Watch};
use granero::table::TableWriter;
use granero::{Cycles, Extent, Ruleset};
use tempfile::TempDir;

struct Silent;
impl Watch for Silent {}

/// Builds the tables of a ruleset up to some number of seeds.
pub fn build(ruleset: Ruleset, seeds: u8) -> TempDir {
    build_with(ruleset, seeds, |_| {})
}

/// Builds tables with endless play by either convention in one directory.
pub fn build_both(ruleset: Ruleset, seeds: u8) -> TempDir {
    let place = build(ruleset, seeds);
    build_in(place.path(), ruleset, Cycles::OwnSide, seeds, |_| {});
    place
}

/// Builds tables with endless play by `own-side`.
pub fn build_bounds(ruleset: Ruleset, seeds: u8) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    build_in(place.path(), ruleset, Cycles::OwnSide, seeds, |_| {});
    place
}

/// Builds deciding tables for a game of so few seeds that its last layers are small.
pub fn build_deciding(ruleset: Ruleset, cycles: Cycles, game: u8, seeds: u8) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let extent = Extent::deciding(game).unwrap();
    let opened = TableWriter::open(place.path(), (ruleset, cycles, extent));
    run(&mut opened.unwrap(), seeds);
    place
}

/// Builds tables with smaller files, as `--archive` does.
pub fn build_archive(ruleset: Ruleset, seeds: u8) -> TempDir {
    build_with(ruleset, seeds, TableWriter::archive)
}

fn build_with(ruleset: Ruleset, seeds: u8, prepare: fn(&mut TableWriter)) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    build_in(place.path(), ruleset, Cycles::Split, seeds, prepare);
    place
}

fn build_in(
    place: &Path,
    ruleset: Ruleset,
    cycles: Cycles,
    seeds: u8,
    prepare: fn(&mut TableWriter),
) {
    let mut writer = TableWriter::open(place, (ruleset, cycles)).unwrap();
    prepare(&mut writer);
    run(&mut writer, seeds);
}

fn run(writer: &mut TableWriter, seeds: u8) {
    let build = Build {
        cycles: writer.manifest().cycles,
        extent: writer.manifest().extent,
        checkpoint: None,
        seeds,
        threads: 2,
        memory: 1 << 30,
    };
    build.run(writer, &Silent).unwrap();
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

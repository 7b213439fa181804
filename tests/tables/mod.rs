//! Small tables for tests, in a directory that goes away with them.

// `pub` marks what the tests use, although a module of a test is seen by nobody else.
#![allow(unreachable_pub)]

use granero::Ruleset;
use granero::build::{Build, Watch};
use granero::table::{Cycles, TableWriter};
use tempfile::TempDir;

struct Silent;
impl Watch for Silent {}

/// Builds the tables of a ruleset up to some number of seeds.
pub fn build(ruleset: Ruleset, seeds: u8) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let mut writer = TableWriter::open(place.path(), ruleset, Cycles::Split).unwrap();
    let build = Build {
        seeds,
        threads: 2,
        memory: 1 << 30,
    };
    build.run(&mut writer, &Silent).unwrap();
    place
}

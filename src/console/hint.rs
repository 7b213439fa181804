//! Commands to continue with: they work as shown, with all the options they need.

use std::env;
use std::fmt::Display;
use std::path::Path;

use granero::build::{bytes, disk_needed};
use granero::{Cycles, Extent, MAX_SEEDS, Ruleset, Tables};

use crate::db;

/// The disk space up to which tables are built without much thought.
const MODEST: u64 = 1 << 30;

/// The option `--db` with a space before it; nothing for the default directory, wherever the
/// command is copied to.
pub fn db_option(directory: &Path) -> String {
    if directory == Path::new(db::DIRECTORY) && env::var_os(db::VARIABLE).is_none() {
        String::new()
    } else {
        let path = directory.to_string_lossy();
        // Only a zero byte cannot be quoted, which arguments never hold.
        format!(" --db {}", shlex::try_quote(&path).unwrap_or_default())
    }
}

/// An option with a space before it; nothing for its default.
pub fn option<T: Display + Default + PartialEq>(name: &str, value: T) -> String {
    if value == T::default() {
        String::new()
    } else {
        format!(" --{name} {value}")
    }
}

/// The option `--deciding` or `--game` with a space before it; nothing for full values.
pub fn extent_option(extent: Extent) -> String {
    match extent.game() {
        None => String::new(),
        Some(MAX_SEEDS) => " --deciding".into(),
        Some(game) => format!(" --game {game}"),
    }
}

/// The command that builds or extends tables up to `seeds` seeds.
pub fn build(
    rules: Ruleset,
    cycles: Cycles,
    extent: Extent,
    seeds: u8,
    directory: &Path,
) -> String {
    let (rules, cycles) = (option("rules", rules), option("cycles", cycles));
    let (extent, db) = (extent_option(extent), db_option(directory));
    format!("granero build --seeds {seeds}{rules}{cycles}{extent}{db}")
}

/// Help if tables do not reach `seeds` seeds.
pub fn extend(tables: &Tables, seeds: u8, directory: &Path) -> String {
    let (instead, extent, db) = if seeds > tables.extent().max_seeds() {
        let instead = "name tables of a game of more seeds with --db; ";
        (instead, Extent::DECIDING, Path::new("DIR"))
    } else {
        ("", tables.extent(), directory)
    };
    let cycles = tables.cycles();
    let disk = disk_needed(cycles, extent, seeds);
    if disk > MODEST {
        let options = option("cycles", cycles) + &extent_option(extent);
        return format!(
            "{instead}tables up to {seeds} seeds take {} of disk; \
             `granero estimate --seeds {seeds}{options}` says what else",
            bytes(disk)
        );
    }
    let command = build(tables.rules(), cycles, extent, seeds, db);
    format!("{instead}`{command}` builds them up to {seeds} seeds")
}

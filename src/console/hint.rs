//! Commands to continue with: they work as shown, with all the options they need.

use std::borrow::Cow;
use std::env;
use std::path::Path;

use granero::{Cycles, Extent, MAX_SEEDS, Ruleset, Tables};

use crate::db;

/// The option `--db` with a space before it; nothing for the default directory, wherever the
/// command is copied to.
pub fn db_option(directory: &Path) -> String {
    if directory == Path::new(db::DIRECTORY) && env::var_os(db::VARIABLE).is_none() {
        String::new()
    } else {
        format!(" --db {}", quoted(&directory.to_string_lossy()))
    }
}

/// The option `--rules` with a space before it; nothing for the default.
pub fn rules_option(rules: Ruleset) -> String {
    if rules == Ruleset::default() {
        String::new()
    } else {
        format!(" --rules {rules}")
    }
}

/// The option `--cycles` with a space before it; nothing for the default.
pub fn cycles_option(cycles: Cycles) -> String {
    if cycles == Cycles::default() {
        String::new()
    } else {
        format!(" --cycles {cycles}")
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
    let rules = rules_option(rules);
    let cycles = cycles_option(cycles);
    let extent = extent_option(extent);
    let db = db_option(directory);
    format!("granero build --seeds {seeds}{rules}{cycles}{extent}{db}")
}

/// Help if tables do not reach `seeds` seeds.
pub fn extend(tables: &Tables, seeds: u8, directory: &Path) -> String {
    if seeds > tables.extent().max_seeds() {
        let rules = rules_option(tables.rules());
        let cycles = cycles_option(tables.cycles());
        return format!(
            "name tables of a game of more seeds with --db; \
             `granero build --deciding --seeds {seeds}{rules}{cycles} --db DIR` builds them"
        );
    }
    let command = build(
        tables.rules(),
        tables.cycles(),
        tables.extent(),
        seeds,
        directory,
    );
    format!("`{command}` builds them up to {seeds} seeds")
}

fn quoted(word: &str) -> Cow<'_, str> {
    // Only a zero byte cannot be quoted, which arguments never hold.
    shlex::try_quote(word).unwrap_or(Cow::Borrowed(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_part_them() {
        for (word, expected) in [
            ("granero-db", "granero-db"),
            ("/a/b_c.d", "/a/b_c.d"),
            ("", "''"),
            ("my tables", "'my tables'"),
            ("$HOME", "'$HOME'"),
            ("it's", "\"it's\""),
            ("~/tables", "'~/tables'"),
            (r"C:\tables", r#""C:\\tables""#),
        ] {
            assert_eq!(quoted(word), expected);
            assert_eq!(shlex::split(expected).unwrap(), [word]);
        }
    }
}

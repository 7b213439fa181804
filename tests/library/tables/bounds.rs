//! Tables of bounds, next to tables of values; `values.rs` compares the bounds with solved ones.

use std::fs;

use granero::player::Player;
use granero::table::TableWriter;
use granero::{Cycles, Measured, Ruleset, TableError, TableOptions, Tables, solver};
use tempfile::TempDir;

use crate::support::solved::Solved;

/// Writes small tables of bounds.
fn written(seeds: u8) -> TempDir {
    Solved::of(Ruleset::Abapa, Cycles::OwnSide, seeds).write()
}

/// A player would have to know which position of a cycle counts.
#[test]
fn a_player_refuses_bounds() {
    let place = written(3);
    let tables = Tables::open(place.path()).unwrap();
    // Within the tables and beyond them.
    for position in ["0 0 0 0 0 1 1 0 0 0 0 0", "4 4 4 4 4 4 4 4 4 4 4 4"] {
        let chosen = Player::new(&tables).choose(&position.parse().unwrap(), 3, || false);
        assert!(matches!(chosen, Err(TableError::HoldBounds)));
    }
}

#[test]
fn a_directory_holds_both_conventions() {
    let (split, own_side) = ((Cycles::Split, 4), (Cycles::OwnSide, 5));
    for both in [[split, own_side], [own_side, split]] {
        let place = tempfile::tempdir().unwrap();
        let open = |cycles| TableWriter::open(place.path(), (Ruleset::Abapa, cycles)).unwrap();
        for (cycles, seeds) in both {
            let mut writer = open(cycles);
            for values in solver::solve_all((Ruleset::Abapa, cycles), seeds, 1) {
                writer.add_layer(&values).unwrap();
            }
        }
        let opened = |cycles| {
            TableOptions::new()
                .cycles(cycles)
                .open(place.path())
                .unwrap()
        };
        for (cycles, seeds) in both {
            let tables = opened(cycles);
            assert_eq!((tables.cycles(), tables.max_seeds()), (cycles, Some(seeds)));
            let directory = tables.directory().unwrap();
            // The user can also name the directory of one convention.
            assert_eq!(Tables::open(directory).unwrap().cycles(), cycles);
        }
        assert_eq!(Tables::open(place.path()).unwrap().cycles(), Cycles::Split);
        // One build at a time writes to either.
        let _writer = open(both[0].0);
        let refused = TableWriter::open(place.path(), (Ruleset::Abapa, both[1].0));
        assert!(matches!(refused, Err(TableError::Busy { .. })));
    }
}

#[test]
fn an_error_names_the_missing_convention() {
    let place = written(2);
    let split = TableOptions::new().cycles(Cycles::Split);
    for named in [place.path().to_path_buf(), place.path().join("own-side")] {
        let error = split.open(named).unwrap_err();
        assert!(matches!(error, TableError::OtherCycles { .. }), "{error}");
    }
}

/// A directory is recognised by any of its names, and never taken for another.
#[test]
fn a_directory_is_the_same_for_readers_and_writers() {
    let place = written(2);
    let inner = place.path().join("own-side");
    let writer = TableWriter::open(&inner, (Ruleset::Abapa, Cycles::OwnSide)).unwrap();
    assert_eq!((writer.path(), writer.manifest().finished()), (&*inner, 3));
    drop(writer);
    // The tables of the other convention must have the same ruleset.
    for rules in [Ruleset::Awari, Ruleset::Abapa] {
        let opened = TableWriter::open(place.path(), (rules, Cycles::Split));
        assert_eq!(opened.is_ok(), rules == Ruleset::Abapa);
    }
    let other = TableWriter::open(place.path(), (Ruleset::Awari, Cycles::OwnSide));
    assert!(matches!(other, Err(TableError::OtherRules { .. })));

    // Values in place of bounds.
    let place = tempfile::tempdir().unwrap();
    let inner = place.path().join("own-side");
    let mut writer = TableWriter::open(&inner, (Ruleset::Abapa, Cycles::Split)).unwrap();
    writer.add_layer(&Measured::Value(vec![0])).unwrap();
    let own_side = TableOptions::new()
        .cycles(Cycles::OwnSide)
        .open(place.path());
    assert!(matches!(own_side, Err(TableError::OtherCycles { .. })));
}

/// Damage to the tables of one convention does not affect the other tables.
#[test]
fn a_damaged_manifest_leaves_the_other_convention_alone() {
    let place = written(2);
    fs::write(place.path().join("granero.json"), "nonsense").unwrap();
    let own_side = TableOptions::new().cycles(Cycles::OwnSide);
    assert_eq!(own_side.open(place.path()).unwrap().max_seeds(), Some(2));
}

#[test]
#[should_panic(expected = "of the other convention")]
fn values_are_not_added_to_tables_of_bounds() {
    let place = tempfile::tempdir().unwrap();
    let mut writer = TableWriter::open(place.path(), (Ruleset::Abapa, Cycles::OwnSide)).unwrap();
    let _ = writer.add_layer(&Measured::Value(vec![0]));
}

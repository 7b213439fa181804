//! Tables in use by several threads, during a build, and while another program truncates files.

use std::fs::{self, File};
use std::io::Write;
use std::thread;
use std::time::Duration;

use granero::{Access, Ruleset, TableOptions, Tables};
use test_case::test_case;

use crate::support::solved::{Solved, file_name};
use crate::support::with_causes;

const fn is_shared<T: Send + Sync>() {}
const _: () = is_shared::<Tables>();

#[test_case(7)]
#[test_case(8 => ignore["slow: .ci/run has it"] ())]
fn threads_share_tables_and_a_tiny_cache(seeds: u8) {
    let solved = Solved::new(Ruleset::Abapa, seeds);
    let directory = solved.write();
    for cache_bytes in [0, 30_000] {
        let options = TableOptions::new().cache_bytes(cache_bytes);
        let tables = options.open(directory.path()).unwrap();
        thread::scope(|scope| {
            for first in 0..8 {
                let (tables, solved) = (&tables, &solved);
                scope.spawn(move || {
                    for position in solved.positions().skip(1000 * first).step_by(7) {
                        let value = tables.value(&position).unwrap();
                        assert_eq!(value, solved.value(&position), "{position}");
                    }
                });
            }
        });
    }
}

/// Looks up all positions of tables.
fn assert_right(tables: &Tables, solved: &Solved) {
    let finished = tables.manifest().finished().into();
    for position in solved.positions().step_by(11) {
        let value = solved.value(&position);
        let known = usize::from(position.seeds()) < finished;
        assert_eq!(tables.value(&position).unwrap(), value.filter(|_| known));
    }
    let mut layers = 0;
    for (layer, expected) in tables.layers().zip(&solved.layers) {
        assert!(layer.unwrap().1 == *expected);
        layers += 1;
    }
    assert_eq!(layers, finished);
    tables.verify_files(|_| {}).unwrap();
}

#[test]
fn a_directory_can_be_opened_at_any_moment_of_a_build() {
    let solved = Solved::new(Ruleset::Abapa, 9);
    let directory = tempfile::tempdir().unwrap();
    let mut writer = solved.writer(directory.path());
    thread::scope(|scope| {
        scope.spawn(|| {
            for values in &solved.layers {
                writer.add_layer(values).unwrap();
            }
        });
        let mut finished = 0;
        while finished < 10 {
            let tables = Tables::open(directory.path()).unwrap();
            assert!(tables.manifest().finished() >= finished);
            finished = tables.manifest().finished();
            assert_right(&tables, &solved);
        }
    });
}

/// Open tables stay usable when their files are removed.
#[cfg(unix)]
#[test]
fn removed_files_stay_as_long_as_they_are_in_use() {
    let solved = Solved::new(Ruleset::Abapa, 6);
    for access in [Access::Map, Access::Read] {
        let directory = solved.write();
        let tables = TableOptions::new().access(access).open(directory.path());
        directory.close().unwrap();
        assert_right(&tables.unwrap(), &solved);
    }
}

/// Each part has a checksum of its own, so the parts of another file would look sound if it did not tell whose it is.
#[test]
fn files_overwritten_in_place_by_another_ruleset_give_no_wrong_value() {
    let [abapa, other] = [Ruleset::Abapa, Ruleset::SlamEnds].map(|rules| Solved::new(rules, 5));
    let other = other.write();
    for access in [Access::Map, Access::Read] {
        let directory = abapa.write();
        let tables = TableOptions::new()
            .access(access)
            .open(directory.path())
            .unwrap();
        // The models of all layers are read before.
        for seeds in 0..=5 {
            let position = abapa.positions().find(|position| position.seeds() == seeds);
            tables.value(&position.unwrap()).unwrap();
        }
        // The clocks of some systems are as coarse as this.
        thread::sleep(Duration::from_millis(50));
        for seeds in 0..=5 {
            let bytes = fs::read(other.path().join(file_name(seeds))).unwrap();
            // Its length stays, so that no page of a mapped file vanishes.
            let path = directory.path().join(file_name(seeds));
            File::options()
                .write(true)
                .open(path)
                .unwrap()
                .write_all(&bytes)
                .unwrap();
        }
        let mut changed = 0;
        for position in abapa.positions() {
            match tables.value(&position) {
                Ok(value) => assert_eq!(value, abapa.value(&position), "{position}"),
                Err(error) => changed += usize::from(with_causes(&error).contains("changed")),
            }
        }
        assert!(changed > 0);
    }
}

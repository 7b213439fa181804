//! Verification of good tables; `damage.rs` has damaged ones.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use granero::table::{FileSource, LayerFile};
use granero::{Access, Cycles, Ruleset, TableOptions, Tables};

use crate::support::solved::{Solved, file_name};

fn good_tables_are_verified(most: u8) {
    for rules in Ruleset::ALL {
        let solved = Solved::new(rules, most);
        let layers = 0..=usize::from(most);

        let directory = solved.write();
        let length = |seeds| {
            let path = directory.path().join(file_name(seeds));
            fs::metadata(path).unwrap().len()
        };
        for access in [Access::Map, Access::Read] {
            let tables = TableOptions::new().access(access).open(directory.path());
            let read = AtomicU64::new(0);
            let report = |bytes| {
                read.fetch_add(bytes, Ordering::Relaxed);
            };
            tables.unwrap().verify_files(report).unwrap();
            assert_eq!(read.into_inner(), layers.clone().map(length).sum::<u64>());
        }
        for seeds in layers.clone() {
            let path = directory.path().join(file_name(seeds));
            let file = LayerFile::open(FileSource::open(path).unwrap()).unwrap();
            let mut read = 0;
            file.verify(|bytes| read += bytes).unwrap();
            assert_eq!(read, length(seeds));
        }
    }
}

#[test]
fn good_tables_are_verified_and_all_bytes_are_reported() {
    good_tables_are_verified(7);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn good_tables_of_9_seeds_are_verified() {
    good_tables_are_verified(9);
}

#[test]
fn the_sample_is_verified() {
    for sample in Cycles::ALL.map(Tables::sample_of) {
        assert_eq!(sample.max_seeds(), Some(8));
        sample.verify_files(|_| {}).unwrap();
    }
}

//! Builds that are stopped and continued.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use granero::build::{Build, BuildError, Watch};
use granero::table::TableWriter;
use granero::{Cycles, Extent, Ruleset, Tables};
use test_case::test_case;

use crate::support::tables::{build_kind, files};

/// Stops a build when it has been asked some number of times.
struct StopsAt {
    asked: AtomicUsize,
    most: usize,
}

impl Watch for StopsAt {
    fn is_stopped(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.most
    }
}

#[test_case(1, None)]
#[test_case(2, Some(Duration::ZERO))]
fn a_build_stops_wherever_it_is_told_to_and_another_one_goes_on(
    threads: usize,
    checkpoint: Option<Duration>,
) {
    const SEEDS: u8 = 5;
    for cycles in Cycles::ALL {
        let whole = build_kind((Ruleset::Abapa, cycles), SEEDS);
        let stopped = tempfile::tempdir().unwrap();
        let wanted = Build {
            cycles,
            extent: Extent::FULL,
            seeds: SEEDS,
            threads,
            memory: 1 << 30,
            checkpoint,
        };
        let mut stops = 0;
        for most in 0.. {
            let writer = TableWriter::open(stopped.path(), (Ruleset::Abapa, cycles));
            let watch = StopsAt {
                asked: AtomicUsize::new(0),
                most,
            };
            match wanted.run(&mut writer.unwrap(), &watch) {
                Err(BuildError::Stopped) => stops += 1,
                built => {
                    built.unwrap();
                    break;
                }
            }
        }
        // Each try gets further, and layers of five seeds ask in every sweep.
        assert!(stops > usize::from(SEEDS), "{stops}");
        let files_of = |place: &tempfile::TempDir| {
            files(Tables::open(place.path()).unwrap().directory().unwrap())
        };
        assert_eq!(files_of(&stopped), files_of(&whole));
    }
}

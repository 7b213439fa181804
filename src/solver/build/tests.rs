use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::*;
use crate::smaller::BuildDirectory;
use crate::tuning::Tuning;
use granero_game::rules::Ruleset;
use granero_table::{TableError, TableWriter};

/// A build with two threads and all the memory that it may need.
pub(super) fn build(cycles: Cycles, extent: Extent, seeds: u8) -> Build {
    Build {
        cycles,
        extent,
        seeds,
        threads: 2,
        memory: u64::MAX,
        checkpoint: None,
    }
}

/// Runs a build that divides even small layers.
fn run(
    build: &Build,
    tables: &mut TableWriter,
    watch: &dyn Watch,
) -> Result<Vec<BuiltLayer>, BuildError> {
    build.run_in(&mut BuildDirectory::new(tables, Tuning::SMALL), watch)
}

/// Removes the tables when a layer is solved.
#[cfg(unix)]
struct Robber<'a>(&'a std::path::Path);

#[cfg(unix)]
impl Watch for Robber<'_> {
    fn layer_is_solved(&self, layer: Layer) {
        match layer.seeds() {
            0..7 => {}
            7 => std::fs::remove_dir_all(self.0).unwrap(),
            seeds => panic!("{seeds} seeds are solved after the failure"),
        }
    }
}

#[test]
#[cfg(unix)]
fn a_layer_that_cannot_be_written_ends_the_build() {
    let place = tempfile::tempdir().unwrap();
    let cycles = Cycles::Split;
    let mut tables = TableWriter::open(place.path(), (Ruleset::Abapa, cycles)).unwrap();
    let path = tables.path().to_path_buf();
    let build = build(cycles, Extent::FULL, 9);
    let found = run(&build, &mut tables, &Robber(&path));
    assert!(matches!(found, Err(BuildError::Table(_))), "{found:?}");
}

/// Stops a build after some steps.
struct Impatient(AtomicUsize);

impl Watch for Impatient {
    fn is_stopped(&self) -> bool {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        left == 0
    }
}

#[test]
fn builds_in_shares_make_the_same_files_and_go_on_after_a_stop() {
    builds_in_shares_make_the_same_files(4);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn builds_in_shares_make_the_same_files_with_8_seeds() {
    builds_in_shares_make_the_same_files(8);
}

/// They go on after a stop, too.
fn builds_in_shares_make_the_same_files(seeds: u8) {
    for (rules, cycles, extent) in [
        (Ruleset::Awari, Cycles::Split, Extent::FULL),
        (
            Ruleset::Abapa,
            Cycles::Split,
            Extent::deciding(seeds).unwrap(),
        ),
        (Ruleset::Abapa, Cycles::OwnSide, Extent::FULL),
    ] {
        let build = Build {
            checkpoint: Some(Duration::ZERO),
            ..build(cycles, extent, seeds)
        };
        // Stops after so many steps each time, with these numbers of shares in turn.
        let files = |all_shares: &[usize], steps: usize| {
            let place = tempfile::tempdir().unwrap();
            for shares in all_shares.iter().cycle() {
                let kind = (rules, cycles, extent);
                let mut tables = TableWriter::open(place.path(), kind).unwrap();
                let tuning = Tuning {
                    shares: *shares,
                    ..Tuning::SMALL
                };
                let mut divided = BuildDirectory::new(&mut tables, tuning);
                match build.run_in(&mut divided, &Impatient(steps.into())) {
                    Err(BuildError::Stopped) => {}
                    built => {
                        let in_shares = *shares > 1;
                        let is_right = |built: &BuiltLayer| built.moved.is_some() == in_shares;
                        assert!(built.unwrap().iter().all(is_right));
                        let entries = tables.manifest().files();
                        let files: Vec<_> = entries.map(|file| file.sha256).collect();
                        let path = tables.path().to_path_buf();
                        drop(tables);
                        let left = std::fs::read_dir(path).unwrap();
                        let extra = ["granero.json", "granero.lock"].len();
                        assert!(left.count() <= files.len() + extra);
                        return files;
                    }
                }
            }
            unreachable!()
        };
        let expected = files(&[1], usize::MAX);
        assert!(files(&[3], usize::MAX) == expected);
        assert!(files(&[4, 2], 77) == expected);
        assert!(files(&[1], 40) == expected);
        assert!(files(&[9, 2], 77) == expected);
    }
}

/// Stops a build in a layer, and counts the layers that it reads.
struct StopsIn {
    layer: u8,
    begun: AtomicBool,
    read: AtomicUsize,
}

impl Watch for StopsIn {
    fn layer_is_read(&self, _: Layer) {
        self.read.fetch_add(1, Ordering::Relaxed);
    }

    fn layer_begins(&self, layer: Layer) {
        let begun = layer.seeds() == self.layer;
        self.begun.fetch_or(begun, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.begun.load(Ordering::Relaxed)
    }
}

#[test]
fn a_build_that_was_stopped_goes_on_with_its_files_of_smaller_layers() {
    const SEEDS: u8 = 6;
    for cycles in Cycles::ALL {
        let place = tempfile::tempdir().unwrap();
        let open = || {
            let kind = (Ruleset::Abapa, cycles);
            TableWriter::open(place.path(), kind).unwrap()
        };
        // There is no room for smaller layers.
        let build = Build {
            memory: memory_needed(cycles, SEEDS, 2),
            ..build(cycles, Extent::FULL, SEEDS)
        };
        let run_to = |layer| {
            let watch = StopsIn {
                layer,
                begun: AtomicBool::new(false),
                read: AtomicUsize::new(0),
            };
            let mut tables = open();
            let built = run(&build, &mut tables, &watch);
            let files = tables.manifest().files().map(|file| file.sha256);
            (built, watch.read.into_inner(), files.collect::<Vec<_>>())
        };
        let path = open().path().to_path_buf();
        let turned = || {
            let names = std::fs::read_dir(&path).unwrap();
            let paths = names.map(|name| name.unwrap().path());
            let is_turned =
                |path: &std::path::PathBuf| path.extension().is_some_and(|it| it == "turned");
            let mut turned: Vec<_> = paths.filter(is_turned).collect();
            turned.sort();
            turned
        };
        let measures = cycles.measures().into_iter().count();
        let stop_in_last = || {
            for layer in [4, SEEDS] {
                let (built, read, _) = run_to(layer);
                assert!(matches!(built, Err(BuildError::Stopped)) && read == 0);
            }
            // No layer captures into the last two.
            assert_eq!(turned().len(), measures * usize::from(SEEDS - 1));
        };
        stop_in_last();
        let smaller = Build { seeds: 3, ..build };
        assert_eq!(run(&smaller, &mut open(), &()).unwrap(), []);
        assert!(!turned().is_empty());
        let (built, read, expected) = run_to(u8::MAX);
        assert!(built.is_ok() && read == 0 && turned().is_empty());

        // Whichever step of writing fails, no layer needs to be read.
        for step in (0..).step_by(37) {
            std::fs::remove_dir_all(&path).unwrap();
            let mut tables = open();
            tables.full_during(step..=step);
            if run(&build, &mut tables, &()).is_ok() {
                break;
            }
            drop(tables);
            let (built, read, found) = run_to(u8::MAX);
            assert!(built.is_ok() && read == 0 && found == expected, "{step}");
        }

        // Whatever is not as it was written is noticed, and made again.
        for damage in [0, 1, 2, 3] {
            std::fs::remove_dir_all(&path).unwrap();
            stop_in_last();
            let all = turned();
            let damaged = &all[all.len() - 1];
            let mut bytes = std::fs::read(damaged).unwrap();
            let length = bytes.len();
            match damage {
                0 => bytes[length - 1] ^= 1,
                1 => bytes[length - 40] ^= 1,
                2 => bytes.truncate(length / 2),
                _ => bytes[10] ^= 1,
            }
            std::fs::write(damaged, bytes).unwrap();
            let (built, read, found) = run_to(u8::MAX);
            if damage < 3 {
                assert!(built.is_ok() && read == 1 && found == expected);
                continue;
            }
            assert!(matches!(
                built,
                Err(BuildError::Table(TableError::Damaged { .. }))
            ));
            let (built, read, found) = run_to(u8::MAX);
            assert!(built.is_ok() && read == 1 && found == expected);
        }
    }
}

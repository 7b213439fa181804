use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::carrier::Carrier;
use crate::channels::{Channels, channels};
use crate::cluster::{MESSAGE, with_causes};
use crate::rough::{Death, Rough, rough};
use granero_game::{Cycles, Extent};
use granero_solver::Checkpoint;
use granero_solver::checkpoint::{Batch, CheckpointStore, State};
use granero_solver::tuning::Tuning;
use granero_table::first_error::Stopped;
use granero_table::{TableError, Tables};

type Files = BTreeMap<PathBuf, Vec<u8>>;

/// The files of tables of any convention but the lock.
fn files(place: &Path) -> Files {
    let mut files = Files::new();
    for entry in fs::read_dir(place).unwrap().map(|entry| entry.unwrap()) {
        let name = PathBuf::from(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            let inner = self::files(&entry.path()).into_iter();
            files.extend(inner.map(|(path, bytes)| (name.join(path), bytes)));
        } else if entry.file_name() != "granero.lock" {
            files.insert(name, fs::read(entry.path()).unwrap());
        }
    }
    files
}

fn open(place: &Path, build: Build) -> TableWriter {
    open_by(Ruleset::Abapa, place, build)
}

fn open_by(rules: Ruleset, place: &Path, build: Build) -> TableWriter {
    TableWriter::open(place, (rules, build.cycles, build.extent)).unwrap()
}

/// Builds with one process, which divides even small layers.
fn build_in_one(build: Build, mut tables: TableWriter, watch: &dyn Watch) {
    let mut tables = BuildDirectory::new(&mut tables, Tuning::SMALL);
    build.run_in(&mut tables, watch).unwrap();
}

/// A process that divides even small layers.
fn cluster(carrier: impl Carrier + 'static) -> Cluster {
    Cluster::with(carrier, MESSAGE, Tuning::SMALL)
}

pub(crate) fn build(cycles: Cycles, extent: Extent, seeds: u8) -> Build {
    Build {
        cycles,
        extent,
        seeds,
        threads: 1,
        memory: u64::MAX,
        checkpoint: None,
    }
}

pub(crate) fn build_with_checkpoints(cycles: Cycles, seeds: u8) -> Build {
    Build {
        checkpoint: Some(Duration::ZERO),
        ..build(cycles, Extent::FULL, seeds)
    }
}

/// The end of a process: success, an error, or `None` if it was killed.
type End = Option<Result<(), String>>;

/// Builds with several processes, of which the first writes. Returns the end of each.
fn ends_of(
    clusters: Vec<Cluster>,
    mut tables: TableWriter,
    build: Build,
    told: &dyn Watch,
) -> Vec<End> {
    let (processes, rules) = (clusters.len(), tables.manifest().rules);
    let mut lead = move |mut first: Cluster| {
        first.lead(&build, &mut tables, told)?;
        assert_eq!(first.sent() > 0, processes > 1, "{}", first.sent());
        Ok(())
    };
    std::thread::scope(|scope| {
        let mut clusters = clusters.into_iter();
        let first = clusters.next().unwrap();
        let mut threads = vec![scope.spawn(move || lead(first))];
        let help = |mut other: Cluster| scope.spawn(move || other.help(&build, rules));
        threads.extend(clusters.map(help));
        let ends = threads.into_iter().map(|thread| thread.join().ok());
        let text = |built: Result<_, ClusterError>| built.map_err(|error| with_causes(&error));
        ends.map(|end| end.map(text)).collect()
    })
}

/// Builds with several processes, and nothing goes wrong.
fn build_with(processes: usize, tables: TableWriter, build: Build, told: &dyn Watch) {
    let clusters = channels(processes).into_iter().map(cluster);
    let ends = ends_of(clusters.collect(), tables, build, told);
    assert_eq!(ends, vec![Some(Ok(())); processes]);
}

/// With messages of one byte, and one under way, processes wait for each other all the time.
const SMALL: usize = 1;

fn waiting(carriers: Vec<Rough>) -> Vec<Cluster> {
    let waiting = |carrier| Cluster::with(carrier, SMALL, Tuning::SMALL);
    carriers.into_iter().map(waiting).collect()
}

fn files_are_the_same_up_to(
    seeds: u8,
    processes: &[usize],
    rulesets: &[Ruleset],
    extents: &[Extent],
) {
    for &ruleset in rulesets {
        for (cycles, extent) in Cycles::ALL
            .into_iter()
            .flat_map(|cycles| extents.iter().map(move |extent| (cycles, *extent)))
        {
            let build = |seeds| build(cycles, extent, seeds);
            let alone = built_alone(ruleset, build(seeds));
            for &processes in processes {
                let place = tempfile::tempdir().unwrap();
                // Going on with another number of processes, and with more seeds.
                for (processes, seeds) in [(processes + 1, seeds / 2), (processes, seeds)] {
                    let tables = open_by(ruleset, place.path(), build(seeds));
                    build_with(processes, tables, build(seeds), &());
                }
                let what = format!("{ruleset}, {extent}, {processes} processes");
                assert!(files(place.path()) == alone, "{what}");
            }
        }
    }
}

#[test]
fn processes_write_what_one_process_writes() {
    let rulesets = [Ruleset::Abapa, Ruleset::SlamEnds, Ruleset::Awari];
    files_are_the_same_up_to(5, &[2], &rulesets, &[Extent::FULL]);
}

#[test]
fn more_processes_than_rows_write_the_same() {
    let extents = [Extent::FULL];
    files_are_the_same_up_to(3, &[9], &[Ruleset::Abapa], &extents);
}

/// Bounds of ten seeds are the first ones that take two rounds.
#[test]
fn processes_write_bounds_that_take_two_rounds() {
    for rules in [Ruleset::Abapa, Ruleset::Italian] {
        let build = build(Cycles::OwnSide, Extent::FULL, 10);
        let alone = built_alone(rules, build);
        for processes in [2, 5] {
            let place = tempfile::tempdir().unwrap();
            build_with(processes, open_by(rules, place.path(), build), build, &());
            assert!(
                files(place.path()) == alone,
                "{rules}, {processes} processes"
            );
        }
    }
}

#[test]
fn a_smaller_build_leaves_the_files_of_a_larger_one() {
    let place = tempfile::tempdir().unwrap();
    let build = |seeds| {
        let build = build(Cycles::Split, Extent::FULL, seeds);
        build_with(2, open(place.path(), build), build, &());
    };
    build(5);
    let left = place.path().join("layer-05-value.turned");
    // Files that are not what was written are made again, so any will do.
    fs::write(&left, "left").unwrap();
    build(3);
    assert!(left.exists());
    build(7);
    assert!(!left.exists());
}

#[test]
#[ignore = "slow: .ci/mpi has it"]
fn processes_write_what_one_process_writes_up_to_8_seeds() {
    let extents = [Extent::FULL, Extent::deciding(9).unwrap()];
    files_are_the_same_up_to(8, &[1, 3], &Ruleset::ALL, &extents);
}

/// Begins to build with two processes, of which the second has these rules. Returns the errors of both.
fn errors_of([first, second]: [Channels; 2], rules: Ruleset) -> [String; 2] {
    let place = tempfile::tempdir().unwrap();
    let build = build(Cycles::Split, Extent::FULL, 4);
    std::thread::scope(|scope| {
        let other = scope.spawn(move || cluster(second).help(&build, rules));
        let mut tables = open(place.path(), build);
        let found = cluster(first).lead(&build, &mut tables, &());
        assert_eq!(tables.manifest().finished(), 0);
        let errors = [found.unwrap_err(), other.join().unwrap().unwrap_err()];
        errors.map(|error| error.to_string())
    })
}

#[test]
fn processes_that_would_build_something_else_do_not_begin() {
    for error in errors_of(channels(2).try_into().unwrap(), Ruleset::Awari) {
        let has_both = error.contains("rules awari") && error.contains("rules abapa");
        assert!(has_both, "{error}");
    }
}

#[test]
fn nobody_waits_for_a_process_that_has_ended() {
    let [first, second, third] = channels(3).try_into().unwrap();
    // This one ends before it has begun.
    drop(third);
    for error in errors_of([first, second], Ruleset::Abapa) {
        assert!(error.ends_with("process 2 has ended"), "{error}");
    }
}

fn error_of(ends: &[End], process: usize) -> String {
    ends[process].clone().unwrap().unwrap_err()
}

/// The error of the process that failed, which all others repeat.
fn repeated_error_of(ends: &[End], failed: usize) -> String {
    let own = error_of(ends, failed);
    let repeated = format!("process {failed} has ended: {own}");
    for other in (0..ends.len()).filter(|&process| process != failed) {
        assert_eq!(error_of(ends, other), repeated);
    }
    own
}

/// The files that one process writes.
fn built_alone(rules: Ruleset, build: Build) -> Files {
    let place = tempfile::tempdir().unwrap();
    build_in_one(build, open_by(rules, place.path(), build), &());
    files(place.path())
}

/// Checks that a failed build has left no half-written file, and goes on to write the expected files.
/// Returns whether there was a checkpoint.
fn goes_on(processes: usize, build: Build, place: &Path, expected: &Files) -> bool {
    let left = files(place);
    for (path, bytes) in &left {
        let others = ["json", "checkpoint", "turned", "granero-tmp"].map(OsStr::new);
        let is_other = path.extension().is_some_and(|end| others.contains(&end));
        assert!(is_other || expected.get(path) == Some(bytes), "{path:?}");
    }
    match Tables::open(place) {
        Ok(tables) => tables.verify_files(|_| {}).unwrap(),
        Err(error) => assert!(matches!(error, TableError::NoTables { .. }), "{error}"),
    }
    let finished = open(place, build).manifest().finished();
    let name = format!("layer-{finished:02}.checkpoint");
    let has_checkpoint = left.keys().any(|path| path.ends_with(&name));
    let told = Told::default();
    build_with(processes, open(place, build), build, &told);
    assert_eq!(told.count("Resumed"), usize::from(has_checkpoint));
    assert_eq!(told.count("Refused"), 0);
    assert!(files(place) == *expected);
    has_checkpoint
}

/// Collects what happened to checkpoints, and copies of some tables after each checkpoint of their last layer.
#[derive(Default)]
struct Told<'a> {
    said: Mutex<Vec<String>>,
    copied: Option<(u8, &'a Path)>,
    copies: Mutex<Vec<TempDir>>,
}

impl Watch for Told<'_> {
    fn checkpoint(&self, layer: Layer, checkpoint: Checkpoint) {
        self.said.lock().unwrap().push(format!("{checkpoint:?}"));
        if let Some((seeds, place)) = self.copied
            && layer.seeds() == seeds
            && matches!(checkpoint, Checkpoint::Written)
        {
            self.copies.lock().unwrap().push(written(&files(place)));
        }
    }
}

impl Told<'_> {
    fn count(&self, what: &str) -> usize {
        let said = self.said.lock().unwrap();
        said.iter().filter(|said| said.starts_with(what)).count()
    }
}

/// Writes finished files to a new place.
fn written(files: &Files) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let is_finished = |path: &Path| path.extension().is_none_or(|end| end != "granero-tmp");
    for (path, bytes) in files.iter().filter(|(path, _)| is_finished(path)) {
        let to = place.path().join(path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, bytes).unwrap();
    }
    place
}

#[test]
fn processes_that_wait_for_each_other_all_the_time_write_the_same() {
    for cycles in Cycles::ALL {
        let build = Build {
            threads: 2,
            ..build(cycles, Extent::FULL, 4)
        };
        let expected = built_alone(Ruleset::Abapa, build);
        // One of them is slow besides.
        for (processes, slow, times) in [(2, 1, 2), (3, 0, 5), (4, 3, 10)] {
            let place = tempfile::tempdir().unwrap();
            let mut carriers = rough(processes, SMALL);
            carriers[slow].slow = times;
            let held_up = carriers[slow].held_up.clone();
            let tables = open(place.path(), build);
            let ends = ends_of(waiting(carriers), tables, build, &());
            assert_eq!(ends, vec![Some(Ok(())); processes]);
            let found = files(place.path());
            assert!(found == expected, "{cycles}, {processes} processes");
            assert!(held_up.load(Ordering::Relaxed) > 100);
        }
    }
}

#[test]
fn who_waits_for_a_process_that_is_stopped_is_told_and_goes_on_waiting() {
    let build = build(Cycles::Split, Extent::FULL, 3);
    let expected = built_alone(Ruleset::Abapa, build);
    // While the processes agree, while they solve a layer, and later.
    for (stopped, message) in [(1, 1), (2, 20), (0, 40), (1, 50)] {
        let place = tempfile::tempdir().unwrap();
        let mut carriers = rough(3, SMALL);
        let (say, said) = mpsc::channel();
        // It is stopped until each other process has said that it waits, and one that it waits for this one.
        let mut missing: BTreeSet<usize> = (0..3).filter(|&process| process != stopped).collect();
        let goes_on = Arc::new(AtomicBool::new(false));
        let (mut arrived, gone_on) = (0, goes_on.clone());
        carriers[stopped].arrives = Box::new(move |_| {
            arrived += 1;
            if arrived != message {
                return;
            }
            // Earlier reports do not count.
            while said.try_recv().is_ok() {}
            let mut names_it = false;
            while !(missing.is_empty() && names_it) {
                let (process, other) = said.recv().unwrap();
                missing.remove(&process);
                names_it |= other == stopped;
            }
            gone_on.store(true, Ordering::Relaxed);
        });
        let mut clusters = waiting(carriers);
        for cluster in &mut clusters {
            let (process, say) = (cluster.process(), say.clone());
            let soon = Duration::from_millis(1);
            cluster.on_silence(soon, move |other, waited| {
                assert!(waited >= soon && other != process);
                // The receiver may be gone by then.
                let _ = say.send((process, other));
            });
        }
        let ends = ends_of(clusters, open(place.path(), build), build, &());
        assert_eq!(ends, vec![Some(Ok(())); 3]);
        assert!(files(place.path()) == expected);
        assert!(goes_on.load(Ordering::Relaxed));
    }
}

/// Ends each process at some messages, in one of two ways.
fn processes_end<P: Iterator<Item = u64>>(messages: impl Fn(Death) -> P) {
    const PROCESSES: usize = 3;
    for (death, cycles) in [
        (Death::Cut, Cycles::OwnSide),
        (Death::Killed, Cycles::Split),
    ] {
        let build = build_with_checkpoints(cycles, 2);
        let expected = built_alone(Ruleset::Abapa, build);
        let mut resumed = 0;
        for victim in 0..PROCESSES {
            for message in messages(death) {
                let place = tempfile::tempdir().unwrap();
                let mut carriers = rough(PROCESSES, SMALL);
                carriers[victim].death = Some((message, death));
                let tables = open(place.path(), build);
                let ends = ends_of(waiting(carriers), tables, build, &());
                let what = format!("{death:?} of process {victim} at {message}: {ends:?}");
                if ends[victim] == Some(Ok(())) {
                    assert!(message > 50, "{what}");
                    break;
                }
                let own = "messages cannot be carried: the cable is cut";
                let others = format!("process {victim} has ended");
                for (process, end) in ends.iter().enumerate() {
                    match end {
                        None => assert!(process == victim && death == Death::Killed, "{what}"),
                        // All was done.
                        Some(Ok(())) => {
                            assert!(files(place.path()) == expected, "{what}");
                        }
                        Some(Err(error)) if process == victim => assert_eq!(error, own),
                        Some(Err(error)) => {
                            assert!(error.contains(&others), "{what}");
                            let says_why = error.contains(own);
                            assert_eq!(says_why, death == Death::Cut, "{what}");
                        }
                    }
                }
                let has_checkpoint = goes_on(2, build, place.path(), &expected);
                resumed += usize::from(has_checkpoint);
            }
        }
        assert!(resumed > 0);
    }
}

#[test]
fn a_process_that_ends_anywhere_ends_the_build_which_goes_on_later() {
    processes_end(|_| (0..).map(|power| 3u64.pow(power)));
}

#[test]
#[ignore = "slow: .ci/mpi has it"]
fn a_process_that_ends_at_many_messages_ends_the_build_which_goes_on_later() {
    processes_end(|death| match death {
        Death::Cut => (0..).step_by(3),
        Death::Killed => (1..).step_by(2),
    });
}

/// Damages the bytes of a file.
type Damage = fn(&mut Vec<u8>);

const DAMAGE_MIDDLE: Damage = |bytes| {
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
};

/// Shows a process the new files of a directory: those with values whole, and those of smaller layers damaged.
fn show(from: &Path, to: &Path, damage: Damage) {
    for file in fs::read_dir(from).into_iter().flatten() {
        let from = file.unwrap().path();
        let name = from.file_name().unwrap().to_str().unwrap();
        let to = to.join(name);
        if name.starts_with("values") {
            // It may be there already, or gone.
            let _ = fs::hard_link(from, to);
        } else if name.ends_with(".turned") && !to.exists() {
            let mut bytes = fs::read(from).unwrap();
            damage(&mut bytes);
            fs::write(to, bytes).unwrap();
        }
    }
}

#[test]
fn a_process_that_cannot_read_what_process_0_has_written_ends_the_build() {
    let build = build(Cycles::Split, Extent::FULL, 4);
    let expected = built_alone(Ruleset::Abapa, build);
    let other = " is damaged: it is not what was written";
    let cases: [(Option<Damage>, _, _); 3] = [
        // It sees none of the files.
        (None, "cannot write ", ": "),
        (Some(DAMAGE_MIDDLE), "", other),
        (Some(|bytes| bytes.truncate(bytes.len() / 2)), "", other),
    ];
    for (damage, begin, end) in cases {
        let base = tempfile::tempdir().unwrap();
        let [tables, mirror] = ["tables", "mirror"].map(|name| base.path().join(name));
        fs::create_dir(&mirror).unwrap();
        let mut carriers = rough(3, SMALL);
        carriers[1].arrives = Box::new({
            let (tables, mirror) = (tables.clone(), mirror.clone());
            move |message| {
                let find = |message: &[u8], text: &str| {
                    let mut all = message.windows(text.len());
                    all.position(|found| found == text.as_bytes())
                };
                // This process is told of the tables.
                let (told, there) = (tables.to_str().unwrap(), mirror.to_str().unwrap());
                if let Some(place) = find(message, told) {
                    message[place..][..told.len()].copy_from_slice(there.as_bytes());
                }
                if let Some(damage) = damage {
                    show(&tables, &mirror, damage);
                }
            }
        });
        let ends = ends_of(waiting(carriers), open(&tables, build), build, &());
        let own = repeated_error_of(&ends, 1);
        let begin = format!("{begin}{}", mirror.display());
        assert!(own.starts_with(&begin) && own.contains(end), "{own}");
        goes_on(3, build, &tables, &expected);
    }
}

/// Copies of the tables after each checkpoint of so many processes.
fn snapshots(processes: usize, build: Build) -> Vec<TempDir> {
    let place = tempfile::tempdir().unwrap();
    let copied = Some((build.seeds, place.path()));
    let told = Told {
        copied,
        ..Told::default()
    };
    let tables = open(place.path(), build);
    match processes {
        0 => build_in_one(build, tables, &told),
        _ => build_with(processes, tables, build, &told),
    }
    told.copies.into_inner().unwrap()
}

fn builds_go_on_from_checkpoints_of(processes: &[usize], seeds: u8) {
    for cycles in Cycles::ALL {
        let build = build_with_checkpoints(cycles, seeds);
        let expected = built_alone(Ruleset::Abapa, build);
        let name = format!("layer-{seeds:02}.checkpoint");
        for &processes in processes {
            let places = snapshots(processes, build);
            let kept: Vec<_> = places.iter().map(|place| files(place.path())).collect();
            assert!(kept.len() > 3, "{}", kept.len());
            // A process alone goes on.
            let middle = places[kept.len() / 2].path();
            let told = Told::default();
            build_in_one(build, open(middle, build), &told);
            assert_eq!(told.count("Resumed"), 1);
            assert!(files(middle) == expected);
            // A checkpoint that is damaged, too short, or of a smaller layer.
            let (first, last) = (&kept[0], &kept[kept.len() - 1]);
            let damages: [(_, Damage); 3] = [
                (last, |bytes| *bytes.last_mut().unwrap() ^= 1),
                (first, |bytes| bytes.truncate(bytes.len() - 1)),
                (first, |bytes| bytes[12] ^= 1),
            ];
            for (of, damage) in damages {
                let is_it = |path: &&PathBuf| path.ends_with(&name);
                let path = first.keys().find(is_it).unwrap();
                let (mut files, mut bytes) = (first.clone(), of[path].clone());
                damage(&mut bytes);
                files.insert(path.clone(), bytes);
                let (place, told) = (written(&files), Told::default());
                build_with(processes, open(place.path(), build), build, &told);
                assert_eq!(told.count("Resumed"), 0);
                assert_eq!(told.count("Refused(Damaged"), 1);
                assert!(self::files(place.path()) == expected);
            }
            // Other processes go on, also from a checkpoint of one process.
            for place in places.into_iter().chain(snapshots(0, build)).step_by(11) {
                if files(place.path()) != expected {
                    goes_on(processes % 4 + 1, build, place.path(), &expected);
                }
            }
        }
    }
}

#[test]
fn any_number_of_processes_goes_on_from_checkpoints_of_others() {
    builds_go_on_from_checkpoints_of(&[2], 4);
}

#[test]
#[ignore = "slow: .ci/mpi has it"]
fn any_number_of_processes_goes_on_from_checkpoints_of_up_to_4() {
    builds_go_on_from_checkpoints_of(&[1, 2, 3, 4], 6);
}

/// A state that no layer has.
struct Forged(Vec<(usize, usize)>);

impl State for Forged {
    fn sizes(&self) -> Vec<(usize, usize)> {
        self.0.clone()
    }

    fn copy_rows(&mut self, _: &Batch, to: &mut [u8]) -> Result<(), Stopped> {
        to.fill(0xff);
        Ok(())
    }

    fn take_rows(&mut self, _: &Batch, _: &[u8]) -> Result<(), Stopped> {
        Ok(())
    }
}

/// Its checksums are right, but no layer has such values.
#[test]
fn a_forged_checkpoint_ends_the_build_and_is_gone() {
    let build = build_with_checkpoints(Cycles::OwnSide, 3);
    let place = snapshots(2, build).pop().unwrap();
    let path = place.path().join("own-side/layer-03.checkpoint");
    // The matrices of both bounds, and what is secured of them, in lines of 64 bytes.
    let rows = (0..=3).map(|own| granero_table::index::half::count(3 - own) as usize);
    let sizes: Vec<_> = rows.map(|rows| (rows, 64)).collect();
    let tables = open(place.path(), build);
    let note = |_| ();
    let layer = Layer::new(3).unwrap();
    let mut checkpoints = LayerCheckpoints::new(&tables, layer, None, &note);
    let phase = checkpoints.phase().unwrap();
    let mut forged = Forged(sizes.repeat(4));
    assert!(checkpoints.read(&mut forged).unwrap());
    checkpoints.write(phase, &mut forged).unwrap();
    drop(tables);
    let tables = open(place.path(), build);
    let ends = ends_of(waiting(rough(3, SMALL)), tables, build, &());
    let own = repeated_error_of(&ends, 0);
    let what = "its values are impossible, so it was deleted";
    assert!(own.ends_with(what), "{own}");
    assert!(!path.exists());
    goes_on(2, build, place.path(), &built_alone(Ruleset::Abapa, build));
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_left_out() {
    for cycles in Cycles::ALL {
        let build = build_with_checkpoints(cycles, 2);
        let expected = built_alone(Ruleset::Abapa, build);
        let (mut left_out, mut is_whole) = (0, false);
        for step in (0..10_000).step_by(5) {
            let place = tempfile::tempdir().unwrap();
            let told = Told::default();
            let mut tables = open(place.path(), build);
            tables.full_during(step..=step);
            let ends = ends_of(waiting(rough(2, SMALL)), tables, build, &told);
            match told.count("NotWritten") {
                0 if ends == [Some(Ok(())), Some(Ok(()))] => {
                    assert!(step > 50);
                    is_whole = true;
                    break;
                }
                0 => {
                    let own = error_of(&ends, 0);
                    assert!(own.ends_with("no storage space"), "{own}");
                }
                _ => {
                    left_out += 1;
                    assert_eq!(ends, [Some(Ok(())), Some(Ok(()))]);
                    assert!(files(place.path()) == expected);
                }
            }
        }
        assert!(is_whole && left_out > 3, "{left_out}");
    }
}

#[test]
fn a_full_disk_ends_the_build() {
    let build = build(Cycles::Split, Extent::FULL, 2);
    let expected = built_alone(Ruleset::Abapa, build);
    for steps in (0..).map(|power| 2usize.pow(power)) {
        let place = tempfile::tempdir().unwrap();
        let mut tables = open(place.path(), build);
        tables.full_during(steps..);
        let ends = ends_of(waiting(rough(2, SMALL)), tables, build, &());
        if ends == [Some(Ok(())), Some(Ok(()))] {
            assert!(steps > 30);
            break;
        }
        let own = repeated_error_of(&ends, 0);
        assert!(own.starts_with("cannot "), "{own}");
        assert!(own.ends_with("no storage space"), "{own}");
        goes_on(3, build, place.path(), &expected);
    }
}

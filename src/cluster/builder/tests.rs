use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
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

/// All files of some tables but the lock, with their names.
fn files(place: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(place).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    let mut files: Vec<_> = files
        .map(|file| {
            let name = file.file_name().into_string().unwrap();
            (name, fs::read(file.path()).unwrap())
        })
        .filter(|(name, _)| name != "granero.lock")
        .collect();
    files.sort();
    files
}

fn open(place: &Path, kind: impl Into<Kind>) -> TableWriter {
    TableWriter::open(place, kind).unwrap()
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

fn build(cycles: Cycles, extent: Extent, seeds: u8) -> Build {
    Build {
        cycles,
        extent,
        seeds,
        threads: 1,
        memory: u64::MAX,
        checkpoint: None,
    }
}

fn build_with_checkpoints(cycles: Cycles, seeds: u8) -> Build {
    Build {
        checkpoint: Some(Duration::ZERO),
        ..build(cycles, Extent::FULL, seeds)
    }
}

fn build_with(processes: usize, build: Build, rules: Ruleset, place: &Path) {
    build_told(processes, build, rules, place, &());
}

fn build_told(processes: usize, build: Build, rules: Ruleset, place: &Path, watch: &dyn Watch) {
    let mut carriers = channels(processes).into_iter();
    let first = carriers.next().unwrap();
    std::thread::scope(|scope| {
        for carrier in carriers {
            scope.spawn(move || cluster(carrier).help(&build, rules).unwrap());
        }
        let mut tables = open(place, (rules, build.cycles, build.extent));
        let mut cluster = cluster(first);
        cluster.lead(&build, &mut tables, watch).unwrap();
        tables.confirm().unwrap();
        let sent = cluster.sent();
        assert_eq!(sent > 0, processes > 1, "{sent}");
    });
}

fn files_are_the_same_up_to(
    seeds: u8,
    processes: &[usize],
    rulesets: &[Ruleset],
    extents: &[Extent],
) {
    for &ruleset in rulesets {
        for cycles in Cycles::ALL {
            for &extent in extents {
                let build = |seeds| build(cycles, extent, seeds);
                let place = tempfile::tempdir().unwrap();
                let open = || open(place.path(), (ruleset, cycles, extent));
                let path = open().path().to_path_buf();
                build_in_one(build(seeds), open(), &());
                let alone = files(&path);
                for &processes in processes {
                    fs::remove_dir_all(&path).unwrap();
                    // Going on with another number of processes, and with more seeds.
                    build_with(processes + 1, build(seeds / 2), ruleset, place.path());
                    build_with(processes, build(seeds), ruleset, place.path());
                    assert!(
                        files(&path) == alone,
                        "{ruleset}, {extent}, {processes} processes"
                    );
                }
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

#[test]
fn a_smaller_build_leaves_the_files_of_a_larger_one() {
    let place = tempfile::tempdir().unwrap();
    let build = |seeds| build(Cycles::Split, Extent::FULL, seeds);
    build_with(2, build(5), Ruleset::Abapa, place.path());
    let left = place.path().join("layer-05-value.turned");
    // Files that are not what was written are made again, so any will do.
    fs::write(&left, "left").unwrap();
    build_with(2, build(3), Ruleset::Abapa, place.path());
    assert!(left.exists());
    build_with(2, build(7), Ruleset::Abapa, place.path());
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
        let mut tables = open(place.path(), (Ruleset::Abapa, Cycles::Split));
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

/// With messages of one byte, and one under way, processes wait for each other all the time.
const SMALL: usize = 1;

/// The end of a process: success, an error, or `None` if it was killed.
type End = Option<Result<(), String>>;

/// Builds with these carriers; `prepare` gets the tables. Returns the end of each process.
fn build_roughly(
    carriers: Vec<Rough>,
    build: Build,
    place: &Path,
    prepare: impl Fn(&mut TableWriter) + Sync,
) -> Vec<End> {
    build_watched(carriers, build, place, prepare, |_| (), &())
}

/// Like `build_roughly`; `watch` gets the cluster of each process.
fn build_watched(
    carriers: Vec<Rough>,
    build: Build,
    place: &Path,
    prepare: impl Fn(&mut TableWriter) + Sync,
    watch: impl Fn(&mut Cluster) + Sync,
    told: &dyn Watch,
) -> Vec<End> {
    let rules = Ruleset::Abapa;
    let (prepare, watch) = (&prepare, &watch);
    std::thread::scope(|scope| {
        let run = |(process, carrier)| {
            let work = move || {
                let mut cluster = Cluster::with(carrier, SMALL, Tuning::SMALL);
                watch(&mut cluster);
                let built = match process {
                    0 => {
                        let mut tables = open(place, (rules, build.cycles));
                        prepare(&mut tables);
                        let built = cluster.lead(&build, &mut tables, told);
                        built.map(|_| ())
                    }
                    _ => cluster.help(&build, rules),
                };
                built.map_err(|error| with_causes(&error))
            };
            scope.spawn(work)
        };
        let threads: Vec<_> = carriers.into_iter().enumerate().map(run).collect();
        let ends = threads.into_iter().map(|thread| thread.join().ok());
        ends.collect()
    })
}

/// The files that one process writes.
fn built_alone(build: Build) -> Vec<(String, Vec<u8>)> {
    let place = tempfile::tempdir().unwrap();
    let tables = open(place.path(), (Ruleset::Abapa, build.cycles));
    build_in_one(build, tables, &());
    files_of(build, place.path())
}

fn files_of(build: Build, place: &Path) -> Vec<(String, Vec<u8>)> {
    match build.cycles {
        Cycles::Split => files(place),
        Cycles::OwnSide => files(&place.join("own-side")),
    }
}

/// Checks that a failed build has left no half-written file, and goes on to write the expected files.
/// Returns whether there was a checkpoint.
fn goes_on(processes: usize, build: Build, place: &Path, expected: &[(String, Vec<u8>)]) -> bool {
    for file in files_of(build, place) {
        let counts = file.0 != "granero.json" && !file.0.ends_with(".granero-tmp");
        let goes_on = [".checkpoint", ".turned"]
            .iter()
            .any(|end| file.0.ends_with(end));
        assert!(!counts || goes_on || expected.contains(&file), "{}", file.0);
    }
    match Tables::open(place) {
        Ok(tables) => tables.verify_files(|_| {}).unwrap(),
        Err(error) => assert!(matches!(error, TableError::NoTables { .. }), "{error}"),
    }
    let tables = open(place, (Ruleset::Abapa, build.cycles));
    let finished = tables.manifest().finished();
    drop(tables);
    let name = format!("layer-{finished:02}.checkpoint");
    let mut files = files_of(build, place).into_iter();
    let has_checkpoint = files.any(|(found, _)| found == name);
    let told = Told::default();
    build_told(processes, build, Ruleset::Abapa, place, &told);
    assert_eq!(told.count("Resumed"), usize::from(has_checkpoint));
    assert_eq!(told.count("Refused"), 0);
    assert!(files_of(build, place) == expected);
    has_checkpoint
}

/// Collects what happened to checkpoints.
#[derive(Default)]
struct Told(Mutex<Vec<String>>);

impl Watch for Told {
    fn checkpoint(&self, _: Layer, checkpoint: Checkpoint) {
        self.0.lock().unwrap().push(format!("{checkpoint:?}"));
    }
}

impl Told {
    fn count(&self, what: &str) -> usize {
        let told = self.0.lock().unwrap();
        told.iter().filter(|told| told.starts_with(what)).count()
    }
}

#[test]
fn processes_that_wait_for_each_other_all_the_time_write_the_same() {
    for cycles in Cycles::ALL {
        let build = Build {
            threads: 2,
            ..build(cycles, Extent::FULL, 4)
        };
        let expected = built_alone(build);
        // One of them is slow besides.
        for (processes, slow, times) in [(2, 1, 2), (3, 0, 5), (4, 3, 10)] {
            let place = tempfile::tempdir().unwrap();
            let mut carriers = rough(processes, SMALL);
            carriers[slow].slow = times;
            let held_up = carriers[slow].held_up.clone();
            let ends = build_roughly(carriers, build, place.path(), |_| ());
            assert_eq!(ends, vec![Some(Ok(())); processes]);
            let found = files_of(build, place.path());
            assert!(found == expected, "{cycles}, {processes} processes");
            assert!(held_up.load(Ordering::Relaxed) > 100);
        }
    }
}

#[test]
fn who_waits_for_a_process_that_is_stopped_is_told_and_goes_on_waiting() {
    let build = build(Cycles::Split, Extent::FULL, 3);
    let expected = built_alone(build);
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
        let ends = build_watched(
            carriers,
            build,
            place.path(),
            |_| (),
            |cluster| {
                let (process, say) = (cluster.process(), say.clone());
                let soon = Duration::from_millis(1);
                cluster.on_silence(soon, move |other, waited| {
                    assert!(waited >= soon && other != process);
                    // The receiver may be gone by then.
                    let _ = say.send((process, other));
                });
            },
            &(),
        );
        assert_eq!(ends, vec![Some(Ok(())); 3]);
        assert!(files_of(build, place.path()) == expected);
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
        let expected = built_alone(build);
        let mut resumed = 0;
        for victim in 0..PROCESSES {
            for message in messages(death) {
                let place = tempfile::tempdir().unwrap();
                let mut carriers = rough(PROCESSES, SMALL);
                carriers[victim].death = Some((message, death));
                let ends = build_roughly(carriers, build, place.path(), |_| ());
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
                            assert!(files_of(build, place.path()) == expected, "{what}");
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

/// The damage that one process sees in a directory that the others see whole.
#[derive(Clone, Copy, Debug)]
enum Seen {
    Nothing,
    Damaged,
    Short,
}

impl Seen {
    /// Shows this process the new files of a directory, those with values whole.
    fn show(self, from: &Path, to: &Path) {
        for file in fs::read_dir(from).into_iter().flatten() {
            let (from, name) = (file.as_ref().unwrap().path(), file.unwrap().file_name());
            let (to, is_values) = (
                to.join(&name),
                name.as_encoded_bytes().starts_with(b"values"),
            );
            let is_smaller = from.extension().is_some_and(|end| end == "turned");
            match self {
                Seen::Damaged | Seen::Short if is_values => {
                    // It may be there already, or gone.
                    let _ = fs::hard_link(from, to);
                }
                Seen::Damaged | Seen::Short if is_smaller && !to.exists() => {
                    let mut bytes = fs::read(from).unwrap();
                    let middle = bytes.len() / 2;
                    match self {
                        Seen::Short => bytes.truncate(middle),
                        _ => bytes[middle] ^= 1,
                    }
                    fs::write(to, bytes).unwrap();
                }
                _ => {}
            }
        }
    }
}

#[test]
fn a_process_that_cannot_read_what_process_0_has_written_ends_the_build() {
    let build = build(Cycles::Split, Extent::FULL, 4);
    let expected = built_alone(build);
    for seen in [Seen::Nothing, Seen::Damaged, Seen::Short] {
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
                seen.show(&tables, &mirror);
            }
        });
        let ends = build_roughly(carriers, build, &tables, |_| ());
        let error = |process: usize| ends[process].clone().unwrap().unwrap_err();
        let own = error(1);
        let (begin, end) = match seen {
            Seen::Nothing => ("cannot write ", ": "),
            Seen::Damaged | Seen::Short => ("", " is damaged: it is not what was written"),
        };
        assert!(
            own.starts_with(&format!("{begin}{}", mirror.display())),
            "{own}"
        );
        assert!(own.contains(end), "{own}");
        let others = format!("process 1 has ended: {own}");
        assert_eq!([error(0), error(2)], [others.clone(), others]);
        goes_on(3, build, &tables, &expected);
    }
}

/// Copies the tables each time that a checkpoint of the last layer was written.
struct Snapshots<'a> {
    build: Build,
    place: &'a Path,
    all: Mutex<Vec<TempDir>>,
}

impl Watch for Snapshots<'_> {
    fn checkpoint(&self, layer: Layer, checkpoint: Checkpoint) {
        if layer.seeds() == self.build.seeds && matches!(checkpoint, Checkpoint::Written) {
            let copy = tempfile::tempdir().unwrap();
            copy_files(&files_of(self.build, self.place), self.build, copy.path());
            self.all.lock().unwrap().push(copy);
        }
    }
}

fn copy_files(files: &[(String, Vec<u8>)], build: Build, to: &Path) {
    let to = match build.cycles {
        Cycles::Split => to.to_path_buf(),
        Cycles::OwnSide => to.join("own-side"),
    };
    fs::create_dir_all(&to).unwrap();
    for (name, bytes) in files.iter().filter(|(name, _)| !name.ends_with("tmp")) {
        fs::write(to.join(name), bytes).unwrap();
    }
}

/// Copies of the tables after each checkpoint of so many processes.
fn snapshots(processes: usize, build: Build) -> Vec<TempDir> {
    let place = tempfile::tempdir().unwrap();
    let path = place.path();
    let watch = Snapshots {
        build,
        place: path,
        all: Mutex::default(),
    };
    build_told(processes, build, Ruleset::Abapa, path, &watch);
    watch.all.into_inner().unwrap()
}

fn builds_go_on_from_checkpoints_of(processes: &[usize], seeds: u8) {
    for cycles in Cycles::ALL {
        let build = build_with_checkpoints(cycles, seeds);
        let expected = built_alone(build);
        let name = format!("layer-{seeds:02}.checkpoint");
        for &processes in processes {
            let places = snapshots(processes, build);
            let files = places.iter().map(|place| files_of(build, place.path()));
            let kept: Vec<_> = files.collect();
            assert!(kept.len() > 3, "{}", kept.len());
            // A process alone goes on.
            let middle = places[kept.len() / 2].path();
            let told = Told::default();
            build_in_one(build, open(middle, (Ruleset::Abapa, cycles)), &told);
            assert_eq!(told.count("Resumed"), 1);
            assert!(files_of(build, middle) == expected);
            // A checkpoint that is damaged, too short, or of a smaller layer.
            let [first, .., last] = &kept[..] else {
                panic!("few checkpoints");
            };
            let of = |files: &[(String, Vec<u8>)]| {
                let found = files.iter().find(|(found, _)| *found == name);
                found.unwrap().1.clone()
            };
            let mut damaged = of(last);
            *damaged.last_mut().unwrap() ^= 1;
            let mut short = of(first);
            short.pop();
            let mut other = of(first);
            other[12] ^= 1;
            for bad in [damaged, short, other] {
                let place = tempfile::tempdir().unwrap();
                let mut files = first.clone();
                let found = files.iter_mut().find(|(found, _)| *found == name);
                found.unwrap().1 = bad;
                copy_files(&files, build, place.path());
                let told = Told::default();
                build_told(processes, build, Ruleset::Abapa, place.path(), &told);
                assert_eq!(told.count("Resumed"), 0);
                assert_eq!(told.count("Refused(Damaged"), 1);
                assert!(files_of(build, place.path()) == expected);
            }
            // Other processes go on, also from a checkpoint of one process.
            let alone = tempfile::tempdir().unwrap();
            let watch = Snapshots {
                build,
                place: alone.path(),
                all: Mutex::default(),
            };
            build_in_one(build, open(alone.path(), (Ruleset::Abapa, cycles)), &watch);
            let of_one = watch.all.into_inner().unwrap();
            for place in places.into_iter().chain(of_one).step_by(11) {
                if files_of(build, place.path()) != expected {
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
    let header = fs::read(&path).unwrap();
    let (numbers, _) = header[52..].as_chunks();
    let numbers: Vec<usize> = numbers.iter().copied().map(usize::from_le_bytes).collect();
    // The matrices of both bounds, and what is secured of them.
    let sizes = numbers.as_chunks().0.iter().take(4 * 4);
    let sizes: Vec<_> = sizes.map(|&[rows, row]| (rows, row)).collect();
    let tables = open(place.path(), (Ruleset::Abapa, Cycles::OwnSide));
    let note = |_| ();
    let of_tables = (&**tables.lock(), tables.manifest().fingerprint());
    let layer = Layer::new(3).unwrap();
    let mut checkpoints = LayerCheckpoints::new(of_tables, layer, None, &note);
    let phase = checkpoints.phase(&sizes).unwrap();
    let mut forged = Forged(sizes);
    assert!(checkpoints.read(&mut forged).unwrap());
    checkpoints.write(phase, &mut forged).unwrap();
    drop(tables);
    let ends = build_roughly(rough(3, SMALL), build, place.path(), |_| ());
    let error = |process: usize| ends[process].clone().unwrap().unwrap_err();
    let own = error(0);
    let what = "its values are impossible, so it was deleted";
    assert!(own.ends_with(what), "{own}");
    let others = format!("process 0 has ended: {own}");
    assert_eq!([error(1), error(2)], [others.clone(), others]);
    assert!(!path.exists());
    goes_on(2, build, place.path(), &built_alone(build));
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_left_out() {
    for cycles in Cycles::ALL {
        let build = build_with_checkpoints(cycles, 2);
        let expected = built_alone(build);
        let (mut left_out, mut is_whole) = (0, false);
        for step in (0..10_000).step_by(5) {
            let place = tempfile::tempdir().unwrap();
            let told = Told::default();
            let full = |tables: &mut TableWriter| tables.full_during(step..=step);
            let ends = build_watched(rough(2, SMALL), build, place.path(), full, |_| (), &told);
            match told.count("NotWritten") {
                0 if ends == [Some(Ok(())), Some(Ok(()))] => {
                    assert!(step > 50);
                    is_whole = true;
                    break;
                }
                0 => {
                    let own = ends[0].clone().unwrap().unwrap_err();
                    assert!(own.ends_with("no storage space"), "{own}");
                }
                _ => {
                    left_out += 1;
                    assert_eq!(ends, [Some(Ok(())), Some(Ok(()))]);
                    assert!(files_of(build, place.path()) == expected);
                }
            }
        }
        assert!(is_whole && left_out > 3, "{left_out}");
    }
}

#[test]
fn a_full_disk_ends_the_build() {
    let build = build(Cycles::Split, Extent::FULL, 2);
    let expected = built_alone(build);
    for steps in (0..).map(|power| 2usize.pow(power)) {
        let place = tempfile::tempdir().unwrap();
        let full = |tables: &mut TableWriter| tables.full_during(steps..);
        let ends = build_roughly(rough(2, SMALL), build, place.path(), full);
        if ends == [Some(Ok(())), Some(Ok(()))] {
            assert!(steps > 30);
            break;
        }
        let error = |process: usize| ends[process].clone().unwrap().unwrap_err();
        let own = error(0);
        assert!(own.starts_with("cannot "), "{own}");
        assert!(own.ends_with("no storage space"), "{own}");
        assert_eq!(error(1), format!("process 0 has ended: {own}"));
        goes_on(3, build, place.path(), &expected);
    }
}

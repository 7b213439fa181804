//! `granero build` as people meet it: killed, stopped, without room, in the wrong
//! directory; and always the same tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use granero::build::{least_memory, memory_needed};
use granero::random::SplitMix64;
use granero::table::TableWriter;
use granero::{Cycles, Ruleset, Tables};
use serde_json::Value;
use tempfile::tempdir;
use test_case::test_case;

use crate::program;
use crate::support::command::{code, shows, stderr, success, tells};
#[cfg(unix)]
use crate::support::command::{piped, signal};
use crate::support::sealed::resealed;
use crate::support::tables::{copy, files, tables_in};

fn build(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = program::command();
    command.arg("build").arg("--db").arg(directory);
    command.arg("--quiet").args(arguments);
    if !arguments.contains(&"--memory") {
        command.args(["--memory", "1G"]);
    }
    command
}

fn run(directory: &Path, arguments: &[&str]) -> Output {
    build(directory, arguments).output().unwrap()
}

/// Waits until a layer is finished, or the whole build.
fn wait_for_layer(directory: &Path, seeds: u8, child: &mut Child) {
    while child.try_wait().unwrap().is_none() {
        match Tables::open(directory) {
            Ok(tables) if tables.manifest().finished() > seeds => return,
            _ => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

#[test]
fn a_killed_build_goes_on_to_the_same_tables() {
    let (cycles, seeds) = (Cycles::Split, 10_u8);
    let most = seeds.to_string();
    let arguments = ["--seeds", &most, "--cycles", cycles.name()];
    let expected = files_of(&arguments);
    assert_eq!(expected.len(), usize::from(seeds) + 2);

    for killed_after in [0, 8, 9] {
        let place = tempdir().unwrap();
        let mut command = build(place.path(), &arguments);
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        wait_for_layer(place.path(), killed_after, &mut child);
        child.kill().unwrap();
        child.wait().unwrap();
        // No half-written file is mistaken for good.
        let left = Tables::open(place.path()).unwrap();
        for layer in left.layers() {
            let (layer, values) = layer.unwrap();
            assert_eq!(values.low().len() as u64, layer.len());
        }
        success(&run(place.path(), &arguments));
        assert!(
            files(&tables_in(place.path(), cycles)) == expected,
            "{cycles}, killed after {killed_after}"
        );
    }
}

/// The files of a new directory that is built with some arguments.
fn files_of(arguments: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let place = tempdir().unwrap();
    success(&run(place.path(), arguments));
    let is_of = |cycles: &Cycles| arguments.contains(&cycles.name());
    let cycles = Cycles::ALL.into_iter().find(is_of).unwrap_or_default();
    files(&tables_in(place.path(), cycles))
}

/// The checkpoint of a layer that a killed build leaves; `smaller` has the layers below.
fn checkpoint_of(seeds: &str, cycles: Cycles, smaller: &Path) -> Vec<u8> {
    loop {
        let place = tempdir().unwrap();
        copy(smaller, place.path());
        let arguments = ["--seeds", seeds, "--checkpoint", "0ms", "--cycles"];
        let arguments = [&arguments[..], &[cycles.name()]].concat();
        let mut child = build(place.path(), &arguments).spawn().unwrap();
        let path = tables_in(place.path(), cycles).join(format!("layer-{seeds:0>2}.checkpoint"));
        while child.try_wait().unwrap().is_none() {
            if let Ok(bytes) = fs::read(&path) {
                child.kill().unwrap();
                child.wait().unwrap();
                return bytes;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        // The layer was finished before its checkpoint was seen.
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn a_build_goes_on_from_a_checkpoint() {
    for (cycles, seeds) in [(Cycles::Split, 10), (Cycles::OwnSide, 8)] {
        let [before, seeds] = [seeds - 1, seeds].map(|seeds| seeds.to_string());
        let (smaller, whole) = (tempdir().unwrap(), tempdir().unwrap());
        let build =
            |place: &Path, seeds: &str| run(place, &["--seeds", seeds, "--cycles", cycles.name()]);
        assert_eq!(code(&build(smaller.path(), &before)), 0);
        copy(smaller.path(), whole.path());
        assert_eq!(code(&build(whole.path(), &seeds)), 0);
        let good = checkpoint_of(&seeds, cycles, smaller.path());
        let mut damaged = good.clone();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 1;
        for (bytes, note) in [
            (&good, "resuming from the checkpoint"),
            (&damaged, "restarting: the checkpoint cannot be used"),
        ] {
            let place = tempdir().unwrap();
            copy(smaller.path(), place.path());
            let path =
                tables_in(place.path(), cycles).join(format!("layer-{seeds:0>2}.checkpoint"));
            fs::write(&path, bytes).unwrap();
            let output = build(place.path(), &seeds);
            tells(&output, 0, &format!("{seeds} seeds: {note}"));
            assert!(!path.exists());
            let [place, whole] = [&place, &whole].map(|place| tables_in(place.path(), cycles));
            assert!(files(&place) == files(&whole));
        }
    }
}

/// A build that is killed at any point continues to the same tables.
#[test]
#[ignore = "slow: .ci/run has it"]
fn a_build_that_is_killed_at_any_moment_goes_on_to_the_same_tables() {
    let arguments = ["--seeds", "15", "--checkpoint", "0ms"];
    let place = tempdir().unwrap();
    let mut random = SplitMix64::new(1);
    let random = std::iter::repeat_with(|| random.below(512));
    // Repeatedly in the same directory: first a little later each time.
    for milliseconds in (0..40).map(|step| step * 3).chain(random.take(10)) {
        let mut command = build(place.path(), &arguments);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        let _ = child.kill();
        child.wait().unwrap();
    }
    success(&run(place.path(), &arguments[..2]));
    assert!(files(place.path()) == files_of(&arguments[..2]));
}

#[cfg(unix)]
#[test]
fn an_interrupted_build_says_how_to_go_on() {
    let place = tempdir().unwrap();
    let mut child = piped(&mut build(place.path(), &["--seeds", "19"]));
    wait_for_layer(place.path(), 8, &mut child);
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    tells(&output, 130, "the same command continues");
    assert_eq!(code(&run(place.path(), &["--seeds", "10"])), 0);
}

#[cfg(unix)]
#[test]
fn a_build_under_nohup_outlives_its_terminal() {
    let place = tempdir().unwrap();
    let script = "trap '' HUP; exec \"$0\" build --quiet --seeds 11 --db \"$1\"";
    let mut child = Command::new("sh")
        .args(["-c", script, &program::path()])
        .arg(place.path())
        .spawn()
        .unwrap();
    wait_for_layer(place.path(), 6, &mut child);
    signal(&child, "HUP");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

fn files_do_not_depend_on(options: &[[&str; 2]], arguments: &[&str]) {
    let expected = files_of(arguments);
    for option in options {
        let files = files_of(&[arguments, option].concat());
        assert!(files == expected, "{arguments:?}, {option:?}");
    }
}

const THREADS: [[&str; 2]; 3] = [["--threads", "1"], ["--threads", "2"], ["--threads", "5"]];

#[test]
#[ignore = "slow: .ci/run has it"]
fn larger_files_do_not_depend_on_threads_and_memory() {
    files_do_not_depend_on(&THREADS, &["--seeds", "12", "--rules", "italian"]);
    // With this memory, smaller layers are in temporary files.
    let options = [THREADS[0], ["--threads", "3"], ["--memory", "75M"]];
    files_do_not_depend_on(&options, &["--seeds", "11", "--cycles", "own-side"]);
    // No room for any smaller layer.
    let least = memory_needed(Cycles::Split, 12, 2).div_ceil(1024);
    let least = ["--memory", &format!("{least}K")];
    files_do_not_depend_on(&[least], &["--seeds", "12", "--threads", "2"]);
}

#[test]
fn a_second_build_is_refused() {
    let place = tempdir().unwrap();
    let writer = TableWriter::open(place.path(), (Ruleset::Abapa, Cycles::Split)).unwrap();
    let output = run(place.path(), &["--seeds", "3"]);
    tells(&output, 3, "another build is writing");
    let info = program::printed(&["info"], place.path());
    shows(&info, "A build is writing here now.");
    if cfg!(target_os = "linux") {
        let process = format!(": process {} (", std::process::id());
        shows(stderr(&output), &process);
    }
    drop(writer);
    assert_eq!(code(&run(place.path(), &["--seeds", "3"])), 0);
}

/// A build notices all changes of its directory.
#[cfg(unix)]
#[test]
#[ignore = "slow: .ci/run has it"]
fn a_directory_that_goes_away_is_an_error() {
    let place = tempdir().unwrap();
    let (db, moved) = (place.path().join("db"), place.path().join("moved"));
    let lock = db.join("granero.lock");
    let away = || fs::rename(&db, &moved).unwrap();
    let replaced = || {
        away();
        fs::create_dir(&db).unwrap();
    };
    let removed = || fs::remove_dir_all(&db).unwrap();
    let unlocked = || fs::remove_file(&lock).unwrap();
    let gone = || fs::remove_file(db.join("layer-04.granero")).unwrap();
    let cases: [(&dyn Fn(), _); 5] = [
        (&away, "db is no longer the directory"),
        (&replaced, "db is no longer the directory"),
        (&removed, "db is no longer the directory"),
        (&unlocked, "granero.lock was removed or replaced"),
        (&gone, "layer-04.granero is damaged: it is gone"),
    ];
    for (disturb, what) in cases {
        // Stopped where it cannot finish before the directory changes.
        let mut child = piped(&mut build(&db, &["--seeds", "19"]));
        wait_for_layer(&db, 8, &mut child);
        signal(&child, "STOP");
        assert!(Tables::open(&db).unwrap().manifest().finished() < 20);
        disturb();
        signal(&child, "CONT");
        let output = child.wait_with_output().unwrap();
        tells(&output, 3, what);
        let (_, help) = stderr(&output).split_once("\nhelp: ").unwrap();
        assert!(!help.contains("  "), "{help}");
        for left in [&db, &moved] {
            if left.join("granero.json").exists() && what != cases[4].1 {
                Tables::open(left).unwrap().verify_files(|_| {}).unwrap();
            }
            let _ = fs::remove_dir_all(left);
        }
    }
}

#[test]
fn damaged_tables_are_named() {
    let place = tempdir().unwrap();
    run(place.path(), &["--seeds", "8"]);
    let manifest = place.path().join("granero.json");
    let good = fs::read_to_string(&manifest).unwrap();
    for bad in [
        good[..good.len() / 2].to_string(),
        String::new(),
        good.replace("\"positions\":78", "\"positions\":79"),
        resealed(&good.replace("\"positions\":78", "\"positions\":79")),
        resealed(&good.replace("abapa", "kalah")),
    ] {
        fs::write(&manifest, bad).unwrap();
        let output = run(place.path(), &["--seeds", "9"]);
        tells(&output, 3, "granero.json is damaged");
    }
    for format in [5, 7] {
        let other = good.replace("\"format\":6", &format!("\"format\":{format}"));
        fs::write(&manifest, other).unwrap();
        let output = run(place.path(), &["--seeds", "9"]);
        assert_eq!(code(&output), 3);
        let text = stderr(&output);
        shows(text, &format!("of format {format}, which this version"));
        shows(text, "use the version that wrote it");
    }
}

/// The same bytes as before, whatever happened to which files.
#[test_case(Cycles::Split)]
#[test_case(Cycles::OwnSide => ignore["slow: .ci/run has it"] ())]
fn lost_layers_are_made_again(cycles: Cycles) {
    let cut = |path: &Path| fs::write(path, &fs::read(path).unwrap()[1..]).unwrap();
    let changed = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    let gone = |path: &Path| fs::remove_file(path).unwrap();
    let place = tempdir().unwrap();
    let whole = tempdir().unwrap();
    let build = |place: &Path, seeds| run(place, &["--cycles", cycles.name(), "--seeds", seeds]);
    build(place.path(), "8");
    build(whole.path(), "8");
    let whole = files(&tables_in(whole.path(), cycles));
    let tables = tables_in(place.path(), cycles);
    let layer = |seeds| tables.join(format!("layer-0{seeds}.granero"));
    // Those that are not consecutive, those that are, and the last one.
    for lost in [&[3, 6][..], &[4, 5, 6, 7], &[0, 1, 2, 8]] {
        type Way<'a> = (&'a dyn Fn(&Path), &'a str);
        let ways: [Way<'_>; 3] = [
            (&cut, "damaged"),
            (&changed, "damaged"),
            (&gone, "cannot read"),
        ];
        let ways = ways.into_iter().cycle();
        for (&seeds, (lose, _)) in lost.iter().zip(ways.clone()) {
            lose(&layer(seeds));
        }
        let output = build(place.path(), "8");
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        for (seeds, (_, how)) in lost.iter().zip(ways) {
            let said = format!("{seeds} seeds: solving the layer again: ");
            let (_, said) = stderr(&output).split_once(&said).unwrap();
            assert!(said.lines().next().unwrap().contains(how), "{said}");
        }
        assert!(files(&tables) == whole);
    }
    // Smaller tables than those that are there make no larger layers.
    gone(&layer(7));
    let output = build(place.path(), "5");
    tells(&output, 3, "layer-07.granero");
    shows(stderr(&output), "makes the file again");
    // More seeds go on from there.
    changed(&layer(6));
    assert_eq!(code(&build(place.path(), "9")), 0);
    let kept = files(&tables)
        .into_iter()
        .filter(|(name, file)| whole.get(name) == Some(file));
    assert_eq!(kept.count(), whole.len() - 1, "all but the manifest");
}

/// Values that differ from the manifest, or another hash there, are not taken for good.
#[test]
fn layers_made_again_are_what_the_manifest_lists() {
    let place = tempdir().unwrap();
    run(place.path(), &["--seeds", "4"]);
    let manifest = place.path().join("granero.json");
    let good = fs::read_to_string(&manifest).unwrap();
    let tables = Tables::open(place.path()).unwrap();
    let listed = &tables.manifest().layers[3];
    let hashes = [
        listed.file.sha256,
        listed.statistics.values.as_ref().low().sha256,
    ];
    for hash in hashes.map(|hash| hash.to_string()) {
        let other = hash.chars().rev().collect::<String>();
        fs::write(&manifest, resealed(&good.replace(&hash, &other))).unwrap();
        let output = run(place.path(), &["--seeds", "4"]);
        assert_eq!(code(&output), 3, "{}", stderr(&output));
    }
}

#[test]
fn files_of_other_people_are_left_alone() {
    let place = tempdir().unwrap();
    fs::write(place.path().join("mine.tmp"), "mine").unwrap();
    assert_eq!(code(&run(place.path(), &["--seeds", "2"])), 2);
    fs::remove_file(place.path().join("mine.tmp")).unwrap();
    run(place.path(), &["--seeds", "2"]);
    fs::write(place.path().join("mine.tmp"), "mine").unwrap();
    let stale = place.path().join("layer-03.granero.granero-tmp");
    fs::write(&stale, "half").unwrap();
    assert_eq!(code(&run(place.path(), &["--seeds", "4"])), 0);
    assert!(place.path().join("mine.tmp").exists());
    assert!(!stale.exists());
}

/// The layers of a summary have all that `data/` says of them.
#[cfg(target_os = "linux")]
fn assert_statistics_are_committed(cycles: Cycles, layers: &[Value]) {
    let path = format!("../../data/statistics/abapa-{cycles}.json");
    let committed: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    for (built, expected) in layers.iter().zip(committed["layers"].as_array().unwrap()) {
        for (name, expected) in expected.as_object().unwrap() {
            assert_eq!(
                built[name], *expected,
                "{cycles}, {}: {name}",
                built["seeds"]
            );
        }
    }
}

/// The ways in which a build gets to its last layer.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy)]
enum Way {
    FromTheFirst,
    /// From a checkpoint of the last layer.
    Resumed,
    /// The last layers in shares.
    InShares,
}

/// A build keeps to the allowed memory where that is just enough, in both resident memory at the
/// peak and requested memory, except stacks.
#[cfg(target_os = "linux")]
#[test_case(&[
    (Cycles::Split, 11, 8, Way::FromTheFirst),
    (Cycles::OwnSide, 9, 2, Way::FromTheFirst),
])]
#[test_case(&[
    (Cycles::Split, 18, 2, Way::FromTheFirst),
    (Cycles::Split, 16, 1, Way::Resumed),
    (Cycles::Split, 16, 8, Way::FromTheFirst),
    (Cycles::OwnSide, 15, 2, Way::Resumed),
    (Cycles::OwnSide, 13, 1, Way::FromTheFirst),
    (Cycles::OwnSide, 13, 8, Way::FromTheFirst),
    (Cycles::OwnSide, 17, 2, Way::InShares),
    (Cycles::Split, 18, 8, Way::InShares),
] => ignore["slow: .ci/long has it"] (); "at length")]
fn memory_stays_within_what_is_allowed(builds: &[(Cycles, u8, usize, Way)]) {
    for &(cycles, seeds, threads, way) in builds {
        let needed = memory_needed(cycles, seeds, threads);
        let arguments = |memory: u64| {
            let words = format!("--seeds {seeds} --threads {threads} --memory {memory}K");
            words.split(' ').map(String::from).collect::<Vec<_>>()
        };
        let place = tempdir().unwrap();
        if let Way::Resumed = way {
            let smaller = (seeds - 1).to_string();
            let smaller = ["--seeds", &smaller, "--cycles", cycles.name()];
            let built = run(place.path(), &smaller);
            assert_eq!(code(&built), 0);
            let checkpoint = checkpoint_of(&seeds.to_string(), cycles, place.path());
            let name = format!("layer-{seeds:0>2}.checkpoint");
            fs::write(tables_in(place.path(), cycles).join(name), checkpoint).unwrap();
        }
        let command = |verb: &str| {
            let mut command = program::command();
            command.args([verb, "--json", "--cycles", cycles.name(), "--db"]);
            command.arg(place.path());
            command
        };
        let summary = |output: &Output| {
            assert_eq!(code(output), 0, "{}", stderr(output));
            serde_json::from_slice::<Value>(&output.stdout).unwrap()
        };

        let estimate = command("estimate").args(&arguments(0)[..4]).output();
        assert_eq!(summary(&estimate.unwrap())["memory_bytes"], needed);
        let least = least_memory(cycles, seeds, threads);
        let refused = command("build").args(arguments(least / 1024 - 1)).output();
        assert_eq!(code(&refused.unwrap()), 2);

        let needed = match way {
            Way::InShares => least,
            _ => needed,
        };
        let kibibytes = needed.div_ceil(1024);
        // The stacks of all threads, and of the fewer threads of small layers, which are hardly
        // used; and one more of each for the program.
        let limit = kibibytes + (threads as u64 + 1) * 4096;
        let mut limited = Command::new("sh");
        limited.args(["-c", "ulimit -d $0; exec \"$@\"", &limit.to_string()]);
        let build = command("build");
        let built = limited.arg(build.get_program()).args(build.get_args());
        let built = built.arg("--quiet").args(arguments(kibibytes)).output();
        let built = summary(&built.unwrap());
        assert_statistics_are_committed(cycles, built["layers"].as_array().unwrap());
        let shares = &built["layers"][usize::from(seeds)]["shares"];
        assert_eq!(shares.is_u64(), matches!(way, Way::InShares), "{shares}");
        let peak = &built["peak_memory_bytes"];
        assert!(
            peak.as_u64().unwrap() <= needed,
            "{cycles}, {seeds} seeds, {threads} threads: {peak} bytes of {needed}"
        );
    }
}

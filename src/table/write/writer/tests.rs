use std::error::Error;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::file::manifest::layer_file_name;
use crate::look_up::tables::Tables;
use crate::write::lock::is_being_written;
use granero::solver::solve_all;
use granero_game::rules::Ruleset;
use test_case::test_case;

const SEEDS: u8 = 4;

fn build(medium: Medium, path: &Path, layers: &[Measured<Vec<i8>>]) -> Result<(), TableError> {
    let mut writer = open(medium, path, layers[0].cycles())?;
    for values in &layers[usize::from(writer.manifest().finished())..] {
        writer.add_layer(values)?;
    }
    Ok(())
}

fn files(path: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap());
    let entries = entries.filter(|entry| entry.file_name() != LOCK);
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read(entry.path()).unwrap())
    };
    let mut files: Vec<_> = entries.map(file).collect();
    files.sort();
    files
}

#[test_case(Cycles::Split)]
#[test_case(Cycles::OwnSide => ignore["slow: .ci/run has it"] ())]
fn finished_layers_stay_good_and_a_build_goes_on_whichever_step_fails(cycles: Cycles) {
    let layers = &solve_all((Ruleset::Abapa, cycles), SEEDS, 1);
    let expected = whole(layers);
    // One step, as when the disk is full for a while, or all from it on, cleaning up included, as when the power fails.
    for failures in [1, usize::MAX] {
        for failing in 0usize.. {
            let place = tempfile::tempdir().unwrap();
            let medium = Medium::full_during(failing..failures.saturating_add(failing));
            let Err(error) = build(medium, place.path(), layers) else {
                assert!(failing > 50, "only {failing} steps");
                break;
            };
            let TableError::Io { action, .. } = error else {
                panic!("{error}");
            };
            assert!(["write", "read"].contains(&action), "{action}");
            let has_tables = is_good(place.path(), layers);
            assert!(has_tables || failing < 6, "{failures} at {failing}");
            build(Medium::default(), place.path(), layers).unwrap();
            assert!(files(place.path()) == expected, "{failures} at {failing}");
        }
    }
}

/// Few layers, for tests that run a build for each step.
fn solved(seeds: u8) -> Vec<Measured<Vec<i8>>> {
    solve_all((Ruleset::Abapa, Cycles::Split), seeds, 1)
}

fn whole(layers: &[Measured<Vec<i8>>]) -> Vec<(String, Vec<u8>)> {
    let place = tempfile::tempdir().unwrap();
    build(Medium::default(), place.path(), layers).unwrap();
    files(place.path())
}

/// Checks that the layers listed in a directory are good; returns false if there are no tables.
fn is_good(path: &Path, layers: &[Measured<Vec<i8>>]) -> bool {
    let tables = match Tables::open(path) {
        Err(TableError::NoTables { .. }) => return false,
        tables => tables.unwrap(),
    };
    tables.verify_files(|_| {}).unwrap();
    for layer in tables.layers() {
        let (layer, values) = layer.unwrap();
        assert!(values == layers[usize::from(layer.seeds())]);
    }
    true
}

fn open(medium: Medium, path: &Path, cycles: Cycles) -> Result<TableWriter, TableError> {
    let wanted = Manifest::new((Ruleset::Abapa, cycles));
    TableWriter::locked(lock(path, medium)?, wanted)
}

/// Runs a build for each of its steps and calls `disturb` just before that step. `check` gets
/// the result of the build and the directory.
#[cfg(unix)]
fn before_each_step(
    disturb: impl Fn(&Path) + Copy + Send + Sync + 'static,
    check: impl Fn(Result<(), TableError>, &Path),
) {
    let layers = solved(2);
    let (mut chosen, mut at_an_end) = (0, false);
    while !at_an_end {
        let place = tempfile::tempdir().unwrap();
        let db = place.path().join("db");
        let steps = Arc::new(AtomicUsize::new(0));
        let medium = Medium::with_hook({
            let (steps, db) = (steps.clone(), db.clone());
            move || {
                if steps.fetch_add(1, Ordering::Relaxed) == chosen {
                    disturb(&db);
                }
                Ok(())
            }
        });
        let built = build(medium, &db, &layers);
        at_an_end = steps.load(Ordering::Relaxed) <= chosen;
        if at_an_end {
            built.unwrap();
        } else {
            check(built, &db);
        }
        chosen += 1;
    }
    assert!(chosen > 50, "only {chosen} steps");
}

#[cfg(unix)]
#[test]
fn a_build_notices_at_any_step_that_its_directory_is_moved_or_removed() {
    let moved = |db: &Path| db.with_file_name("moved");
    let away = move |db: &Path| fs::rename(db, moved(db)).unwrap();
    let replaced = move |db: &Path| {
        away(db);
        fs::create_dir(db).unwrap();
    };
    let layers = solved(2);
    let expected = whole(&layers);
    let check = |built: Result<(), TableError>, db: &Path| {
        let error = built.unwrap_err();
        assert!(matches!(error, TableError::Moved { .. }), "{error}");
        // The build writes nothing to the directory in its place.
        assert!(!db.exists() || fs::read_dir(db).unwrap().next().is_none());
        is_good(&moved(db), &layers);
        let is_finished = |(name, _): &(String, _)| !is_temporary(name.as_ref());
        assert!(files(&moved(db)).iter().all(is_finished));
        build(Medium::default(), &moved(db), &layers).unwrap();
        assert!(files(&moved(db)) == expected);
    };
    before_each_step(away, check);
    before_each_step(replaced, check);
    let remove = |db: &Path| fs::remove_dir_all(db).unwrap();
    before_each_step(remove, |built, db| {
        let error = built.unwrap_err();
        assert!(matches!(error, TableError::Moved { .. }), "{error}");
        assert!(!db.exists());
    });
}

/// Without the lock file another build may begin, and do all or a part of its work.
#[cfg(unix)]
#[test]
fn of_two_builds_that_write_the_same_tables_only_one_succeeds() {
    static OTHER: Mutex<Option<TableWriter>> = Mutex::new(None);
    let begin = |db: &Path| {
        fs::remove_file(db.join(LOCK)).unwrap();
        open(Medium::default(), db, Cycles::Split).unwrap()
    };
    let go_on = |mut writer: TableWriter, layers: &[Measured<Vec<i8>>]| {
        for values in &layers[usize::from(writer.manifest().finished())..] {
            writer.add_layer(values).unwrap();
        }
    };
    let layers = solved(2);
    let expected = whole(&layers);
    let lost = |built: Result<(), TableError>| {
        let error = built.unwrap_err();
        assert!(matches!(error, TableError::LockLost { .. }), "{error}");
    };
    // The other build goes on after the first has noticed.
    before_each_step(
        move |db| *OTHER.lock().unwrap() = Some(begin(db)),
        |built, db| {
            lost(built);
            go_on(OTHER.lock().unwrap().take().unwrap(), &layers);
            assert!(files(db) == expected);
        },
    );
    // The other build finishes before the first goes on.
    before_each_step(
        move |db| go_on(begin(db), &solved(2)),
        |built, db| {
            lost(built);
            assert!(files(db) == expected);
        },
    );
    // There is no other build.
    before_each_step(
        |db| fs::remove_file(db.join(LOCK)).unwrap(),
        |built, db| {
            lost(built);
            is_good(db, &layers);
            build(Medium::default(), db, &layers).unwrap();
            assert!(files(db) == expected);
        },
    );
}

#[cfg(unix)]
#[test]
fn a_build_notices_at_any_step_that_a_file_is_gone_or_truncated() {
    let first = layer_file_name(0);
    let check = |built: Result<(), TableError>, db: &Path, what: &str| match built {
        // The build wrote the file afterwards.
        Ok(()) => drop(is_good(db, &solved(2))),
        Err(error) => {
            let cause = error.source().map(ToString::to_string);
            assert!(cause.is_some_and(|cause| cause.contains(what)), "{error}");
            let file = format!("{first} is damaged");
            assert!(error.to_string().contains(&file), "{error}");
            assert!(matches!(error, TableError::Damaged { .. }), "{error}");
        }
    };
    let path = |db: &Path| db.join(layer_file_name(0));
    before_each_step(
        move |db| drop(fs::remove_file(path(db))),
        |built, db| check(built, db, "it is gone"),
    );
    before_each_step(
        move |db| {
            if let Ok(file) = fs::File::options().write(true).open(path(db)) {
                file.set_len(100).unwrap();
            }
        },
        |built, db| check(built, db, "it has 100 bytes"),
    );
}

/// Users who may write to the directory can put links there, under predictable names.
#[cfg(unix)]
#[test]
fn links_are_never_followed() {
    use std::os::unix::fs::symlink;

    let layers = solved(SEEDS);
    let expected = whole(&layers);
    let place = tempfile::tempdir().unwrap();
    let (db, others) = (place.path().join("db"), place.path().join("others"));
    fs::create_dir(&db).unwrap();
    fs::write(&others, "not ours").unwrap();
    let nowhere = place.path().join("nowhere");
    build(Medium::default(), &db, &layers[..1]).unwrap();
    for name in [
        "granero.json.granero-tmp",
        "layer-01.granero.granero-tmp",
        "layer-00-value.turned.granero-tmp",
        "layer-02.granero",
    ] {
        symlink(&others, db.join(name)).unwrap();
    }
    symlink(&nowhere, db.join("layer-03.granero")).unwrap();
    symlink(place.path(), db.join("directory.granero-tmp")).unwrap();

    // In place of the lock, it is an error.
    for target in [&others, &nowhere] {
        symlink(target, db.join(LOCK)).unwrap();
        let error = build(Medium::default(), &db, &layers).unwrap_err();
        assert!(matches!(error, TableError::NoLock { .. }), "{error}");
        assert!(!is_being_written(&db).unwrap());
        fs::remove_file(db.join(LOCK)).unwrap();
    }
    build(Medium::default(), &db, &layers).unwrap();
    assert_eq!(fs::read_to_string(&others).unwrap(), "not ours");
    assert!(!nowhere.exists());
    assert!(files(&db) == expected);
}

/// A build that has not finished a layer yet has chosen the rules of both conventions.
#[test]
fn a_directory_gets_tables_of_one_ruleset_whichever_build_begins_first() {
    let conventions = [Cycles::Split, Cycles::OwnSide];
    for (first, second) in [(0, 1), (1, 0)].map(|(a, b)| (conventions[a], conventions[b])) {
        let place = tempfile::tempdir().unwrap();
        let open = |rules, cycles| TableWriter::open(place.path(), (rules, cycles));
        let mut begun = open(Ruleset::Abapa, first).unwrap();
        assert!(is_being_written(begun.path()).unwrap());
        let error = open(Ruleset::Awari, second).unwrap_err();
        assert!(matches!(error, TableError::Busy { .. }), "{error}");
        let layers = solve_all((Ruleset::Abapa, first), 0, 1);
        begun.add_layer(&layers[0]).unwrap();
        let path = begun.path().to_path_buf();
        drop(begun);
        assert!(!path.join(LOCK).exists() && !place.path().join(LOCK).exists());
        let error = open(Ruleset::Awari, second).unwrap_err();
        assert!(matches!(error, TableError::OtherRules { .. }), "{error}");
        let other = open(Ruleset::Abapa, second).unwrap();
        assert!(is_being_written(other.path()).unwrap());
        assert!(!is_being_written(path).unwrap());
    }
}

#[cfg(unix)]
#[test]
fn the_lock_of_another_program_is_told_from_a_build() {
    use std::os::unix::fs::PermissionsExt;

    let layers = solved(SEEDS);
    let place = tempfile::tempdir().unwrap();
    let open = || open(Medium::default(), place.path(), Cycles::Split);
    let path = place.path().join(LOCK);

    let writer = open().unwrap();
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(
        mode & 0o055,
        0,
        "{mode:o}: others may read it, and so lock it"
    );
    assert!(is_being_written(place.path()).unwrap());
    let error = open().unwrap_err();
    assert!(matches!(error, TableError::Busy { .. }), "{error}");
    if cfg!(target_os = "linux") {
        let process = format!(": process {} (", std::process::id());
        assert!(error.to_string().contains(&process), "{error}");
    }
    drop(writer);
    assert!(!path.exists());
    assert!(!is_being_written(place.path()).unwrap());

    // As another program may have made it.
    let file = fs::File::create(&path).unwrap();
    file.lock_shared().unwrap();
    let error = open().unwrap_err();
    assert!(matches!(error, TableError::Locked { .. }), "{error}");
    assert!(!is_being_written(place.path()).unwrap());
    // What the command advises.
    fs::remove_file(&path).unwrap();
    build(Medium::default(), place.path(), &layers).unwrap();
    assert!(!path.exists());
}

//! `granero convert`: tables of older formats become those that a build writes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use granero::table::Sha256;
use granero::{Cycles, Ruleset};
use tempfile::TempDir;

use crate::program;
use crate::support::command::{code, stderr, stdout};
use crate::support::sealed::unsealed;
use crate::support::solved::Solved;
use crate::support::tables::{build_archive, build_both, build_deciding, files};

/// Tables of an older format: `slam-ends` with both conventions up to 5 seeds, or `deciding` ones of `awari` for a game
/// of 8 seeds up to 6.
fn older(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/older")
        .join(name)
}

/// A copy of older tables without a checksum in the manifest.
fn of_version_2() -> (TempDir, String) {
    let place = tempfile::tempdir().unwrap();
    for (name, bytes) in files(&older("slam-ends")) {
        fs::write(place.path().join(name), bytes).unwrap();
    }
    let path = place.path().join("granero.json");
    let manifest = fs::read_to_string(&path).unwrap();
    let manifest = unsealed(&manifest).replacen(":3,", ":2,", 1) + "}\n";
    fs::write(path, &manifest).unwrap();
    (place, manifest)
}

/// Converts tables; returns the exit code and the output or error.
fn convert(from: &Path, db: &Path, options: &[&str]) -> (i32, String) {
    let mut command = program::command();
    let command = command.arg("convert").arg("--from").arg(from);
    let output = command.arg("--db").arg(db).args(options).output().unwrap();
    (
        code(&output),
        format!("{}{}", stdout(&output), stderr(&output)),
    )
}

/// The files of both conventions.
fn all_files(db: &Path) -> Vec<BTreeMap<String, Vec<u8>>> {
    let places = [db.to_path_buf(), db.join("own-side")].into_iter();
    let places = places.filter(|place| place.exists());
    places.map(|place| files(&place)).collect()
}

#[test]
fn older_tables_become_those_of_a_build() {
    let place = tempfile::tempdir().unwrap();
    let db = |name: &str| place.path().join(name);
    let both = build_both(Ruleset::SlamEnds, 5);
    let deciding = build_deciding(Ruleset::Awari, Cycles::OwnSide, 8, 6);
    let archive = build_archive(Ruleset::SlamEnds, 5);
    let (version_2, _) = of_version_2();
    // An interrupted conversion continues after the last finished layer.
    let begun = build_both(Ruleset::SlamEnds, 3);
    for (from, db, options, built, layers) in [
        (&older("slam-ends"), db("both"), &[][..], &both, 12),
        (&older("slam-ends"), begun.path().into(), &[], &both, 12),
        (&older("deciding"), db("deciding"), &[], &deciding, 7),
        (
            &version_2.path().into(),
            db("archive"),
            &["--archive"],
            &archive,
            6,
        ),
    ] {
        // The second time, nothing is left to do.
        for _ in 0..2 {
            let (code, text) = convert(from, &db, options);
            let is_done = text.contains(&format!("Converted {layers} layers in "));
            assert!(code == 0 && is_done, "{text}");
        }
        assert_eq!(all_files(&db), all_files(built.path()));
    }
}

#[test]
fn what_cannot_be_converted_is_named() {
    let place = tempfile::tempdir().unwrap();
    let db = place.path().join("db");
    let refused = |from: &Path, db: &Path, expected: (i32, &str, &str)| {
        let (code, text) = convert(from, db, &[]);
        let is_right = text.contains(expected.1) && text.contains(expected.2);
        assert!(
            code == expected.0 && is_right,
            "{code}, {text}, {expected:?}"
        );
    };
    let from = older("slam-ends");
    refused(
        &from,
        &from,
        (3, "is of format 3", "granero convert --from OLD --db NEW"),
    );
    let mut solved = Solved::new(Ruleset::SlamEnds, 1);
    solved.values_mut(1)[0] *= -1;
    let expected = (2, "other values of the positions with 1 seeds", "--db");
    refused(&from, solved.write().path(), expected);

    let (from, manifest) = of_version_2();
    let path = from.path().join("granero.json");
    for (format, expected) in [
        ("1", "granero.json is of format 1"),
        ("3", "granero.json is damaged: its checksum"),
        ("4", "granero.json is damaged: its checksum"),
        ("\"2\"", "granero.json is damaged: its checksum"),
    ] {
        let text = manifest.replacen(":2,", &format!(":{format},"), 1);
        fs::write(&path, text).unwrap();
        refused(from.path(), &db, (3, expected, "help: "));
    }
}

#[test]
fn damaged_older_files_are_named() {
    let place = tempfile::tempdir().unwrap();
    let (from, manifest) = of_version_2();
    let (file, path) = (
        from.path().join("layer-04.granero"),
        from.path().join("granero.json"),
    );
    let good = fs::read(&file).unwrap();
    for at in [
        0,
        8,
        19,
        24,
        50,
        130,
        good.len() - 500,
        good.len() - 50,
        good.len() - 1,
    ] {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        fs::write(&file, &bytes).unwrap();
        let expected = "layer-04.granero is damaged: its SHA-256 is not the one in its manifest";
        let db = place.path().join(at.to_string());
        let (code, text) = convert(from.path(), &db, &[]);
        assert!(code == 3 && text.contains(expected), "{text}");
        assert_eq!(files(&db).len(), 5);
        // A forged manifest that lists this file is refused, too, unless the values are right.
        let forged = Sha256::of(&bytes).to_string();
        let forged = manifest.replace(&Sha256::of(&good).to_string(), &forged);
        fs::write(&path, forged).unwrap();
        let (code, text) = convert(from.path(), &db, &[]);
        assert!(
            code == 0 || code == 3 && text.contains(" is damaged: "),
            "{at}: {text}"
        );
        assert_eq!(code == 0, at == good.len() - 1, "{at}: {text}");
        fs::write(&path, &manifest).unwrap();
    }
}

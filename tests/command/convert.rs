//! `granero convert`: tables of older formats become those that a build writes.

use std::fs;
use std::path::{Path, PathBuf};

use granero::table::Sha256;
use tempfile::TempDir;

use crate::program;
use crate::support::command::{code, stderr, stdout};
use crate::support::sealed::unsealed;
use crate::support::tables::files;

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

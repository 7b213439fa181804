//! `granero info`: the contents of a directory of tables.

use std::fs;
use std::path::Path;

use crate::program;
use crate::support::command::{shows, success};
use crate::support::solved::solve_values;
use granero::table::{FinishedLayer, Manifest, TableWriter};
use granero::{Cycles, Measured, Ruleset, Tables};
use serde_json::{Value, json};

/// Returns its output, run in a directory.
fn info(directory: &Path, arguments: &[&str]) -> String {
    let mut command = program::command();
    let command = command.arg("info").args(arguments).current_dir(directory);
    success(&command.output().unwrap()).to_string()
}

fn document(directory: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&info(directory, arguments)).unwrap()
}

#[test]
fn all_that_the_manifest_says_is_told() {
    let place = tempfile::tempdir().unwrap();
    let db = place.path().join("granero-db");
    let mut writer = TableWriter::open(&db, (Ruleset::Awari, Cycles::Split)).unwrap();
    assert!(info(place.path(), &[]).contains("No layer is finished."));
    for values in solve_values(Ruleset::Awari, 6, 1) {
        writer.add_layer(&Measured::Value(values)).unwrap();
    }
    // As long as the writer lives, it may write.
    assert_eq!(document(place.path(), &["--json"])["building"], json!(true));
    assert!(info(place.path(), &[]).contains("A build is writing here now."));
    drop(writer);

    let found = document(place.path(), &["--json"]);
    assert_eq!(found["rules"], json!("awari"));
    assert_eq!(found["cycles"], json!("split"));
    assert_eq!(found["db"], json!("granero-db"));
    assert_eq!(found["building"], json!(false));
    let tables = Tables::open(&db).unwrap();
    let manifest = tables.manifest();
    assert_eq!(found["format"], json!(Manifest::FORMAT));
    let mut bytes = 0;
    for (seeds, layer) in found["layers"].as_array().unwrap().iter().enumerate() {
        let FinishedLayer { statistics, file } = &manifest.layers[seeds];
        let length = fs::metadata(db.join(&file.name)).unwrap().len();
        bytes += length;
        let bits = length as f64 * 8.0 / statistics.positions as f64;
        // As a reader of its text gets it.
        let bits: Value = serde_json::from_str(&json!(bits).to_string()).unwrap();
        assert_eq!(
            *layer,
            json!({
                "seeds": seeds,
                "positions": statistics.positions,
                "bytes": length,
                "bits_per_position": bits,
                "wins": statistics.wins(),
                "draws": statistics.draws,
                "losses": statistics.losses(),
                "sha256": statistics.values.as_ref().low().sha256,
                "file": file.name,
                "file_sha256": file.sha256,
            })
        );
    }
    assert_eq!(found["layers"].as_array().unwrap().len(), 7);
    assert_eq!(found["positions"], json!(18_564));
    assert_eq!(found["bytes"], json!(bytes));

    let text = info(place.path(), &[]);
    assert!(text.starts_with("granero-db: rules awari, endless play by split"));
    for layer in &manifest.layers {
        let sha256 = layer.statistics.values.as_ref().low().sha256;
        shows(&text, &format!("{sha256:.16}"));
    }
    assert_eq!(info(place.path(), &["--db", "granero-db"]), text);
}

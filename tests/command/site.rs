//! `granero site`: a folder for any web server. Browsers test the page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use granero::{Cycles, TableOptions};
use serde_json::{Value, json};

use crate::program;
use crate::support::command::{code, shows, stdout, success, tells};

/// The sample tables, of both conventions, as a directory of tables.
fn db() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../table/sample")
}

/// Makes a site in a directory, with the sample tables.
fn site(place: &Path, arguments: &[&str]) -> Output {
    let mut command = program::command();
    command.args(["site", "site", "--db"]).arg(db());
    command.args(arguments).current_dir(place).output().unwrap()
}

fn document(path: impl AsRef<Path>) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_site_has_the_page_and_the_tables() {
    let place = tempfile::tempdir().unwrap();
    let made = site(place.path(), &[]);
    assert!(success(&made).contains("abapa/split up to 8 seeds, abapa/own-side up to 8 seeds"));
    let site = place.path().join("site");
    for file in [
        "index.html",
        "main.js",
        "i18n/fr.json",
        "reader/dist/granero_bg.wasm",
        "sw.js",
    ] {
        assert!(site.join(file).is_file(), "{file}");
    }
    let about = document(site.join("site.json"));
    assert_eq!(about["catalogue"]["limits"]["prove_seconds"], json!(null));
    for (number, cycles) in Cycles::ALL.into_iter().enumerate() {
        let name = format!("abapa-{cycles}");
        let tables = TableOptions::new().cycles(cycles);
        let tables = tables.open(site.join("tables").join(&name)).unwrap();
        tables.verify_files(|_| {}).unwrap();
        assert_eq!(
            about["places"][number]["at"],
            json!(format!("tables/{name}/"))
        );
        // The beginnings have the stated lengths, in the order of the files.
        let heads = &about["places"][number]["heads"];
        let lengths = heads["files"].as_array().unwrap();
        assert_eq!(lengths.len(), tables.manifest().files().count());
        let compressed = fs::read(site.join(heads["at"].as_str().unwrap())).unwrap();
        let mut compressed = &compressed[..];
        let mut next = |bytes: &Value| {
            let part = compressed.split_off(..bytes.as_u64().unwrap() as usize);
            let mut plain = Vec::new();
            let mut decoder = flate2::read::GzDecoder::new(part.unwrap());
            std::io::copy(&mut decoder, &mut plain).unwrap();
            plain
        };
        let headers = next(&heads["headers"]);
        let (headers, others) = headers.as_chunks::<132>();
        assert!(headers.len() == lengths.len() && others.is_empty());
        for ((head, header), file) in lengths.iter().zip(headers).zip(tables.manifest().files()) {
            let hash = head["sha256"].as_str().unwrap();
            assert!(hash.len() == 16 && file.sha256.to_string().starts_with(hash));
            let whole = fs::read(site.join("tables").join(&name).join(&file.name)).unwrap();
            let beginning = [header.to_vec(), next(&head["compressed"])].concat();
            assert!(whole.starts_with(&beginning), "{}", file.name);
            assert!(beginning.len() > 136 && head["bytes"] == json!(beginning.len()));
        }
        assert!(compressed.is_empty());
        let layers = document(site.join("statistics").join(name + ".json"));
        assert_eq!(layers["layers"].as_array().unwrap().len(), 9);
    }
}

#[test]
fn a_site_is_written_again_in_its_place() {
    let place = tempfile::tempdir().unwrap();
    assert_eq!(code(&site(place.path(), &[])), 0);
    let tables = place.path().join("site/tables/abapa-split");
    let kept = tables.join("layer-06.granero");
    let before = fs::metadata(&kept).unwrap().modified().unwrap();
    let made = site(place.path(), &["--seeds", "6"]);
    shows(stdout(&made), "abapa/split up to 6 seeds");
    assert_eq!(fs::metadata(&kept).unwrap().modified().unwrap(), before);
    assert!(!tables.join("layer-07.granero").exists());
    let opened = granero::Tables::open(&tables).unwrap();
    assert_eq!(opened.max_seeds(), Some(6));
    let heads = fs::read_dir(place.path().join("site/heads")).unwrap();
    assert_eq!(heads.count(), 2, "those of other files are removed");
    // An incomplete file is written again.
    fs::write(&kept, "half").unwrap();
    assert_eq!(code(&site(place.path(), &["--seeds", "7"])), 0);
    let opened = granero::Tables::open(&tables).unwrap();
    opened.verify_files(|_| {}).unwrap();
    assert_eq!(opened.max_seeds(), Some(7));
}

#[test]
fn another_folder_with_tables_is_not_a_site() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("site");
    fs::create_dir_all(folder.join("tables")).unwrap();
    fs::write(folder.join("index.html"), "mine").unwrap();
    for mark in [None, Some("no JSON"), Some(r#"{"program":"other"}"#)] {
        if let Some(mark) = mark {
            fs::write(folder.join("site.json"), mark).unwrap();
        }
        let refused = site(place.path(), &[]);
        tells(&refused, 2, "site is neither empty nor a site");
        assert_eq!(fs::read(folder.join("index.html")).unwrap(), b"mine");
        assert_eq!(fs::read_dir(folder.join("tables")).unwrap().count(), 0);
        let names = fs::read_dir(&folder).unwrap().count();
        assert_eq!(names, 2 + usize::from(mark.is_some()));
    }
    // An unfinished site has the name of the program.
    fs::write(folder.join("site.json"), r#"{"program":"granero"}"#).unwrap();
    assert_eq!(code(&site(place.path(), &[])), 0);
}

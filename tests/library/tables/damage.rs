//! Damaged tables: every result is right, or an error that names the file.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use granero::notation::is_hidden;
use granero::table::{FileEntry, LayerFile, TableWriter};
use granero::{
    Access, Cycles, Extent, Measured, Position, Ruleset, TableError, TableOptions, Tables,
};
use rayon::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;
use test_case::test_case;

use crate::support::forged::{self, GROUP, GROUP_BYTES, HEADER_BYTES, Layout};
use crate::support::sealed::{resealed, seal, sealed};
use crate::support::solved::{Files, Solved, file_name};
use crate::support::{tables, with_causes};

/// The most seeds of the small tables that are damaged here.
const SEEDS: u8 = 5;

/// Positions and their value.
fn answers(solved: &Solved, step: usize) -> Vec<(Position, Option<Measured<granero::Value>>)> {
    let answer = |position| (position, solved.value(&position));
    solved.positions().step_by(step).map(answer).collect()
}

/// The text of an error, which must name the file.
fn named(error: &TableError, file: &str) -> String {
    let text = with_causes(error);
    assert!(text.contains(file), "{text}");
    text
}

/// Checks that tables give the right values or errors that name the file, in look-ups and for
/// whole layers. Returns the first error.
fn right_or_named(
    tables: &Tables,
    solved: &Solved,
    answers: &[(Position, Option<Measured<granero::Value>>)],
    file: &str,
) -> Option<String> {
    let mut errors = Vec::new();
    for (position, expected) in answers {
        match tables.value(position) {
            Ok(value) => assert_eq!(value, *expected, "{position}, {file} damaged"),
            Err(error) => errors.push(error),
        }
    }
    for (layer, expected) in tables.layers().zip(&solved.layers) {
        match layer {
            Ok((_, values)) => assert!(values == *expected, "{file} damaged"),
            Err(error) => errors.push(error),
        }
    }
    let texts: Vec<String> = errors.iter().map(|error| named(error, file)).collect();
    texts.into_iter().next()
}

/// Words that an error must contain after bits at a place of a layer file were flipped.
fn words(good: &[u8], place: usize) -> String {
    let layout = Layout::of(good).unwrap();
    if place < 8 {
        "not a layer file".into()
    } else if place < 10 {
        "is of format".into()
    } else if place < HEADER_BYTES {
        "header".into()
    } else if place < layout.index.start {
        "model".into()
    } else if place < layout.index.end {
        format!("in group {}", (place - layout.index.start) / GROUP_BYTES)
    } else if place < layout.blocks.end {
        let blocks = layout
            .groups()
            .flat_map(|group| layout.blocks_of(&good[group]));
        let number = blocks.into_iter().position(|block| block.contains(&place));
        format!("block {} ", number.unwrap())
    } else {
        "checksum".into()
    }
}

/// Flips bits of one byte of a layer file, and checks that readers notice it.
fn assert_flip_is_noticed(
    files: &Files,
    solved: &Solved,
    answers: &[(Position, Option<Measured<granero::Value>>)],
    (seeds, place, bits): (usize, usize, u8),
) {
    let mut bytes = files.layers[seeds].to_vec();
    bytes[place] ^= bits;
    let damaged = files.with(seeds, bytes);
    let name = file_name(seeds);
    let words = words(&files.layers[seeds], place);
    let error = match damaged.open(&TableOptions::new()) {
        Ok(tables) => {
            assert!(place >= HEADER_BYTES);
            if let Some(text) = right_or_named(&tables, solved, answers, &name) {
                assert!(text.contains(&words), "{place}: {text}, not {words}");
            }
            tables.verify_files(|_| {}).unwrap_err()
        }
        Err(error) => error,
    };
    let text = named(&error, &name);
    assert!(text.contains(&words), "{place}: {text}, not {words}");
    let in_memory = TableOptions::new().in_memory(SEEDS);
    if let Err(error) = damaged.open(&in_memory) {
        named(&error, &name);
    }
}

/// Flips bits of one byte in `step`, of all layers.
#[test_case(Ruleset::Abapa, Cycles::Split, 23)]
#[test_case(Ruleset::Abapa, Cycles::Split, 1 => ignore["slow: .ci/run has it"] ())]
#[test_case(Ruleset::Abapa, Cycles::OwnSide, 1 => ignore["slow: .ci/run has it"] ())]
#[test_case(Ruleset::SlamLeavesLast, Cycles::Split, 1 => ignore["slow: .ci/run has it"] ())]
fn flipped_bytes_of_a_small_table_are_noticed(rules: Ruleset, cycles: Cycles, step: usize) {
    let solved = Solved::of(rules, cycles, SEEDS);
    let files = solved.files();
    for seeds in 0..=usize::from(SEEDS) {
        // Positions of smaller layers do not need the file; all positions of this layer must be right.
        let mut answers = answers(&solved, 1);
        answers.retain(|(position, _)| usize::from(position.seeds()) == seeds);
        (0..files.layers[seeds].len())
            .into_par_iter()
            .step_by(step)
            .for_each(|place| {
                for bits in [1, 0xff, 0x10] {
                    if bits == 1 || place % 7 == 0 {
                        let flip = (seeds, place, bits);
                        assert_flip_is_noticed(&files, &solved, &answers, flip);
                    }
                }
            });
    }
}

/// Flips one byte in `step` of a file whose index has several groups.
#[test_case(401)]
#[test_case(101 => ignore["slow: .ci/run has it"] ())]
fn flipped_bytes_of_a_larger_table_are_noticed(step: usize) {
    let solved = Solved::new(Ruleset::Awari, 8);
    let files = solved.files();
    let answers = answers(&solved, 151);
    (0..files.layers[8].len())
        .into_par_iter()
        .step_by(step)
        .for_each(|place| assert_flip_is_noticed(&files, &solved, &answers, (8, place, 4)));
}

#[test]
fn every_flipped_bit_of_a_manifest_is_found() {
    let split = Solved::new(Ruleset::Abapa, SEEDS).write();
    let bounds = Solved::of(Ruleset::Abapa, Cycles::OwnSide, 3).write();
    for directory in [split.path().into(), bounds.path().join("own-side")] {
        let good = fs::read(directory.join("granero.json")).unwrap();
        let no_files = |_: &_| Err(std::io::ErrorKind::NotFound.into());
        (0..8 * good.len()).into_par_iter().for_each(|bit| {
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            // Bytes that are not text are refused before.
            if let Ok(manifest) = String::from_utf8(bytes) {
                let error = TableOptions::new().open_sources(&manifest, no_files);
                named(&error.unwrap_err(), "granero.json");
            }
        });
        // In a directory, where a byte may not be text.
        for bit in 0..8 {
            let mut bytes = good.clone();
            bytes[good.len() / 2] ^= 1 << bit;
            fs::write(directory.join("granero.json"), bytes).unwrap();
            refused(&directory, "granero.json");
        }
    }
}

/// A build that adds to tables compares their values with the manifest first.
#[test]
fn a_manifest_with_other_counts_is_not_added_to() {
    let solved = Solved::new(Ruleset::Abapa, SEEDS);
    let place = Solved::new(Ruleset::Abapa, 3).write();
    let path = place.path().join("granero.json");
    let sound = fs::read_to_string(&path).unwrap();
    let wrong = sound.replace("[[-1,7],[1,5]]", "[[-1,6],[1,6]]");
    assert_ne!(wrong, sound);
    fs::write(&path, resealed(&wrong)).unwrap();
    let build = || {
        let mut writer = TableWriter::open(place.path(), (Ruleset::Abapa, Cycles::Split)).unwrap();
        // Opening the directory changes nothing yet.
        let opened = fs::read_to_string(&path).unwrap();
        (opened, tables::run(&mut writer, SEEDS))
    };
    let text = with_causes(&build().1.unwrap_err());
    let wrong = "its statistics of layer 1 do not match the values";
    assert!(
        text.contains("granero.json") && text.contains(wrong),
        "{text}"
    );
    fs::write(&path, &sound).unwrap();
    let (opened, added) = build();
    assert_eq!(opened, sound);
    added.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), solved.files().manifest);
}

/// Tables of other formats are named as such, before their checksums are looked at.
#[test]
fn other_formats_are_refused() {
    let place = Solved::new(Ruleset::Abapa, 2).write();
    let refused = |file: &str, found: u32| {
        let error = Tables::open(place.path()).unwrap_err();
        let is_named = matches!(&error, TableError::OtherFormat { path, format }
            if path.ends_with(file) && *format == found);
        assert!(is_named, "{error}");
    };
    let path = place.path().join("granero.json");
    let sound = fs::read_to_string(&path).unwrap();
    for format in [4, 5, 7] {
        fs::write(&path, sound.replace(":6,", &format!(":{format},"))).unwrap();
        refused("granero.json", format);
    }
    fs::write(&path, sound).unwrap();
    let path = place.path().join("layer-01.granero");
    let mut layer = fs::read(&path).unwrap();
    for format in [4, 5, 7] {
        layer[8] = format;
        fs::write(&path, &layer).unwrap();
        refused("layer-01.granero", format.into());
    }
}

/// Changes of a manifest, by the place in its document, and what is wrong with each.
type Lies = Vec<(&'static str, Value, &'static str)>;

/// Checks that each of some changes of a good manifest is refused before any file is looked at.
fn lies_are_refused(good: &Files, lies: Lies) {
    let good: Value = serde_json::from_str(&good.manifest).unwrap();
    for (place, lie, words) in lies {
        let mut manifest = good.clone();
        *manifest.pointer_mut(place).unwrap() = lie;
        let none = |_: &FileEntry| panic!("a file is opened");
        let error = TableOptions::new().open_sources(&sealed(manifest), none);
        let text = named(&error.unwrap_err(), "granero.json is damaged");
        assert!(text.contains(words), "{place}: {text}");
    }
}

/// Lengths that no file of the layer can have, names of files elsewhere, and statistics that cannot be.
#[test]
fn impossible_manifests_are_refused_before_files_are_looked_at() {
    let wrong = "its entry of layer 2 is wrong";
    let lengths = [0, 132, 167, 1 << 24, u64::MAX].map(|bytes| json!(bytes));
    let lengths = lengths.map(|bytes| ("/files/2/bytes", bytes, wrong));
    let names = [
        "../layer-02.granero",
        "/etc/passwd",
        "layer-02.granero/",
        "layer-01.granero",
        "",
    ];
    let names = names.map(|name| ("/files/2/name", json!(name), wrong));
    let split = Solved::new(Ruleset::Abapa, 2).files();
    lies_are_refused(&split, [lengths, names].concat());

    // Bounds must be possible, and of the convention of the manifest.
    let bounds = Solved::of(Ruleset::Abapa, Cycles::OwnSide, 2).files();
    let good: Value = serde_json::from_str(&bounds.manifest).unwrap();
    let mut without_high = good["layers"][2].clone();
    without_high.as_object_mut().unwrap().remove("high");
    let mut other_order = good["layers"][2]["high"]["gaps"].clone();
    other_order.as_array_mut().unwrap().reverse();
    let mut one_more = good["files"].clone();
    one_more
        .as_array_mut()
        .unwrap()
        .push(good["files"][2].clone());
    let lies = vec![
        ("/layers/2", without_high, wrong),
        ("/layers/2/high/gaps", other_order, wrong),
        // Odd, too large, with another sum, and beyond all numbers.
        ("/layers/2/high/gaps/0/0", json!(1), wrong),
        ("/layers/2/high/gaps/1/0", json!(6), wrong),
        ("/layers/2/high/gaps/0/1", json!(66), wrong),
        ("/layers/2/high/gaps/0/1", json!(u64::MAX), wrong),
        // More than there are positions.
        ("/layers/2/high/draws", json!(79), wrong),
        ("/layers/2/high/histogram/0/0", json!(-1), wrong),
        // The other convention has other statistics, and as many files.
        ("/cycles", json!("split"), "its entry of layer 0 is wrong"),
        ("/files", one_more, "a file for each layer"),
    ];
    lies_are_refused(&bounds, lies);

    let extent = Extent::deciding(9).unwrap();
    let deciding = Solved::of_kind((Ruleset::Abapa, Cycles::Split, extent), 5).files();
    let begin = r#"{"format":6,"rules":"abapa","cycles":"split","decides":9,"layers":[{"seeds":0,"#;
    assert!(deciding.manifest.starts_with(begin));
    assert_eq!(resealed(&deciding.manifest), deciding.manifest);
    let wrong_game = "its field `decides` is wrong";
    let lies = vec![
        ("/decides", json!(0), wrong_game),
        ("/decides", json!(49), wrong_game),
        ("/decides", json!(4), "more layers than there are"),
        // Values beyond the limit of another game.
        ("/decides", json!(5), "its entry of layer 4 is wrong"),
        (
            "/layers/5/histogram/0/0",
            json!(-6),
            "its entry of layer 5 is wrong",
        ),
    ];
    lies_are_refused(&deciding, lies);
    // Without the field, these are the files of other tables.
    let mut full = deciding.clone();
    full.manifest = resealed(&full.manifest.replace(r#""decides":9,"#, ""));
    let error = full.open(&TableOptions::new()).unwrap_err();
    assert!(matches!(error, TableError::OtherTable { .. }), "{error}");
    for good in [split, bounds, deciding] {
        good.open(&TableOptions::new()).unwrap();
    }
}

/// Names of files, each with a directory of its own.
fn each_file() -> impl Iterator<Item = (&'static str, TempDir, PathBuf)> {
    let solved = Solved::new(Ruleset::Abapa, 3);
    let names = ["granero.json", "layer-00.granero", "layer-03.granero"];
    names.into_iter().map(move |name| {
        let directory = solved.write();
        let path = directory.path().join(name);
        (name, directory, path)
    })
}

#[test]
fn something_else_in_place_of_a_file_is_refused() {
    for (name, directory, path) in each_file() {
        let length = fs::metadata(&path).unwrap().len() as usize;
        for other in [0, length] {
            fs::write(&path, vec![0; other]).unwrap();
            refused(directory.path(), name);
        }
        fs::remove_file(&path).unwrap();
        refused(directory.path(), name);
        // A sparse file takes no room.
        File::create(&path).unwrap().set_len(3 << 29).unwrap();
        let text = refused(directory.path(), name);
        let has_bytes = "has 1610612736 bytes and should have";
        let too_long = [has_bytes, "has more than 1048576 bytes"];
        assert!(too_long.iter().any(|words| text.contains(words)), "{text}");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        refused_by_each(directory.path(), name);
    }
}

/// A reader must not wait for any of these, or read them without end.
#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    for (name, directory, path) in each_file() {
        fs::remove_file(&path).unwrap();
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let text = refused(directory.path(), name);
        assert!(text.contains("not a regular file"), "{text}");
        for device in ["/dev/zero", "/dev/null", "/dev/tty"] {
            fs::remove_file(&path).unwrap();
            std::os::unix::fs::symlink(device, &path).unwrap();
            refused_by_each(directory.path(), name);
        }
    }
}

/// Checks that tables cannot be opened, with mapped files and with files that are read; returns the errors.
fn refused_by_each(directory: &Path, file: &str) -> [String; 2] {
    [Access::Map, Access::Read].map(|access| {
        let tables = TableOptions::new().access(access).open(directory);
        named(&tables.unwrap_err(), file)
    })
}

/// Checks that tables cannot be opened; returns the error.
fn refused(directory: &Path, file: &str) -> String {
    let [mapped, read] = refused_by_each(directory, file);
    assert_eq!(mapped, read);
    read
}

#[test]
fn a_file_cut_off_anywhere_is_refused() {
    let solved = Solved::new(Ruleset::Italian, SEEDS);
    let directory = solved.write();
    for seeds in 0..=usize::from(SEEDS) {
        let name = file_name(seeds);
        let path = directory.path().join(&name);
        let good = fs::read(&path).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        for length in (0..good.len()).rev().step_by(7) {
            file.set_len(length as u64).unwrap();
            let text = refused(directory.path(), &name);
            let lengths = format!("has {length} bytes and should have {}", good.len());
            assert!(text.contains(&lengths), "{text}");
        }
        // A file by itself, without a manifest, is refused, too.
        for length in 0..good.len() {
            assert!(LayerFile::open(&good[..length]).is_err());
        }
        let mut longer = good.clone();
        longer.push(0);
        assert!(LayerFile::open(&longer[..]).is_err());
        fs::write(&path, longer).unwrap();
        refused(directory.path(), &name);
        fs::write(&path, good).unwrap();
    }
    Tables::open(directory.path()).unwrap();
}

#[test]
fn a_manifest_cut_off_anywhere_is_refused() {
    let solved = Solved::new(Ruleset::Abapa, SEEDS);
    let directory = solved.write();
    let path = directory.path().join("granero.json");
    let good = fs::read(&path).unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    for length in (0..good.len()).rev() {
        file.set_len(length as u64).unwrap();
        refused(directory.path(), "granero.json");
    }
    fs::write(&path, [&good[..], b"}"].concat()).unwrap();
    refused(directory.path(), "granero.json");
}

/// Lists the lengths of the files in their manifest.
fn list_lengths(files: &mut Files) {
    let mut manifest: Value = serde_json::from_str(&files.manifest).unwrap();
    for (seeds, file) in files.layers.iter().enumerate() {
        manifest["files"][seeds]["bytes"] = file.len().into();
    }
    files.manifest = sealed(manifest);
}

/// Checks that files in memory cannot be opened; returns the error.
fn refused_in_memory(files: &Files, seeds: usize) -> String {
    let opened = files.open(&TableOptions::new());
    named(&opened.unwrap_err(), &file_name(seeds))
}

#[test]
fn swapped_layers_are_refused() {
    let solved = Solved::new(Ruleset::Abapa, SEEDS);
    let good = solved.files();
    for one in 0..usize::from(SEEDS) {
        for other in one + 1..=SEEDS.into() {
            let mut files = good.clone();
            files.layers.swap(one, other);
            list_lengths(&mut files);
            let text = refused_in_memory(&files, one);
            assert!(text.contains("another layer or other rules"), "{text}");
        }
    }
}

/// Layers of few seeds have the same values under many rules; only the fingerprint tells them
/// apart.
#[test]
fn layers_of_other_rules_are_refused() {
    let all = Ruleset::ALL.map(|rules| Solved::new(rules, SEEDS).files());
    for (rules, good) in Ruleset::ALL.iter().zip(&all) {
        for (other_rules, other) in Ruleset::ALL.iter().zip(&all) {
            if rules == other_rules {
                continue;
            }
            for seeds in 0..=usize::from(SEEDS) {
                let mut files = good.with(seeds, other.layers[seeds].to_vec());
                refused_in_memory(&files, seeds);
                list_lengths(&mut files);
                let text = refused_in_memory(&files, seeds);
                assert!(text.contains("another layer or other rules"), "{text}");
            }
        }
    }
}

/// A sound file of the right layer and rules, with other values than were written.
#[test]
fn other_values_of_the_same_layer_are_refused() {
    let solved = Solved::new(Ruleset::Abapa, SEEDS);
    let good = solved.files();
    for seeds in 1..=usize::from(SEEDS) {
        let mut other = Solved::new(Ruleset::Abapa, seeds as u8);
        other.values_mut(seeds)[0] += 1;
        let mut files = good.with(seeds, other.files().layers[seeds].to_vec());
        list_lengths(&mut files);
        refused_in_memory(&files, seeds);
    }
}

/// A sound file with other values than were written, and their hash in the header.
#[test]
fn layers_of_other_values_than_their_header_says_are_not_given_out() {
    let solved = Solved::new(Ruleset::Abapa, SEEDS);
    let good = solved.files();
    let seeds = usize::from(SEEDS);
    let mut other = Solved::new(Ruleset::Abapa, SEEDS);
    // In the first positions the mover has no seeds, and so no captures.
    other.values_mut(seeds)[0] += 1;
    let mut bytes = other.files().layers[seeds].to_vec();
    bytes[48..80].copy_from_slice(&good.layers[seeds][48..80]);
    forged::repair(&mut bytes);
    let mut files = good.with(seeds, bytes);
    list_lengths(&mut files);
    let tables = files.open(&TableOptions::new()).unwrap();
    let text = named(&tables.verify_files(|_| {}).unwrap_err(), &file_name(seeds));
    assert!(text.contains("not the one in the manifest"), "{text}");
    let text = named(&tables.layer(SEEDS).unwrap_err(), &file_name(seeds));
    assert!(text.contains("its values are not those"), "{text}");
    assert!(files.open(&TableOptions::new().in_memory(SEEDS)).is_err());
}

/// The constants of `forged` match the format.
#[test]
fn the_layout_is_that_of_good_files() {
    let files = Solved::new(Ruleset::Abapa, 8).files();
    for bytes in &files.layers {
        let layout = Layout::of(bytes).unwrap();
        let header = LayerFile::open(bytes).unwrap().header().clone();
        assert_eq!(layout.model.len(), header.model_bytes as usize);
        assert_eq!(layout.blocks.len() as u64, header.block_bytes);
        assert_eq!(
            layout.groups().count() as u64,
            forged::block_count(header.layer).div_ceil(GROUP as u64)
        );
        let mut repaired = bytes.to_vec();
        forged::repair(&mut repaired);
        assert_eq!(repaired[..], bytes[..]);
    }
}

#[test]
fn control_characters_of_a_manifest_do_not_reach_a_terminal() {
    for field in [
        "format",
        "cycles",
        "\\u001b[31mred",
        "\\u001b]0;title\\u0007",
        "\\u202ered",
    ] {
        let manifest = seal(&format!("{{\"format\":6,\"{field}\":\"\\u001b[2J\\u202e\""));
        let no_files = |_: &_| Err(std::io::ErrorKind::NotFound.into());
        let error = TableOptions::new().open_sources(&manifest, no_files);
        let error = with_causes(&error.unwrap_err());
        assert!(!error.contains(is_hidden), "{error:?}");
    }
}

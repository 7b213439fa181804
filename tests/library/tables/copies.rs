//! Copies of tables: files count when they have arrived whole, and an unfinished copy continues.

use std::fs;
use std::io::Write;
use std::path::Path;

use granero::table::{Manifest, Part, TableCopy, TableWriter};
use granero::{Cycles, Extent, Ruleset, TableError, Tables};

use tempfile::TempDir;

use crate::support::tables::{files, sample};

fn open(place: &TempDir, from: &Path) -> TableCopy {
    TableCopy::open(place.path(), manifest(from)).unwrap()
}

fn manifest(from: &Path) -> Manifest {
    Manifest::from_text(&fs::read_to_string(from.join(Manifest::FILE)).unwrap()).unwrap()
}

/// Writes a part of a file, up to the byte `end`.
fn write(part: &mut Part, from: &Path, end: u64) {
    let file = fs::read(from.join(&part.entry().name)).unwrap();
    let (start, end) = (part.length() as usize, end.min(file.len() as u64) as usize);
    part.write_all(&file[start..end]).unwrap();
}

fn finish(copy: &mut TableCopy, from: &Path, seeds: u8) {
    while let Some(mut part) = copy.next(seeds).unwrap() {
        write(&mut part, from, u64::MAX);
        copy.add(part).unwrap();
    }
    copy.confirm().unwrap();
}

/// Returns the tables, which must be sound.
fn verified(place: &TempDir) -> Tables {
    let tables = Tables::open(place.path()).unwrap();
    tables.verify_files(|_| {}).unwrap();
    tables
}

/// Layers that were copied before and are gone or damaged since are copied again, whatever layers are asked for.
#[test]
fn lost_layers_are_copied_again() {
    for cycles in Cycles::ALL {
        let from = sample(cycles);
        let place = tempfile::tempdir().unwrap();
        let open = || open(&place, &from);
        let mut copy = open();
        finish(&mut copy, &from, 6);
        let layer = |seeds: usize| copy.path().join(&manifest(&from).layers[seeds].file.name);
        let lost = [layer(2), layer(5)];
        drop(copy);
        fs::remove_file(&lost[0]).unwrap();
        let mut damaged = fs::read(&lost[1]).unwrap();
        *damaged.last_mut().unwrap() ^= 1;
        fs::write(&lost[1], damaged).unwrap();
        let mut copy = open();
        let missing = copy.missing(3).unwrap().into_iter();
        let missing: Vec<_> = missing
            .map(|(entry, arrived)| (entry.name, arrived))
            .collect();
        assert_eq!(
            missing,
            [2, 5].map(|seeds| (format!("layer-0{seeds}.granero"), 0))
        );
        finish(&mut copy, &from, 3);
        verified(&place);
    }
}

#[test]
fn a_copy_goes_on_where_it_was() {
    for cycles in Cycles::ALL {
        let from = sample(cycles);
        let place = tempfile::tempdir().unwrap();
        let open = || open(&place, &from);
        // Each time another third of the next file arrives.
        let (mut thirds, mut copied) = (0, 0);
        loop {
            let mut copy = open();
            let mut missing = copy.missing(6).unwrap().into_iter();
            let next = copy.next(6).unwrap();
            let arrived = next
                .as_ref()
                .map(|part| (part.entry().clone(), part.length()));
            assert_eq!(missing.next(), arrived);
            let Some(mut part) = next else { break };
            let third = part.entry().bytes / 3;
            assert_eq!(part.length(), third * thirds);
            thirds = (thirds + 1) % 3;
            if thirds > 0 {
                write(&mut part, &from, third * thirds);
            } else {
                write(&mut part, &from, u64::MAX);
                copy.add(part).unwrap();
                copied += 1;
            }
        }
        assert_eq!(copied, 7);
        let mut copy = open();
        finish(&mut copy, &from, 48);
        let directory = copy.path().to_path_buf();
        assert_eq!(directory.ends_with("own-side"), cycles == Cycles::OwnSide);
        drop(copy);
        assert!(files(&directory) == files(&from));
        assert!(!directory.join("granero.lock").exists());
        // With fewer seeds, existing layers stay.
        let mut copy = open();
        assert!(copy.missing(3).unwrap().is_empty());
        finish(&mut copy, &from, 3);
        assert_eq!(copy.manifest().finished(), 9);
    }
}

#[test]
fn a_manifest_without_layers_binds_nobody() {
    let place = tempfile::tempdir().unwrap();
    let open = |rules, extent| TableWriter::open(place.path(), (rules, Cycles::Split, extent));
    // A build that failed before its first layer, and a copy that never began.
    drop(open(Ruleset::Awari, Extent::FULL).unwrap());
    drop(open(Ruleset::Abapa, Extent::DECIDING).unwrap());
    let from = sample(Cycles::Split);
    let mut copy = self::open(&place, &from);
    assert_eq!(copy.manifest().rules, Ruleset::Abapa);
    finish(&mut copy, &from, 0);
    drop(copy);
    let refused = open(Ruleset::Awari, Extent::FULL);
    assert!(matches!(refused, Err(TableError::OtherRules { .. })));
    let there = Tables::open(place.path()).unwrap();
    assert_eq!(
        (there.rules(), there.max_seeds()),
        (Ruleset::Abapa, Some(0))
    );
    // Nor does a manifest of the other convention, until there is a layer.
    for (first, second) in [
        (Cycles::Split, Cycles::OwnSide),
        (Cycles::OwnSide, Cycles::Split),
    ] {
        let place = tempfile::tempdir().unwrap();
        let open = |rules, cycles| TableWriter::open(place.path(), (rules, cycles));
        drop(open(Ruleset::Awari, first).unwrap());
        let from = sample(second);
        let mut copy = self::open(&place, &from);
        finish(&mut copy, &from, 0);
        drop(copy);
        let refused = open(Ruleset::Awari, first);
        assert!(matches!(refused, Err(TableError::OtherRules { .. })));
        drop(open(Ruleset::Abapa, first).unwrap());
    }
}

#[test]
fn what_is_not_promised_does_not_count() {
    let from = sample(Cycles::Split);
    let place = tempfile::tempdir().unwrap();
    let mut copy = self::open(&place, &from);
    finish(&mut copy, &from, 4);
    // A changed byte; bytes beyond the length are refused.
    let mut part = copy.next(5).unwrap().unwrap();
    let mut file = fs::read(from.join(&part.entry().name)).unwrap();
    let middle = file.len() / 2;
    file[middle] ^= 1;
    file.push(0);
    assert!(part.write_all(&file).is_err());
    assert_eq!(part.length(), part.entry().bytes);
    assert!(matches!(copy.add(part), Err(TableError::Damaged { .. })));
    // Another layer, cut to the length, or a part of the right one.
    let mut part = copy.next(5).unwrap().unwrap();
    assert_eq!(part.length(), 0);
    part.write_all(&fs::read(from.join("layer-04.granero")).unwrap())
        .unwrap();
    assert!(matches!(copy.add(part), Err(TableError::Damaged { .. })));
    assert_eq!(copy.manifest().finished(), 5);
    assert!(!place.path().join("layer-05.granero").exists());
    // A file that already has the name counts only if it is right.
    let [fifth, sixth] = ["layer-05.granero", "layer-06.granero"];
    fs::write(place.path().join(fifth), &file[..file.len() - 1]).unwrap();
    finish(&mut copy, &from, 5);
    fs::copy(from.join(sixth), place.path().join(sixth)).unwrap();
    assert!(copy.next(6).unwrap().is_none());
    drop(copy);
    assert_eq!(verified(&place).max_seeds(), Some(6));
}

#[test]
fn tables_of_something_else_stay() {
    let from = sample(Cycles::Split);
    let place = tempfile::tempdir().unwrap();
    let mut copy = self::open(&place, &from);
    let refused = |manifest| TableCopy::open(place.path(), manifest).unwrap_err();
    let error = refused(manifest(&from));
    assert!(matches!(error, TableError::Busy { .. }), "{error}");
    finish(&mut copy, &from, 4);
    drop(copy);
    let mut other = manifest(&from);
    other.layers[3].statistics = other.layers[4].statistics.clone();
    let error = refused(other);
    assert!(matches!(error, TableError::OtherValues { .. }), "{error}");
    let mut other = manifest(&from);
    other.rules = Ruleset::Awari;
    let error = refused(other);
    assert!(matches!(error, TableError::OtherRules { .. }), "{error}");
    assert_eq!(Tables::open(place.path()).unwrap().max_seeds(), Some(4));
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_links() {
    let from = sample(Cycles::Split);
    let place = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let mine = elsewhere.path().join("letter");
    fs::write(&mine, "Dear …").unwrap();
    drop(open(&place, &from));
    let part = |seeds| place.path().join(format!("layer-{seeds:02}.granero.part"));
    std::os::unix::fs::symlink(&mine, part(0)).unwrap();
    fs::hard_link(&mine, part(1)).unwrap();
    std::os::unix::fs::symlink(elsewhere.path().join("new"), part(2)).unwrap();
    let mut copy = self::open(&place, &from);
    finish(&mut copy, &from, 3);
    assert_eq!(fs::read_to_string(&mine).unwrap(), "Dear …");
    assert!(files(elsewhere.path()).into_keys().eq(["letter"]));
    drop(copy);
    verified(&place);
}

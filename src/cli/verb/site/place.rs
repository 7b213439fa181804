//! The files of tables in the folder of a site.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use granero::Tables;
use granero::table::{Manifest, Sha256};

use super::{How, write};
use crate::system::whole_file::{cannot_write, write_whole};
use crate::verb::cite;
use granero_answer::{counted, grouped, held};
use granero_console::failure::Failure;

/// Puts the files of tables into a folder, with checksums and a description, and returns the bytes of the tables.
/// Equal files of an earlier run stay; other files of that run are removed.
pub(super) fn put(from: &Path, tables: &Tables, place: &Path, how: How) -> Result<u64, Failure> {
    let manifest = tables.manifest();
    let real = |path: &Path| fs::canonicalize(path).map_err(|error| cannot_write(path, &error));
    if real(from)? == real(place)? {
        return Err(Failure::not_possible(
            format!(
                "{} is the directory of the tables themselves",
                place.display()
            ),
            "name another folder for the site",
        ));
    }
    let before = fs::read_to_string(place.join(Manifest::FILE)).ok();
    let before = before.and_then(|text| Manifest::from_text(&text).ok());
    // Without a manifest there are no tables while the files change.
    match fs::remove_file(place.join(Manifest::FILE)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(cannot_write(place, &error));
        }
        _ => {}
    }
    let listed = |manifest: Option<&Manifest>, name: &str| {
        let file = manifest?.files().find(|file| file.name == name);
        file.map(|file| file.sha256)
    };
    for file in before.iter().flat_map(Manifest::files) {
        let is_same = listed(Some(manifest), &file.name) == Some(file.sha256);
        let path = place.join(&file.name);
        if !is_same && fs::symlink_metadata(&path).is_ok() {
            fs::remove_file(&path).map_err(|error| cannot_write(&path, &error))?;
        }
    }
    let mut bytes = 0;
    for file in manifest.files() {
        let path = place.join(&file.name);
        let length = fs::symlink_metadata(&path)
            .ok()
            .filter(|there| there.is_file());
        let is_there = how != How::Symlink
            && length.is_some_and(|there| there.len() == file.bytes)
            && listed(before.as_ref(), &file.name) == Some(file.sha256);
        if !is_there {
            put_file(&from.join(&file.name), &path, how)?;
        }
        bytes += file.bytes;
    }
    // For `sha256sum --check`.
    let line = |sha256: Sha256, name: &str| format!("{sha256}  {name}\n");
    let files = manifest.files().map(|file| line(file.sha256, &file.name));
    let sums = line(Sha256::of(manifest.to_text()), Manifest::FILE) + &files.collect::<String>();
    write(&place.join("SHA256SUMS"), sums)?;
    write(&place.join("README.txt"), readme(tables))?;
    write(&place.join(Manifest::FILE), manifest.to_text())?;
    Ok(bytes)
}

fn put_file(from: &Path, to: &Path, how: How) -> Result<(), Failure> {
    // Never write through a link of an earlier run, which leads to the tables themselves.
    if fs::symlink_metadata(to).is_ok_and(|there| there.is_symlink()) {
        fs::remove_file(to).map_err(|error| cannot_write(to, &error))?;
    }
    if how == How::Copy {
        return write_whole(to, |file| {
            io::copy(&mut File::open(from)?, file).map(|_| ())
        });
    }
    let linked = match fs::remove_file(to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::canonicalize(from).and_then(|from| match how {
            How::Link => fs::hard_link(&from, to),
            _ => symlink(&from, to),
        }),
    };
    linked.map_err(|error| {
        Failure::data(
            format!(
                "cannot link {} to {}: {error}",
                to.display(),
                from.display()
            ),
            "leave out --tables to copy the files",
        )
    })
}

#[cfg(unix)]
fn symlink(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(windows)]
fn symlink(from: &Path, to: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(from, to)
}

/// Returns a description of the tables, for people.
fn readme(tables: &Tables) -> String {
    let manifest = tables.manifest();
    let Manifest { rules, cycles, .. } = *manifest;
    let what = held(manifest);
    let seeds = tables.max_seeds().unwrap_or(0);
    let layers = manifest.layers.iter();
    let positions = layers.map(|layer| layer.statistics.positions).sum();
    let last = manifest.layers.last();
    let citation = last.map(|layer| cite::entries(tables, &layer.statistics));
    let citation = citation.unwrap_or_default();
    format!(
        "\
Endgame tables for Oware (Awari, Wari, Awale), made with granero.

They hold {what} of all positions with up to {}: {} positions.

Rules {rules}: {}
Convention {cycles}: {}

granero.json   what there is, with the length and the SHA-256 of each file
layer-*        the layers; docs/internals/format.md of granero specifies them
SHA256SUMS     for `sha256sum --check SHA256SUMS`

To fetch this directory, whole or in part, and to go on later:

  granero get https://... --seeds N

Values are facts that follow from the rules of the game: use them for anything. `granero verify` proves
them. To cite them:

{citation}",
        counted(seeds.into(), "seed"),
        grouped(positions),
        rules.summary(),
        cycles.summary(),
    )
}

//! Downloads tables file by file.

use std::io::{Read, Write};
use std::path::Path;
use std::time::Instant;

use granero::build::bytes;
use granero::table::{Manifest, Part, TableCopy};
use granero::{MAX_SEEDS, TableError};

use super::mirrors::{Mirror, Mirrors, Problem, problem};
use super::{Args, Fetched};
use crate::output::meter::{Meter, Unit};
use granero_answer::{counted, duration, with_causes};
use granero_console::failure::Failure;
use granero_console::hint;
use granero_console::{note, say};

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let begin = Instant::now();
    if args.directory.is_some() && args.db.is_option() {
        return Err(Failure::not_possible(
            "DIRECTORY cannot be combined with --db, which means the same",
            "leave out one of them",
        ));
    }
    let mut mirrors = Mirrors::new(args)?;
    let origin = mirrors.fetch(Manifest::FILE, &Meter::hidden(), manifest)?;
    let most = args.seeds.unwrap_or(MAX_SEEDS);
    let last = origin.finished().checked_sub(1).ok_or_else(|| {
        Failure::data(
            format!("the tables at {} have no layer yet", args.url),
            "try again once the first layer is published",
        )
    })?;
    if !args.quiet && args.seeds.is_some_and(|seeds| seeds > last) {
        note(&format!("the tables of the host reach up to {last} seeds"));
    }
    let directory = args.directory.as_deref().unwrap_or(args.db.path());
    let mut copy = TableCopy::open(directory, origin).map_err(|error| match error {
        TableError::OtherRules { .. } | TableError::OtherExtent { .. } => {
            Failure::not_possible(with_causes(&error), "name another directory with --db")
        }
        error => error.into(),
    })?;
    let missing = copy.missing(most)?;
    let mut files = 0;
    if !missing.is_empty() {
        let left = missing.iter().map(|(entry, arrived)| entry.bytes - arrived);
        let left = left.sum();
        let meter = if args.quiet {
            Meter::hidden()
        } else {
            let files = counted(missing.len() as u64, "file");
            let into = directory.display();
            say(&format!("Fetching {} of {files} into {into}.", bytes(left)));
            Meter::new(Unit::Bytes, left)
        };
        files = fetch(directory, &mut mirrors, &meter, &mut copy, most)?;
    }
    copy.confirm()?;
    let (manifest, fetched, time) = (copy.manifest(), mirrors.arrived, begin.elapsed());
    if args.json {
        let document = Fetched::new(&args.url, directory, manifest, [files, fetched], time);
        return crate::output::json(&document);
    }
    let what = match files {
        0 => "All files are there already.".to_string(),
        files => {
            let (files, size, time) = (counted(files, "file"), bytes(fetched), duration(time));
            format!("Fetched {files}, {size}, in {time}.")
        }
    };
    let (rules, cycles, extent) = (manifest.rules, manifest.cycles, manifest.extent);
    Ok(format!(
        "{what}\n{} now holds {rules}, endless play by {cycles}, {extent}, up to {}. Each file has \
         the length\nand the SHA-256 in the manifest. To prove the values:\n  granero verify{}{}\n",
        directory.display(),
        counted(u64::from(manifest.finished().saturating_sub(1)), "seed"),
        hint::option("cycles", cycles),
        hint::db_option(directory),
    ))
}

/// Fetches what a mirror has.
fn manifest(mirror: &Mirror, _: &mut u64) -> Result<Manifest, Problem> {
    let mut text = Vec::new();
    let most = Manifest::MAX_BYTES;
    let (_, bytes) = mirror.ask(Manifest::FILE, 0)?;
    let arrived = bytes.take(most + 1).read_to_end(&mut text);
    arrived.map_err(|error| problem(error.into()))?;
    if text.len() as u64 > most {
        return Err(Problem::new("it is too long", false));
    }
    Manifest::from_text(&String::from_utf8_lossy(&text)).map_err(|error| {
        let why = with_causes(&error);
        Problem::new(format!("it is not a manifest of tables: {why}"), false)
    })
}

/// Fetches the missing files of the layers with at most `most` seeds; returns their number.
fn fetch(
    directory: &Path,
    mirrors: &mut Mirrors,
    meter: &Meter,
    copy: &mut TableCopy,
    most: u8,
) -> Result<u64, Failure> {
    let mut files = 0;
    while let Some(part) = copy.next(most)? {
        let name = part.entry().name.clone();
        meter.begin(name.clone());
        // Its beginning may be from other tables, or from another time.
        let mut may_be_stale = part.length() > 0;
        let mut part = Some(part);
        mirrors.fetch(&name, meter, |mirror, arrived| {
            let before = *arrived;
            let kept = part.take();
            let next = kept.map_or_else(|| copy.next(most), |part| Ok(Some(part)))?;
            // Somebody else may have put the file there.
            let Some(mut now) = next.filter(|part| part.entry().name == name) else {
                return Ok(());
            };
            if let Err(problem) = receive(directory, mirror, &mut now, arrived, meter) {
                part = Some(now);
                return Err(problem);
            }
            let error = match copy.add(now) {
                Err(
                    error @ (TableError::Damaged { .. }
                    | TableError::OtherTable { .. }
                    | TableError::OtherFormat { .. }),
                ) => error,
                added => return Ok(added?),
            };
            *arrived = before;
            meter.reach(before);
            let why = with_causes(&error);
            let what = format!("the file does not match the manifest of the host: {why}");
            Err(Problem::new(what, std::mem::take(&mut may_be_stale)))
        })?;
        files += 1;
    }
    Ok(files)
}

/// Receives the rest of a file.
fn receive(
    directory: &Path,
    mirror: &Mirror,
    part: &mut Part,
    arrived: &mut u64,
    meter: &Meter,
) -> Result<(), Problem> {
    let (mut at, bytes) = mirror.ask(&part.entry().name, part.length())?;
    let mut bytes = bytes.take(part.entry().bytes - at);
    let mut piece = vec![0; 1 << 16];
    while part.length() < part.entry().bytes {
        let length = match bytes.read(&mut piece) {
            Ok(0) => return Err(Problem::new("the file ended too early", true)),
            Ok(length) => length,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(problem(error.into())),
        };
        // A host that cannot send parts begins at 0 again.
        let known = (part.length() - at).min(length as u64) as usize;
        part.write_all(&piece[known..length]).map_err(|error| {
            Failure::data(
                format!("cannot write to {}: {error}", directory.display()),
                "check that the disk is not full; the same command continues",
            )
        })?;
        at += length as u64;
        *arrived += (length - known) as u64;
        meter.reach(*arrived);
    }
    Ok(())
}

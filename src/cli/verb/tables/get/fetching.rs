//! Downloads tables file by file.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, iter};

use granero::build::bytes;
use granero::table::{FileEntry, Manifest, Part, TableCopy};
use granero::{Cycles, MAX_SEEDS, Ruleset, TableError};

use super::{Args, address};
use crate::fetch::{Attempts, Host, Mirrors, Settings, Throttle, Trouble, refused};
use crate::output::meter::Meter;
use crate::system::interruption;
use granero_answer::amounts::{counted, duration};
use granero_answer::causes::with_causes;
use granero_answer::document::RulesAndCycles;
use granero_answer::object;
use granero_console::failure::{Failure, INTERRUPTED};
use granero_console::stderr::{note, say};
use granero_console::{hint, machine};
use serde::Deserialize;

/// The most bytes that are taken at a time.
const PIECE: usize = 1 << 16;

pub(super) fn run(args: &Args) -> Result<String, Failure> {
    let begin = Instant::now();
    let authorities = args.ca.as_deref().map(read).transpose()?;
    let settings = Settings {
        patience: args.patience,
        least: least(args),
        authorities: authorities.as_deref(),
    };
    if args.directory.is_some() && args.db.is_option() {
        return Err(Failure::NotPossible {
            message: "DIRECTORY cannot be combined with --db, which means the same".into(),
            help: "leave out one of them".into(),
        });
    }
    let urls = iter::once(&args.url).chain(&args.mirrors).cloned();
    let mut mirrors = Mirrors::of(urls, &settings)?;
    let (url, origin) = manifest(args, &mut mirrors)?;
    let most = args.seeds.unwrap_or(MAX_SEEDS);
    let last = last_layer(&origin).ok_or_else(|| Failure::Data {
        message: format!("the tables at {} have no layer yet", args.url),
        help: "try again when their build is further".into(),
    })?;
    if !args.quiet && args.seeds.is_some_and(|seeds| seeds > last) {
        note(&format!("the tables of the host reach up to {last} seeds"));
    }
    let mut copy = TableCopy::open(directory(args), origin).map_err(of_directory)?;
    let missing = copy.missing(most)?;
    let free = machine::free_disk(directory(args));
    check_disk(directory(args), free, to_fetch(&missing))?;
    let mut fetched = Fetched::default();
    if !missing.is_empty() {
        let meter = Arc::new(begin_meter(args, &missing));
        on_interruption(&meter);
        let mut fetching = Fetching {
            args,
            mirrors: &mut mirrors,
            throttle: Throttle::new(args.rate),
            meter: &meter,
            fetched: Fetched::default(),
        };
        fetching.files(&mut copy, most)?;
        fetched = fetching.fetched;
    }
    copy.confirm()?;
    summary(args, &url, copy.manifest(), &fetched, begin.elapsed())
}

/// Returns the least bytes per second: well below the most that the user allows.
fn least(args: &Args) -> u64 {
    args.rate
        .map_or(args.least_rate, |rate| args.least_rate.min(rate / 2))
}

/// Returns the directory that the user names.
fn directory(args: &Args) -> &Path {
    args.directory.as_deref().unwrap_or(args.db.path())
}

fn last_layer(manifest: &Manifest) -> Option<u8> {
    manifest.finished().checked_sub(1)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| Failure::Data {
        message: format!("cannot read {}: {error}", path.display()),
        help: "name a file of certificates in PEM".into(),
    })
}

/// Fetches the manifest of the tables, or of those that the user wants of a site. Returns also the address of its
/// directory.
fn manifest(args: &Args, mirrors: &mut Mirrors) -> Result<(String, Manifest), Failure> {
    let mut found = document(args, mirrors, &[Manifest::FILE, SITE])?;
    if let Some((SITE, site)) = found {
        let url = mirrors.address(SITE);
        let site: Site = serde_json::from_slice(&site)
            .map_err(|_| refused(&url, "it does not list the tables of a site"))?;
        let place = site.place(args, &url)?;
        let entered = mirrors.enter(&place.at, address);
        entered.map_err(|problem| refused(&url, &problem))?;
        found = document(args, mirrors, &[Manifest::FILE])?;
    }
    let url = mirrors.address(Manifest::FILE);
    let Some((_, text)) = found else {
        return Err(Failure::Data {
            message: format!("there is no {url}"),
            help: "give the address of a site made by `granero site`, or of the directory that \
                   holds granero.json"
                .into(),
        });
    };
    let no_manifest = |why: &str| refused(&url, &format!("it is not a manifest of tables: {why}"));
    let text = String::from_utf8(text).map_err(|_| no_manifest("it is not text"))?;
    let manifest = Manifest::from_text(&text).map_err(|error| no_manifest(&with_causes(&error)))?;
    let Manifest { rules, cycles, .. } = manifest;
    if !args.wants(rules, cycles) {
        return Err(Failure::NotPossible {
            message: format!("the tables at {url} are {rules}/{cycles}"),
            help: "leave out --rules and --cycles, or give the address of other tables".into(),
        });
    }
    Ok((mirrors.address(""), manifest))
}

/// The file with the contents of a site.
const SITE: &str = "site.json";

#[derive(Deserialize)]
struct Site {
    places: Vec<Place>,
}

/// A folder of tables on a site.
#[derive(Deserialize)]
struct Place {
    rules: String,
    cycles: String,
    at: String,
}

impl Site {
    /// Returns the folder that the user wants: the only one, or the one of the default rules and convention.
    fn place(&self, args: &Args, url: &str) -> Result<&Place, Failure> {
        let known = self.places.iter().filter_map(|place| {
            let (rules, cycles) = (place.rules.parse().ok()?, place.cycles.parse().ok()?);
            Some((rules, cycles, place))
        });
        let known: Vec<(Ruleset, Cycles, _)> = known.collect();
        let mut wanted = known.clone();
        wanted.retain(|&(rules, cycles, _)| args.wants(rules, cycles));
        if wanted.len() > 1 {
            wanted.retain(|&(rules, cycles, _)| {
                rules == args.rules.unwrap_or_default() && cycles == args.cycles.unwrap_or_default()
            });
        }
        match wanted[..] {
            [(.., place)] => Ok(place),
            _ => {
                let names = known
                    .iter()
                    .map(|(rules, cycles, _)| format!("{rules}/{cycles}"));
                // The host may name the same tables many times.
                let names: BTreeSet<_> = names.collect();
                if names.is_empty() {
                    return Err(Failure::NotPossible {
                        message: format!("{url} lists no tables that this program knows"),
                        help: "give another address, or use a newer version of granero".into(),
                    });
                }
                let names = Vec::from_iter(names).join(", ");
                Err(Failure::NotPossible {
                    message: format!("{url} lists these tables: {names}"),
                    help: "choose with --rules and --cycles".into(),
                })
            }
        }
    }
}

impl Args {
    fn wants(&self, rules: Ruleset, cycles: Cycles) -> bool {
        self.rules.is_none_or(|wanted| wanted == rules)
            && self.cycles.is_none_or(|wanted| wanted == cycles)
    }
}

/// A small file: its name and its text.
type Document = (&'static str, Vec<u8>);

/// Fetches the first of some small files that a mirror has; none if each mirror lacks them all.
fn document(
    args: &Args,
    mirrors: &mut Mirrors,
    names: &[&'static str],
) -> Result<Option<Document>, Failure> {
    let mut attempts = Attempts::new(args.pause, least(args), 0);
    'mirrors: loop {
        for name in names {
            match whole(mirrors.host(), &mirrors.address(name), 8 * args.patience) {
                Ok(text) => return Ok(Some((name, text))),
                Err(Trouble::Missing) => {}
                Err(trouble) => {
                    attempts.again(mirrors, name, trouble, 0, note)?;
                    continue 'mirrors;
                }
            }
        }
        if !attempts.lacks(mirrors)? {
            return Ok(None);
        }
    }
}

/// Fetches a whole file that is no longer than a manifest, within `longest`.
fn whole(host: &Host, url: &str, longest: Duration) -> Result<Vec<u8>, Trouble> {
    let begin = Instant::now();
    let mut answer = host.ask(url, 0)?;
    let mut text = Vec::new();
    let mut piece = vec![0; PIECE];
    loop {
        let length = answer.read(&mut piece)?;
        text.extend_from_slice(&piece[..length]);
        if text.len() as u64 > Manifest::MAX_BYTES {
            return Err(Trouble::Lasting("it is too long".into()));
        }
        if length == 0 {
            break;
        }
        if begin.elapsed() > longest {
            let what = format!("it has not arrived within {}", duration(longest));
            return Err(Trouble::Passing(what));
        }
    }
    match answer.length {
        Some(length) if length != text.len() as u64 => Err(ended(text.len() as u64, length)),
        _ => Ok(text),
    }
}

fn ended(after: u64, length: u64) -> Trouble {
    Trouble::Passing(format!(
        "it ended after {} of {}",
        bytes(after),
        bytes(length)
    ))
}

/// Returns the error that tables cannot be put into the directory.
fn of_directory(error: TableError) -> Failure {
    match error {
        TableError::OtherRules { .. } | TableError::OtherExtent { .. } => Failure::NotPossible {
            message: with_causes(&error),
            help: "name another directory with --db".into(),
        },
        error => error.into(),
    }
}

/// Checks the free disk space, if the system tells it.
fn check_disk(directory: &Path, free: Option<u64>, needed: u64) -> Result<(), Failure> {
    match free {
        Some(free) if free < needed => Err(Failure::NotPossible {
            message: format!(
                "the files need {} of disk space, and {} are free on the file system of {}",
                bytes(needed),
                bytes(free),
                directory.display()
            ),
            help: "fetch fewer seeds with --seeds, or name a directory on another disk with --db"
                .into(),
        }),
        _ => Ok(()),
    }
}

fn to_fetch(missing: &[(FileEntry, u64)]) -> u64 {
    let left = missing.iter().map(|(entry, arrived)| entry.bytes - arrived);
    left.sum()
}

fn begin_meter(args: &Args, missing: &[(FileEntry, u64)]) -> Meter {
    if args.quiet {
        return Meter::hidden();
    }
    say(&format!(
        "Fetching {} of {} into {}.",
        bytes(to_fetch(missing)),
        counted(missing.len() as u64, "file"),
        directory(args).display()
    ));
    Meter::of_bytes(to_fetch(missing))
}

/// Says how to continue when the user stops the download. No clean-up is needed: everything fetched is in files.
fn on_interruption(meter: &Arc<Meter>) {
    let meter = Arc::clone(meter);
    interruption::on_stop(move || {
        say(&format!(
            "\nStopped: {}. The same command continues.",
            meter.so_far()
        ));
        std::process::exit(INTERRUPTED.into());
    });
}

/// The number of files and bytes that were fetched.
#[derive(Default)]
struct Fetched {
    files: u64,
    bytes: u64,
}

struct Fetching<'a> {
    args: &'a Args,
    mirrors: &'a mut Mirrors,
    throttle: Throttle,
    meter: &'a Meter,
    fetched: Fetched,
}

impl Fetching<'_> {
    /// Fetches the missing files of the layers with at most `most` seeds.
    fn files(&mut self, copy: &mut TableCopy, most: u8) -> Result<(), Failure> {
        let mut spoiled = (String::new(), 0);
        while let Some(mut part) = copy.next(most)? {
            let name = part.entry().name.clone();
            self.meter.begin(name.clone());
            let before = self.fetched.bytes;
            self.file(&name, &mut part)?;
            match copy.add(part) {
                Ok(()) => self.fetched.files += 1,
                Err(
                    ref error @ (TableError::Damaged { ref path, .. }
                    | TableError::OtherTable { ref path }
                    | TableError::OtherFormat { ref path, .. }),
                ) if path.ends_with(&name) => {
                    self.take_back_to(before);
                    let problem = format!(
                        "the file does not match the manifest of the host: {}",
                        with_causes(error)
                    );
                    let url = self.mirrors.address(&name);
                    let times = if spoiled.0 == name { spoiled.1 + 1 } else { 1 };
                    if times > self.mirrors.count() {
                        return Err(refused(&url, &problem));
                    }
                    // Its beginning may be from other tables, or from another time.
                    self.meter
                        .note(&format!("{url}: {problem}; fetching it again"));
                    self.mirrors.next();
                    spoiled = (name, times);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Fetches the rest of a file.
    fn file(&mut self, name: &str, part: &mut Part) -> Result<(), Failure> {
        let mut attempts = Attempts::new(self.args.pause, least(self.args), part.length());
        while part.length() < part.entry().bytes {
            if let Err(trouble) = self.rest(&self.mirrors.address(name), part)? {
                let say = |text: &str| self.meter.note(text);
                attempts.again(self.mirrors, name, trouble, part.length(), say)?;
            }
        }
        Ok(())
    }

    /// Asks once for the rest of a file, and writes all that comes, up to its length.
    fn rest(&mut self, url: &str, part: &mut Part) -> Result<Result<(), Trouble>, Failure> {
        let all = part.entry().bytes;
        let mut answer = match self.mirrors.host().ask(url, part.length()) {
            Ok(answer) => answer,
            Err(trouble) => return Ok(Err(trouble)),
        };
        if let Some(length) = answer.length.filter(|&length| length != all) {
            return Ok(Err(Trouble::Lasting(format!(
                "the file of the host has {}, but the manifest says {}",
                counted(length, "byte"),
                counted(all, "byte")
            ))));
        }
        let mut piece = vec![0; self.throttle.piece(PIECE)];
        // The place of the next byte: a host without ranges begins at 0 again.
        let mut at = answer.start;
        while at < all {
            let room = (all - at).min(piece.len() as u64) as usize;
            let length = match answer.read(&mut piece[..room]) {
                Ok(0) => return Ok(Err(ended(at, all))),
                Ok(length) => length,
                Err(trouble) => return Ok(Err(trouble)),
            };
            let known = (part.length() - at).min(length as u64) as usize;
            part.write_all(&piece[known..length])
                .map_err(|error| cannot_write(directory(self.args), &error))?;
            at += length as u64;
            self.fetched.bytes += (length - known) as u64;
            self.meter.reach(self.fetched.bytes);
            self.throttle.took(length);
        }
        Ok(Ok(()))
    }

    /// Resets the count: bytes after the first `bytes` were removed again.
    fn take_back_to(&mut self, bytes: u64) {
        self.fetched.bytes = bytes;
        self.meter.reach(self.fetched.bytes);
    }
}

fn cannot_write(directory: &Path, error: &std::io::Error) -> Failure {
    Failure::Data {
        message: format!("cannot write to {}: {error}", directory.display()),
        help: "check that the disk is not full; the same command continues".into(),
    }
}

fn summary(
    args: &Args,
    url: &str,
    manifest: &Manifest,
    fetched: &Fetched,
    time: Duration,
) -> Result<String, Failure> {
    let directory = directory(args);
    let Manifest {
        rules,
        cycles,
        extent,
        ..
    } = *manifest;
    let seeds = last_layer(manifest).unwrap_or(0);
    if args.json {
        return crate::output::json(&object! {
            ..tables: RulesAndCycles::new(rules, cycles, extent),
            url: url.trim_end_matches('/'),
            db: directory.display().to_string(),
            // Of the last layer that the directory now holds.
            seeds: seeds,
            files: fetched.files,
            bytes: fetched.bytes,
            seconds: time.as_secs_f64(),
        });
    }
    let what = match fetched.files {
        0 => "All files are there already.".to_string(),
        files => format!(
            "Fetched {}, {}, in {}.",
            counted(files, "file"),
            bytes(fetched.bytes),
            duration(time)
        ),
    };
    Ok(format!(
        "{what}\n{} now holds {rules}, endless play by {cycles}, {extent}, up to {}. Each file has \
         the length\nand the SHA-256 in the manifest. To prove the values:\n  granero verify{}{}\n",
        directory.display(),
        counted(seeds.into(), "seed"),
        hint::cycles_option(cycles),
        hint::db_option(directory),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_do_not_fit_on_the_disk_are_not_fetched() {
        let check = |free| check_disk(Path::new("db"), free, 3 << 20);
        assert!(check(None).is_ok() && check(Some(3 << 20)).is_ok());
        let Err(Failure::NotPossible { message, .. }) = check(Some(1 << 20)) else {
            panic!("the files do not fit");
        };
        assert_eq!(
            message,
            "the files need 3.0 MiB of disk space, and 1.0 MiB are free on the file system of db"
        );
    }
}

//! Downloads tables file by file.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::iter;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use granero::build::bytes;
use granero::table::{FileEntry, Manifest, Part, TableCopy};
use granero::{Cycles, MAX_SEEDS, Ruleset, TableError};

use super::mirrors::{Mirror, Mirrors, Problem, problem, refused};
use super::{Args, Fetched, address};
use crate::output::meter::Meter;
use crate::system::interruption;
use granero_answer::amounts::{counted, duration};
use granero_answer::causes::with_causes;
use granero_answer::document::RulesAndCycles;
use granero_console::failure::{Failure, INTERRUPTED};
use granero_console::hint;
use granero_console::stderr::{note, say};
use serde::Deserialize;

/// The file with the contents of a site.
const SITE: &str = "site.json";

pub(super) fn run(args: &Args) -> Result<String, Failure> {
    let begin = Instant::now();
    if args.directory.is_some() && args.db.is_option() {
        return Err(Failure::NotPossible {
            message: "DIRECTORY cannot be combined with --db, which means the same".into(),
            help: "leave out one of them".into(),
        });
    }
    let urls = iter::once(&args.url).chain(&args.mirrors);
    let mut mirrors = Mirrors::new(urls, args.patience, args.pause, args.ca.as_deref())?;
    let (url, origin) = manifest(args, &mut mirrors)?;
    let most = args.seeds.unwrap_or(MAX_SEEDS);
    let last = origin
        .finished()
        .checked_sub(1)
        .ok_or_else(|| Failure::Data {
            message: format!("the tables at {} have no layer yet", args.url),
            help: "try again once the first layer is published".into(),
        })?;
    if !args.quiet && args.seeds.is_some_and(|seeds| seeds > last) {
        note(&format!("the tables of the host reach up to {last} seeds"));
    }
    let mut copy = TableCopy::open(directory(args), origin).map_err(of_directory)?;
    let missing = copy.missing(most)?;
    let mut files = 0;
    if !missing.is_empty() {
        let meter = Arc::new(begin_meter(args, &missing));
        on_interruption(&meter);
        files = fetch(args, &mut mirrors, &meter, &mut copy, most)?;
    }
    copy.confirm()?;
    let fetched = (files, mirrors.arrived.get());
    summary(args, &url, copy.manifest(), fetched, begin.elapsed())
}

/// Returns the directory that the user names.
fn directory(args: &Args) -> &Path {
    args.directory.as_deref().unwrap_or(args.db.path())
}

/// Fetches the manifest of the tables, or of those that the user wants of a site. Returns also the address of its
/// directory.
fn manifest(args: &Args, mirrors: &mut Mirrors) -> Result<(String, Manifest), Failure> {
    let most = Manifest::MAX_BYTES;
    let (is_site, mut text) = mirrors.fetch(Manifest::FILE, note, |mirror, _| {
        match mirror.text(Manifest::FILE, most) {
            Err(lasting @ Problem::Lasting(_)) => match mirror.text(SITE, most) {
                Ok(text) => Ok((true, text)),
                Err(Problem::Lasting(_)) => Err(lasting),
                Err(problem) => Err(problem),
            },
            other => other.map(|text| (false, text)),
        }
    })?;
    if is_site {
        let url = format!("{}/{SITE}", mirrors.current().url);
        let place = place(args, &url, &text)?;
        let folder = format!("{}/{}", mirrors.current().url, place.at);
        address(&folder).map_err(|problem| refused(&url, &problem))?;
        mirrors.enter(address(&place.at).ok(), &place.at);
        text = mirrors.fetch(Manifest::FILE, note, |mirror, _| {
            mirror.text(Manifest::FILE, most)
        })?;
    }
    let directory = mirrors.current().url.clone();
    let url = format!("{directory}/{}", Manifest::FILE);
    let manifest = Manifest::from_text(&text).map_err(|error| {
        let why = with_causes(&error);
        refused(&url, &format!("it is not a manifest of tables: {why}"))
    })?;
    let Manifest { rules, cycles, .. } = manifest;
    if !args.wants(rules, cycles) {
        return Err(Failure::NotPossible {
            message: format!("the tables at {url} are {rules}/{cycles}"),
            help: "leave out --rules and --cycles, or give the address of other tables".into(),
        });
    }
    Ok((directory, manifest))
}

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

/// Returns the folder that the user wants of a site: the only one, or the one of the default rules and convention.
fn place(args: &Args, url: &str, site: &str) -> Result<Place, Failure> {
    let site: Site = serde_json::from_str(site)
        .map_err(|_| refused(url, "it does not list the tables of a site"))?;
    let (rules, cycles) = (
        args.rules.unwrap_or_default(),
        args.cycles.unwrap_or_default(),
    );
    // The host may name the same tables many times.
    let (mut names, mut wanted) = (BTreeSet::new(), Vec::new());
    for place in site.places {
        if let (Ok(of_rules), Ok(of_cycles)) = (place.rules.parse(), place.cycles.parse()) {
            names.insert(format!("{of_rules}/{of_cycles}"));
            if args.wants(of_rules, of_cycles) {
                wanted.push(((of_rules, of_cycles) == (rules, cycles), place));
            }
        }
    }
    if wanted.len() > 1 {
        wanted.retain(|(is_default, _)| *is_default);
    }
    match wanted.pop() {
        Some((_, place)) if wanted.is_empty() => Ok(place),
        _ => Err(Failure::NotPossible {
            message: format!(
                "{url} lists these tables: {}",
                Vec::from_iter(names).join(", ")
            ),
            help: "choose with --rules and --cycles, or use a newer version of granero".into(),
        }),
    }
}

impl Args {
    fn wants(&self, rules: Ruleset, cycles: Cycles) -> bool {
        self.rules.is_none_or(|wanted| wanted == rules)
            && self.cycles.is_none_or(|wanted| wanted == cycles)
    }
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

fn begin_meter(args: &Args, missing: &[(FileEntry, u64)]) -> Meter {
    if args.quiet {
        return Meter::hidden();
    }
    let left = missing.iter().map(|(entry, arrived)| entry.bytes - arrived);
    let left = left.sum();
    say(&format!(
        "Fetching {} of {} into {}.",
        bytes(left),
        counted(missing.len() as u64, "file"),
        directory(args).display()
    ));
    Meter::of_bytes(left)
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

/// Fetches the missing files of the layers with at most `most` seeds; returns their number.
fn fetch(
    args: &Args,
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
        let say = |text: &str| meter.note(text);
        mirrors.fetch(&name, say, |mirror, arrived| {
            let before = arrived.get();
            let mut now = match part.take() {
                Some(part) => part,
                None => copy.next(most)?.expect("the file that is missing"),
            };
            let received = receive(args, mirror, &mut now, arrived, meter);
            if received.is_err() {
                part = Some(now);
                return received;
            }
            match copy.add(now) {
                Err(
                    error @ (TableError::Damaged { .. }
                    | TableError::OtherTable { .. }
                    | TableError::OtherFormat { .. }),
                ) => {
                    let why = with_causes(&error);
                    let problem =
                        format!("the file does not match the manifest of the host: {why}");
                    arrived.set(before);
                    meter.reach(before);
                    Err(if std::mem::take(&mut may_be_stale) {
                        Problem::Passing(problem)
                    } else {
                        Problem::Lasting(problem)
                    })
                }
                added => Ok(added?),
            }
        })?;
        files += 1;
    }
    Ok(files)
}

/// Receives the rest of a file.
fn receive(
    args: &Args,
    mirror: &Mirror,
    part: &mut Part,
    arrived: &Cell<u64>,
    meter: &Meter,
) -> Result<(), Problem> {
    let (mut at, bytes) = mirror.ask(&part.entry().name, part.length())?;
    let mut bytes = bytes.take(part.entry().bytes - at);
    let mut piece = vec![0; 1 << 16];
    while part.length() < part.entry().bytes {
        let length = match bytes.read(&mut piece) {
            Ok(0) => return Err(Problem::Passing("the file ended too early".into())),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(problem(error.into())),
        };
        // A host that cannot send parts begins at 0 again.
        let known = (part.length() - at).min(length as u64) as usize;
        part.write_all(&piece[known..length])
            .map_err(|error| Failure::Data {
                message: format!("cannot write to {}: {error}", directory(args).display()),
                help: "check that the disk is not full; the same command continues".into(),
            })?;
        at += length as u64;
        arrived.set(arrived.get() + (length - known) as u64);
        meter.reach(arrived.get());
    }
    Ok(())
}

fn summary(
    args: &Args,
    url: &str,
    manifest: &Manifest,
    (files, fetched): (u64, u64),
    time: Duration,
) -> Result<String, Failure> {
    let directory = directory(args);
    let Manifest {
        rules,
        cycles,
        extent,
        ..
    } = *manifest;
    let seeds = manifest.finished().saturating_sub(1);
    if args.json {
        let tables = RulesAndCycles::new(rules, cycles, extent);
        return crate::output::json(&Fetched::new(
            tables,
            url,
            directory,
            seeds,
            [files, fetched],
            time,
        ));
    }
    let what = match files {
        0 => "All files are there already.".to_string(),
        files => format!(
            "Fetched {}, {}, in {}.",
            counted(files, "file"),
            bytes(fetched),
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

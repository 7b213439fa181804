//! The tables that are served, for each ruleset and convention, and how the new layers of a
//! running build get there.

use std::fs;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant, SystemTime};

use granero::table::{Manifest, is_being_written};
use granero::{Access, Cycles, MAX_SEEDS, Ruleset, TableError, TableOptions, Tables};
use hyper::header::HeaderValue;

use crate::log::Log;
use crate::reply::{self, Keep, Reply};
use granero_answer::causes::with_causes;
use granero_console::db;
use granero_console::db::OpenedTables;

/// When tables that could not be opened are tried again: after the first failure, and at
/// most.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];

/// 16 hexadecimal digits, the same for the same values on every machine.
pub fn fingerprint(manifest: &Manifest) -> String {
    let mut text = format!("{} {}\n", manifest.rules, manifest.cycles);
    for layer in &manifest.layers {
        for (_, values) in layer.statistics.values.iter() {
            text += &values.sha256.to_string();
        }
    }
    reply::short_hash(text.as_bytes())
}

/// The tables of one ruleset and one convention.
pub(super) struct Volume {
    pub(super) tables: OpenedTables,
    /// See [`fingerprint`].
    pub(super) fingerprint: String,
    /// Distinguishes answers from these tables, by this program, from other answers.
    pub(super) etag: HeaderValue,
    /// Computed for the first request.
    pub(super) statistics: OnceLock<Reply>,
}

impl Volume {
    fn new(tables: OpenedTables) -> Volume {
        let fingerprint = fingerprint(tables.manifest());
        let version = env!("CARGO_PKG_VERSION");
        Volume {
            etag: reply::etag(&format!("{fingerprint}-{version}")),
            fingerprint,
            tables,
            statistics: OnceLock::new(),
        }
    }

    /// Tables without a layer, for rules without tables.
    fn empty(rules: Ruleset, cycles: Cycles) -> Volume {
        let manifest = Manifest::new((rules, cycles)).to_text();
        let no_files = |_: &_| Err(std::io::ErrorKind::NotFound.into());
        let tables = TableOptions::new().open_sources(&manifest, no_files);
        let tables = tables.expect("a manifest without layers lists no files");
        Volume::new(OpenedTables::Directory(tables))
    }

    /// Whether there is at least one layer.
    pub(super) fn is_empty(&self) -> bool {
        self.tables.max_seeds().is_none()
    }

    /// Whether these are the tables that are part of the program.
    pub(super) fn is_sample(&self) -> bool {
        matches!(self.tables, OpenedTables::Sample(_))
    }

    /// How long an answer about a position with `seeds` seeds may be kept: beyond the tables,
    /// larger ones may say more.
    pub(super) fn keep(&self, seeds: u8) -> Keep {
        if Some(seeds) <= self.tables.max_seeds() {
            Keep::Long
        } else {
            Keep::Ask
        }
    }
}

/// All tables that are served, as they are now.
pub(super) struct Shelf {
    /// One for each ruleset and convention, in their order.
    places: Vec<Place>,
    /// The list of these tables. Made for the first request.
    pub(super) catalogue: OnceLock<Reply>,
}

/// The place for the tables of a ruleset and a convention.
pub(super) struct Place {
    pub(super) volume: Arc<Volume>,
    /// Whether there are such tables; else the volume is empty.
    is_taken: bool,
    /// Whether a build is adding layers.
    pub(super) building: bool,
}

impl Shelf {
    /// The tables for a ruleset; without a convention, those of the first convention that has
    /// some. Tables that were not built are empty.
    pub(super) fn get(&self, rules: Ruleset, cycles: Option<Cycles>) -> &Arc<Volume> {
        let of_rules = self.places.iter().filter(|place| {
            let tables = &place.volume.tables;
            tables.rules() == rules && cycles.is_none_or(|cycles| tables.cycles() == cycles)
        });
        let best = of_rules.min_by_key(|place| !place.is_taken);
        &best.expect("a place for each").volume
    }

    /// The places with tables.
    pub(super) fn places(&self) -> impl Iterator<Item = &Place> {
        self.places.iter().filter(|place| place.is_taken)
    }

    /// All existing tables.
    pub(super) fn volumes(&self) -> impl Iterator<Item = &Volume> {
        self.places().map(|place| &*place.volume)
    }
}

/// The tables that are served now. Others may take their place.
pub(super) struct Present(RwLock<Arc<Shelf>>);

impl Present {
    pub(super) fn new(shelf: Shelf) -> Arc<Present> {
        Arc::new(Present(RwLock::new(Arc::new(shelf))))
    }

    /// Serves other tables from now on, and returns the former ones. Requests in progress keep
    /// those.
    pub(super) fn replace(&self, shelf: Shelf) -> Arc<Shelf> {
        let mut place = self.0.write().unwrap_or_else(PoisonError::into_inner);
        mem::replace(&mut place, Arc::new(shelf))
    }

    pub(super) fn shelf(&self) -> Arc<Shelf> {
        let shelf = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&shelf)
    }

    /// See [`Shelf::get`].
    pub(super) fn volume(&self, rules: Ruleset, cycles: Option<Cycles>) -> Arc<Volume> {
        Arc::clone(self.shelf().get(rules, cycles))
    }
}

/// Where the tables come from.
pub(super) struct Directories {
    directories: Vec<Directory>,
    /// For all rulesets and conventions, where nothing was built.
    empty: Vec<Arc<Volume>>,
    /// Of either convention; none if directories were named.
    samples: Vec<Arc<Volume>>,
}

/// The tables of one convention in a directory.
struct Directory {
    path: PathBuf,
    cycles: Cycles,
    /// Its part of the cache.
    part: u64,
    /// The stamps of the manifests of the open tables, one for each convention.
    opened: Stamps,
    /// What could not be opened.
    failed: Option<Failed>,
    volume: Option<Arc<Volume>>,
    /// Tables that were replaced. While requests use them, no others are opened.
    former: Weak<Volume>,
    building: bool,
}

type Stamps = [Option<Stamp>; 2];

/// Tables that could not be opened.
struct Failed {
    stamps: Stamps,
    /// Why not.
    message: String,
    again: Instant,
    pause: Duration,
}

/// Tells one version of a file from the next, which is another file with the same name.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
    /// The device and the number of the file on it, where systems say.
    file: Option<(u64, u64)>,
}

impl Stamp {
    fn of(file: &Path) -> Option<Stamp> {
        let data = fs::metadata(file).ok()?;
        Some(Stamp {
            modified: data.modified().ok(),
            bytes: data.len(),
            file: number(&data),
        })
    }
}

#[cfg(unix)]
fn number(data: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((data.dev(), data.ino()))
}

#[cfg(not(unix))]
fn number(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

impl Directories {
    /// Opens the directories. Without any, watches the default one, and serves the sample while
    /// that has no tables.
    ///
    /// Each convention in each directory has a place, with a part of the cache: all of it goes to
    /// those that have tables now. Others that have some later get the part that is theirs if all have.
    pub(super) fn open(paths: &[PathBuf], cache_bytes: u64) -> Result<Directories, TableError> {
        let default = [PathBuf::from(db::DIRECTORY)];
        let given = !paths.is_empty();
        let paths = if given { paths } else { &default };
        let mut directories: Vec<Directory> = Vec::new();
        let part = cache_bytes / (paths.len() * Cycles::ALL.len()) as u64;
        for path in paths {
            let mut missing = None;
            for cycles in Cycles::ALL {
                let mut directory = Directory::new(path.clone(), cycles, part);
                match directory.look() {
                    Err(error) if is_missing(&error) => missing = missing.or(Some(error)),
                    looked => drop(looked?),
                }
                directories.push(directory);
            }
            let [.., first, second] = &directories[..] else {
                continue;
            };
            let nothing = first.volume.is_none() && second.volume.is_none();
            if let Some(error) = missing.filter(|_| given && nothing) {
                return Err(error);
            }
        }
        let there = |directory: &&mut Directory| directory.volume.is_some();
        let parts = directories.iter_mut().filter(there).count() as u64;
        for directory in directories.iter_mut().filter(there) {
            // Nothing was asked yet, so that opening them anew costs next to nothing. If it fails, they
            // have changed meanwhile, and are served as they were until they can be opened again.
            let (path, cycles) = (directory.path.clone(), directory.cycles);
            let mut anew = Directory::new(path, cycles, cache_bytes / parts);
            if anew.look().is_ok() {
                *directory = anew;
            }
        }
        Ok(Directories::new(directories, !given))
    }

    /// Without any directory: the sample alone.
    #[cfg(feature = "fuzzing")]
    pub(super) fn sample() -> Directories {
        Directories::new(Vec::new(), true)
    }

    fn new(directories: Vec<Directory>, with_samples: bool) -> Directories {
        let empty = all_places().map(|(rules, cycles)| Arc::new(Volume::empty(rules, cycles)));
        let sample =
            |cycles| Arc::new(Volume::new(OpenedTables::Sample(Tables::sample_of(cycles))));
        let samples = Cycles::ALL.into_iter().filter(|_| with_samples).map(sample);
        Directories {
            directories,
            empty: empty.collect(),
            samples: samples.collect(),
        }
    }

    /// The most memory for decoded blocks. One place counts twice, as in `most_files`.
    pub(super) fn cache(&self) -> u64 {
        let parts = || self.directories.iter().map(|directory| directory.part);
        parts().sum::<u64>() + parts().max().unwrap_or(0)
    }

    /// The most files that tables can have open. One place counts twice: its former tables may
    /// still be in use when new ones are opened.
    pub(super) fn most_files(&self) -> u64 {
        let files = |directory: &Directory| {
            (u64::from(MAX_SEEDS) + 1) * directory.cycles.measures().into_iter().count() as u64
        };
        let all: u64 = self.directories.iter().map(files).sum();
        all + self.directories.iter().map(files).max().unwrap_or(0)
    }

    /// Checks for changes. Tables that can no longer be opened are served as they were.
    pub(super) fn look(&mut self, log: &Log) -> bool {
        // One after the other, so that little memory and few files are needed twice.
        if self.directories.iter().any(Directory::is_being_replaced) {
            return false;
        }
        let mut changed = false;
        let mut said = self.failures();
        for directory in &mut self.directories {
            match directory.look() {
                Ok(new) => changed |= new,
                // It may be there again later.
                Err(error) if is_missing(&error) => {}
                // It was reported already, or both conventions have the same error.
                Err(error) => {
                    let message = with_causes(&error);
                    if !said.contains(&message) {
                        log.complain(&message);
                        said.push(message);
                    }
                }
            }
            if directory.is_being_replaced() {
                break;
            }
        }
        changed
    }

    /// Why tables could not be opened when they were tried last.
    fn failures(&self) -> Vec<String> {
        let failed = self.directories.iter().flat_map(|one| &one.failed);
        failed.map(|failed| failed.message.clone()).collect()
    }

    /// All tables as they are now; of several for the same rules, those that reach furthest.
    pub(super) fn shelf(&self) -> Shelf {
        let places = all_places().zip(&self.empty);
        let places = places.map(|((rules, cycles), empty)| {
            let here = self.directories.iter().filter(|directory| {
                let volume = directory.volume.as_deref();
                volume.is_some_and(|volume| {
                    let tables = &volume.tables;
                    (tables.rules(), tables.cycles()) == (rules, cycles)
                })
            });
            // Of equal ones, the first.
            let furthest = here.rev().max_by_key(|directory| {
                let volume = directory.volume.as_deref();
                volume.and_then(|volume| volume.tables.max_seeds())
            });
            let sample = self.samples.iter().find(|sample| {
                let tables = &sample.tables;
                let nothing_built = self.directories.iter().all(|directory| {
                    let volume = directory.volume.as_deref();
                    volume.is_none_or(Volume::is_empty)
                });
                nothing_built && (tables.rules(), tables.cycles()) == (rules, cycles)
            });
            let built = furthest.and_then(|directory| directory.volume.as_ref());
            let volume = sample.or(built);
            Place {
                is_taken: volume.is_some(),
                volume: Arc::clone(volume.unwrap_or(empty)),
                building: furthest.is_some_and(|directory| directory.building),
            }
        });
        Shelf {
            places: places.collect(),
            catalogue: OnceLock::new(),
        }
    }
}

/// Whether the tables are missing, which may change.
fn is_missing(error: &TableError) -> bool {
    matches!(
        error,
        TableError::NoTables { .. } | TableError::OtherCycles { .. }
    )
}

/// All rulesets with all conventions.
fn all_places() -> impl Iterator<Item = (Ruleset, Cycles)> {
    let conventions = |rules| Cycles::ALL.map(|cycles| (rules, cycles));
    Ruleset::ALL.into_iter().flat_map(conventions)
}

impl Directory {
    fn new(path: PathBuf, cycles: Cycles, part: u64) -> Directory {
        Directory {
            path,
            cycles,
            part,
            opened: [None; 2],
            failed: None,
            volume: None,
            former: Weak::new(),
            building: false,
        }
    }

    /// Whether there are new tables, and the former ones are still in use.
    fn is_being_replaced(&self) -> bool {
        self.former.strong_count() > 0
    }

    /// Opens the tables if the manifest is not that of the open ones. Returns whether anything is
    /// new.
    fn look(&mut self) -> Result<bool, TableError> {
        let places = [self.path.clone(), self.path.join(Cycles::OwnSide.name())];
        let stamps = places.map(|place| Stamp::of(&place.join(Manifest::FILE)));
        // Where the lock cannot be seen, no build is reported.
        let place = self
            .volume
            .as_ref()
            .and_then(|volume| volume.tables.directory());
        let building = place.is_some_and(|place| is_being_written(place).unwrap_or(false));
        let mut new = building != self.building;
        self.building = building;
        if stamps != [None; 2] && stamps == self.opened {
            // The file that had replaced it is gone; if it returns, it is tried at once.
            self.failed = None;
        }
        if (stamps == [None; 2] || stamps != self.opened) && self.is_worth_trying(stamps) {
            // The stamps are taken before the file is read: if it is replaced meanwhile, it is
            // read again.
            let options = TableOptions::new()
                // Files may be removed or replaced while they are served: that gives an error, and
                // does not end the program.
                .access(Access::Read)
                .cache_bytes(self.part)
                .cycles(self.cycles);
            match options.open(&self.path) {
                Ok(tables) => {
                    let volume = Arc::new(Volume::new(OpenedTables::Directory(tables)));
                    let former = self.volume.replace(volume);
                    self.former = former.as_ref().map(Arc::downgrade).unwrap_or_default();
                    (self.opened, self.failed) = (stamps, None);
                    new = true;
                }
                Err(error) => {
                    self.has_failed(stamps, &error);
                    return Err(error);
                }
            }
        }
        Ok(new)
    }

    /// Whether the file differs from the one that could not be opened, or some time has passed.
    fn is_worth_trying(&self, stamps: Stamps) -> bool {
        let failed = self.failed.as_ref();
        failed.is_none_or(|failed| failed.stamps != stamps || Instant::now() >= failed.again)
    }

    /// Tables that could not be opened may be complete later, with the same manifest, for
    /// instance while they are copied. The longer they fail, the less often they are tried.
    fn has_failed(&mut self, stamps: Stamps, error: &TableError) {
        let [first, longest] = PAUSES;
        let message = with_causes(error);
        let same = (self.failed.as_ref())
            .filter(|failed| failed.stamps == stamps && failed.message == message);
        let pause = same.map_or(first, |failed| (failed.pause * 2).min(longest));
        self.failed = Some(Failed {
            stamps,
            message,
            again: Instant::now() + pause,
            pause,
        });
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn another_file_of_the_same_length_and_time_is_another() {
        let place = tempfile::tempdir().unwrap();
        let [here, there] = ["here", "there"].map(|name| place.path().join(name));
        let stamp = |file: &Path, text: &str| {
            fs::write(file, text).unwrap();
            let file = fs::File::options().write(true).open(file).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        };
        stamp(&here, "one");
        stamp(&there, "two");
        let before = Stamp::of(&here);
        assert!(before == Stamp::of(&here));
        fs::rename(&there, &here).unwrap();
        assert!(before != Stamp::of(&here));
    }
}

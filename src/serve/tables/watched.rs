//! The directories of the tables. New layers of a running build are picked up while the server runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant, SystemTime};

use granero::table::{Manifest, is_being_written};
use granero::{Access, Cycles, MAX_SEEDS, Ruleset, TableError, TableOptions, Tables};

use super::catalogue::{Catalogue, Listing, TableSet};
use crate::log::Log;
use granero_answer::with_causes;
use granero_console::db;

/// The first and the longest pause before tables that could not be opened are tried again.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];

pub(crate) struct WatchedDirectories {
    directories: Vec<WatchedDirectory>,
    /// Empty tables of all rulesets and conventions.
    empty: Vec<Arc<TableSet>>,
    /// The samples of both conventions; none if directories were named.
    samples: Vec<Arc<TableSet>>,
}

/// The tables of one convention in a directory.
struct WatchedDirectory {
    path: PathBuf,
    cycles: Cycles,
    /// Its part of the cache.
    cache_bytes: u64,
    /// The stamps of the manifests of the open tables, one for each convention.
    opened: Stamps,
    failure: Option<FailedOpening>,
    set: Option<Arc<TableSet>>,
    /// Tables that were replaced. While requests use them, no others are opened.
    former: Weak<TableSet>,
    building: bool,
}

type Stamps = [Option<FileStamp>; 2];

/// The last attempt to open tables, which failed.
struct FailedOpening {
    stamps: Stamps,
    message: String,
    /// The time of the next attempt.
    again: Instant,
    pause: Duration,
}

/// Tells a file from the next one with the same name.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    modified: Option<SystemTime>,
    bytes: u64,
    /// The device and the number of the file on it, where systems have them.
    file: Option<(u64, u64)>,
}

impl FileStamp {
    fn of(file: &Path) -> Option<FileStamp> {
        let data = fs::metadata(file).ok()?;
        Some(FileStamp {
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

impl WatchedDirectories {
    /// Opens the directories. Without any, watches the default one, and serves the sample while
    /// that has no tables.
    ///
    /// The cache is divided among the conventions in the directories that have tables now. Those
    /// that have some later get the part that they would have if all had tables.
    pub(crate) fn open(
        paths: &[PathBuf],
        cache_bytes: u64,
    ) -> Result<WatchedDirectories, TableError> {
        let default = [PathBuf::from(db::DIRECTORY)];
        let are_named = !paths.is_empty();
        let paths = if are_named { paths } else { &default };
        let mut directories: Vec<WatchedDirectory> = Vec::new();
        let part = cache_bytes / (paths.len() * Cycles::ALL.len()) as u64;
        for path in paths {
            let mut missing = None;
            for cycles in Cycles::ALL {
                let mut directory = WatchedDirectory::new(path.clone(), cycles, part);
                match directory.check() {
                    Err(error) if is_missing(&error) => missing = missing.or(Some(error)),
                    checked => drop(checked?),
                }
                directories.push(directory);
            }
            let [.., first, second] = &directories[..] else {
                continue;
            };
            let has_nothing = first.set.is_none() && second.set.is_none();
            if let Some(error) = missing.filter(|_| are_named && has_nothing) {
                return Err(error);
            }
        }
        let has_tables = |directory: &&mut WatchedDirectory| directory.set.is_some();
        let parts = directories.iter_mut().filter(has_tables).count() as u64;
        for directory in directories.iter_mut().filter(has_tables) {
            // Open them again with the right cache, which is cheap before the first look-up. If that
            // fails because they have just changed, they are served as they were for now.
            let (path, cycles) = (directory.path.clone(), directory.cycles);
            let mut reopened = WatchedDirectory::new(path, cycles, cache_bytes / parts);
            if reopened.check().is_ok() {
                *directory = reopened;
            }
        }
        Ok(WatchedDirectories::new(directories, !are_named))
    }

    /// Returns the samples without any directory.
    #[cfg(feature = "fuzzing")]
    pub(crate) fn sample() -> WatchedDirectories {
        WatchedDirectories::new(Vec::new(), true)
    }

    fn new(directories: Vec<WatchedDirectory>, with_samples: bool) -> WatchedDirectories {
        let empty = all_kinds().map(|(rules, cycles)| Arc::new(TableSet::empty(rules, cycles)));
        let sample = |cycles| Arc::new(TableSet::new(Tables::open_sample(cycles)));
        let samples = Cycles::ALL.into_iter().filter(|_| with_samples).map(sample);
        WatchedDirectories {
            directories,
            empty: empty.collect(),
            samples: samples.collect(),
        }
    }

    /// Returns the most memory for decoded blocks. One directory counts twice, as in `most_files`.
    pub(crate) fn cache(&self) -> u64 {
        let parts = || {
            self.directories
                .iter()
                .map(|directory| directory.cache_bytes)
        };
        parts().sum::<u64>() + parts().max().unwrap_or(0)
    }

    /// Returns the most files that tables can have open. One directory counts twice: its former
    /// tables may still be in use when new ones are opened.
    pub(crate) fn most_files(&self) -> u64 {
        let twice = u64::from(!self.directories.is_empty());
        (self.directories.len() as u64 + twice) * (u64::from(MAX_SEEDS) + 1)
    }

    /// Checks for changes; returns true if there are any. Tables that can no longer be opened are
    /// served as they were.
    pub(crate) fn check(&mut self, log: &Log) -> bool {
        // One after the other, so that little memory and few files are needed twice.
        if self
            .directories
            .iter()
            .any(WatchedDirectory::is_being_replaced)
        {
            return false;
        }
        let mut has_changed = false;
        let mut reported = self.failures();
        for directory in &mut self.directories {
            match directory.check() {
                Ok(new) => has_changed |= new,
                // It may appear later.
                Err(error) if is_missing(&error) => {}
                Err(error) => {
                    // Both conventions of a directory may have the same error.
                    let message = with_causes(&error);
                    if !reported.contains(&message) {
                        log.complain(&message);
                        reported.push(message);
                    }
                }
            }
            if directory.is_being_replaced() {
                break;
            }
        }
        has_changed
    }

    /// Returns the messages of tables that could not be opened in the last attempt.
    fn failures(&self) -> Vec<String> {
        let failures = self
            .directories
            .iter()
            .filter_map(|one| one.failure.as_ref());
        failures.map(|failure| failure.message.clone()).collect()
    }

    /// Lists all tables as they are now. Of several for the same rules, those with most seeds count.
    pub(crate) fn catalogue(&self) -> Catalogue {
        let nothing_built = (self.directories.iter())
            .filter_map(|directory| directory.set.as_deref())
            .all(TableSet::is_empty);
        let kinds = all_kinds().zip(&self.empty);
        let listings = kinds.map(|((rules, cycles), empty)| {
            let built = self.directories.iter().filter_map(|directory| {
                let set = directory.set.as_ref();
                let set = set.filter(|set| set.is_of(rules, cycles))?;
                Some((set, directory.building))
            });
            // Of equal ones, the first.
            let largest = built.rev().max_by_key(|(set, _)| set.tables.max_seeds());
            let mut samples = self.samples.iter();
            let sample = samples.find(|sample| nothing_built && sample.is_of(rules, cycles));
            let set = sample.or(largest.map(|(set, _)| set));
            Listing {
                exists: set.is_some(),
                set: Arc::clone(set.unwrap_or(empty)),
                building: largest.is_some_and(|(_, building)| building),
            }
        });
        Catalogue {
            listings: listings.collect(),
            document: OnceLock::new(),
        }
    }
}

/// Returns true if there are no tables, which may change.
fn is_missing(error: &TableError) -> bool {
    matches!(
        error,
        TableError::NoTables { .. } | TableError::OtherCycles { .. }
    )
}

fn all_kinds() -> impl Iterator<Item = (Ruleset, Cycles)> {
    let conventions = |rules| Cycles::ALL.map(|cycles| (rules, cycles));
    Ruleset::ALL.into_iter().flat_map(conventions)
}

impl WatchedDirectory {
    fn new(path: PathBuf, cycles: Cycles, cache_bytes: u64) -> WatchedDirectory {
        WatchedDirectory {
            path,
            cycles,
            cache_bytes,
            opened: [None; 2],
            failure: None,
            set: None,
            former: Weak::new(),
            building: false,
        }
    }

    /// Returns true while requests use the former tables.
    fn is_being_replaced(&self) -> bool {
        self.former.strong_count() > 0
    }

    /// Opens the tables if the manifest is not the one of the open tables. Returns true if anything
    /// is new.
    fn check(&mut self) -> Result<bool, TableError> {
        let places = [self.path.clone(), self.path.join(Cycles::OwnSide.name())];
        let stamps = places.map(|place| FileStamp::of(&place.join(Manifest::FILE)));
        // Where the lock cannot be seen, no build is reported.
        let open = self.set.as_ref().and_then(|set| set.tables.directory());
        let building = open.is_some_and(|place| is_being_written(place).unwrap_or(false));
        let mut is_new = building != self.building;
        self.building = building;
        let has_manifest = stamps != [None; 2];
        if has_manifest && stamps == self.opened {
            // A failed replacement is gone; if it returns, it is tried at once.
            self.failure = None;
        }
        if (!has_manifest || stamps != self.opened) && self.is_worth_trying(stamps) {
            // The stamps are older than the open tables: a manifest that changes in between is read
            // again.
            let options = TableOptions::new()
                // A mapped file that is removed or replaced would end the program. Reading one gives
                // an error.
                .access(Access::Read)
                .cache_bytes(self.cache_bytes)
                .cycles(self.cycles);
            match options.open(&self.path) {
                Ok(tables) => {
                    let set = Arc::new(TableSet::new(tables));
                    let former = self.set.replace(set);
                    self.former = former.as_ref().map(Arc::downgrade).unwrap_or_default();
                    (self.opened, self.failure) = (stamps, None);
                    is_new = true;
                }
                Err(error) => {
                    self.has_failed(stamps, &error);
                    return Err(error);
                }
            }
        }
        Ok(is_new)
    }

    /// Returns true if the manifest is not the one that failed, or the pause is over.
    fn is_worth_trying(&self, stamps: Stamps) -> bool {
        let failure = self.failure.as_ref();
        failure.is_none_or(|failure| failure.stamps != stamps || Instant::now() >= failure.again)
    }

    /// Schedules the next attempt. Tables that could not be opened may be complete later with the
    /// same manifest, for instance while they are copied. The longer they fail, the longer the
    /// pause.
    fn has_failed(&mut self, stamps: Stamps, error: &TableError) {
        let [first, longest] = PAUSES;
        let message = with_causes(error);
        let same = (self.failure.as_ref())
            .filter(|failure| failure.stamps == stamps && failure.message == message);
        let pause = same.map_or(first, |failure| (failure.pause * 2).min(longest));
        self.failure = Some(FailedOpening {
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
        let write = |file: &Path, text: &str| {
            fs::write(file, text).unwrap();
            let file = fs::File::options().write(true).open(file).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        };
        write(&here, "one");
        write(&there, "two");
        let before = FileStamp::of(&here);
        assert!(before == FileStamp::of(&here));
        fs::rename(&there, &here).unwrap();
        assert!(before != FileStamp::of(&here));
    }
}

//! The tables that are served, for each ruleset and convention, and how the new layers of a
//! running build get there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use granero::Ruleset;
use granero::table::{
    Access, Cycles, Manifest, TableError, TableOptions, Tables, is_being_written,
};
use hyper::header::HeaderValue;

use super::catalogue;
use super::reply::{self, Keep, Reply};
use crate::cli::db::Opened;
use crate::cli::options;

/// The tables of one ruleset and one convention.
pub(super) struct Volume {
    pub(super) tables: Opened,
    /// 16 hexadecimal digits, the same for the same values on every machine.
    pub(super) fingerprint: String,
    /// Tells what is answered from these tables, by this program, from other answers.
    pub(super) etag: HeaderValue,
    /// Made when somebody asks first.
    pub(super) statistics: OnceLock<Reply>,
}

impl Volume {
    fn new(tables: Opened) -> Volume {
        let manifest = tables.manifest();
        let mut text = format!("{} {}\n", manifest.rules, manifest.cycles);
        text.extend(manifest.layers.iter().map(|layer| layer.sha256.as_str()));
        let fingerprint = reply::short_hash(text.as_bytes());
        let version = env!("CARGO_PKG_VERSION");
        Volume {
            etag: reply::etag(&format!("{fingerprint}-{version}")),
            fingerprint,
            tables,
            statistics: OnceLock::new(),
        }
    }

    /// Tables without a layer, for rules of which there are none.
    fn empty(rules: Ruleset, cycles: Cycles) -> Volume {
        let manifest = serde_json::to_string(&Manifest::new(rules, cycles));
        let manifest = manifest.expect("a manifest is JSON");
        let no_files = |_: &_| Err(std::io::ErrorKind::NotFound.into());
        let tables = TableOptions::new().open_sources(&manifest, no_files);
        let tables = tables.expect("a manifest without layers lists no files");
        Volume::new(Opened::Directory(tables))
    }

    /// Whether there is any layer.
    pub(super) fn is_empty(&self) -> bool {
        self.tables.max_seeds().is_none()
    }

    /// Whether these are the tables that are part of the program.
    pub(super) fn is_sample(&self) -> bool {
        matches!(self.tables, Opened::Sample(_))
    }

    /// How long an answer about so many seeds may be kept: where the tables do not reach,
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
    /// `GET /api/v1/tables`
    pub(super) catalogue: Reply,
}

/// Where the tables of a ruleset and a convention stand.
pub(super) struct Place {
    pub(super) volume: Arc<Volume>,
    /// Whether there are such tables; else the volume is empty.
    pub(super) is_taken: bool,
    /// Whether a build is adding layers.
    pub(super) building: bool,
}

impl Shelf {
    /// The tables for a ruleset; without a convention the first of which there are some.
    /// Tables that nobody has built are empty.
    pub(super) fn get(&self, rules: Ruleset, cycles: Option<Cycles>) -> &Arc<Volume> {
        let of_rules = self.places.iter().filter(|place| {
            let tables = &place.volume.tables;
            tables.rules() == rules && cycles.is_none_or(|cycles| tables.cycles() == cycles)
        });
        let best = of_rules.min_by_key(|place| !place.is_taken);
        &best.expect("a place for each").volume
    }

    /// All tables that there are.
    pub(super) fn volumes(&self) -> impl Iterator<Item = &Volume> {
        let taken = self.places.iter().filter(|place| place.is_taken);
        taken.map(|place| &*place.volume)
    }
}

/// Where the tables come from.
pub(super) struct Directories {
    directories: Vec<Directory>,
    options: TableOptions,
    /// Where nobody has built anything.
    empty: Vec<Arc<Volume>>,
    sample: Option<Arc<Volume>>,
}

struct Directory {
    path: PathBuf,
    /// Of the manifest that was read last.
    stamp: Option<Stamp>,
    volume: Option<Arc<Volume>>,
    building: bool,
}

/// Tells one version of a file from the next, which is another file with the same name.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
}

impl Stamp {
    fn of(file: &Path) -> Option<Stamp> {
        let data = fs::metadata(file).ok()?;
        Some(Stamp {
            modified: data.modified().ok(),
            bytes: data.len(),
        })
    }
}

impl Directories {
    /// Opens the directories. Without any the usual one is looked at, and as long as it
    /// has no tables, the sample serves.
    pub(super) fn open(paths: &[PathBuf], cache_bytes: u64) -> Result<Directories, TableError> {
        let default = [PathBuf::from(options::DIRECTORY)];
        let given = !paths.is_empty();
        let paths = if given { paths } else { &default };
        let options = TableOptions::new()
            // Files may be removed or replaced while they are served: that is an error then,
            // and does not end the program.
            .access(Access::Read)
            .cache_bytes(cache_bytes / paths.len() as u64);
        let mut directories = Vec::new();
        for path in paths {
            let mut directory = Directory {
                path: path.clone(),
                stamp: None,
                volume: None,
                building: false,
            };
            match directory.look(&options) {
                Err(TableError::NoTables { .. }) if !given => {}
                looked => looked.map(|_| ())?,
            }
            directories.push(directory);
        }
        let empty = all_places().map(|(rules, cycles)| Arc::new(Volume::empty(rules, cycles)));
        let sample = || Arc::new(Volume::new(Opened::Sample(Tables::sample())));
        Ok(Directories {
            directories,
            options,
            empty: empty.collect(),
            sample: (!given).then(sample),
        })
    }

    /// Looks whether anything has changed. What cannot be opened any more is served as it was.
    pub(super) fn look(&mut self) -> bool {
        let mut changed = false;
        for directory in &mut self.directories {
            match directory.look(&self.options) {
                Ok(new) => changed |= new,
                // It may be there again later.
                Err(TableError::NoTables { .. }) => {}
                Err(error) => super::complain(&error),
            }
        }
        changed
    }

    /// All tables as they are now; of several for the same rules those that reach furthest.
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
            // Of equals the first.
            let furthest = here.rev().max_by_key(|directory| {
                let volume = directory.volume.as_deref();
                volume.and_then(|volume| volume.tables.max_seeds())
            });
            let sample = self.sample.as_ref().filter(|sample| {
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
        let places: Vec<Place> = places.collect();
        Shelf {
            catalogue: catalogue::of(&places),
            places,
        }
    }
}

/// All rulesets with all conventions.
fn all_places() -> impl Iterator<Item = (Ruleset, Cycles)> {
    let conventions = |rules| Cycles::ALL.map(|cycles| (rules, cycles));
    Ruleset::ALL.into_iter().flat_map(conventions)
}

impl Directory {
    /// Opens the tables if the manifest is not the one that was read last. Returns whether
    /// anything is new.
    fn look(&mut self, options: &TableOptions) -> Result<bool, TableError> {
        let stamp = Stamp::of(&self.path.join(Manifest::FILE));
        // If nobody may see the lock, nobody is said to build.
        let building = is_being_written(&self.path).unwrap_or(false);
        let mut new = building != self.building;
        self.building = building;
        if stamp.is_none() || stamp != self.stamp {
            // Taken before the file is read: if it is replaced meanwhile, it is read again.
            self.stamp = stamp;
            let tables = options.open(&self.path)?;
            self.volume = Some(Arc::new(Volume::new(Opened::Directory(tables))));
            new = true;
        }
        Ok(new)
    }
}

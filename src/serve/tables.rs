//! The tables that are served, for each ruleset and convention.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;
use std::mem;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use granero::prove::Proof;
use granero::table::Manifest;
use granero::{Access, Cycles, MAX_SEEDS, Position, Ruleset, TableError, TableOptions, Tables};
use granero_console::db;

use crate::reply::{self, ASK, LONG, Reply};

/// The most proofs that are kept, of less than a KiB each.
const MOST_PROOFS: usize = 2000;

/// The pause between two looks whether former tables are in use.
const PAUSE: Duration = Duration::from_millis(10);

/// Returns 16 hexadecimal digits, the same for the same values on every machine.
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
pub(crate) struct TableSet {
    pub(crate) tables: Tables,
    /// See [`fingerprint`].
    pub(crate) fingerprint: String,
    /// The answer with their statistics, computed for the first request.
    pub(crate) statistics: OnceLock<Reply>,
    /// Proofs of positions in games that were judged.
    proofs: Mutex<HashMap<Position, Proof>>,
}

impl TableSet {
    fn new(tables: Tables) -> Arc<TableSet> {
        Arc::new(TableSet {
            fingerprint: fingerprint(tables.manifest()),
            tables,
            statistics: OnceLock::new(),
            proofs: Mutex::default(),
        })
    }

    /// Returns tables without a layer.
    fn empty(rules: Ruleset, cycles: Cycles) -> Arc<TableSet> {
        let manifest = Manifest::new((rules, cycles)).to_text();
        let no_files = |_: &_| Err(io::ErrorKind::NotFound.into());
        let tables = TableOptions::new().open_sources(&manifest, no_files);
        TableSet::new(tables.expect("a manifest without layers lists no files"))
    }

    pub(crate) fn proof(&self, position: &Position) -> Option<Proof> {
        let proofs = self.proofs.lock().unwrap_or_else(PoisonError::into_inner);
        proofs.get(position).cloned()
    }

    /// Keeps the proof of a position for later requests.
    pub(crate) fn keep_proof(&self, position: Position, proof: Proof) {
        let mut proofs = self.proofs.lock().unwrap_or_else(PoisonError::into_inner);
        if proofs.len() >= MOST_PROOFS {
            proofs.clear();
        }
        proofs.insert(position, proof);
    }

    /// Returns true for the tables that are part of the program.
    pub(crate) fn is_sample(&self) -> bool {
        self.tables.directory().is_none() && self.tables.max_seeds().is_some()
    }

    /// Returns true if the tables reach positions with `seeds` seeds.
    pub(crate) fn reaches(&self, seeds: u8) -> bool {
        Some(seeds) <= self.tables.max_seeds()
    }

    /// Lets clients keep an answer about a position with `seeds` seeds. Beyond the tables, larger
    /// tables may say more.
    pub(crate) fn keep(&self, seeds: u8, reply: Reply) -> Reply {
        let keep = if self.reaches(seeds) { LONG } else { ASK };
        let version = env!("CARGO_PKG_VERSION");
        reply.kept(keep, &format!("{}-{version}", self.fingerprint))
    }
}

/// Tables of different rulesets and conventions, in their order.
pub(crate) type Sets = Vec<Arc<TableSet>>;

/// The directories of the tables, and what is served of them.
pub(crate) struct Served {
    paths: Vec<PathBuf>,
    /// Without a named directory, the sample is served as long as the default one has no tables.
    are_named: bool,
    cache_bytes: u64,
    current: RwLock<Arc<Sets>>,
}

impl Served {
    /// Opens the directories, or the default one.
    pub(crate) fn open(paths: &[PathBuf], cache_bytes: u64) -> Result<Served, TableError> {
        let are_named = !paths.is_empty();
        let default = [PathBuf::from(db::DIRECTORY)];
        let served = Served {
            paths: if are_named { paths } else { &default }.to_vec(),
            are_named,
            cache_bytes,
            current: RwLock::default(),
        };
        served.open_again()?;
        Ok(served)
    }

    /// Opens all tables again. If some cannot be opened, all are served as they were. Waits until no
    /// request uses former tables.
    pub(crate) fn open_again(&self) -> Result<(), TableError> {
        let new = Arc::new(self.opened()?);
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let former = mem::replace(&mut *current, new);
        drop(current);
        let is_used = |set: &Arc<TableSet>| Arc::strong_count(set) > 1;
        while Arc::strong_count(&former) > 1 || former.iter().any(is_used) {
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Opens the tables of each ruleset and convention: of several, the first of those with most
    /// seeds.
    fn opened(&self) -> Result<Sets, TableError> {
        let places = self.paths.iter();
        let places = places.flat_map(|path| [path.clone(), path.join(Cycles::OwnSide.name())]);
        let parts = places.filter(|place| place.join(Manifest::FILE).exists());
        let options = TableOptions::new()
            // A mapped file that is cut off would end the program. Reading one gives an error.
            .access(Access::Read)
            .cache_bytes(self.cache_bytes / parts.count().max(1) as u64);
        let mut opened = Sets::new();
        for path in &self.paths {
            let before = opened.len();
            let mut missing = None;
            for cycles in Cycles::ALL {
                match options.clone().cycles(cycles).open(path) {
                    Ok(tables) => opened.push(TableSet::new(tables)),
                    Err(error @ (TableError::NoTables { .. } | TableError::OtherCycles { .. })) => {
                        missing = missing.or(Some(error));
                    }
                    Err(error) => return Err(error),
                }
            }
            if let Some(error) = missing
                && self.are_named
                && opened.len() == before
            {
                return Err(error);
            }
        }
        if !self.are_named && opened.iter().all(|set| set.tables.max_seeds().is_none()) {
            let sample = |cycles| TableSet::new(Tables::open_sample(cycles));
            return Ok(Cycles::ALL.map(sample).into());
        }
        let kind = |set: &Arc<TableSet>| (set.tables.rules(), set.tables.cycles());
        opened.sort_by_key(|set| (kind(set), Reverse(set.tables.max_seeds())));
        opened.dedup_by_key(|set| kind(set));
        Ok(opened)
    }

    /// Returns the most files that tables can have open, when they are opened again.
    #[cfg(unix)]
    pub(crate) fn most_files(&self) -> u64 {
        2 * (self.paths.len() * Cycles::ALL.len()) as u64 * (u64::from(MAX_SEEDS) + 1)
    }

    /// Returns the tables that there are, in the order of rulesets and conventions.
    pub(crate) fn existing(&self) -> Arc<Sets> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the tables for a ruleset; without a convention, of the first convention that has
    /// some. Tables that were not built are empty.
    pub(crate) fn set(&self, rules: Ruleset, cycles: Option<Cycles>) -> Arc<TableSet> {
        let sets = self.existing();
        let mut of_rules = sets.iter().filter(|set| set.tables.rules() == rules);
        let found = of_rules.find(|set| cycles.is_none_or(|it| set.tables.cycles() == it));
        let empty = || TableSet::empty(rules, cycles.unwrap_or_default());
        found.cloned().unwrap_or_else(empty)
    }
}

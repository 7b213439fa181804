//! The tables that are served, for each ruleset and convention.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};
use std::thread;
use std::time::Duration;

use axum::http::HeaderValue;
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
    /// The tag of answers from these tables by this program.
    pub(crate) etag: HeaderValue,
    /// The answer with their statistics, computed for the first request.
    pub(crate) statistics: OnceLock<Reply>,
    /// Proofs of positions in games that were judged.
    proofs: Mutex<HashMap<Position, Proof>>,
}

impl TableSet {
    fn new(tables: Tables) -> Arc<TableSet> {
        let fingerprint = fingerprint(tables.manifest());
        let version = env!("CARGO_PKG_VERSION");
        Arc::new(TableSet {
            etag: reply::etag(&format!("{fingerprint}-{version}")),
            fingerprint,
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
        reply.kept(keep, self.etag.clone())
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
    /// By directory and convention.
    opened: Mutex<Vec<Option<Arc<TableSet>>>>,
}

impl Served {
    /// Opens the directories, or the default one.
    pub(crate) fn open(paths: &[PathBuf], cache_bytes: u64) -> Result<Served, TableError> {
        let are_named = !paths.is_empty();
        let default = [PathBuf::from(db::DIRECTORY)];
        let paths = if are_named { paths } else { &default };
        let opened = vec![None; paths.len() * Cycles::ALL.len()];
        let served = Served {
            paths: paths.to_vec(),
            are_named,
            cache_bytes,
            current: RwLock::default(),
            opened: Mutex::new(opened),
        };
        let first = served.open_again().into_iter().next();
        first.map_or(Ok(served), Err)
    }

    /// Opens all tables again. Those that cannot be opened, for which there are errors, are served
    /// as they were. Waits until no request uses tables that it replaced.
    pub(crate) fn open_again(&self) -> Vec<TableError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let mut former = Vec::new();
        let own_side = self
            .paths
            .iter()
            .map(|path| path.join(Cycles::OwnSide.name()));
        let places = self.paths.iter().cloned().chain(own_side);
        let parts = places.filter(|place| place.join(Manifest::FILE).exists());
        let options = TableOptions::new()
            // A mapped file that is cut off would end the program. Reading one gives an error.
            .access(Access::Read)
            .cache_bytes(self.cache_bytes / parts.count().max(1) as u64);
        let mut errors = Vec::new();
        for (path, opened) in self.paths.iter().zip(opened.chunks_mut(Cycles::ALL.len())) {
            let mut missing = None;
            for (cycles, set) in Cycles::ALL.into_iter().zip(&mut *opened) {
                match options.clone().cycles(cycles).open(path) {
                    Ok(tables) => {
                        let old = set.replace(TableSet::new(tables));
                        former.extend(old.as_ref().map(Arc::downgrade));
                    }
                    Err(error @ (TableError::NoTables { .. } | TableError::OtherCycles { .. })) => {
                        missing = missing.or(Some(error));
                    }
                    Err(error) => errors.push(error),
                }
            }
            let has_nothing = opened.iter().all(Option::is_none) && errors.is_empty();
            errors.extend(missing.filter(|_| has_nothing && self.are_named));
        }
        let opened: Vec<&Arc<TableSet>> = opened.iter().flatten().collect();
        let new = Arc::new(self.chosen(&opened));
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = new;
        while former.iter().any(|set: &Weak<_>| set.strong_count() > 0) {
            thread::sleep(PAUSE);
        }
        errors
    }

    /// Chooses tables for each ruleset and convention: of several, the first of those with most
    /// seeds.
    fn chosen(&self, opened: &[&Arc<TableSet>]) -> Sets {
        if !self.are_named && opened.iter().all(|set| set.tables.max_seeds().is_none()) {
            return Cycles::ALL
                .map(|cycles| TableSet::new(Tables::open_sample(cycles)))
                .into();
        }
        let kinds = Ruleset::ALL
            .into_iter()
            .flat_map(|rules| Cycles::ALL.map(|it| (rules, it)));
        let best = kinds.filter_map(|kind| {
            let is_of = |set: &&&Arc<TableSet>| (set.tables.rules(), set.tables.cycles()) == kind;
            let all = opened.iter().rev().filter(is_of);
            all.max_by_key(|set| set.tables.max_seeds())
        });
        best.copied().cloned().collect()
    }

    /// Returns the most files that tables can have open, when they are opened again.
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

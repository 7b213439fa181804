//! The tables that are served, for each ruleset and convention.

use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use granero::prove::Proof;
use granero::table::Manifest;
use granero::{Cycles, Position, Ruleset, TableOptions, Tables};
use hyper::header::HeaderValue;

use crate::reply::{self, Keep, Reply};

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

/// The most proofs that are kept, of less than a KiB each.
const MOST_PROOFS: usize = 2000;

impl TableSet {
    pub(super) fn new(tables: Tables) -> TableSet {
        let fingerprint = fingerprint(tables.manifest());
        let version = env!("CARGO_PKG_VERSION");
        TableSet {
            etag: reply::etag(&format!("{fingerprint}-{version}")),
            fingerprint,
            tables,
            statistics: OnceLock::new(),
            proofs: Mutex::default(),
        }
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

    /// Returns tables without a layer.
    pub(super) fn empty(rules: Ruleset, cycles: Cycles) -> TableSet {
        let manifest = Manifest::new((rules, cycles)).to_text();
        let no_files = |_: &_| Err(std::io::ErrorKind::NotFound.into());
        let tables = TableOptions::new().open_sources(&manifest, no_files);
        let tables = tables.expect("a manifest without layers lists no files");
        TableSet::new(tables)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tables.max_seeds().is_none()
    }

    /// Returns true for the tables that are part of the program.
    pub(crate) fn is_sample(&self) -> bool {
        self.tables.directory().is_none() && !self.is_empty()
    }

    pub(super) fn is_of(&self, rules: Ruleset, cycles: Cycles) -> bool {
        (self.tables.rules(), self.tables.cycles()) == (rules, cycles)
    }

    /// Returns how long to keep an answer about a position with `seeds` seeds. Beyond the tables,
    /// larger tables may say more.
    pub(crate) fn keep(&self, seeds: u8) -> Keep {
        if Some(seeds) <= self.tables.max_seeds() {
            Keep::Long
        } else {
            Keep::Ask
        }
    }
}

/// All tables that are served at one time.
pub(crate) struct Catalogue {
    /// One for each ruleset and convention, in their order.
    pub(super) listings: Vec<Listing>,
    /// The answer that lists these tables, made for the first request.
    pub(crate) document: OnceLock<Reply>,
}

/// The tables of a ruleset and a convention in a catalogue.
pub(crate) struct Listing {
    pub(crate) set: Arc<TableSet>,
    /// True if there are such tables; else the set is empty.
    pub(super) exists: bool,
    /// True if a build is adding layers.
    pub(crate) building: bool,
}

impl Catalogue {
    pub(crate) fn existing(&self) -> impl Iterator<Item = &Listing> {
        self.listings.iter().filter(|listing| listing.exists)
    }

    pub(crate) fn sets(&self) -> impl Iterator<Item = &TableSet> {
        self.existing().map(|listing| &*listing.set)
    }
}

/// The catalogue that is served now.
pub(crate) struct CurrentCatalogue(RwLock<Arc<Catalogue>>);

impl CurrentCatalogue {
    pub(crate) fn new(catalogue: Catalogue) -> Arc<CurrentCatalogue> {
        Arc::new(CurrentCatalogue(RwLock::new(Arc::new(catalogue))))
    }

    /// Serves another catalogue from now on, and returns the former one. Requests in progress keep
    /// that.
    pub(crate) fn replace(&self, catalogue: Catalogue) -> Arc<Catalogue> {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        mem::replace(&mut current, Arc::new(catalogue))
    }

    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        let current = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&current)
    }

    /// Returns the tables for a ruleset; without a convention, of the first convention that has
    /// some. Tables that were not built are empty.
    pub(crate) fn set(&self, rules: Ruleset, cycles: Option<Cycles>) -> Arc<TableSet> {
        let catalogue = self.catalogue();
        let of_rules = catalogue.listings.iter().filter(|listing| {
            let tables = &listing.set.tables;
            tables.rules() == rules && cycles.is_none_or(|cycles| tables.cycles() == cycles)
        });
        let best = of_rules.min_by_key(|listing| !listing.exists);
        Arc::clone(&best.expect("a listing for each").set)
    }
}

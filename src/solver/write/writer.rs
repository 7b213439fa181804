//! Adding layers to a directory, so that readers never take a half-written layer for a
//! finished one.
//!
//! A layer is finished when the manifest lists it; the manifest is written after the layer's
//! files.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::durable::Medium;
use super::lock::{LOCK, Lock};
use super::next_layer::{NextLayer, Smaller, confirm, write_manifest};
use super::smaller::SmallerLayers;
use super::target::Target;
use super::turned_file::{Stay, TurnedFile, turned_names};
use crate::checkpoint;
use crate::tuning::Tuning;
use granero_game::{Cycles, Kind, Measured};
use granero_table::TableError;
use granero_table::bytes::open_directory::{
    OpenDirectory, is_absent, is_temporary, make_directory,
};
use granero_table::file::directory::{
    MANIFEST, TableDirectory, error, manifest_of, place, read_manifest,
};
use granero_table::file::manifest::{Manifest, part_name};
use granero_table::file::sha256::Sha256;
use granero_table::file::statistics::{LayerStatistics, ValueCounts};
use granero_table::index::Layer;
use granero_table::layers::whole;
use granero_table::rows::{InOrder, LayerValues, RowMoves};
use rayon::prelude::*;

/// A directory of tables, open for adding layers. No other program can write to it until this
/// is dropped.
///
/// ```no_run
/// use granero::{Cycles, Ruleset, solver};
/// use granero::table::TableWriter;
///
/// let mut tables = TableWriter::open("granero-db", (Ruleset::Abapa, Cycles::Split))?;
/// for values in solver::solve_all((Ruleset::Abapa, Cycles::Split), 6, 1) {
///     tables.add_layer(&values)?;
/// }
/// # Ok::<(), granero::TableError>(())
/// ```
#[derive(Debug)]
pub struct TableWriter {
    directory: TableDirectory,
    #[doc(hidden)]
    pub smaller: SmallerLayers,
    /// Set by builds: files of smaller layers stay for the next build if this one is stopped.
    pub(crate) smaller_stay: bool,
    /// How the work on the next layers is divided.
    #[doc(hidden)]
    pub tuning: Tuning,
    /// The finished layers whose files are missing or damaged.
    lacking: BTreeSet<u8>,
    /// Dropped last, after the temporary files of the smaller layers.
    pub(crate) lock: Lock,
}

impl TableWriter {
    /// Opens a directory of tables for adding layers, or creates it.
    ///
    /// Tables with endless play by `own-side` are in its subdirectory `own-side`, so that one
    /// directory can hold both conventions.
    ///
    /// # Errors
    ///
    /// When the directory holds other files, or tables of other rules or another extent, or cannot
    /// be written to.
    ///
    /// ```no_run
    /// # use granero::{Cycles, Extent, Ruleset, table::TableWriter};
    /// let kind = (Ruleset::Abapa, Cycles::Split, Extent::DECIDING);
    /// let writer = TableWriter::open("deciding-db", kind)?;
    /// assert_eq!(writer.manifest().extent, Extent::DECIDING);
    /// # Ok::<(), granero::TableError>(())
    /// ```
    pub fn open(
        path: impl Into<PathBuf>,
        kind: impl Into<Kind>,
    ) -> Result<TableWriter, TableError> {
        let wanted = Manifest::new(kind);
        let named = path.into();
        // One lock for the tables of both conventions, before anything is decided.
        let whole = lock(&named, Medium::default())?;
        let path = place(&named, wanted.cycles)?;
        // Both have the same ruleset and extent. A manifest without layers does not count, as below.
        let other = match wanted.cycles {
            Cycles::Split => place(&path, Cycles::OwnSide)?,
            Cycles::OwnSide => named.clone(),
        };
        for place in [&path, &other] {
            if let Some(found) = read_manifest(place)?
                && found.finished() > 0
                && (found.rules, found.extent) != (wanted.rules, wanted.extent)
            {
                return Err(other_tables(place.clone(), &found, &wanted));
            }
        }
        let lock = if path == named {
            whole
        } else {
            lock(&path, Medium::default())?.within(whole)
        };
        TableWriter::locked(path, lock, wanted)
    }

    /// Opens a locked directory for tables of the same kind as `wanted`, a manifest without layers.
    fn locked(path: PathBuf, lock: Lock, wanted: Manifest) -> Result<TableWriter, TableError> {
        // First remove the temporary files. If another build has lost its lock without noticing,
        // it can no longer rename them. Then read the manifest, which that build may just have
        // written.
        remove_leftovers(&lock.directory, is_temporary)?;
        let manifest = match manifest_of(&lock.directory)? {
            Some(found) if found.kind() == wanted.kind() => found,
            Some(found) if found.finished() > 0 => {
                return Err(other_tables(path, &found, &wanted));
            }
            // A build or a download of other tables that failed before its first layer has left a
            // manifest without layers.
            _ => {
                let written = write_manifest(&lock, &wanted);
                written.map_err(|error| lock.cause(error))?;
                wanted
            }
        };
        let leftovers = leftovers_of(&manifest);
        remove_leftovers(&lock.directory, |name| leftovers.contains(name))?;
        let directory = lock.directory.clone();
        Ok(TableWriter {
            directory: TableDirectory { path, manifest },
            smaller: SmallerLayers::with_room(u64::MAX, u64::MAX, directory, Tuning::USUAL),
            smaller_stay: false,
            tuning: Tuning::USUAL,
            lacking: BTreeSet::new(),
            lock,
        })
    }

    /// Returns the part that adds the next layer, after [`prepare`](TableWriter::prepare), and the smaller
    /// layers for solving a larger one at the same time.
    #[doc(hidden)]
    pub fn parts(&mut self) -> (NextLayer<'_>, Smaller<'_>) {
        let smaller = Smaller {
            fingerprint: self.directory.manifest.fingerprint(),
            layers: &self.smaller,
            lock: &self.lock,
        };
        let next = NextLayer {
            directory: &mut self.directory,
            lacking: &mut self.lacking,
            lock: &self.lock,
        };
        (next, smaller)
    }

    /// Reads the files of all finished layers. Those with at most `most` seeds that are missing or damaged are to be
    /// added again, as if they were not finished.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, or one of a larger layer is missing or damaged.
    pub(crate) fn find_lacking(
        &mut self,
        most: u8,
        begins: impl Fn(Layer) + Sync,
    ) -> Result<Vec<(Layer, TableError)>, TableError> {
        let directory = &self.directory;
        let layers = Layer::all().zip(&directory.manifest.layers);
        let layers: Vec<_> = layers.collect();
        let found = layers.into_par_iter().map(|(layer, listed)| {
            begins(layer);
            let file = directory.layer_file_in(&self.lock.directory, layer.seeds());
            let found = file.and_then(|file| file.verify(listed.file.sha256, &|_| {}));
            match found {
                Err(found) if found.is_lost_file() && layer.seeds() <= most => {
                    Ok(Some((layer, found)))
                }
                found => found.map(|()| None),
            }
        });
        let found: Result<Vec<_>, TableError> = found.collect();
        let found: Vec<_> = found?.into_iter().flatten().collect();
        self.lacking = found.iter().map(|(layer, _)| layer.seeds()).collect();
        Ok(found)
    }

    /// Returns whether a layer is still to be added.
    pub(crate) fn lacks(&self, layer: Layer) -> bool {
        let seeds = layer.seeds();
        seeds >= self.manifest().finished() || self.lacking.contains(&seeds)
    }

    /// The directory of the tables.
    ///
    /// ```no_run
    /// # use granero::{Cycles, Ruleset, table::TableWriter};
    /// let writer = TableWriter::open("granero-db", (Ruleset::Abapa, Cycles::OwnSide))?;
    /// assert!(writer.path().ends_with("granero-db/own-side"));
    /// # Ok::<(), granero::TableError>(())
    /// ```
    pub fn path(&self) -> &Path {
        &self.directory.path
    }

    /// The manifest of the directory.
    pub fn manifest(&self) -> &Manifest {
        &self.directory.manifest
    }

    /// Sets the memory for smaller layers, which are needed to add larger ones. The rest goes
    /// to temporary files. The default is to keep all in memory.
    pub fn keep_in_memory(&mut self, bytes: u64) {
        self.keep_in_memory_and_read(bytes, bytes);
    }

    /// Like `keep_in_memory`; also sets the most bytes of a layer that are read from a temporary file at a
    /// time, unless a single piece of the file has more.
    #[doc(hidden)]
    pub fn keep_in_memory_and_read(&mut self, bytes: u64, most: u64) {
        let directory = self.lock.directory.clone();
        self.smaller = SmallerLayers::with_room(bytes, most, directory, self.tuning);
    }

    /// Reads the layers with fewer seeds than `below`, unless they are kept already. `progress`
    /// is called for each layer that must be read.
    #[doc(hidden)]
    pub fn prepare(
        &mut self,
        rows: &RowMoves,
        below: u8,
        progress: impl Fn(Layer),
    ) -> Result<(), TableError> {
        while self.smaller.len() < below {
            let layer = Layer::new(self.smaller.len()).expect("a layer that is finished");
            if let Some(files) = self.left(layer) {
                self.smaller.push_left(files)?;
                continue;
            }
            progress(layer);
            let file = (self.directory).layer_file_in(&self.lock.directory, layer.seeds())?;
            let values = whole::read(&file, rows, |seeds, bound, from| {
                self.smaller.part(seeds, bound, from)
            })?;
            let statistics = &self.manifest().layers[usize::from(layer.seeds())].statistics;
            if !statistics.counts_match(layer, &values) {
                let path = self.directory.path.join(MANIFEST);
                let seeds = layer.seeds();
                let what = format!("its statistics of layer {seeds} do not match the values");
                return Err(TableError::damaged(path, what));
            }
            let stay = Stay::of(self.smaller_stay, &self.lock, &self.directory.manifest);
            self.smaller.push_in_order(&values, stay)?;
        }
        Ok(())
    }

    /// The files of a smaller layer that the last build has left, if files stay.
    fn left(&self, layer: Layer) -> Option<Measured<TurnedFile>> {
        let stay = Stay::of(self.smaller_stay, &self.lock, &self.directory.manifest)?;
        let measures = self.manifest().cycles.measures();
        let left = |measure| TurnedFile::left(layer, measure, stay, self.tuning).ok_or(());
        measures.try_map(left).ok()
    }

    /// The largest layer with fewer seeds than `below` that [`prepare`](TableWriter::prepare) reads as a whole.
    pub(crate) fn largest_to_read(&self, below: u8) -> Option<Layer> {
        let mut layers = (0..below).rev().filter_map(Layer::new);
        layers.find(|&layer| self.left(layer).is_none())
    }

    /// Forgets the smaller layers, and removes the files that stayed for this build.
    #[doc(hidden)]
    pub fn remove_left(&mut self) {
        self.smaller_stay = false;
        self.keep_in_memory(u64::MAX);
        let all = turned_names(self.manifest(), 0);
        // If they cannot be removed now, the next build does it.
        let _ = remove_leftovers(&self.lock.directory, |name| all.contains(name));
    }

    /// The directory in which the files are.
    #[doc(hidden)]
    pub fn directory(&self) -> &Arc<OpenDirectory> {
        &self.lock.directory
    }

    /// Writes a file as a whole, or not at all.
    #[doc(hidden)]
    pub fn write_file<T>(
        &self,
        name: &str,
        write: impl FnOnce(&mut dyn Target) -> io::Result<T>,
    ) -> Result<T, TableError> {
        self.lock.write_durably(name, write)
    }

    /// Adds the next layer; its values are in the order of the index. When this returns, the
    /// layer is on the disk.
    ///
    /// # Errors
    ///
    /// When it cannot be written, or the directory or its lock has been moved or removed;
    /// the layers before it stay as they are.
    ///
    /// # Panics
    ///
    /// If these are bounds and the tables hold values, or the other way round; if there are more
    /// or fewer than the layer has positions; if a value is beyond the limit of the layer, or a
    /// bound is odd where they are even or the other way round; or if all layers are finished.
    pub fn add_layer(
        &mut self,
        values: &Measured<Vec<i8>>,
    ) -> Result<&LayerStatistics, TableError> {
        let seeds = self.manifest().finished();
        let rows = RowMoves::new(self.manifest().kind(), seeds);
        let added = self.prepare(&rows, seeds, |_| {}).and_then(|()| {
            let layer = Layer::new(seeds).expect("no layer beyond 48 seeds");
            let values = values.as_ref();
            let counts = ValueCounts::of(values.map(|values| &values[..]));
            let values = values.map(|values| InOrder::new(layer, values));
            let values = values.as_ref();
            let sums = |counts| Ok((counts, values.map(Sha256::of_values)));
            self.parts().0.add(values, counts, sums)?;
            // The layer is finished even if this fails: then it is read when it is needed.
            let _ = self.keep(values);
            Ok(())
        });
        if let Err(error) = added {
            return Err(self.cause(error));
        }
        Ok(&self.manifest().layers[usize::from(seeds)].statistics)
    }

    /// Keeps a layer for larger ones, if all smaller layers are kept.
    pub(crate) fn keep<V: LayerValues>(&mut self, values: Measured<&V>) -> Result<(), TableError> {
        if self.smaller.len() != values.low().layer().seeds() {
            return Ok(());
        }
        let stay = Stay::of(self.smaller_stay, &self.lock, &self.directory.manifest);
        self.smaller.push(values, stay)
    }

    /// Checks that readers find what was written: the directory is in its place, the lock still
    /// guards it, and it holds the manifest and all finished layers.
    #[doc(hidden)]
    pub fn confirm(&self) -> Result<(), TableError> {
        confirm(&self.lock, self.manifest(), &self.lacking)
    }

    /// Test hook: makes these steps of writing fail as on a full disk.
    #[doc(hidden)]
    #[cfg(any(test, feature = "testing"))]
    pub fn full_during(
        &mut self,
        steps: impl std::ops::RangeBounds<usize> + Send + Sync + 'static,
    ) {
        use std::sync::atomic::{AtomicUsize, Ordering};

        let done = AtomicUsize::new(0);
        self.lock.medium = Medium::with_hook(move || {
            let step = done.fetch_add(1, Ordering::Relaxed);
            if steps.contains(&step) {
                return Err(io::ErrorKind::StorageFull.into());
            }
            Ok(())
        });
    }

    /// The cause of a failure: that the directory or the lock is gone, otherwise `error`.
    #[doc(hidden)]
    pub fn cause(&self, error: TableError) -> TableError {
        self.lock.cause(error)
    }
}

/// The error that a directory holds other tables than wanted.
fn other_tables(path: PathBuf, found: &Manifest, wanted: &Manifest) -> TableError {
    if found.rules == wanted.rules && found.extent != wanted.extent {
        return TableError::OtherExtent {
            path,
            found: found.extent,
            wanted: wanted.extent,
        };
    }
    TableError::OtherRules {
        path,
        rules: found.rules,
        cycles: found.cycles,
        wanted_rules: wanted.rules,
        wanted_cycles: wanted.cycles,
    }
}

/// Locks a directory of tables, or one for them, which is created if necessary. From then on everything happens in
/// this directory, even if it is moved.
fn lock(path: &Path, medium: Medium) -> Result<Lock, TableError> {
    make_directory(path).map_err(error("make the directory", path))?;
    let place = OpenDirectory::open(path).map_err(error("read", path))?;
    let own_side = path.join(Cycles::OwnSide.name());
    let has_tables = manifest_of(&place)?.is_some() || read_manifest(&own_side)?.is_some();
    if !has_tables && !is_fresh(&place)? {
        return Err(TableError::NotEmpty { path: path.into() });
    }
    Lock::take(Arc::new(place), medium)
}

/// Returns whether a directory is empty, except for leftovers of an interrupted build and the tables of
/// the other convention.
fn is_fresh(directory: &OpenDirectory) -> Result<bool, TableError> {
    let names = directory.names();
    let names = names.map_err(error("read", directory.path()))?;
    Ok(names.into_iter().all(|(name, _)| {
        // Another build may be writing the manifest; it is read again once this has the lock.
        let other_convention = name == Cycles::OwnSide.name();
        let is_ours = name == LOCK || name == MANIFEST || other_convention;
        is_ours || is_temporary(name.as_ref())
    }))
}

/// Removes the leftovers of interrupted builds. A directory of such a name is someone else's and stays.
fn remove_leftovers(
    directory: &OpenDirectory,
    is_leftover: impl Fn(&Path) -> bool,
) -> Result<(), TableError> {
    let names = directory.names();
    for (name, is_directory) in names.map_err(error("read", directory.path()))? {
        if !is_directory && is_leftover(name.as_ref()) {
            match directory.remove(&name) {
                Err(found) if !is_absent(&found) => {
                    return Err(error("remove", directory.path().join(&name))(found));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// The names of leftovers: checkpoints of finished layers, files that have arrived in part, and smaller layers that are
/// not finished.
fn leftovers_of(manifest: &Manifest) -> HashSet<PathBuf> {
    let checkpoints = (0..manifest.finished()).map(checkpoint::file_name);
    let parts = manifest.files().map(|file| part_name(&file.name));
    let names = checkpoints.chain(parts).map(PathBuf::from);
    names
        .chain(turned_names(manifest, manifest.finished()))
        .collect()
}

#[cfg(test)]
mod tests;

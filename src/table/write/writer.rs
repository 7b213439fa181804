//! Adding layers to a directory, so that readers never take a half-written layer for a
//! finished one.
//!
//! A layer is finished when the manifest lists it; the manifest is written after the layer's
//! files.

use std::collections::{BTreeSet, HashSet};
use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::durable::Target;
use super::encoded::EncodedLayer;
use super::lock::{LOCK, Lock};
use super::medium::Medium;
use crate::bytes::open_directory::{OpenDirectory, is_absent, is_temporary, make_directory};
use crate::bytes::source::FileSource;
use crate::error::TableError;
use crate::file::directory::{MANIFEST, error, manifest_of, place, read_manifest};
use crate::file::layer_file::LayerFileError;
use crate::file::manifest::{
    FileEntry, FinishedLayer, Manifest, checkpoint_name, layer_file_name, part_name, turned_names,
};
use crate::file::named_file::NamedFile;
use crate::file::sha256::Sha256;
use crate::file::statistics::{LayerStatistics, ValueCounts};
use crate::index::Layer;
use crate::parallel;
use crate::rows::{InOrder, LayerValues};
use granero_game::{Cycles, Kind, Measured};

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
    manifest: Manifest,
    /// The finished layers whose files are missing or damaged.
    lacking: BTreeSet<u8>,
    /// Shared with what writes files beside the tables while a layer is added.
    pub(super) lock: Arc<Lock>,
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
        TableWriter::locked(lock, wanted)
    }

    /// Opens a locked directory for tables of the same kind as `wanted`, a manifest without layers.
    fn locked(lock: Lock, wanted: Manifest) -> Result<TableWriter, TableError> {
        // First remove the temporary files. If another build has lost its lock without noticing,
        // it can no longer rename them. Then read the manifest, which that build may just have
        // written.
        remove_leftovers(&lock.directory, is_temporary)?;
        let mut writer = TableWriter {
            manifest: wanted,
            lacking: BTreeSet::new(),
            lock: Arc::new(lock),
        };
        let directory = &writer.lock.directory;
        match manifest_of(directory)? {
            Some(found) if found.kind() == writer.manifest.kind() => writer.manifest = found,
            Some(found) if found.finished() > 0 => {
                return Err(other_tables(
                    directory.path().into(),
                    &found,
                    &writer.manifest,
                ));
            }
            // A build or a download of other tables that failed before its first layer has left a
            // manifest without layers.
            _ => {
                let written = writer.write_manifest(&writer.manifest);
                written.map_err(|error| writer.cause(error))?;
            }
        }
        let (manifest, finished) = (&writer.manifest, writer.manifest.finished());
        // Checkpoints of finished layers, files that have arrived in part, smaller layers that are not finished.
        let checkpoints = (0..finished).map(checkpoint_name);
        let parts = manifest.files().map(|file| part_name(&file.name));
        let leftovers = checkpoints.chain(parts).map(PathBuf::from);
        let leftovers: HashSet<PathBuf> =
            leftovers.chain(turned_names(manifest, finished)).collect();
        remove_leftovers(&writer.lock.directory, |name| leftovers.contains(name))?;
        Ok(writer)
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
        self.lock.directory.path()
    }

    /// The manifest of the directory.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
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
        let layer = Layer::new(seeds).expect("no layer beyond 48 seeds");
        let values = values.as_ref();
        let counts = ValueCounts::of(values.map(|values| &values[..]));
        let values = values.map(|values| InOrder::new(layer, values));
        let values = values.as_ref();
        let hashes = || values.map(Sha256::of_values);
        if let Err(error) = self.add(values, counts, hashes) {
            return Err(self.lock.cause(error));
        }
        Ok(&self.manifest().layers[usize::from(seeds)].statistics)
    }
}

/// What builds need.
#[doc(hidden)]
impl TableWriter {
    pub fn lock(&self) -> &Arc<Lock> {
        &self.lock
    }

    /// Adds the next layer, or again a layer whose file is missing or damaged. When this returns, it is on the disk.
    /// `counts` and `hashes` are of the values.
    pub fn add<V: LayerValues>(
        &mut self,
        values: Measured<&V>,
        counts: ValueCounts,
        hashes: impl FnOnce() -> Measured<Sha256> + Send,
    ) -> Result<LayerStatistics, TableError> {
        let (kind, layer) = (self.manifest.kind(), values.low().layer());
        self.check(layer, &counts)?;
        // Only one thread can make a hash. Encoding need not wait for it.
        let encode = || EncodedLayer::of_share(values, kind, |_| true, Ok::<_, Infallible>);
        let (hashes, Ok(encoded)) = rayon::join(hashes, encode);
        self.write_layer(layer, counts, hashes, |file| {
            encoded.write_blocks(hashes, file, |_, own, write| {
                for blocks in own {
                    write(&blocks)?;
                }
                Ok(())
            })
        })
    }

    /// Checks that the layer can have so many of each value.
    ///
    /// # Panics
    ///
    /// If all layers are finished.
    pub fn check(&self, layer: Layer, counts: &ValueCounts) -> Result<(), TableError> {
        let kind = self.manifest.kind();
        let most = kind.extent.max_seeds();
        assert!(layer.seeds() <= most, "all layers are finished");
        if counts.is_plausible(layer, kind) {
            return Ok(());
        }
        Err(self.refuse(layer))
    }

    /// Writes the file of a layer, of which `write` returns the length and the hash, and lists it in the manifest.
    pub fn write_layer(
        &mut self,
        layer: Layer,
        counts: ValueCounts,
        hashes: Measured<Sha256>,
        write: impl FnOnce(&mut dyn Target) -> io::Result<(u64, Sha256)>,
    ) -> Result<LayerStatistics, TableError> {
        let name = layer_file_name(layer.seeds());
        let (bytes, sha256) = self.lock.write_durably(&name, write)?;
        let file = FileEntry {
            name,
            bytes,
            sha256,
        };
        let listed = self.manifest.layers.get(usize::from(layer.seeds()));
        if listed.is_some_and(|listed| file != listed.file) {
            let path = self.lock.directory.path_of(MANIFEST);
            let what = format!(
                "its SHA-256 of {} is not that of the file made again",
                file.name
            );
            return Err(TableError::damaged(path, what));
        }
        let statistics = counts.with_hashes(layer, hashes);
        self.list(FinishedLayer {
            statistics: statistics.clone(),
            file,
        })?;
        Ok(statistics)
    }

    /// The error for values that the layer cannot have. They come from a checkpoint, or from a file of a smaller layer,
    /// that was forged with right checksums. All that may have been are deleted.
    ///
    /// # Panics
    ///
    /// If there is none.
    fn refuse(&self, layer: Layer) -> TableError {
        let directory = &self.lock.directory;
        let turned = turned_names(&self.manifest, 0);
        let removed = turned.iter().filter(|name| directory.remove(name).is_ok());
        let removed: Vec<_> = removed.collect();
        let checkpoint = checkpoint_name(layer.seeds());
        let what = "its values are impossible, so it was deleted";
        if directory.remove(&checkpoint).is_ok() {
            return TableError::damaged(directory.path_of(&checkpoint), what);
        }
        let first = removed.first();
        let first =
            first.expect("values beyond the limit of the layer, or of the other convention");
        TableError::damaged(directory.path().join(first), what)
    }

    /// Lists a layer in the manifest: its file is there. One that is listed already must have the same values.
    pub(super) fn list(&mut self, layer: FinishedLayer) -> Result<(), TableError> {
        let seeds = layer.statistics.seeds;
        let mut manifest = self.manifest.clone();
        match manifest.layers.get_mut(usize::from(seeds)) {
            None => manifest.layers.push(layer),
            Some(listed) if listed.statistics == layer.statistics => *listed = layer,
            Some(_) => {
                let path = self.lock.directory.path_of(MANIFEST);
                let what = format!("it lists other values of the positions with {seeds} seeds");
                return Err(TableError::damaged(path, what));
            }
        }
        self.write_manifest(&manifest)?;
        self.manifest = manifest;
        self.lacking.remove(&seeds);
        self.confirm()?;
        // If it cannot be removed now, the next build does it.
        let _ = self.lock.directory.remove(checkpoint_name(seeds));
        Ok(())
    }

    fn write_manifest(&self, manifest: &Manifest) -> Result<(), TableError> {
        let text = manifest.to_text();
        (self.lock).write_durably(MANIFEST, |file| file.write_all(text.as_bytes()))
    }

    /// Opens the file of a finished layer.
    pub fn file(&self, layer: Layer) -> Result<NamedFile, TableError> {
        let name = layer_file_name(layer.seeds());
        let directory = &self.lock.directory;
        let path = directory.path_of(&name);
        let source = directory.open_regular(&name).and_then(FileSource::of);
        let source = Box::new(source.map_err(error("read", &path))?);
        NamedFile::open(path, source, &self.manifest, layer.seeds())
    }

    /// Reads the files of all finished layers. Those with at most `most` seeds that are missing or damaged are to be
    /// added again, as if they were not finished.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, or one of a larger layer is missing or damaged.
    pub fn find_lacking(
        &mut self,
        most: u8,
        begins: impl Fn(Layer) + Sync,
    ) -> Result<Vec<(Layer, TableError)>, TableError> {
        let layers = Layer::all().zip(&self.manifest().layers);
        let found = parallel::try_map(layers, |(layer, listed)| {
            begins(layer);
            let found = self
                .file(layer)
                .and_then(|file| file.verify(listed.file.sha256, &|_| {}));
            match found {
                Err(found) if found.is_lost_file() && layer.seeds() <= most => {
                    Ok(Some((layer, found)))
                }
                found => found.map(|()| None),
            }
        })?;
        let found: Vec<_> = found.into_iter().flatten().collect();
        self.lacking = found.iter().map(|(layer, _)| layer.seeds()).collect();
        Ok(found)
    }

    /// Returns whether a layer is still to be added.
    pub fn lacks(&self, layer: Layer) -> bool {
        let seeds = layer.seeds();
        seeds >= self.manifest().finished() || self.lacking.contains(&seeds)
    }

    /// Removes the files of smaller layers that a build has left.
    pub fn remove_turned(&self) {
        let all = turned_names(self.manifest(), 0);
        // If they cannot be removed now, the next build does it.
        let _ = remove_leftovers(&self.lock.directory, |name| all.contains(name));
    }

    /// Checks that readers find what was written: the directory is in its place, the lock still
    /// guards it, and it holds the manifest and all finished layers but those that lack.
    pub fn confirm(&self) -> Result<(), TableError> {
        self.lock.confirm_in_turn()?;
        let directory = &self.lock.directory;
        let path = |name: &str| directory.path_of(name);
        if manifest_of(directory)?.as_ref() != Some(&self.manifest) {
            let what = "it is not what this build wrote";
            return Err(TableError::damaged(path(MANIFEST), what));
        }
        let files = (0..).zip(self.manifest.files());
        for (_, FileEntry { name, bytes, .. }) in
            files.filter(|(seeds, _)| !self.lacking.contains(seeds))
        {
            let length = directory.length_of(name);
            match length.map_err(error("read", path(name)))? {
                Some(length) if length == *bytes => {}
                Some(length) => {
                    let error = LayerFileError::Length {
                        expected: *bytes,
                        found: length,
                    };
                    return Err(TableError::in_file(path(name), error));
                }
                None => {
                    let what = format!("it is gone, but {MANIFEST} lists it");
                    return Err(TableError::damaged(path(name), what));
                }
            }
        }
        Ok(())
    }

    /// Test hook: makes these steps of writing fail as on a full disk.
    pub fn full_during(
        &mut self,
        steps: impl std::ops::RangeBounds<usize> + Send + Sync + 'static,
    ) {
        let lock = Arc::get_mut(&mut self.lock).expect("nothing else writes yet");
        lock.medium = Medium::full_during(steps);
    }

    /// The cause of a failure: that the directory or the lock is gone, otherwise `error`.
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

#[cfg(test)]
mod tests;

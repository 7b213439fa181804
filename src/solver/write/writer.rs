//! Adding layers to a directory, so that readers never take a half-written layer for a
//! finished one.
//!
//! A layer is finished when the manifest lists it; the manifest is written after the layer's
//! files.

use std::collections::HashSet;
use std::io;
use std::ops::RangeBounds;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::durable::Medium;
use super::encoded::TileSize;
use super::lock::{LOCK, Lock};
use super::next_layer::{NextLayer, Smaller, confirm, write_manifest};
use super::smaller::SmallerLayers;
use super::target::Target;
use super::turned_file::TurnedFile;
use crate::checkpoint::file::Checkpoint;
use crate::checkpoint::{self, CheckpointStore};
use crate::tuning::Tuning;
use granero_game::{Cycles, Kind, Measured};
use granero_table::TableError;
use granero_table::bytes::open_directory::{
    OpenDirectory, is_absent, is_temporary, make_directory,
};
use granero_table::file::directory::{
    MANIFEST, TableDirectory, error, manifest_of, place, read_manifest,
};
use granero_table::file::manifest::{FileEntry, Manifest, part_name};
use granero_table::file::sha256::Sha256;
use granero_table::file::statistics::{LayerStatistics, ValueCounts};
use granero_table::index::Layer;
use granero_table::layers::whole;
use granero_table::rows::{InOrder, LayerValues, RowMoves};

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
    pub(crate) smaller: SmallerLayers,
    pub(crate) tile_size: TileSize,
    pub(crate) tuning: Tuning,
    pub(crate) medium: Medium,
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
        let kind = kind.into();
        let (rules, cycles, extent) = (kind.rules, kind.cycles, kind.extent);
        let named = path.into();
        let path = place(&named, cycles)?;
        // The tables of both conventions in a directory have the same ruleset and extent. A manifest
        // without layers binds nobody, as below.
        let other = match cycles {
            Cycles::Split => place(&path, Cycles::OwnSide)?,
            Cycles::OwnSide => named,
        };
        let wanted = Manifest::new(kind);
        if let Some(found) = read_manifest(&other)?
            && found.finished() > 0
            && (found.rules, found.extent) != (rules, extent)
        {
            return Err(other_tables(other, &found, &wanted));
        }
        TableWriter::open_on(Medium::default(), path, wanted)
    }

    /// Opens a directory for tables of the same kind as `wanted`, a manifest without layers.
    pub(super) fn open_on(
        medium: Medium,
        path: PathBuf,
        wanted: Manifest,
    ) -> Result<TableWriter, TableError> {
        make_directory(&path).map_err(error("make the directory", &path))?;
        // From here on everything happens in this directory, even if it is moved.
        let place = OpenDirectory::open(&path).map_err(error("read", &path))?;
        if manifest_of(&place)?.is_none() && !is_fresh(&place)? {
            return Err(TableError::NotEmpty { path });
        }
        let lock = Lock::take(Arc::new(place))?;
        // First remove the temporary files. If another build has lost its lock without noticing,
        // it can no longer rename them. Then read the manifest, which that build may just have
        // written.
        remove_leftovers(lock.directory(), is_temporary)?;
        let manifest = match manifest_of(lock.directory())? {
            Some(found) if found.kind() == wanted.kind() => found,
            Some(found) if found.finished() > 0 => {
                return Err(other_tables(path, &found, &wanted));
            }
            // A manifest without layers is what a build or a download of other tables left that
            // failed before its first layer.
            _ => {
                let written = write_manifest(&medium, &lock, &wanted);
                written.map_err(|error| lock.cause(error))?;
                wanted
            }
        };
        let leftovers = leftovers_of(&manifest);
        remove_leftovers(lock.directory(), |name| leftovers.contains(name))?;
        Ok(TableWriter {
            directory: TableDirectory { path, manifest },
            smaller: SmallerLayers::in_memory(),
            tile_size: TileSize::default(),
            tuning: Tuning::USUAL,
            medium,
            lock,
        })
    }

    /// What adds the next layer, after [`prepare`](TableWriter::prepare), and the smaller layers for
    /// whoever solves a larger one meanwhile.
    pub(crate) fn parts(&mut self) -> (NextLayer<'_>, Smaller<'_>) {
        let TableWriter {
            directory,
            smaller,
            tile_size,
            medium,
            lock,
            ..
        } = self;
        let smaller_layers = Smaller {
            fingerprint: directory.manifest.fingerprint(),
            smaller,
            medium,
            lock,
        };
        let next = NextLayer {
            directory,
            smaller,
            tile_size: *tile_size,
            medium,
            lock,
        };
        (next, smaller_layers)
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

    /// Makes the next files smaller and look-ups in them slower: their blocks are eight times
    /// as large.
    pub fn archive(&mut self) {
        self.tile_size = TileSize::ARCHIVE;
    }

    /// Sets how the work on the next layers is divided.
    #[doc(hidden)]
    pub fn tune(&mut self, tuning: Tuning) {
        self.tuning = tuning;
    }

    /// Sets the memory for smaller layers, which are needed to add larger ones. The rest goes
    /// to temporary files. The default is to keep all in memory.
    pub fn keep_in_memory(&mut self, bytes: u64) {
        self.keep_in_memory_and_read(bytes, bytes);
    }

    /// The same, and sets the most bytes of a layer that are read from a temporary file at a time,
    /// unless a single piece of the file has more.
    #[doc(hidden)]
    pub fn keep_in_memory_and_read(&mut self, bytes: u64, most: u64) {
        let directory = self.lock.directory().clone();
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
            progress(layer);
            let files = (self.directory).layer_files_in(self.lock.directory(), layer.seeds())?;
            let values = whole::read(&files, rows, |seeds, bound, from| {
                self.smaller.part(seeds, bound, from)
            })?;
            let statistics = &self.manifest().layers[usize::from(layer.seeds())].statistics;
            if !statistics.counts_match(layer, &values) {
                let path = self.directory.path.join(MANIFEST);
                let seeds = layer.seeds();
                let what = format!("its statistics of layer {seeds} do not match the values");
                return Err(TableError::damaged(path, what));
            }
            self.smaller.push_in_order(&values)?;
        }
        Ok(())
    }

    /// The directory in which the files are.
    #[doc(hidden)]
    pub fn directory(&self) -> &Arc<OpenDirectory> {
        self.lock.directory()
    }

    /// The size of tiles in the next files.
    #[doc(hidden)]
    pub fn tile_size(&self) -> TileSize {
        self.tile_size
    }

    /// Describes the files in which a smaller layer is kept; returns `None` if it is in memory.
    #[doc(hidden)]
    pub fn kept_files(&self, seeds: u8) -> Option<Measured<Vec<u8>>> {
        self.smaller.descriptions(seeds)
    }

    /// Keeps checkpoints of a layer, one each time so much time has passed. `note` is told what
    /// happens to them.
    #[doc(hidden)]
    pub fn checkpoints<'w>(
        &'w mut self,
        layer: Layer,
        interval: Option<Duration>,
        note: &'w dyn Fn(Checkpoint),
    ) -> impl CheckpointStore + 'w {
        self.parts().1.checkpoints(layer, interval, note)
    }

    /// Writes a file as a whole, or not at all.
    #[doc(hidden)]
    pub fn write_file<T>(
        &self,
        name: &str,
        write: impl FnOnce(&mut dyn Target) -> io::Result<T>,
    ) -> Result<T, TableError> {
        self.medium.write_durably(&self.lock, name, write)
    }

    /// Returns the error for values that the next layer cannot have, see `NextLayer::refuse`.
    #[doc(hidden)]
    pub fn refuse(&mut self, layer: Layer) -> TableError {
        self.parts().0.refuse(layer)
    }

    /// Lists the next layer in the manifest: its files are written.
    #[doc(hidden)]
    pub fn finish(
        &mut self,
        layer: Layer,
        counts: ValueCounts,
        files: Measured<(Sha256, FileEntry)>,
    ) -> Result<LayerStatistics, TableError> {
        self.parts().0.finish(layer, counts, files)
    }

    /// Keeps the next layer, which is in files already, for larger ones.
    #[doc(hidden)]
    pub fn keep_files(&mut self, files: Measured<TurnedFile>) {
        self.smaller.push_files(files);
    }

    /// Adds the next layer; its values are in the order of the index. When this returns, the
    /// layer is on the medium.
    ///
    /// # Errors
    ///
    /// When it cannot be written, or the directory or its lock was moved or removed meanwhile;
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
            let values = values.map(|values| InOrder::new(layer, values));
            self.parts().0.add(&rows, values.as_ref())?;
            self.keep(values.as_ref());
            Ok(())
        });
        if let Err(error) = added {
            return Err(self.cause(error));
        }
        Ok(&self.manifest().layers[usize::from(seeds)].statistics)
    }

    /// Keeps the layer that was added last, for larger ones.
    pub(crate) fn keep<V: LayerValues>(&mut self, values: Measured<&V>) {
        if self.smaller.len() + 1 == self.manifest().finished() {
            // The layer is finished even if this fails: then it is read when it is needed.
            let _ = self.smaller.push(values);
        }
    }

    /// Checks that readers find what was written: the directory is in its place, the lock still
    /// guards it, and it holds the manifest and all finished layers.
    #[doc(hidden)]
    pub fn confirm(&self) -> Result<(), TableError> {
        confirm(&self.medium, &self.lock, self.manifest())
    }

    /// Test hook: makes these steps of writing fail as on a full disk.
    #[doc(hidden)]
    pub fn full_during(&mut self, steps: impl RangeBounds<usize> + Send + Sync + 'static) {
        let done = AtomicUsize::new(0);
        self.medium = Medium::with_hook(move |_| {
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

/// Whether a directory is empty, except for what an interrupted build leaves behind and the
/// tables of the other convention.
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

/// The names that finished layers leave behind: checkpoints, and files that have arrived in part.
fn leftovers_of(manifest: &Manifest) -> HashSet<PathBuf> {
    let checkpoints = (0..manifest.finished()).map(checkpoint::file_name);
    let parts = manifest.files().map(|file| part_name(&file.name));
    checkpoints.chain(parts).map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::fs;
    use std::io;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::solve;
    use crate::write::durable::WriteStep;
    use crate::write::lock::is_being_written;
    use granero_game::Measure;
    use granero_game::rules::Ruleset;
    use granero_table::Tables;
    use granero_table::file::manifest::layer_file_name;

    const SEEDS: u8 = 4;

    fn build(medium: Medium, path: &Path, layers: &[Measured<Vec<i8>>]) -> Result<(), TableError> {
        let rules = Ruleset::Abapa;
        let cycles = layers[0].cycles();
        let mut writer = TableWriter::open_on(medium, path.into(), Manifest::new((rules, cycles)))?;
        for values in &layers[usize::from(writer.manifest().finished())..] {
            writer.add_layer(values)?;
        }
        Ok(())
    }

    fn files(path: &Path) -> Vec<(String, Vec<u8>)> {
        let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| (entry.file_name().into_string().unwrap(), entry.path()))
            .filter(|(name, _)| name != LOCK)
            .map(|(name, path)| (name, fs::read(path).unwrap()))
            .collect();
        files.sort();
        files
    }

    /// Which steps fail.
    #[derive(Clone, Copy, Debug)]
    enum Failure {
        /// One step only, as when the disk is full for a while.
        Once,
        /// All steps from one on, cleaning up included, as when the power fails.
        Always,
    }

    #[test]
    fn finished_layers_stay_good_and_a_build_goes_on_whichever_step_fails() {
        finished_layers_stay_good(Cycles::Split);
    }

    #[test]
    #[ignore = "slow: .ci/run has it"]
    fn finished_layers_of_bounds_stay_good_and_a_build_goes_on_whichever_step_fails() {
        finished_layers_stay_good(Cycles::OwnSide);
    }

    fn finished_layers_stay_good(cycles: Cycles) {
        let layers = &solve::solve_all((Ruleset::Abapa, cycles), SEEDS, 1);
        let whole = tempfile::tempdir().unwrap();
        build(Medium::default(), whole.path(), layers).unwrap();
        let expected = files(whole.path());
        for failure in [Failure::Once, Failure::Always] {
            for failing in 0.. {
                let place = tempfile::tempdir().unwrap();
                let steps = AtomicUsize::new(0);
                let medium = Medium::with_hook(move |_: WriteStep| {
                    let step = steps.fetch_add(1, Ordering::Relaxed);
                    let fails = match failure {
                        Failure::Once => step == failing,
                        Failure::Always => step >= failing,
                    };
                    if fails {
                        Err(io::ErrorKind::StorageFull.into())
                    } else {
                        Ok(())
                    }
                });
                let Err(error) = build(medium, place.path(), layers) else {
                    assert!(failing > 50, "only {failing} steps");
                    break;
                };
                assert!(
                    matches!(
                        error,
                        TableError::Io {
                            action: "write" | "read",
                            ..
                        }
                    ),
                    "{error}"
                );
                match Tables::open(place.path()) {
                    Ok(tables) => {
                        tables.verify_files(|_| {}).unwrap();
                        for layer in tables.layers() {
                            let (layer, values) = layer.unwrap();
                            assert!(values == layers[usize::from(layer.seeds())]);
                        }
                    }
                    Err(TableError::NoTables { .. }) => assert!(failing < 6),
                    Err(error) => panic!("{failure:?} at {failing}: {error}"),
                }
                build(Medium::default(), place.path(), layers).unwrap();
                assert!(files(place.path()) == expected, "{failure:?} at {failing}");
            }
        }
    }

    /// Few layers, for tests that run a build for each step.
    fn solved(seeds: u8) -> Vec<Measured<Vec<i8>>> {
        solve::solve_all((Ruleset::Abapa, Cycles::Split), seeds, 1)
    }

    fn whole(layers: &[Measured<Vec<i8>>]) -> Vec<(String, Vec<u8>)> {
        let place = tempfile::tempdir().unwrap();
        build(Medium::default(), place.path(), layers).unwrap();
        files(place.path())
    }

    /// Checks that the layers listed in a directory are good.
    fn is_good(path: &Path, layers: &[Measured<Vec<i8>>]) {
        match Tables::open(path) {
            Ok(tables) => {
                tables.verify_files(|_| {}).unwrap();
                for layer in tables.layers() {
                    let (layer, values) = layer.unwrap();
                    assert!(values == layers[usize::from(layer.seeds())]);
                }
            }
            Err(TableError::NoTables { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }

    /// Runs a build for each of its steps and calls `disturb` just before that step. `check` gets
    /// the result of the build and the directory.
    #[cfg(unix)]
    fn before_each_step(
        disturb: impl Fn(&Path) + Copy + Send + Sync + 'static,
        check: impl Fn(Result<(), TableError>, &Path),
    ) {
        let layers = solved(2);
        let (mut chosen, mut at_an_end) = (0, false);
        while !at_an_end {
            let place = tempfile::tempdir().unwrap();
            let db = place.path().join("db");
            let steps = Arc::new(AtomicUsize::new(0));
            let medium = Medium::with_hook({
                let (steps, db) = (steps.clone(), db.clone());
                move |_| {
                    if steps.fetch_add(1, Ordering::Relaxed) == chosen {
                        disturb(&db);
                    }
                    Ok(())
                }
            });
            let built = build(medium, &db, &layers);
            at_an_end = steps.load(Ordering::Relaxed) <= chosen;
            if at_an_end {
                built.unwrap();
            } else {
                check(built, &db);
            }
            chosen += 1;
        }
        assert!(chosen > 50, "only {chosen} steps");
    }

    #[cfg(unix)]
    #[test]
    fn a_build_notices_at_any_step_that_its_directory_is_moved() {
        let moved = |db: &Path| db.with_file_name("moved");
        let away = move |db: &Path| fs::rename(db, moved(db)).unwrap();
        let replaced = move |db: &Path| {
            away(db);
            fs::create_dir(db).unwrap();
        };
        let layers = solved(2);
        let expected = whole(&layers);
        let check = |built: Result<(), TableError>, db: &Path| {
            let error = built.unwrap_err();
            assert!(matches!(error, TableError::Moved { .. }), "{error}");
            // The build writes nothing to the directory in its place.
            assert!(!db.exists() || fs::read_dir(db).unwrap().next().is_none());
            is_good(&moved(db), &layers);
            assert!(
                files(&moved(db))
                    .iter()
                    .all(|(name, _)| !is_temporary(name.as_ref()))
            );
            build(Medium::default(), &moved(db), &layers).unwrap();
            assert!(files(&moved(db)) == expected);
        };
        before_each_step(away, check);
        before_each_step(replaced, check);
    }

    #[cfg(unix)]
    #[test]
    fn a_build_notices_at_any_step_that_its_directory_is_removed() {
        let remove = |db: &Path| fs::remove_dir_all(db).unwrap();
        before_each_step(remove, |built, db| {
            let error = built.unwrap_err();
            assert!(matches!(error, TableError::Moved { .. }), "{error}");
            assert!(!db.exists());
        });
    }

    /// Without the lock file another build may begin, and do all or a part of its work.
    #[cfg(unix)]
    #[test]
    fn of_two_builds_that_write_the_same_tables_only_one_succeeds() {
        static OTHER: Mutex<Option<TableWriter>> = Mutex::new(None);
        let begin = |db: &Path| {
            fs::remove_file(db.join(LOCK)).unwrap();
            let (rules, cycles) = (Ruleset::Abapa, Cycles::Split);
            TableWriter::open_on(Medium::default(), db.into(), Manifest::new((rules, cycles)))
                .unwrap()
        };
        let go_on = |mut writer: TableWriter, layers: &[Measured<Vec<i8>>]| {
            for values in &layers[usize::from(writer.manifest().finished())..] {
                writer.add_layer(values).unwrap();
            }
        };
        let layers = solved(2);
        let expected = whole(&layers);
        let lost = |built: Result<(), TableError>| {
            let error = built.unwrap_err();
            assert!(matches!(error, TableError::LockLost { .. }), "{error}");
        };
        // The other build goes on after the first has noticed.
        before_each_step(
            move |db| *OTHER.lock().unwrap() = Some(begin(db)),
            |built, db| {
                lost(built);
                go_on(OTHER.lock().unwrap().take().unwrap(), &layers);
                assert!(files(db) == expected);
            },
        );
        // The other build finishes before the first goes on.
        before_each_step(
            move |db| go_on(begin(db), &solved(2)),
            |built, db| {
                lost(built);
                assert!(files(db) == expected);
            },
        );
        // There is no other build.
        before_each_step(
            |db| fs::remove_file(db.join(LOCK)).unwrap(),
            |built, db| {
                lost(built);
                is_good(db, &layers);
                build(Medium::default(), db, &layers).unwrap();
                assert!(files(db) == expected);
            },
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_build_notices_at_any_step_that_a_file_is_gone_or_truncated() {
        let first = layer_file_name(0, Measure::Value);
        let check = |built: Result<(), TableError>, db: &Path, what: &str| match built {
            // The build wrote the file afterwards.
            Ok(()) => is_good(db, &solved(2)),
            Err(error) => {
                let cause = error.source().map(ToString::to_string);
                assert!(cause.is_some_and(|cause| cause.contains(what)), "{error}");
                let file = format!("{first} is damaged");
                assert!(error.to_string().contains(&file), "{error}");
                assert!(matches!(error, TableError::Damaged { .. }), "{error}");
            }
        };
        let path = |db: &Path| db.join(layer_file_name(0, Measure::Value));
        before_each_step(
            move |db| drop(fs::remove_file(path(db))),
            |built, db| check(built, db, "it is gone"),
        );
        before_each_step(
            move |db| {
                if let Ok(file) = fs::File::options().write(true).open(path(db)) {
                    file.set_len(100).unwrap();
                }
            },
            |built, db| check(built, db, "it has 100 bytes"),
        );
    }

    /// Users who may write to the directory can put links there, under predictable names.
    #[cfg(unix)]
    #[test]
    fn links_are_never_followed() {
        use std::os::unix::fs::symlink;

        let layers = solved(SEEDS);
        let expected = whole(&layers);
        let place = tempfile::tempdir().unwrap();
        let (db, others) = (place.path().join("db"), place.path().join("others"));
        fs::create_dir(&db).unwrap();
        fs::write(&others, "not ours").unwrap();
        let nowhere = place.path().join("nowhere");
        build(Medium::default(), &db, &layers[..1]).unwrap();
        for name in [
            "granero.json.granero-tmp",
            "layer-01.granero.granero-tmp",
            "layer-00-value.turned.granero-tmp",
            "layer-02.granero",
        ] {
            symlink(&others, db.join(name)).unwrap();
        }
        symlink(&nowhere, db.join("layer-03.granero")).unwrap();
        symlink(place.path(), db.join("directory.granero-tmp")).unwrap();

        // In place of the lock, it is an error.
        for target in [&others, &nowhere] {
            symlink(target, db.join(LOCK)).unwrap();
            let error = build(Medium::default(), &db, &layers).unwrap_err();
            assert!(matches!(error, TableError::NoLock { .. }), "{error}");
            assert!(!is_being_written(&db).unwrap());
            fs::remove_file(db.join(LOCK)).unwrap();
        }
        build(Medium::default(), &db, &layers).unwrap();
        assert_eq!(fs::read_to_string(&others).unwrap(), "not ours");
        assert!(!nowhere.exists());
        assert!(files(&db) == expected);
    }

    #[cfg(unix)]
    #[test]
    fn the_lock_of_another_program_is_told_from_a_build() {
        use std::os::unix::fs::PermissionsExt;

        let layers = solved(SEEDS);
        let place = tempfile::tempdir().unwrap();
        let (rules, cycles) = (Ruleset::Abapa, Cycles::Split);
        let open = || {
            TableWriter::open_on(
                Medium::default(),
                place.path().into(),
                Manifest::new((rules, cycles)),
            )
        };
        let path = place.path().join(LOCK);

        let writer = open().unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(
            mode & 0o055,
            0,
            "{mode:o}: others may read it, and so lock it"
        );
        assert!(is_being_written(place.path()).unwrap());
        let error = open().unwrap_err();
        assert!(matches!(error, TableError::Busy { .. }), "{error}");
        if cfg!(target_os = "linux") {
            let process = format!(": process {} (", std::process::id());
            assert!(error.to_string().contains(&process), "{error}");
        }
        drop(writer);
        assert!(!path.exists());
        assert!(!is_being_written(place.path()).unwrap());

        // As an older version left it.
        let file = fs::File::create(&path).unwrap();
        file.lock_shared().unwrap();
        let error = open().unwrap_err();
        assert!(matches!(error, TableError::Locked { .. }), "{error}");
        assert!(!is_being_written(place.path()).unwrap());
        // What the command advises.
        fs::remove_file(&path).unwrap();
        build(Medium::default(), place.path(), &layers).unwrap();
        assert!(!path.exists());
    }
}

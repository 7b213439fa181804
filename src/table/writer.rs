//! Adding layers to a directory so that nothing half-written can be mistaken for good.
//!
//! A layer is finished when the manifest lists it, and the manifest is written after the
//! layer's file.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::directory::{Access, Directory, MANIFEST, error, place, read_manifest};
use super::durable::{Medium, is_temporary, make_directory};
use super::encoded::{EncodedLayer, Labels, TileSize};
use super::error::TableError;
use super::layer_file::fingerprint;
use super::manifest::{FileEntry, Manifest, layer_file_name};
use super::smaller::SmallerLayers;
use super::statistics::{LayerStatistics, hex, unhex};
use super::whole;
use crate::cycles::{Cycles, Measure};
use crate::index::Layer;
use crate::layer_values::LayerValues;
use crate::rows::{RowMoves, TurnedLayer};
use crate::rules::Ruleset;

const LOCK: &str = "granero.lock";

/// A directory of tables that this program alone may write to, as long as this lives.
///
/// ```no_run
/// use granero::{LayerValues, Ruleset};
/// use granero::table::{Cycles, TableWriter};
///
/// let mut tables = TableWriter::open("granero-db", Ruleset::Abapa, Cycles::Split)?;
/// for values in granero::solver::solve_all(Ruleset::Abapa, 6, 1) {
///     tables.add_layer(&LayerValues::Exact(values))?;
/// }
/// # Ok::<(), granero::table::TableError>(())
/// ```
#[derive(Debug)]
pub struct TableWriter {
    directory: Directory,
    smaller: SmallerLayers,
    tile_size: TileSize,
    medium: Medium,
    /// Holds the lock; the operating system gives it back whatever happens.
    _lock: File,
}

impl TableWriter {
    /// Opens a directory of tables to add layers to; where there is none, makes it.
    ///
    /// Tables with endless play by `own-side` are in a directory of this name within it, so
    /// that one directory can hold both conventions.
    ///
    /// # Errors
    ///
    /// When the directory is that of another program or other rules, or cannot be
    /// written to.
    ///
    /// ```
    /// use granero::Ruleset;
    /// use granero::table::{Cycles, TableWriter};
    ///
    /// // A file cannot be a directory.
    /// assert!(TableWriter::open("Cargo.toml", Ruleset::Abapa, Cycles::Split).is_err());
    /// ```
    pub fn open(
        path: impl Into<PathBuf>,
        rules: Ruleset,
        cycles: Cycles,
    ) -> Result<TableWriter, TableError> {
        let named = path.into();
        let path = place(&named, cycles)?;
        // A directory is that of one game, whatever endless play is worth.
        let other = match cycles {
            Cycles::Split => place(&path, Cycles::OwnSide)?,
            Cycles::OwnSide => named,
        };
        if let Some(manifest) = read_manifest(&other)?.filter(|found| found.rules != rules) {
            return Err(TableError::OtherRules {
                path: other,
                rules: manifest.rules,
                cycles: manifest.cycles,
                wanted_rules: rules,
                wanted_cycles: cycles,
            });
        }
        TableWriter::open_on(Medium::default(), path, rules, cycles)
    }

    pub(super) fn open_on(
        medium: Medium,
        path: PathBuf,
        rules: Ruleset,
        cycles: Cycles,
    ) -> Result<TableWriter, TableError> {
        make_directory(&path).map_err(error("make the directory", &path))?;
        if read_manifest(&path)?.is_none() && !is_fresh(&path)? {
            return Err(TableError::NotEmpty { path });
        }
        let lock = lock(&path)?;
        // Only now, for another build may just have finished.
        let directory = match read_manifest(&path)? {
            Some(manifest) if (manifest.rules, manifest.cycles) != (rules, cycles) => {
                return Err(TableError::OtherRules {
                    path,
                    rules: manifest.rules,
                    cycles: manifest.cycles,
                    wanted_rules: rules,
                    wanted_cycles: cycles,
                });
            }
            Some(manifest) => Directory { path, manifest },
            None => {
                let manifest = Manifest::new(rules, cycles);
                let directory = Directory { path, manifest };
                directory.write_manifest(&medium)?;
                directory
            }
        };
        remove_temporary_files(&directory.path)?;
        Ok(TableWriter {
            directory,
            smaller: SmallerLayers::in_memory(cycles),
            tile_size: TileSize::default(),
            medium,
            _lock: lock,
        })
    }

    /// Where the tables are.
    ///
    /// ```no_run
    /// # use granero::{Ruleset, table::{Cycles, TableWriter}};
    /// let writer = TableWriter::open("granero-db", Ruleset::Abapa, Cycles::OwnSide)?;
    /// assert!(writer.path().ends_with("granero-db/own-side"));
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn path(&self) -> &Path {
        &self.directory.path
    }

    /// What the directory holds.
    ///
    /// ```no_run
    /// # use granero::{Ruleset, table::{Cycles, TableWriter}};
    /// let writer = TableWriter::open("granero-db", Ruleset::Abapa, Cycles::Split)?;
    /// println!("{} layers", writer.manifest().finished());
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn manifest(&self) -> &Manifest {
        &self.directory.manifest
    }

    /// Writes smaller files, which take longer to look a position up in: their blocks are
    /// eight times as large.
    ///
    /// ```no_run
    /// # use granero::{Ruleset, table::{Cycles, TableWriter}};
    /// let mut writer = TableWriter::open("granero-db", Ruleset::Abapa, Cycles::Split)?;
    /// writer.archive();
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn archive(&mut self) {
        self.tile_size = TileSize::ARCHIVE;
    }

    /// Keeps so many bytes of smaller layers in memory, which are needed to add larger
    /// ones, and the others in temporary files. Without this, all are kept in memory.
    ///
    /// ```no_run
    /// # use granero::{Ruleset, table::{Cycles, TableWriter}};
    /// let mut writer = TableWriter::open("granero-db", Ruleset::Abapa, Cycles::Split)?;
    /// writer.keep_in_memory(1 << 30);
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn keep_in_memory(&mut self, bytes: u64) {
        let Directory { path, manifest } = &self.directory;
        self.smaller = SmallerLayers::with_room(manifest.cycles, bytes, path.clone());
    }

    /// Makes sure that the layers with fewer seeds than `below` are at hand. `progress` is
    /// told of each that must be read.
    pub(crate) fn prepare(
        &mut self,
        rows: &RowMoves,
        below: u8,
        progress: impl Fn(Layer),
    ) -> Result<(), TableError> {
        while self.smaller.len() < below {
            let layer = Layer::new(self.smaller.len()).expect("a layer that is finished");
            progress(layer);
            let files = self.directory.layer_files(layer.seeds(), Access::Read)?;
            let values = whole::read(&files, rows, &self.smaller)?;
            self.smaller.push(values.measures())?;
        }
        Ok(())
    }

    /// A layer that [`prepare`](TableWriter::prepare) has made sure of.
    pub(crate) fn smaller(
        &self,
        seeds: u8,
        measure: Measure,
    ) -> Result<Arc<TurnedLayer>, TableError> {
        self.smaller.get(seeds, measure)
    }

    /// Adds the next layer, whose values are in the order of the index. When this
    /// returns, the layer is on the medium.
    ///
    /// # Errors
    ///
    /// When it cannot be written; the layers before it stay as they are.
    ///
    /// # Panics
    ///
    /// If these are bounds, and the tables hold values, or the other way round; if there are
    /// not as many as the layer has positions; one is beyond the seeds of the layer, or a bound
    /// is not as even or odd as they are; or all layers are there.
    ///
    /// ```no_run
    /// # use granero::{LayerValues, Ruleset, table::{Cycles, TableWriter}};
    /// let mut writer = TableWriter::open("granero-db", Ruleset::Abapa, Cycles::Split)?;
    /// writer.add_layer(&LayerValues::Exact(vec![0]))?;
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn add_layer(&mut self, values: &LayerValues) -> Result<&LayerStatistics, TableError> {
        let seeds = self.manifest().finished();
        let rows = RowMoves::new(self.manifest().rules, seeds);
        self.prepare(&rows, seeds, |_| {})?;
        self.add_layer_using(&rows, values, true)
    }

    /// Adds the next layer, after [`prepare`](TableWriter::prepare). `keep` says whether
    /// larger layers are going to need it.
    pub(crate) fn add_layer_using(
        &mut self,
        rows: &RowMoves,
        values: &LayerValues,
        keep: bool,
    ) -> Result<&LayerStatistics, TableError> {
        let Manifest { rules, cycles, .. } = self.directory.manifest;
        let seeds = self.manifest().finished();
        let layer = Layer::new(seeds).expect("no layer beyond 48 seeds");
        assert_eq!(values.positions() as u64, layer.len());
        let statistics = LayerStatistics::of_values(layer, values);
        assert!(
            statistics.is_plausible(layer, cycles),
            "values beyond the seeds of the layer, or of the other convention"
        );
        let mut files = Vec::new();
        for (measure, values) in values.measures() {
            let labels = Labels {
                measure,
                fingerprint: fingerprint(rules, cycles),
                values_sha256: unhex(statistics.sha256_of(measure)).expect("the text of a hash"),
            };
            let smaller = |seeds| self.smaller.get(seeds, measure.of_child());
            let encoded = EncodedLayer::new(rows, layer, values, self.tile_size, labels, smaller)?;
            let path = self.directory.layer_path(seeds, measure);
            let written = self.medium.write_durably(&path, |file| encoded.write(file));
            let (bytes, sha256) = written.map_err(error("write", &path))?;
            files.push(FileEntry {
                name: layer_file_name(seeds, measure),
                bytes,
                sha256: hex(&sha256),
            });
        }
        let manifest = &mut self.directory.manifest;
        let files_before = manifest.files.len();
        manifest.layers.push(statistics);
        manifest.files.append(&mut files);
        if let Err(error) = self.directory.write_manifest(&self.medium) {
            self.directory.manifest.layers.pop();
            self.directory.manifest.files.truncate(files_before);
            return Err(error);
        }
        if keep && self.smaller.len() == seeds {
            // The layer is finished, whatever becomes of this: if it is not at hand when it
            // is needed, it is read.
            let _ = self.smaller.push(values.measures());
        }
        Ok(&self.manifest().layers[usize::from(seeds)])
    }
}

/// Whether a directory holds nothing, or only what an interrupted start leaves behind, and
/// maybe the tables of the other convention.
fn is_fresh(directory: &Path) -> Result<bool, TableError> {
    let entries = fs::read_dir(directory).map_err(error("read", directory))?;
    for entry in entries {
        let entry = entry.map_err(error("read", directory))?;
        let name = entry.file_name();
        // Another build may be writing the manifest; whoever has the lock reads it again.
        let other_convention = name == Cycles::OwnSide.name();
        let is_ours = name == LOCK || name == MANIFEST || other_convention;
        if !is_ours && !is_temporary(&entry.path()) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn lock(directory: &Path) -> Result<File, TableError> {
    let path = directory.join(LOCK);
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(error("write", &path))?;
    // Whoever only wants to know whether a build is going on holds the lock for an instant.
    let mut attempts = 10;
    loop {
        attempts -= 1;
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if attempts > 0 => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(TableError::Busy {
                    path: directory.into(),
                });
            }
            Err(TryLockError::Error(found)) => return Err(error("lock", &path)(found)),
        }
    }
}

/// Whether a program, here or elsewhere, is writing to a directory of tables now.
///
/// # Errors
///
/// When the system does not let us look.
///
/// ```
/// assert!(!granero::table::is_being_written("/nowhere")?);
/// # Ok::<(), granero::table::TableError>(())
/// ```
pub fn is_being_written(directory: impl AsRef<Path>) -> Result<bool, TableError> {
    let path = directory.as_ref().join(LOCK);
    let file = match File::open(&path) {
        Err(found) if found.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(found) if found.kind() == io::ErrorKind::NotADirectory => return Ok(false),
        opened => opened.map_err(error("read", &path))?,
    };
    // Shared, so that those who look are not taken for writers by each other; it is given
    // back at once.
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(found)) => Err(error("lock", &path)(found)),
    }
}

fn remove_temporary_files(directory: &Path) -> Result<(), TableError> {
    for entry in fs::read_dir(directory).map_err(error("read", directory))? {
        let path = entry.map_err(error("read", directory))?.path();
        if is_temporary(&path) && path.is_file() {
            fs::remove_file(&path).map_err(error("remove", &path))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::durable::Step;
    use super::super::tables::Tables;
    use super::*;
    use crate::solver;

    const SEEDS: u8 = 4;

    fn build(medium: Medium, path: &Path, layers: &[LayerValues]) -> Result<(), TableError> {
        let rules = Ruleset::Abapa;
        let cycles = layers[0].cycles();
        let mut writer = TableWriter::open_on(medium, path.into(), rules, cycles)?;
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

    /// What fails, from some step on.
    #[derive(Clone, Copy, Debug)]
    enum Failure {
        /// One step only, as when the disk is full for a while.
        Once,
        /// Nothing succeeds any more, not even cleaning up, as when the power goes.
        ForEver,
    }

    #[test]
    fn whatever_step_fails_the_finished_layers_are_good_and_a_build_goes_on() {
        let exact = solver::solve_all(Ruleset::Abapa, SEEDS, 1).into_iter();
        whatever_step_fails(&exact.map(LayerValues::Exact).collect::<Vec<_>>());
        whatever_step_fails(&solver::solve_all_bounds(Ruleset::Abapa, SEEDS, 1));
    }

    fn whatever_step_fails(layers: &[LayerValues]) {
        let whole = tempfile::tempdir().unwrap();
        build(Medium::default(), whole.path(), layers).unwrap();
        let expected = files(whole.path());
        for failure in [Failure::Once, Failure::ForEver] {
            for failing in 0.. {
                let place = tempfile::tempdir().unwrap();
                let steps = AtomicUsize::new(0);
                let medium = Medium::with_fate(move |_: Step| {
                    let step = steps.fetch_add(1, Ordering::Relaxed);
                    let fails = match failure {
                        Failure::Once => step == failing,
                        Failure::ForEver => step >= failing,
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
                            action: "write",
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
}

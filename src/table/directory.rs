//! The directory of tables: reading it, and adding layers so that nothing half-written
//! can be mistaken for good.
//!
//! A file is written under a temporary name, flushed to the medium and renamed. A layer
//! is finished when the manifest lists it, and the manifest is written after the layer.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::error::TableError;
use super::manifest::{Cycles, FORMAT, Format, Manifest};
use super::statistics::{LayerStatistics, hash};
use crate::index::Layer;
use crate::position::Position;
use crate::rules::Ruleset;
use crate::value::Value;

const MANIFEST: &str = "granero.json";
const LOCK: &str = "granero.lock";
/// What the names of files end in that are still being written.
const TEMPORARY: &str = ".granero-tmp";

/// A directory of tables, to be read.
///
/// ```no_run
/// use granero::table::TableDir;
///
/// let tables = TableDir::open("granero-db")?;
/// let values = tables.read_layer(4)?;
/// println!("{} positions with 4 seeds", values.len());
/// # Ok::<(), granero::table::TableError>(())
/// ```
#[derive(Debug)]
pub struct TableDir {
    path: PathBuf,
    manifest: Manifest,
}

/// A directory of tables that this program alone may write to, as long as this lives.
///
/// ```no_run
/// use granero::Ruleset;
/// use granero::table::{Cycles, TableWriter};
///
/// let mut tables = TableWriter::open("granero-db", Ruleset::Abapa, Cycles::Split)?;
/// for values in granero::solver::solve_all(Ruleset::Abapa, 6, 1) {
///     tables.add_layer(&values)?;
/// }
/// # Ok::<(), granero::table::TableError>(())
/// ```
#[derive(Debug)]
pub struct TableWriter {
    tables: TableDir,
    /// Holds the lock; the operating system gives it back whatever happens.
    _lock: File,
}

fn error(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> TableError {
    let path = path.into();
    move |source| TableError::Io {
        action,
        path,
        source,
    }
}

impl TableDir {
    /// Opens a directory of tables.
    ///
    /// # Errors
    ///
    /// When there are no tables, or the manifest cannot be read.
    ///
    /// ```
    /// # use granero::table::TableDir;
    /// assert!(TableDir::open("/nowhere").is_err());
    /// ```
    pub fn open(path: impl Into<PathBuf>) -> Result<TableDir, TableError> {
        let path = path.into();
        match read_manifest(&path)? {
            Some(manifest) => Ok(TableDir { path, manifest }),
            None => Err(TableError::NoTables { path }),
        }
    }

    /// What the directory holds.
    ///
    /// ```no_run
    /// # use granero::table::TableDir;
    /// println!("{} layers", TableDir::open("granero-db")?.manifest().finished());
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The directory.
    ///
    /// ```no_run
    /// # use granero::table::TableDir;
    /// assert_eq!(TableDir::open("granero-db")?.path().to_str(), Some("granero-db"));
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the values of a finished layer, in the order of the index.
    ///
    /// # Errors
    ///
    /// When the layer is not there, or the file is damaged.
    ///
    /// ```no_run
    /// # use granero::table::TableDir;
    /// let values = TableDir::open("granero-db")?.read_layer(0)?;
    /// assert_eq!(values, [0]);
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn read_layer(&self, seeds: u8) -> Result<Vec<i8>, TableError> {
        let path = self.layer_path(seeds);
        let damaged = |what: String| TableError::Damaged {
            path: path.clone(),
            what,
        };
        let Some(statistics) = self.manifest.layers.get(usize::from(seeds)) else {
            return Err(damaged("the manifest does not list it as finished".into()));
        };
        let file = File::open(&path).map_err(error("read", &path))?;
        let length = file.metadata().map_err(error("read", &path))?.len();
        if length != statistics.positions {
            let positions = statistics.positions;
            return Err(damaged(format!(
                "it has {length} bytes and not {positions}"
            )));
        }
        let mut values = vec![0; length as usize];
        let mut buffer = vec![0; 1 << 20];
        for piece in values.chunks_mut(buffer.len()) {
            let bytes = &mut buffer[..piece.len()];
            (&file).read_exact(bytes).map_err(error("read", &path))?;
            for (value, &byte) in piece.iter_mut().zip(&*bytes) {
                *value = byte as i8;
            }
        }
        if hash(&values) != statistics.sha256 {
            return Err(damaged("its values are not those that were written".into()));
        }
        Ok(values)
    }

    /// The value of a position, read from its place in the layer's file; `None` if the
    /// position has more seeds than the tables.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or holds a value that the position cannot have. That
    /// all values are those that were written is what [`read_layer`](TableDir::read_layer)
    /// makes sure of.
    ///
    /// ```no_run
    /// use granero::table::TableDir;
    ///
    /// let tables = TableDir::open("granero-db")?;
    /// let value = tables.value(&"0 0 0 1 1 1 / 1 1 0 2 4 0".parse().unwrap())?;
    /// println!("{value:?}");
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn value(&self, position: &Position) -> Result<Option<Value>, TableError> {
        let layer = Layer::of(position);
        if layer.seeds() >= self.manifest.finished() {
            return Ok(None);
        }
        let path = self.layer_path(layer.seeds());
        let mut byte = [0];
        let read = (|| {
            let mut file = File::open(&path)?;
            file.seek(SeekFrom::Start(layer.index(position)))?;
            file.read_exact(&mut byte)
        })();
        read.map_err(error("read", &path))?;
        let seeds = byte[0] as i8;
        let value = Value::new(seeds).filter(|_| seeds.unsigned_abs() <= layer.seeds());
        value.map(Some).ok_or_else(|| TableError::Damaged {
            path,
            what: format!("it gives {position} a value of {seeds}"),
        })
    }

    fn layer_path(&self, seeds: u8) -> PathBuf {
        self.path.join(format!("layer-{seeds:02}.values"))
    }
}

impl TableWriter {
    /// Opens a directory of tables to add layers to; where there is none, makes it.
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
        let path = path.into();
        make_directory(&path).map_err(error("make the directory", &path))?;
        if read_manifest(&path)?.is_none() && !is_fresh(&path)? {
            return Err(TableError::NotEmpty { path });
        }
        let lock = lock(&path)?;
        // Only now, for another build may just have finished.
        let tables = match read_manifest(&path)? {
            Some(manifest) if (manifest.rules, manifest.cycles) != (rules, cycles) => {
                return Err(TableError::OtherRules {
                    path,
                    rules: manifest.rules,
                    cycles: manifest.cycles,
                    wanted_rules: rules,
                    wanted_cycles: cycles,
                });
            }
            Some(manifest) => TableDir { path, manifest },
            None => {
                let manifest = Manifest::new(rules, cycles);
                let tables = TableDir { path, manifest };
                tables.write_manifest()?;
                tables
            }
        };
        remove_temporary_files(&tables.path)?;
        Ok(TableWriter {
            tables,
            _lock: lock,
        })
    }

    /// The tables as far as they are finished.
    ///
    /// ```no_run
    /// # use granero::{Ruleset, table::{Cycles, TableWriter}};
    /// let writer = TableWriter::open("granero-db", Ruleset::Abapa, Cycles::Split)?;
    /// println!("{} layers", writer.tables().manifest().finished());
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn tables(&self) -> &TableDir {
        &self.tables
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
    /// If there are not as many values as the layer has positions, or all layers are
    /// there.
    ///
    /// ```no_run
    /// # use granero::{Ruleset, table::{Cycles, TableWriter}};
    /// let mut writer = TableWriter::open("granero-db", Ruleset::Abapa, Cycles::Split)?;
    /// writer.add_layer(&[0])?;
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn add_layer(&mut self, values: &[i8]) -> Result<&LayerStatistics, TableError> {
        let tables = &mut self.tables;
        let seeds = tables.manifest.finished();
        let layer = Layer::new(seeds).expect("no layer beyond 48 seeds");
        assert_eq!(values.len() as u64, layer.len());
        let path = tables.layer_path(seeds);
        let (statistics, written) = rayon::join(
            || LayerStatistics::of(layer, values),
            || write_durably(&path, |file| write_values(file, values)),
        );
        written?;
        tables.manifest.layers.push(statistics);
        if let Err(error) = tables.write_manifest() {
            tables.manifest.layers.pop();
            return Err(error);
        }
        Ok(&tables.manifest.layers[usize::from(seeds)])
    }
}

impl TableDir {
    fn write_manifest(&self) -> Result<(), TableError> {
        let path = self.path.join(MANIFEST);
        write_durably(&path, |file| {
            serde_json::to_writer(&mut *file, &self.manifest)?;
            file.write_all(b"\n")
        })
    }
}

/// The manifest, if the directory has one.
fn read_manifest(directory: &Path) -> Result<Option<Manifest>, TableError> {
    let path = directory.join(MANIFEST);
    let text = match fs::read_to_string(&path) {
        Err(found) if found.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(found) if found.kind() == io::ErrorKind::NotADirectory => return Ok(None),
        read => read.map_err(error("read", &path))?,
    };
    let damaged = |what: String| TableError::Damaged {
        path: path.clone(),
        what,
    };
    // Another format may have anything beside its number.
    let Format { format } =
        serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    if format != FORMAT {
        return Err(TableError::OtherFormat { path, format });
    }
    let manifest: Manifest =
        serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    for (layer, statistics) in Layer::all().zip(&manifest.layers) {
        if !statistics.is_plausible(layer) {
            let seeds = layer.seeds();
            return Err(damaged(format!("its entry of layer {seeds} is wrong")));
        }
    }
    if manifest.layers.len() > Layer::all().count() {
        return Err(damaged("it lists more layers than there are".into()));
    }
    Ok(Some(manifest))
}

/// Makes a directory and those above it, so that they stay.
fn make_directory(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent().filter(|parent| *parent != Path::new("")) {
        make_directory(parent)?;
    }
    match fs::create_dir(path) {
        // Another build may have been faster.
        Err(found) if found.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made.and_then(|()| sync_directory(path)),
    }
}

/// Whether a directory holds nothing, or only what an interrupted start leaves behind.
fn is_fresh(directory: &Path) -> Result<bool, TableError> {
    let entries = fs::read_dir(directory).map_err(error("read", directory))?;
    for entry in entries {
        let entry = entry.map_err(error("read", directory))?;
        if entry.file_name() != LOCK && !is_temporary(&entry.path()) {
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
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(TableError::Busy {
            path: directory.into(),
        }),
        Err(TryLockError::Error(found)) => Err(error("lock", &path)(found)),
    }
}

fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().ends_with(TEMPORARY)
}

fn remove_temporary_files(directory: &Path) -> Result<(), TableError> {
    for entry in fs::read_dir(directory).map_err(error("read", directory))? {
        let path = entry.map_err(error("read", directory))?.path();
        if is_temporary(&path) {
            fs::remove_file(&path).map_err(error("remove", &path))?;
        }
    }
    Ok(())
}

/// Writes a file so that it is either there as a whole, or not at all.
fn write_durably(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), TableError> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(TEMPORARY);
    let temporary = PathBuf::from(temporary);
    let written = (|| {
        let mut file = File::create(&temporary)?;
        write(&mut file)?;
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        sync_directory(path)
    })();
    written.map_err(|found| {
        // What was written takes room, and can be made again; if it cannot be removed,
        // the next build does it.
        let _ = fs::remove_file(&temporary);
        error("write", path)(found)
    })
}

/// Makes the new name of a file durable.
#[cfg(unix)]
fn sync_directory(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) if parent != Path::new("") => File::open(parent)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

/// Elsewhere directories cannot be flushed, and renaming is durable by itself.
#[cfg(not(unix))]
fn sync_directory(_path: &Path) -> io::Result<()> {
    Ok(())
}

fn write_values(file: &mut File, values: &[i8]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(1 << 20);
    for piece in values.chunks(1 << 20) {
        bytes.clear();
        bytes.extend(piece.iter().map(|&value| value as u8));
        file.write_all(&bytes)?;
    }
    Ok(())
}

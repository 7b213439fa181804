//! Tables to be asked: what positions are worth.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rayon::prelude::*;

use super::assessment::Assessment;
use super::cache::{Cache, Key};
use super::codec::block::DecoderScratch;
use super::directory::{Access, Directory, MANIFEST};
use super::error::TableError;
use super::layer_file::DecodedTile;
use super::manifest::Manifest;
use super::named_file::NamedFile;
use super::reader::LayerReader;
use super::sample;
use super::source::ByteSource;
use super::statistics::unhex;
use crate::bounds::Bounds;
use crate::cycles::{Cycles, Measure};
use crate::index::Layer;
use crate::layer_values::LayerValues;
use crate::position::Position;
use crate::rules::{Ruleset, Turn};
use crate::value::Value;

/// Tables to be asked: what positions are worth.
///
/// Opening them takes no time, whatever their size: files are read where they are asked.
/// They can be shared between threads, and used while a build adds layers; those are seen
/// by whoever opens the tables again.
///
/// ```
/// use granero::table::Tables;
///
/// let tables = Tables::sample();
/// let value = tables.value(&"0 0 0 0 2 1 2 0 0 0 0 0".parse()?)?;
/// assert_eq!(value.map(|value| value.seeds()), Some(-1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Tables {
    /// Where they are, if in a directory.
    directory: Option<PathBuf>,
    manifest: Manifest,
    layers: Vec<LayerTable>,
    cache: Cache<DecodedTile>,
}

/// How tables are opened.
///
/// ```no_run
/// use granero::table::{Access, TableOptions};
///
/// // For an engine: layers up to 12 seeds decoded in memory, 256 MiB of blocks beside.
/// let tables = TableOptions::new()
///     .in_memory(12)
///     .cache_bytes(256 << 20)
///     .access(Access::Map)
///     .open("granero-db")?;
/// # Ok::<(), granero::table::TableError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TableOptions {
    access: Access,
    cache_bytes: u64,
    in_memory: Option<u8>,
    cycles: Option<Cycles>,
}

/// The files of a layer, and what is in memory of it.
#[derive(Debug)]
struct LayerTable {
    /// By measure.
    files: Vec<NamedFile>,
    /// All values in index order, if they are to be in memory.
    decoded: Option<LayerValues>,
}

impl Default for TableOptions {
    fn default() -> TableOptions {
        TableOptions::new()
    }
}

impl TableOptions {
    /// Mapped files, and 64 MiB for decoded blocks.
    ///
    /// ```
    /// let options = granero::table::TableOptions::new();
    /// assert!(options.open("/nowhere").is_err());
    /// ```
    pub fn new() -> TableOptions {
        TableOptions {
            access: Access::default(),
            cache_bytes: 64 << 20,
            in_memory: None,
            cycles: None,
        }
    }

    /// Which of the tables are opened, if a directory holds those of both conventions for
    /// endless play. Without this it is `split`, or what there is.
    ///
    /// ```
    /// # use granero::{Cycles, table::TableOptions};
    /// let options = TableOptions::new().cycles(Cycles::OwnSide);
    /// ```
    #[must_use]
    pub fn cycles(mut self, cycles: Cycles) -> TableOptions {
        self.cycles = Some(cycles);
        self
    }

    /// How files are read: unless said otherwise, they are mapped into memory, which has a
    /// [risk](Access::Map).
    ///
    /// ```
    /// # use granero::table::{Access, TableOptions};
    /// let options = TableOptions::new().access(Access::Read);
    /// ```
    #[must_use]
    pub fn access(mut self, access: Access) -> TableOptions {
        self.access = access;
        self
    }

    /// So many bytes of decoded blocks are kept at most; a few blocks always are.
    ///
    /// ```
    /// # use granero::table::TableOptions;
    /// let options = TableOptions::new().cache_bytes(1 << 30);
    /// ```
    #[must_use]
    pub fn cache_bytes(mut self, bytes: u64) -> TableOptions {
        self.cache_bytes = bytes;
        self
    }

    /// Decodes the layers of up to so many seeds when the tables are opened, and keeps them
    /// in memory, a byte for each position: `C(seeds + 12, 12)` bytes. Nothing is faster.
    ///
    /// ```
    /// # use granero::table::TableOptions;
    /// let options = TableOptions::new().in_memory(16);
    /// ```
    #[must_use]
    pub fn in_memory(mut self, seeds: u8) -> TableOptions {
        self.in_memory = Some(seeds);
        self
    }

    /// Opens a directory of tables.
    ///
    /// # Errors
    ///
    /// When there are no tables, or their files are not what the manifest says.
    ///
    /// ```
    /// # use granero::table::TableOptions;
    /// assert!(TableOptions::new().open("/nowhere").is_err());
    /// ```
    pub fn open(&self, path: impl Into<PathBuf>) -> Result<Tables, TableError> {
        let directory = Directory::open(path.into(), self.cycles)?;
        let seeds = 0..directory.manifest.finished();
        let files = seeds.map(|seeds| directory.layer_files(seeds, self.access));
        let files = files.collect::<Result<Vec<Vec<NamedFile>>, TableError>>()?;
        self.with_files(Some(directory.path), directory.manifest, files)
    }

    /// Opens tables that are somewhere else: a manifest, and the files of its layers.
    ///
    /// # Errors
    ///
    /// As [`open`](TableOptions::open).
    ///
    /// ```no_run
    /// use granero::table::{ByteSource, FileSource, TableOptions};
    ///
    /// let manifest = std::fs::read_to_string("granero-db/granero.json")?;
    /// let tables = TableOptions::new().open_sources(&manifest, |entry| {
    ///     let source = FileSource::open(format!("granero-db/{}", entry.name))?;
    ///     Ok(Box::new(source) as Box<dyn ByteSource>)
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_sources(
        &self,
        manifest: &str,
        mut source: impl FnMut(&super::FileEntry) -> std::io::Result<Box<dyn ByteSource>>,
    ) -> Result<Tables, TableError> {
        let manifest = Manifest::parse(manifest, Path::new(MANIFEST))?;
        let mut open = |seeds, measure| {
            let entry = manifest.file(seeds, measure);
            let path = PathBuf::from(&entry.name);
            let source = source(entry).map_err(super::directory::error("read", &path))?;
            NamedFile::open(path, source, &manifest, seeds, measure)
        };
        let measures = manifest.cycles.measures();
        let files = (0..manifest.finished())
            .map(|seeds| {
                measures
                    .iter()
                    .map(|&measure| open(seeds, measure))
                    .collect()
            })
            .collect::<Result<Vec<Vec<NamedFile>>, TableError>>()?;
        self.with_files(None, manifest, files)
    }

    fn with_files(
        &self,
        directory: Option<PathBuf>,
        manifest: Manifest,
        files: Vec<Vec<NamedFile>>,
    ) -> Result<Tables, TableError> {
        let block = |file: &NamedFile| {
            let header = file.file.header();
            u64::from(header.tile_width) * u64::from(header.tile_height)
        };
        let largest = files.iter().flatten().map(block).max();
        let cache = Cache::new(self.cache_bytes, largest.unwrap_or(1));
        let layers = files.into_iter().map(|files| LayerTable {
            files,
            decoded: None,
        });
        let mut tables = Tables {
            directory,
            manifest,
            layers: layers.collect(),
            cache,
        };
        if let Some(seeds) = self.in_memory {
            let decoded: Vec<LayerValues> = LayerReader::new(&tables, seeds.saturating_add(1))
                .map(|layer| layer.map(|(_, values)| values))
                .collect::<Result<_, _>>()?;
            for (layer, decoded) in tables.layers.iter_mut().zip(decoded) {
                layer.decoded = Some(decoded);
            }
        }
        Ok(tables)
    }
}

/// Whether blocks that are not in the cache are read and decoded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decoding {
    IfNeeded,
    Never,
}

/// So many positions are put in order at a time.
const BATCH: usize = 1 << 20;

thread_local! {
    static SCRATCH: RefCell<DecoderScratch> = RefCell::default();
}

impl Tables {
    /// Opens a directory of tables in the usual way; [`TableOptions`] has others. The files are
    /// mapped into memory, which has a [risk](Access::Map).
    ///
    /// # Errors
    ///
    /// When there are no tables, or their files are not what the manifest says.
    ///
    /// ```
    /// # use granero::table::Tables;
    /// assert!(Tables::open("/nowhere").is_err());
    /// ```
    pub fn open(path: impl Into<PathBuf>) -> Result<Tables, TableError> {
        TableOptions::new().open(path)
    }

    /// The tables that are part of this library: the rules `abapa`, up to 8 seeds.
    ///
    /// ```
    /// # use granero::table::Tables;
    /// assert_eq!(Tables::sample().max_seeds(), Some(8));
    /// ```
    pub fn sample() -> &'static Tables {
        Tables::sample_of(Cycles::Split)
    }

    /// Those of either convention for endless play.
    ///
    /// ```
    /// # use granero::{Cycles, table::Tables};
    /// let position = "0 0 0 3 0 1 0 0 0 0 0 2".parse()?;
    /// let bounds = Tables::sample_of(Cycles::OwnSide).bounds(&position)?.unwrap();
    /// assert_eq!(bounds.to_string(), "+2…+6");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sample_of(cycles: Cycles) -> &'static Tables {
        static SAMPLES: [OnceLock<Tables>; Cycles::ALL.len()] =
            [const { OnceLock::new() }; Cycles::ALL.len()];
        SAMPLES[cycles as usize].get_or_init(|| sample::open(cycles))
    }

    /// The directory that their files are in, if they are in one.
    ///
    /// ```
    /// # use granero::table::Tables;
    /// assert_eq!(Tables::sample().directory(), None);
    /// ```
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// What the tables hold.
    ///
    /// ```
    /// # use granero::table::Tables;
    /// assert_eq!(Tables::sample().manifest().finished(), 9);
    /// ```
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The rules of the tables.
    ///
    /// ```
    /// # use granero::{Ruleset, table::Tables};
    /// assert_eq!(Tables::sample().rules(), Ruleset::Abapa);
    /// ```
    pub fn rules(&self) -> Ruleset {
        self.manifest.rules
    }

    /// Their convention for endless play.
    ///
    /// ```
    /// # use granero::table::{Cycles, Tables};
    /// assert_eq!(Tables::sample().cycles(), Cycles::Split);
    /// ```
    pub fn cycles(&self) -> Cycles {
        self.manifest.cycles
    }

    /// The most seeds of a position whose value they hold; `None` if they hold nothing.
    ///
    /// ```
    /// # use granero::table::Tables;
    /// assert_eq!(Tables::sample().max_seeds(), Some(8));
    /// ```
    pub fn max_seeds(&self) -> Option<u8> {
        self.manifest.finished().checked_sub(1)
    }

    /// What a position is worth to the player to move; `None` if it has more seeds than
    /// the tables.
    ///
    /// # Errors
    ///
    /// When a file is damaged or cannot be read; or when the tables hold bounds, and not
    /// values: see [`bounds`](Tables::bounds).
    ///
    /// ```
    /// # use granero::{Position, Value, table::Tables};
    /// assert_eq!(Tables::sample().value(&Position::EMPTY)?, Value::new(0));
    /// assert_eq!(Tables::sample().value(&Position::START)?, None);
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn value(&self, position: &Position) -> Result<Option<Value>, TableError> {
        self.hold_values()?;
        self.reaches(position)
            .then(|| self.measure(position, Measure::Value))
            .transpose()
    }

    /// What a position is worth to the player to move, at least and at most; `None` if it has
    /// more seeds than the tables. Where endless play is shared equally, both are the value.
    ///
    /// # Errors
    ///
    /// When a file is damaged or cannot be read.
    ///
    /// ```
    /// # use granero::{Bounds, Position, Value, table::Tables};
    /// let bounds = Tables::sample().bounds(&Position::EMPTY)?;
    /// assert_eq!(bounds, Some(Bounds::from(Value::ZERO)));
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn bounds(&self, position: &Position) -> Result<Option<Bounds>, TableError> {
        self.bounds_if(position, Decoding::IfNeeded)
    }

    /// The bounds, if the tables reach so far and it does not take decoding which is not to be
    /// done.
    fn bounds_if(
        &self,
        position: &Position,
        decoding: Decoding,
    ) -> Result<Option<Bounds>, TableError> {
        if !self.reaches(position) {
            return Ok(None);
        }
        let measure = |measure| self.resolved(position, measure, decoding);
        match self.cycles() {
            Cycles::Split => Ok(measure(Measure::Value)?.map(Bounds::from)),
            Cycles::OwnSide => {
                let Some((low, high)) = measure(Measure::Low)?.zip(measure(Measure::High)?) else {
                    return Ok(None);
                };
                Bounds::new(low, high).map(Some).ok_or_else(|| {
                    let what = format!("it gives {position} a low bound above the high one");
                    TableError::damaged(&self.table(position).files[0].path, what)
                })
            }
        }
    }

    fn reaches(&self, position: &Position) -> bool {
        usize::from(position.seeds()) < self.layers.len()
    }

    /// The layer of a position that is within reach.
    fn table(&self, position: &Position) -> &LayerTable {
        &self.layers[usize::from(position.seeds())]
    }

    /// Makes sure that the tables hold values, and not bounds.
    pub(crate) fn hold_values(&self) -> Result<(), TableError> {
        match self.cycles() {
            Cycles::Split => Ok(()),
            Cycles::OwnSide => Err(TableError::HoldBounds),
        }
    }

    /// What many positions are worth. Faster than asking for each: all threads of the
    /// pool (see the crate `rayon`) help, and those of one block are looked up together.
    ///
    /// # Errors
    ///
    /// As [`value`](Tables::value).
    ///
    /// ```
    /// # use granero::{Position, Value, table::Tables};
    /// let values = Tables::sample().values(&[Position::EMPTY, Position::START])?;
    /// assert_eq!(values, [Value::new(0), None]);
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn values(&self, positions: &[Position]) -> Result<Vec<Option<Value>>, TableError> {
        self.hold_values()?;
        self.look_up(positions, |position| self.value(position))
    }

    /// The bounds of many positions, as [`values`](Tables::values).
    ///
    /// # Errors
    ///
    /// As [`bounds`](Tables::bounds).
    ///
    /// ```
    /// # use granero::{Position, table::Tables};
    /// let bounds = Tables::sample().all_bounds(&[Position::EMPTY, Position::START])?;
    /// assert_eq!((bounds[0].is_some(), bounds[1]), (true, None));
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn all_bounds(&self, positions: &[Position]) -> Result<Vec<Option<Bounds>>, TableError> {
        self.look_up(positions, |position| self.bounds(position))
    }

    fn look_up<T: Clone + Send>(
        &self,
        positions: &[Position],
        ask: impl Fn(&Position) -> Result<Option<T>, TableError> + Sync,
    ) -> Result<Vec<Option<T>>, TableError> {
        let mut found = Vec::with_capacity(positions.len());
        for positions in positions.chunks(BATCH) {
            found.extend(self.batch(positions, &ask)?);
        }
        Ok(found)
    }

    fn batch<T: Clone + Send>(
        &self,
        positions: &[Position],
        ask: impl Fn(&Position) -> Result<Option<T>, TableError> + Sync,
    ) -> Result<Vec<Option<T>>, TableError> {
        let mut order: Vec<(u8, u64, u32)> = (0..)
            .zip(positions)
            .map(|(number, position)| {
                let seeds = position.seeds();
                let layer = self.layers.get(usize::from(seeds));
                let tile = layer.map_or(0, |layer| layer.files[0].place(position).tile);
                (seeds, tile, number)
            })
            .collect();
        order.par_sort_unstable();
        let found = order.par_iter().with_min_len(256).map(|&(_, _, number)| {
            let value = ask(&positions[number as usize])?;
            Ok((number, value))
        });
        let found: Vec<(u32, Option<T>)> = found.collect::<Result<_, TableError>>()?;
        let mut values = vec![None; positions.len()];
        for (number, value) in found {
            values[number as usize] = value;
        }
        Ok(values)
    }

    /// What a position and each of its moves is worth. Also where only its moves are
    /// within the reach of the tables.
    ///
    /// # Errors
    ///
    /// As [`value`](Tables::value).
    ///
    /// ```
    /// # use granero::{Position, table::Tables};
    /// let assessment = Tables::sample().assess(&Position::START)?;
    /// assert_eq!(assessment.moves.len(), 6);
    /// assert_eq!(assessment.bounds, None);
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn assess(&self, position: &Position) -> Result<Assessment, TableError> {
        Assessment::new(self.rules(), position, |position| self.bounds(position))
    }

    /// The same as [`assess`](Tables::assess), if it can be told from what is in memory:
    /// without waiting for a file, and without decoding anything. `None` otherwise.
    ///
    /// For programs that must not wait where they ask, as servers.
    ///
    /// # Errors
    ///
    /// When a value that is in memory cannot be right.
    ///
    /// ```
    /// # use granero::table::Tables;
    /// let position = "0 0 0 0 2 1 2 0 0 0 0 0".parse()?;
    /// let assessment = Tables::sample().assess(&position)?;
    /// assert_eq!(Tables::sample().assess_at_hand(&position)?, Some(assessment));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn assess_at_hand(&self, position: &Position) -> Result<Option<Assessment>, TableError> {
        let mut at_hand = true;
        let assessment = Assessment::new(self.rules(), position, |position| {
            if !at_hand || !self.reaches(position) {
                return Ok(None);
            }
            let bounds = self.bounds_if(position, Decoding::Never)?;
            at_hand = bounds.is_some();
            Ok(bounds)
        });
        Ok(Some(assessment?).filter(|_| at_hand))
    }

    /// All layers in order, each with the values of its positions in index order.
    ///
    /// While one is at hand, all smaller ones are kept in memory, a byte for each position.
    ///
    /// ```
    /// # use granero::table::Tables;
    /// for layer in Tables::sample().layers() {
    ///     let (layer, values) = layer?;
    ///     assert_eq!(values.positions() as u64, layer.len());
    /// }
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn layers(&self) -> LayerReader<'_> {
        LayerReader::new(self, self.manifest.finished())
    }

    /// The values of all positions of a layer, in index order.
    ///
    /// All smaller layers are decoded on the way and kept in memory meanwhile.
    ///
    /// # Errors
    ///
    /// When the layer is not there, or a file is damaged or cannot be read.
    ///
    /// ```
    /// # use granero::{LayerValues, table::Tables};
    /// assert_eq!(Tables::sample().layer(0)?, LayerValues::Exact(vec![0]));
    /// assert!(Tables::sample().layer(9).is_err());
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn layer(&self, seeds: u8) -> Result<LayerValues, TableError> {
        let max_seeds = self.max_seeds();
        if Some(seeds) > max_seeds {
            return Err(TableError::NoSuchLayer { seeds, max_seeds });
        }
        let none = LayerValues::Exact(Vec::new());
        LayerReader::new(self, seeds + 1).try_fold(none, |_, layer| Ok(layer?.1))
    }

    /// Reads all files, and compares them with their checksums and with the hashes in the
    /// manifest. `progress` is told how many bytes have been read since it was told last.
    ///
    /// # Errors
    ///
    /// When something is not as it was written.
    ///
    /// ```
    /// # use granero::table::Tables;
    /// Tables::sample().verify_files(|_| {})?;
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn verify_files(&self, progress: impl Fn(u64) + Sync) -> Result<(), TableError> {
        let files: Vec<&NamedFile> = self.layers.iter().flat_map(|layer| &layer.files).collect();
        let files = files.into_par_iter().zip(&self.manifest.files);
        files.try_for_each(|(file, entry)| {
            let NamedFile { path, file } = file;
            let sha256 = file.verified_sha256(&progress);
            let sha256 = sha256.map_err(|error| TableError::in_file(path, error))?;
            if unhex(&entry.sha256) == Some(sha256) {
                return Ok(());
            }
            let what = "its SHA-256 is not the one in the manifest";
            Err(TableError::damaged(path, what.into()))
        })
    }

    /// The files of a layer that is there.
    pub(super) fn files(&self, seeds: u8) -> &[NamedFile] {
        &self.layers[usize::from(seeds)].files
    }

    /// A measure of a position that the tables hold; it must be one of theirs.
    fn measure(&self, position: &Position, measure: Measure) -> Result<Value, TableError> {
        let value = self.resolved(position, measure, Decoding::IfNeeded)?;
        Ok(value.expect("whatever is needed is decoded"))
    }

    /// A measure of a position that the tables hold; `None` if that takes decoding which is
    /// not to be done.
    fn resolved(
        &self,
        position: &Position,
        measure: Measure,
        decoding: Decoding,
    ) -> Result<Option<Value>, TableError> {
        let table = self.table(position);
        let decoded = table.decoded.as_ref().and_then(|all| all.get(measure));
        let file_number = usize::from(measure == Measure::High);
        let file = &table.files[file_number];
        if let Some(decoded) = decoded {
            let index = Layer::of(position).index(position);
            return checked(file, decoded[index as usize], position).map(Some);
        }
        if position.opponents().iter().all(|&seeds| seeds > 0) {
            return self.unreachable(position, measure, decoding);
        }
        let place = file.place(position);
        let key = Key {
            seeds: position.seeds(),
            file: file_number as u8,
            tile: place.tile,
        };
        let read = |tile: &DecodedTile| tile.get(place.offset);
        let stored = self.cache.value(key, read, |known| {
            if decoding == Decoding::Never {
                return Err(None);
            }
            let decoded = SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
                Ok(mut scratch) => file.decode(place, known, &mut scratch),
                // A source of bytes that asks tables itself.
                Err(_) => file.decode(place, known, &mut DecoderScratch::default()),
            });
            decoded.map_err(Some)
        });
        let stored = match stored {
            Ok(stored) => stored,
            Err(None) => return Ok(None),
            Err(Some(error)) => return Err(error),
        };
        // A value that a capture gives is not stored: what is, may be less.
        let mut best = checked(file, stored, position)?;
        if can_capture(position) {
            for play in &self.rules().moves(position) {
                if play.captured + play.conceded > 0 {
                    match self.resolved(&play.position, measure.of_child(), decoding)? {
                        Some(child) => best = best.max(play.value(child)),
                        None => return Ok(None),
                    }
                }
            }
        }
        Ok(Some(best))
    }

    /// The value of a position whose opponent has no empty house: no move leads there, and
    /// nothing is stored.
    fn unreachable(
        &self,
        position: &Position,
        measure: Measure,
        decoding: Decoding,
    ) -> Result<Option<Value>, TableError> {
        match self.rules().turn(position) {
            Turn::Over(over) => Ok(Some(over.value)),
            Turn::Play(moves) => {
                let mut best = None;
                for play in &moves {
                    match self.resolved(&play.position, measure.of_child(), decoding)? {
                        Some(child) => best = best.max(Some(play.value(child))),
                        None => return Ok(None),
                    }
                }
                Ok(best)
            }
        }
    }
}

/// A value that the position can have; checksums make sure that others do not occur.
fn checked(file: &NamedFile, seeds: i8, position: &Position) -> Result<Value, TableError> {
    Value::new(seeds)
        .filter(|_| seeds.unsigned_abs() <= position.seeds())
        .ok_or_else(|| {
            let what = format!("it gives {position} a value of {seeds}");
            TableError::damaged(&file.path, what)
        })
}

/// Whether a move might capture: one that ends in a house of the opponent's which then has
/// two or three seeds. Cheaper than to make all moves, and never wrong with `false`.
fn can_capture(position: &Position) -> bool {
    let opponents = position.opponents();
    (0..).zip(position.own()).any(|(house, seeds)| {
        let last = house + seeds;
        let lands = seeds > 0 && (6..12).contains(&last);
        // With twelve seeds and more it is not worth thinking about.
        seeds >= 12 || lands && matches!(opponents[usize::from(last) - 6], 1 | 2)
    })
}

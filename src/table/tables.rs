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
use super::manifest::{Cycles, Manifest};
use super::named_file::NamedFile;
use super::reader::LayerReader;
use super::sample;
use super::source::ByteSource;
use super::statistics::unhex;
use crate::index::Layer;
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
}

/// A layer of tables.
#[derive(Debug)]
struct LayerTable {
    file: NamedFile,
    /// All values in index order, if they are to be in memory.
    decoded: Option<Vec<i8>>,
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
        }
    }

    /// How files are read.
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
        let directory = Directory::open(path.into())?;
        let seeds = 0..directory.manifest.finished();
        let files = seeds.map(|seeds| directory.layer_file(seeds, self.access));
        let files = files.collect::<Result<Vec<NamedFile>, TableError>>()?;
        self.with_files(directory.manifest, files)
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
        let files = (0..).zip(&manifest.files).map(|(seeds, entry)| {
            let path = PathBuf::from(&entry.name);
            let source = source(entry).map_err(super::directory::error("read", &path))?;
            NamedFile::open(path, source, &manifest, seeds)
        });
        let files = files.collect::<Result<Vec<NamedFile>, TableError>>()?;
        self.with_files(manifest, files)
    }

    fn with_files(&self, manifest: Manifest, files: Vec<NamedFile>) -> Result<Tables, TableError> {
        let block = |file: &NamedFile| {
            let header = file.file.header();
            u64::from(header.tile_width) * u64::from(header.tile_height)
        };
        let largest = files.iter().map(block).max();
        let cache = Cache::new(self.cache_bytes, largest.unwrap_or(1));
        let layers = files.into_iter().map(|file| LayerTable {
            file,
            decoded: None,
        });
        let mut tables = Tables {
            manifest,
            layers: layers.collect(),
            cache,
        };
        if let Some(seeds) = self.in_memory {
            let decoded: Vec<Vec<i8>> = LayerReader::new(&tables, seeds.saturating_add(1))
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
    /// Opens a directory of tables in the usual way; [`TableOptions`] has others.
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
        static SAMPLE: OnceLock<Tables> = OnceLock::new();
        SAMPLE.get_or_init(sample::open)
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
    /// When a file is damaged or cannot be read.
    ///
    /// ```
    /// # use granero::{Position, Value, table::Tables};
    /// assert_eq!(Tables::sample().value(&Position::EMPTY)?, Value::new(0));
    /// assert_eq!(Tables::sample().value(&Position::START)?, None);
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn value(&self, position: &Position) -> Result<Option<Value>, TableError> {
        if self.reaches(position) {
            self.exact(position).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Whether they hold the layer of a position.
    fn reaches(&self, position: &Position) -> bool {
        usize::from(position.seeds()) < self.layers.len()
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
        let mut values = Vec::with_capacity(positions.len());
        for positions in positions.chunks(BATCH) {
            values.extend(self.batch(positions)?);
        }
        Ok(values)
    }

    fn batch(&self, positions: &[Position]) -> Result<Vec<Option<Value>>, TableError> {
        let mut order: Vec<(u8, u64, u32)> = (0..)
            .zip(positions)
            .map(|(number, position)| {
                let seeds = position.seeds();
                let layer = self.layers.get(usize::from(seeds));
                let tile = layer.map_or(0, |layer| layer.file.place(position).tile);
                (seeds, tile, number)
            })
            .collect();
        order.par_sort_unstable();
        let found = order.par_iter().with_min_len(256).map(|&(_, _, number)| {
            let value = self.value(&positions[number as usize])?;
            Ok((number, value))
        });
        let found: Vec<(u32, Option<Value>)> = found.collect::<Result<_, TableError>>()?;
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
    /// assert_eq!(assessment.value, None);
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn assess(&self, position: &Position) -> Result<Assessment, TableError> {
        Assessment::new(self.rules(), position, |position| self.value(position))
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
            let value = self.resolved(position, Decoding::Never)?;
            at_hand = value.is_some();
            Ok(value)
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
    ///     assert_eq!(values.len() as u64, layer.len());
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
    /// # use granero::table::Tables;
    /// assert_eq!(Tables::sample().layer(0)?, [0]);
    /// assert!(Tables::sample().layer(9).is_err());
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn layer(&self, seeds: u8) -> Result<Vec<i8>, TableError> {
        let max_seeds = self.max_seeds();
        if Some(seeds) > max_seeds {
            return Err(TableError::NoSuchLayer { seeds, max_seeds });
        }
        LayerReader::new(self, seeds + 1).try_fold(Vec::new(), |_, layer| Ok(layer?.1))
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
        let layers = self.layers.par_iter().zip(&self.manifest.files);
        layers.try_for_each(|(layer, entry)| {
            let NamedFile { path, file } = &layer.file;
            let sha256 = file.verified_sha256(&progress);
            let sha256 = sha256.map_err(|error| TableError::in_file(path, error))?;
            if unhex(&entry.sha256) == Some(sha256) {
                return Ok(());
            }
            Err(TableError::Damaged {
                path: path.clone(),
                what: "its SHA-256 is not the one in the manifest".into(),
            })
        })
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &NamedFile> {
        self.layers.iter().map(|layer| &layer.file)
    }

    /// The value of a position that the tables hold.
    fn exact(&self, position: &Position) -> Result<Value, TableError> {
        let value = self.resolved(position, Decoding::IfNeeded)?;
        Ok(value.expect("whatever is needed is decoded"))
    }

    /// The value of a position that the tables hold; `None` if that takes decoding which is
    /// not to be done.
    fn resolved(
        &self,
        position: &Position,
        decoding: Decoding,
    ) -> Result<Option<Value>, TableError> {
        let table = &self.layers[usize::from(position.seeds())];
        if let Some(decoded) = &table.decoded {
            let index = Layer::of(position).index(position);
            return table.checked(decoded[index as usize], position).map(Some);
        }
        if position.opponents().iter().all(|&seeds| seeds > 0) {
            return self.unreachable(position, decoding);
        }
        let place = table.file.place(position);
        let key = Key {
            seeds: position.seeds(),
            tile: place.tile,
        };
        let read = |tile: &DecodedTile| tile.get(place.offset);
        let stored = self.cache.value(key, read, |known| {
            if decoding == Decoding::Never {
                return Err(None);
            }
            let decoded = SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
                Ok(mut scratch) => table.file.decode(place, known, &mut scratch),
                // A source of bytes that asks tables itself.
                Err(_) => table
                    .file
                    .decode(place, known, &mut DecoderScratch::default()),
            });
            decoded.map_err(Some)
        });
        let stored = match stored {
            Ok(stored) => stored,
            Err(None) => return Ok(None),
            Err(Some(error)) => return Err(error),
        };
        // A value that a capture gives is not stored: what is, may be less.
        let mut best = table.checked(stored, position)?;
        if can_capture(position) {
            for play in &self.rules().moves(position) {
                if play.captured + play.conceded > 0 {
                    match self.resolved(&play.position, decoding)? {
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
        decoding: Decoding,
    ) -> Result<Option<Value>, TableError> {
        match self.rules().turn(position) {
            Turn::Over(over) => Ok(Some(over.value)),
            Turn::Play(moves) => {
                let mut best = None;
                for play in &moves {
                    match self.resolved(&play.position, decoding)? {
                        Some(child) => best = best.max(Some(play.value(child))),
                        None => return Ok(None),
                    }
                }
                Ok(best)
            }
        }
    }
}

impl LayerTable {
    /// A value that the position can have; checksums make sure that others do not occur.
    fn checked(&self, seeds: i8, position: &Position) -> Result<Value, TableError> {
        Value::new(seeds)
            .filter(|_| seeds.unsigned_abs() <= position.seeds())
            .ok_or_else(|| TableError::Damaged {
                path: self.file.path.clone(),
                what: format!("it gives {position} a value of {seeds}"),
            })
    }
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

//! Building tables: solving layers in order and adding them to a directory.

use std::time::{Duration, Instant};

use thiserror::Error;

use crate::cycles::Cycles;
use crate::index::{Layer, half};
use crate::solver::{self, Progress, Solver};
use crate::table::{self, LayerStatistics, TableError, TableWriter};

/// What to build, and with what.
///
/// ```
/// use granero::build::{Build, Watch};
/// use granero::table::TableWriter;
/// use granero::{Cycles, Ruleset};
///
/// struct Silent;
/// impl Watch for Silent {}
///
/// # let place = std::env::temp_dir().join(format!("granero-doc-{}", std::process::id()));
/// let cycles = Cycles::Split;
/// let build = Build { cycles, seeds: 5, threads: 1, memory: 1 << 30 };
/// let mut tables = TableWriter::open(&place, Ruleset::Abapa, cycles)?;
/// let built = build.run(&mut tables, &Silent)?;
/// assert_eq!(built.len(), 6);
/// # std::fs::remove_dir_all(place).unwrap();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build {
    /// What endless play is worth: as in the tables that are built.
    pub cycles: Cycles,
    /// The seeds of the last layer, at most [`solver::MAX_SEEDS`].
    pub seeds: u8,
    /// How many threads work.
    pub threads: usize,
    /// How many bytes of memory may be used.
    pub memory: u64,
}

/// What somebody who watches a build is told. All of it is optional.
///
/// ```
/// use granero::build::Watch;
/// use granero::index::Layer;
///
/// struct Print;
/// impl Watch for Print {
///     fn layer_begins(&self, layer: Layer) {
///         println!("{} seeds …", layer.seeds());
///     }
/// }
/// ```
pub trait Watch: Sync {
    /// A layer that is there already is read, because captures from others lead to it.
    fn layer_is_read(&self, _layer: Layer) {}
    /// The work on a layer begins.
    fn layer_begins(&self, _layer: Layer) {}
    /// The work on a layer goes on.
    fn layer_goes_on(&self, _layer: Layer, _progress: Progress) {}
    /// A layer is solved and is being written.
    fn layer_is_solved(&self, _layer: Layer) {}
    /// A layer is finished and on the medium.
    fn layer_is_finished(&self, _built: &BuiltLayer) {}
}

/// A layer that a build has finished.
///
/// ```
/// use granero::build::BuiltLayer;
///
/// fn rate(built: &BuiltLayer) -> f64 {
///     built.statistics.positions as f64 / built.total.as_secs_f64()
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltLayer {
    /// What its positions are worth.
    pub statistics: LayerStatistics,
    /// The time it took to solve it.
    pub solving: Duration,
    /// The time it took altogether.
    pub total: Duration,
}

/// Why a build stopped.
///
/// ```
/// use granero::Cycles;
/// use granero::build::{Build, BuildError};
///
/// let build = Build { cycles: Cycles::Split, seeds: 20, threads: 1, memory: 1 << 20 };
/// assert!(matches!(build.check(), Err(BuildError::TooLittleMemory { .. })));
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The tables cannot be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The operating system gives us no threads.
    #[error("{threads} threads cannot be started: {reason}")]
    NoThreads {
        /// The threads asked for.
        threads: usize,
        /// Why not.
        reason: String,
    },
    /// No machine could, with this program.
    #[error(
        "layers of {seeds} seeds cannot be solved, only those of up to {}",
        solver::MAX_SEEDS
    )]
    TooManySeeds {
        /// The seeds asked for.
        seeds: u8,
    },
    /// The memory is not enough.
    #[error(
        "{seeds} seeds need {} of memory, and {} may be used",
        bytes(*needed),
        bytes(*allowed)
    )]
    TooLittleMemory {
        /// The seeds asked for.
        seeds: u8,
        /// The bytes needed.
        needed: u64,
        /// The bytes that may be used.
        allowed: u64,
        /// The most seeds for which they are enough, if any.
        possible: Option<u8>,
    },
}

/// A number of bytes for people.
///
/// ```
/// assert_eq!(granero::build::bytes(1536), "1.5 KiB");
/// ```
pub fn bytes(bytes: u64) -> String {
    let mut amount = bytes as f64;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if amount < 1024.0 {
            let digits = usize::from(unit != "B" && amount < 100.0);
            return format!("{amount:.digits$} {unit}");
        }
        amount /= 1024.0;
    }
    format!("{amount:.1} TiB")
}

/// The most memory that solving layers up to some number of seeds needs at a time, in
/// bytes: a little more than two bytes for each position of the last layer, or than six where
/// positions have bounds; and the tables of half-boards.
///
/// More is used where it is allowed, to keep smaller layers at hand.
///
/// ```
/// use granero::Cycles;
/// use granero::build::memory_needed;
/// use granero::index::Layer;
///
/// let positions = Layer::new(24).unwrap().len();
/// assert!(memory_needed(Cycles::Split, 24, 2) < 3 * positions);
/// ```
///
/// # Panics
///
/// If there are more than 48 seeds.
pub fn memory_needed(cycles: Cycles, seeds: u8, threads: usize) -> u64 {
    let layer = Layer::new(seeds).expect("at most 48 seeds");
    // While a layer is solved: a byte and two bits for each position, with the ends of
    // rows of bits. While it is put together or turned: two bytes;
    // while it is written, less.
    let rows_of_bits: u64 = (0..=seeds)
        .map(|own| {
            let rows = u64::from(half::count(seeds - own));
            rows * u64::from(half::count(own)).div_ceil(64) * 8
        })
        .sum();
    // While captures are looked up: a byte, and a smaller layer that is read, or read and
    // turned.
    let captured = seeds
        .checked_sub(2)
        .and_then(Layer::new)
        .map_or(0, Layer::len);
    let measures = cycles.measures();
    let file_bytes = file_bytes(cycles, layer);
    let encoding = table::encoding_memory(layer, measures.low(), file_bytes, threads);
    let writing = numbers_each(cycles) * layer.len() + encoding;
    let working = match cycles {
        Cycles::Split => (layer.len() + 2 * rows_of_bits)
            .max(2 * layer.len())
            .max(layer.len() + 2 * captured),
        // By plane: what is known of a position, what captures give, and the result.
        Cycles::OwnSide => (6 * layer.len() + 2 * rows_of_bits).max(2 * layer.len() + 2 * captured),
    };
    working.max(writing) + graph_memory(seeds, threads) + solver::parcel_memory(threads)
}

/// How many numbers are kept for each position.
fn numbers_each(cycles: Cycles) -> u64 {
    cycles.measures().into_iter().count() as u64
}

/// What the tables of half-boards and the program itself take.
fn graph_memory(seeds: u8, threads: usize) -> u64 {
    let half_boards: u64 = (0..=seeds).map(|seeds| u64::from(half::count(seeds))).sum();
    // Measured: about 150 bytes for a half-board, while the tables are made; some are
    // made twice, for one worker and for all. The program takes 8 MiB, and the allocator and
    // the stacks some more.
    let copies = if threads == 1 { 1 } else { 2 };
    // For either kind of news, a row of it may wait to be served.
    let waiting = 2 * (1 + 8);
    half_boards * (150 * copies + 4 * threads as u64 + waiting) + (20 << 20)
}

/// The disk that the files of a layer need, in bytes; a little more than it turns out to
/// be.
///
/// ```
/// use granero::Cycles;
/// use granero::build::file_bytes;
/// use granero::index::Layer;
///
/// // Less than two bits and a half for a position.
/// let layer = Layer::new(18).unwrap();
/// assert!(file_bytes(Cycles::Split, layer) < layer.len() * 5 / 16);
/// ```
pub fn file_bytes(cycles: Cycles, layer: Layer) -> u64 {
    // Measured, see docs/performance.md.
    match cycles {
        Cycles::Split => layer.len() * 19 / 64 + (8 << 10),
        Cycles::OwnSide => layer.len() / 2 + (16 << 10),
    }
}

/// The disk that the tables up to some number of seeds need, in bytes.
///
/// ```
/// use granero::Cycles;
/// use granero::build::disk_needed;
///
/// assert!(disk_needed(Cycles::Split, 18) < 30 << 20);
/// ```
pub fn disk_needed(cycles: Cycles, seeds: u8) -> u64 {
    let layers = Layer::all().take(usize::from(seeds) + 1);
    layers.map(|layer| file_bytes(cycles, layer)).sum()
}

impl Build {
    /// Whether this can be built at all.
    ///
    /// # Errors
    ///
    /// [`BuildError::TooManySeeds`] or [`BuildError::TooLittleMemory`].
    ///
    /// ```
    /// use granero::Cycles;
    /// use granero::build::Build;
    ///
    /// let build = Build { cycles: Cycles::Split, seeds: 10, threads: 1, memory: 1 << 30 };
    /// assert!(build.check().is_ok());
    /// ```
    pub fn check(&self) -> Result<(), BuildError> {
        let Build {
            cycles,
            seeds,
            threads,
            memory,
        } = *self;
        if seeds > solver::MAX_SEEDS {
            return Err(BuildError::TooManySeeds { seeds });
        }
        let needed = memory_needed(cycles, seeds, threads);
        if needed > memory {
            let fits = |seeds: &u8| memory_needed(cycles, *seeds, threads) <= memory;
            return Err(BuildError::TooLittleMemory {
                seeds,
                needed,
                allowed: memory,
                possible: (0..seeds).rev().find(fits),
            });
        }
        Ok(())
    }

    /// Solves the layers that the tables have not got yet, and adds them.
    ///
    /// # Errors
    ///
    /// [`BuildError`]; the layers that are finished stay. Also when the directory of the tables
    /// is not in its place any more, or a file of theirs is gone.
    ///
    /// # Panics
    ///
    /// If the tables are of the other convention for endless play.
    pub fn run(
        &self,
        tables: &mut TableWriter,
        watch: &impl Watch,
    ) -> Result<Vec<BuiltLayer>, BuildError> {
        assert_eq!(tables.manifest().cycles, self.cycles);
        let finished = tables.manifest().finished();
        if finished > self.seeds {
            return tables.confirm().map(|()| Vec::new()).map_err(Into::into);
        }
        self.check()?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads);
        let pool = pool.build().map_err(|error| BuildError::NoThreads {
            threads: self.threads,
            reason: error.to_string(),
        })?;
        let built = pool.install(|| self.run_in_pool(tables, watch));
        built.map_err(|error| match error {
            BuildError::Table(error) => tables.cause(error).into(),
            error => error,
        })
    }

    /// The disk that the build needs for the time being, where memory is scarce: smaller
    /// layers that are not kept in memory.
    ///
    /// ```
    /// use granero::Cycles;
    /// use granero::build::Build;
    ///
    /// let build = Build { cycles: Cycles::Split, seeds: 20, threads: 2, memory: 4 << 30 };
    /// assert_eq!(build.temporary_disk(), 0);
    /// ```
    pub fn temporary_disk(&self) -> u64 {
        let smaller = Layer::all().take(usize::from(self.seeds.saturating_sub(1)));
        let measures = self.cycles.measures();
        let pieces = smaller.flat_map(|layer| measures.map(|_| layer.len()));
        let place = |(room, disk): (u64, u64), (_, bytes): (_, u64)| match room.checked_sub(bytes) {
            Some(room) => (room, disk),
            None => (room, disk + bytes),
        };
        let (_, disk) = pieces.fold((self.room(), 0), place);
        disk
    }

    /// How many bytes of smaller layers are kept in memory.
    fn room(&self) -> u64 {
        let positions = Layer::new(self.seeds).map_or(0, Layer::len);
        let left = self
            .memory
            .saturating_sub(memory_needed(self.cycles, self.seeds, self.threads));
        // More than this saves little time, and memory is not ours alone.
        left.min(positions * 3 / 2 * numbers_each(self.cycles))
    }

    fn run_in_pool(
        &self,
        tables: &mut TableWriter,
        watch: &impl Watch,
    ) -> Result<Vec<BuiltLayer>, BuildError> {
        let finished = tables.manifest().finished();
        let solver = Solver::new(
            tables.manifest().rules,
            self.cycles,
            self.seeds,
            self.threads,
        );
        tables.keep_in_memory(self.room());
        // No layer captures into the last two.
        let needed = self.seeds.saturating_sub(1);
        let mut built = Vec::new();
        for layer in Layer::all()
            .take(usize::from(self.seeds) + 1)
            .skip(usize::from(finished))
        {
            let seeds = layer.seeds();
            let begin = Instant::now();
            tables.prepare(solver.rows(), seeds.min(needed), |layer| {
                watch.layer_is_read(layer);
            })?;
            watch.layer_begins(layer);
            let goes_on = |progress| watch.layer_goes_on(layer, progress);
            let smaller = |seeds, bound| tables.smaller(seeds, bound);
            let values = solver.solve(layer, smaller, goes_on)?;
            let solving = begin.elapsed();
            watch.layer_is_solved(layer);
            let statistics = tables
                .add_layer_using(solver.rows(), &values, seeds < needed)?
                .clone();
            let layer = BuiltLayer {
                statistics,
                solving,
                total: begin.elapsed(),
            };
            watch.layer_is_finished(&layer);
            built.push(layer);
        }
        tables.confirm()?;
        Ok(built)
    }
}

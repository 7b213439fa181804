//! Building tables: solves layers in order and adds them to a directory.

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::checkpoint::file::Checkpoint;
use crate::checkpoint::file::{joint_pieces_memory, pieces_memory};
use crate::cluster::ClusterError;
use crate::passes::progress::Progress;
use crate::passes::solved::SolvedLayer;
use crate::solve::{self, Solver};
use crate::write::encoded::{bits_memory, memory as encoding_memory};
use crate::write::next_layer::{NextLayer, Smaller};
use crate::write::turned_file::{own_strip_memory, strip_memory};
use crate::write::writer::TableWriter;
use granero_game::{Cycles, Extent};
use granero_table::TableError;
use granero_table::file::statistics::LayerStatistics;
use granero_table::index::{Layer, half};
use granero_table::rows::RowMoves;

/// What to build, and with which resources.
///
/// ```
/// use granero::build::{Build, Watch};
/// use granero::table::TableWriter;
/// use granero::{Cycles, Extent, Ruleset};
///
/// struct Silent;
/// impl Watch for Silent {}
///
/// # let place = std::env::temp_dir().join(format!("granero-doc-{}", std::process::id()));
/// let cycles = Cycles::Split;
/// let extent = Extent::FULL;
/// let build = Build { cycles, extent, seeds: 5, threads: 1, memory: 1 << 30, checkpoint: None };
/// let mut tables = TableWriter::open(&place, (Ruleset::Abapa, cycles))?;
/// let built = build.run(&mut tables, &Silent)?;
/// assert_eq!(built.len(), 6);
/// # std::fs::remove_dir_all(place).unwrap();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build {
    /// The convention for endless play, that of the tables.
    pub cycles: Cycles,
    /// How far values go, as in the tables.
    pub extent: Extent,
    /// The seeds of the last layer, at most [`MAX_SEEDS`](granero_game::MAX_SEEDS).
    pub seeds: u8,
    /// The number of threads. While a layer is written and the next one is solved, half as many come
    /// on top.
    pub threads: usize,
    /// The memory that may be used, in bytes.
    pub memory: u64,
    /// The time after which what is known of a layer is written to the disk, so that a build that
    /// is stopped goes on from there; `None` for never.
    pub checkpoint: Option<Duration>,
}

/// Reports of a build in progress. Implement the ones you need.
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
    /// The build reads a finished layer, because captures from larger layers lead to it.
    fn layer_is_read(&self, _layer: Layer) {}
    /// The build begins to solve a layer.
    fn layer_begins(&self, _layer: Layer) {}
    /// Solving a layer has made progress.
    fn layer_goes_on(&self, _layer: Layer, _progress: Progress) {}
    /// Something happened to a checkpoint of a layer.
    fn checkpoint(&self, _layer: Layer, _checkpoint: Checkpoint) {}
    /// A layer is solved, and the build begins to write it.
    fn layer_is_solved(&self, _layer: Layer) {}
    /// A layer is finished and on the medium.
    fn layer_is_finished(&self, _built: &BuiltLayer) {}
    /// Whether the build is to end: it is asked between layers, and whenever solving one has made
    /// progress. If so, [`Build::run`] returns [`BuildError::Stopped`]. [`Build::lead`] does not ask.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// A layer that a build has finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltLayer {
    /// What its positions are worth.
    pub statistics: LayerStatistics,
    /// The time that solving took.
    pub solving: Duration,
    /// The time for the whole layer, writing included.
    pub total: Duration,
}

/// Why a build stopped.
///
/// ```
/// use granero::build::{Build, BuildError};
/// use granero::{Cycles, Extent};
///
/// let build = Build {
///     cycles: Cycles::Split,
///     extent: Extent::FULL,
///     seeds: 20,
///     threads: 1,
///     memory: 1 << 20,
///     checkpoint: None,
/// };
/// assert!(matches!(build.check(), Err(BuildError::TooLittleMemory { .. })));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The tables cannot be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Ranks cannot build together, or no longer.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// The operating system cannot start the threads.
    #[error("{threads} threads cannot be started")]
    NoThreads {
        /// The number of threads.
        threads: usize,
        /// Why not.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The [`Watch`] has stopped it. Finished layers stay, and another build goes on from there.
    #[error("the build was stopped")]
    Stopped,
    /// The game has fewer seeds.
    #[error("the game whose values are wanted has {game} seeds in all, fewer than {seeds}")]
    BeyondTheGame {
        /// The seeds of the last layer.
        seeds: u8,
        /// All seeds of the game.
        game: u8,
    },
    /// There is not enough memory.
    #[error("{seeds} seeds need {}", more_than_may_be_used(*needed, *allowed))]
    TooLittleMemory {
        /// The seeds of the last layer.
        seeds: u8,
        /// The bytes needed.
        needed: u64,
        /// The bytes that may be used.
        allowed: u64,
        /// The most seeds that fit into these, if any do.
        possible: Option<u8>,
    },
}

/// A number of bytes as text for people.
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

/// What is needed and what may be used, which is less, in figures that differ even where the amounts are
/// close.
fn more_than_may_be_used(needed: u64, allowed: u64) -> String {
    let [needed, allowed] = match needed.saturating_sub(allowed) < needed / 16 {
        // One is rounded up and the other down.
        true => [needed.div_ceil(1 << 20), allowed >> 20].map(|amount| format!("{amount} MiB")),
        false => [bytes(needed), bytes(allowed)],
    };
    format!("{needed} of memory, and {allowed} may be used")
}

/// The peak memory for solving layers up to a number of seeds, in bytes: a byte and a quarter for
/// each position of the last layer at most, or three and a quarter where positions have bounds; and the
/// tables of half-boards.
///
/// A build that may use more keeps smaller layers in memory.
///
/// ```
/// use granero::Cycles;
/// use granero::build::memory_needed;
/// use granero::index::Layer;
///
/// let positions = Layer::new(30).unwrap().len();
/// assert!(memory_needed(Cycles::Split, 30, 2) < positions * 13 / 10 + (1 << 30));
/// ```
///
/// # Panics
///
/// If there are more than 48 seeds.
pub fn memory_needed(cycles: Cycles, seeds: u8, threads: usize) -> u64 {
    let layer = Layer::new(seeds).expect("at most 48 seeds");
    // A byte for each position and measure, all the time. Besides, one after the other; smaller
    // layers are read before the layer is solved, and again when it is encoded:
    let status = solve::status_bytes(cycles, layer);
    let solving = status + solve::news_bytes(layer) + pieces_memory(threads);
    let writing = writing_memory(cycles, layer, part_of_smaller(layer), threads);
    values_memory(cycles, layer)
        + solving.max(writing)
        + graph_memory(seeds)
        + solve::memory_at_hand(threads)
}

/// The bytes of the values of a layer.
fn values_memory(cycles: Cycles, layer: Layer) -> u64 {
    numbers_per_position(cycles) * layer.len()
}

/// The memory beside its values while a layer is written, in bytes. Parts of smaller layers that are
/// read have `part` bytes at most.
fn writing_memory(cycles: Cycles, layer: Layer, part: u64, threads: usize) -> u64 {
    let reading = bits_memory(layer) + part + pieces_memory(threads);
    let encoding = encoding_memory(layer, cycles.measures().low(), threads);
    let turning = 2 * largest_matrix(layer.seeds());
    reading.max(encoding).max(turning)
}

/// The most bytes of a part of a smaller layer, in a build up to this layer.
fn part_of_smaller(last: Layer) -> u64 {
    read_at_a_time(last).max(largest_matrix(last.seeds().saturating_sub(2)))
}

/// The peak memory of each of several ranks that build together, in bytes. Rank 0 needs most. Where it
/// goes on with tables, it reads whole layers first, see [`Build::check_together`].
///
/// ```
/// use granero::Cycles;
/// use granero::build::{memory_needed, memory_needed_together};
///
/// let alone = memory_needed(Cycles::Split, 24, 1);
/// assert!(memory_needed_together(Cycles::Split, 24, 1, 2) < alone * 6 / 10);
/// ```
///
/// # Panics
///
/// If there are more than 48 seeds, or no ranks.
pub fn memory_needed_together(cycles: Cycles, seeds: u8, threads: usize, ranks: usize) -> u64 {
    let layer = Layer::new(seeds).expect("at most 48 seeds");
    let measures = cycles.measures();
    // Ranks own nearly as much.
    let part = |bytes: u64| bytes.div_ceil(ranks as u64) * 101 / 100;
    let plane = numbers_per_position(cycles) * part(layer.len());
    let read = part_together(layer, ranks);
    let bits = part(bits_memory(layer));
    let reading = bits.max(full_halves(seeds)) + read + pieces_memory(threads);
    let status = part(solve::status_bytes(cycles, layer));
    // Each row of news is rounded up to whole words. Rank 0 writes checkpoints.
    let news = part(solve::news_bytes(layer)) + 8 * half_boards(seeds);
    let solving = status + news + joint_pieces_memory(threads);
    let encoding = encoding_memory(layer, measures.low(), threads) + bits - bits_memory(layer);
    // Rank 0 turns the layer in strips.
    let turning = strip_memory(layer) + pieces_memory(threads);
    plane
        + reading.max(solving).max(encoding).max(turning)
        + shared_graph_memory(seeds, ranks)
        + solve::memory_at_hand(threads)
        + solve::memory_of_post(ranks)
}

/// The memory for the tables of half-boards and for the program where ranks build together, in bytes.
fn shared_graph_memory(seeds: u8, ranks: usize) -> u64 {
    // Measured: a rank has 44 bytes for each half-board, two for the owner, 61 for each that it owns, and
    // for which other ranks have predecessors 7 with 2 ranks, 12 with 4, 16 with 16, 18 with 64.
    let ranks = ranks as u64;
    let all = 46 + (8 * (ranks - 1)).min(20);
    half_boards(seeds) * all + half_boards(seeds) * 64 / ranks + PROGRAM
}

/// How many half-boards have up to so many seeds.
fn half_boards(seeds: u8) -> u64 {
    (0..=seeds).map(|seeds| u64::from(half::count(seeds))).sum()
}

/// The memory for what moves do to half-boards without an empty house, in bytes, at most.
fn full_halves(seeds: u8) -> u64 {
    let of_matrix = |own_seeds: u8| {
        let full = (seeds - own_seeds).checked_sub(6).map_or(0, half::count);
        16 * (u64::from(own_seeds) + 1) * u64::from(full)
    };
    (0..=seeds).map(of_matrix).sum()
}

/// The most bytes that are read of a smaller layer at a time, unless a single row has more: with
/// the bits that are there while this layer is encoded, as much as news takes while it is solved.
fn read_at_a_time(layer: Layer) -> u64 {
    solve::news_bytes(layer) - bits_memory(layer)
}

/// The same for each of several ranks. Each part takes a look at all rows, so it is not too small.
pub(crate) fn read_together(layer: Layer, ranks: usize) -> u64 {
    (read_at_a_time(layer) / ranks as u64).max(4 << 20)
}

/// The most bytes of a part of a smaller layer, for each of several ranks.
fn part_together(last: Layer, ranks: usize) -> u64 {
    read_together(last, ranks).max(u64::from(half::count(last.seeds())))
}

/// The memory for reading a whole layer, in bytes, if parts of smaller ones have `part` bytes at most. It
/// is read, completed, and written to a temporary file.
fn reading_memory(cycles: Cycles, layer: Layer, part: u64) -> u64 {
    // Of the positions that cannot come about, those of one matrix at a time.
    let full = largest_matrix(layer.seeds().saturating_sub(6)) * numbers_per_position(cycles);
    let completing = full + full_halves(layer.seeds());
    let turning = own_strip_memory(layer);
    values_memory(cycles, layer) + part.max(completing).max(turning)
}

/// The bytes of the largest matrix of a layer.
fn largest_matrix(seeds: u8) -> u64 {
    u64::from(half::count(seeds / 2)) * u64::from(half::count(seeds - seeds / 2))
}

/// The numbers that tables hold for each position.
fn numbers_per_position(cycles: Cycles) -> u64 {
    cycles.measures().into_iter().count() as u64
}

/// The memory for the tables of half-boards and for the program itself, in bytes.
fn graph_memory(seeds: u8) -> u64 {
    // Measured: 105 bytes for each half-board.
    half_boards(seeds) * 108 + PROGRAM
}

/// The memory for the program itself, in bytes: it takes 8 MiB, the allocator and the stacks some more.
const PROGRAM: u64 = 20 << 20;

/// The disk space for the files of a layer, in bytes: a slight overestimate.
///
/// ```
/// use granero::build::file_bytes;
/// use granero::index::Layer;
/// use granero::{Cycles, Extent};
///
/// // Less than two and a half bits for each position.
/// let layer = Layer::new(18).unwrap();
/// assert!(file_bytes(Cycles::Split, Extent::FULL, layer) < layer.len() * 5 / 16);
/// ```
pub fn file_bytes(cycles: Cycles, extent: Extent, layer: Layer) -> u64 {
    // Measured, see docs/performance.md.
    let (full, models) = match cycles {
        Cycles::Split => (layer.len() * 19 / 64, 8 << 10),
        Cycles::OwnSide => (layer.len() / 2, 16 << 10),
    };
    full * share_of_limit(cycles, extent, layer) / 64 + models
}

/// What is left of the size of a layer's file if values are cut off at the limit, in 64ths.
fn share_of_limit(cycles: Cycles, extent: Extent, layer: Layer) -> u64 {
    let limit = extent.limit(cycles, layer.seeds());
    if limit == layer.seeds() {
        return 64;
    }
    // Measured with layers of 12 to 18 seeds: it depends on the limit much more than on the layer.
    let shares: &[u64] = match cycles {
        Cycles::Split => &[24, 24, 34, 46, 52, 57, 60, 62, 63],
        Cycles::OwnSide => &[20, 20, 30, 40, 47, 53, 57, 60, 62, 63],
    };
    shares.get(usize::from(limit)).copied().unwrap_or(64)
}

/// The disk space for the tables up to a number of seeds, in bytes.
pub fn disk_needed(cycles: Cycles, extent: Extent, seeds: u8) -> u64 {
    let layers = Layer::all().take(usize::from(seeds) + 1);
    layers.map(|layer| file_bytes(cycles, extent, layer)).sum()
}

impl Build {
    /// Checks that this can be built.
    ///
    /// # Errors
    ///
    /// [`BuildError::BeyondTheGame`] or [`BuildError::TooLittleMemory`].
    ///
    /// # Panics
    ///
    /// If the layers would have more than 48 seeds.
    pub fn check(&self) -> Result<(), BuildError> {
        self.check_memory(memory_needed)
    }

    /// Checks that one of so many ranks can build this with others. `read` is the number of finished
    /// layers, which rank 0 reads whole; it is 0 for the other ranks.
    ///
    /// # Errors
    ///
    /// Like [`check`](Build::check).
    ///
    /// # Panics
    ///
    /// If the layers would have more than 48 seeds, or there are no ranks.
    pub fn check_together(&self, ranks: usize, read: u8) -> Result<(), BuildError> {
        self.check_memory(|cycles, seeds, threads| {
            let needed = memory_needed_together(cycles, seeds, threads, ranks);
            // No layer captures into the last two.
            let largest = read.min(seeds.saturating_sub(1)).checked_sub(1);
            let reading = largest.and_then(Layer::new).map_or(0, |layer| {
                let last = Layer::new(seeds).expect("at most 48 seeds");
                let part = part_together(last, ranks);
                reading_memory(cycles, layer, part) + pieces_memory(threads)
            });
            needed.max(reading + shared_graph_memory(seeds, ranks))
        })
    }

    fn check_memory(
        &self,
        memory_needed: impl Fn(Cycles, u8, usize) -> u64,
    ) -> Result<(), BuildError> {
        let Build {
            cycles,
            extent,
            seeds,
            threads,
            memory,
            ..
        } = *self;
        if seeds > extent.max_seeds() && !extent.is_full() {
            let game = extent.max_seeds();
            return Err(BuildError::BeyondTheGame { seeds, game });
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

    /// Solves the layers that are missing in the tables, and adds them.
    ///
    /// # Errors
    ///
    /// [`BuildError`]; finished layers stay. It is also an error if the directory of the tables
    /// was moved, or one of its files is gone.
    ///
    /// # Panics
    ///
    /// If the tables have the other convention for endless play, or another extent.
    pub fn run(
        &self,
        tables: &mut TableWriter,
        watch: &dyn Watch,
    ) -> Result<Vec<BuiltLayer>, BuildError> {
        let manifest = tables.manifest();
        let kind = (manifest.cycles, manifest.extent);
        assert_eq!(kind, (self.cycles, self.extent));
        let finished = tables.manifest().finished();
        if finished > self.seeds {
            return tables.confirm().map(|()| Vec::new()).map_err(Into::into);
        }
        self.check()?;
        let mut threads = Threads::new(self.threads)?;
        let built = self.build_missing(tables, &mut threads, watch);
        built.map_err(|error| match error {
            BuildError::Table(error) => tables.cause(error).into(),
            error => error,
        })
    }

    /// The disk space for files that are gone after the build, in bytes: the smaller layers for
    /// which there is no room in memory, and checkpoints of the last layer.
    pub fn temporary_disk(&self) -> u64 {
        let smaller = Layer::all().take(usize::from(self.seeds.saturating_sub(1)));
        let measures = self.cycles.measures();
        let pieces = smaller.flat_map(|layer| measures.map(|_| layer.len()));
        // Compressed, they take less than four bits for each position.
        let store = |(room, disk): (u64, u64), (_, bytes): (_, u64)| match room.checked_sub(bytes) {
            Some(room) => (room, disk),
            None => (room, disk + bytes / 2),
        };
        let (_, disk) = pieces.fold((self.room(), 0), store);
        disk + self.checkpoint.map_or(0, |_| self.checkpoints_disk())
    }

    /// The same if ranks build together: all smaller layers are in files.
    pub fn temporary_disk_together(&self) -> u64 {
        let layers = Layer::all().take(usize::from(self.seeds) + 1);
        let positions: u64 = layers.map(Layer::len).sum();
        let smaller = positions * numbers_per_position(self.cycles) / 2;
        smaller + self.checkpoint.map_or(0, |_| self.checkpoints_disk())
    }

    /// The disk space for two checkpoints of the last layer: one is written before the other goes.
    fn checkpoints_disk(&self) -> u64 {
        let positions = Layer::new(self.seeds).map_or(0, Layer::len);
        // Measured: 0.53 bytes for each position of 23 seeds, and 1.0 of 14 seeds with bounds. Larger
        // layers take a little more.
        2 * match self.cycles {
            Cycles::Split => positions * 5 / 8,
            // Two bits more where bytes do not count all children, see src/solver/known/arena.rs.
            Cycles::OwnSide if self.seeds > 35 => positions * 3 / 2,
            Cycles::OwnSide => positions * 5 / 4,
        }
    }

    /// The memory for smaller layers, in bytes.
    fn room(&self) -> u64 {
        let positions = Layer::new(self.seeds).map_or(0, Layer::len);
        let left = self
            .memory
            .saturating_sub(memory_needed(self.cycles, self.seeds, self.threads));
        // More than this saves little time, and other programs need memory, too.
        left.min(positions * 3 / 2 * numbers_per_position(self.cycles))
    }

    /// Whether the layer before is written while this one is being solved. With one thread, or
    /// without the memory for both, that is done first.
    fn writes_while_solving(&self, layer: Layer) -> bool {
        let before = layer.seeds().checked_sub(1).and_then(Layer::new);
        let (Some(writers), Some(before)) = (writers(self.threads), before) else {
            return false;
        };
        let last = Layer::new(self.seeds).expect("few enough seeds");
        let part = part_of_smaller(last);
        let writing =
            values_memory(self.cycles, before) + writing_memory(self.cycles, before, part, writers);
        // The tables of half-boards, and the parts that are read, are those of the last layer.
        let solving = memory_needed(self.cycles, layer.seeds(), self.threads) + part
            - graph_memory(layer.seeds())
            + graph_memory(self.seeds);
        solving + writing + self.room() <= self.memory
    }

    /// Solves and writes the layers that are missing: each is written while the next one is being
    /// solved, where memory allows.
    fn build_missing(
        &self,
        tables: &mut TableWriter,
        threads: &mut Threads,
        watch: &dyn Watch,
    ) -> Result<Vec<BuiltLayer>, BuildError> {
        let finished = tables.manifest().finished();
        let rules = tables.manifest().rules;
        let solver = Solver::new((rules, self.cycles, self.extent), self.seeds);
        let last = Layer::new(self.seeds).expect("few enough seeds");
        tables.keep_in_memory_and_read(self.room(), read_at_a_time(last));
        let mut built = Vec::new();
        let mut before: Option<Solved<'_>> = None;
        for layer in Layer::all()
            .take(usize::from(self.seeds) + 1)
            .skip(usize::from(finished))
        {
            let meanwhile = threads.writing.is_some() && self.writes_while_solving(layer);
            if !meanwhile && let Some(before) = before.take() {
                built.push(self.finish(before, tables, threads, watch)?);
            }
            // No capture takes a single seed. The layer before is needed if this one is to follow it
            // among those that are kept.
            let below = match before.is_none() && self.keeps(layer) {
                true => layer.seeds(),
                false => layer.seeds().saturating_sub(1),
            };
            let (solving, writing) = threads.of(layer);
            solving.install(|| {
                tables.prepare(solver.rows(), below, |layer| watch.layer_is_read(layer))
            })?;
            let (next, smaller) = tables.parts();
            let not_written = AtomicBool::new(false);
            let go_on = || match not_written.load(Ordering::Relaxed) || watch.is_stopped() {
                true => Err(BuildError::Stopped),
                false => Ok(()),
            };
            let solve = || {
                let solve = || Solved::new(&solver, layer, smaller, self.checkpoint, watch, go_on);
                solving.install(solve)
            };
            let (written, solved) = match before.as_ref().zip(writing) {
                None => (None, solve()),
                Some((before, writing)) => {
                    let mut written = None;
                    // The threads of `writing` are there already: the system need not give another.
                    let solved = writing.in_place_scope(|scope| {
                        scope.spawn(|_| {
                            let not_written = NotWritten(&not_written);
                            let result = before.write(next, watch);
                            if result.is_ok() {
                                std::mem::forget(not_written);
                            }
                            written = Some(result);
                        });
                        solve()
                    });
                    (written, solved)
                }
            };
            // If writing has failed, this is why solving has ended.
            if let (Some(before), Some(written)) = (&before, written) {
                built.push(written?);
                solving.install(|| self.keep(before, tables));
            }
            before = Some(solved?);
        }
        if let Some(last) = before {
            built.push(self.finish(last, tables, threads, watch)?);
        }
        tables.confirm()?;
        Ok(built)
    }

    /// Writes a layer, with all threads.
    fn finish(
        &self,
        solved: Solved<'_>,
        tables: &mut TableWriter,
        threads: &mut Threads,
        watch: &dyn Watch,
    ) -> Result<BuiltLayer, BuildError> {
        let (all, _) = threads.of(solved.values.layer());
        all.install(|| {
            let (next, _) = tables.parts();
            let built = solved.write(next, watch)?;
            self.keep(&solved, tables);
            Ok(built)
        })
    }

    /// Whether larger layers need a layer: none captures into the last two.
    fn keeps(&self, layer: Layer) -> bool {
        layer.seeds() + 1 < self.seeds
    }

    fn keep(&self, solved: &Solved<'_>, tables: &mut TableWriter) {
        if self.keeps(solved.values.layer()) {
            tables.keep(solved.values.values().as_ref());
        }
    }
}

/// Says that a layer is not written, unless this is forgotten: also if writing panics.
struct NotWritten<'a>(&'a AtomicBool);

impl Drop for NotWritten<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A layer that is solved.
struct Solved<'s> {
    rows: &'s RowMoves,
    values: SolvedLayer<'s>,
    begin: Instant,
    solving: Duration,
}

impl<'s> Solved<'s> {
    fn new(
        solver: &'s Solver,
        layer: Layer,
        smaller: Smaller<'_>,
        checkpoint: Option<Duration>,
        watch: &dyn Watch,
        go_on: impl Fn() -> Result<(), BuildError> + Sync,
    ) -> Result<Solved<'s>, BuildError> {
        let begin = Instant::now();
        watch.layer_begins(layer);
        go_on()?;
        let goes_on = |progress| {
            watch.layer_goes_on(layer, progress);
            go_on()
        };
        let part = |seeds, bound, from| Ok(smaller.part(seeds, bound, from)?);
        let note = |found| watch.checkpoint(layer, found);
        let mut checkpoints = smaller.checkpoints(layer, checkpoint, &note);
        let values = solver.solve_in_parts(layer, part, &mut checkpoints, goes_on)?;
        watch.layer_is_solved(layer);
        Ok(Solved {
            rows: solver.rows(),
            values,
            begin,
            solving: begin.elapsed(),
        })
    }

    fn write(&self, next: NextLayer<'_>, watch: &dyn Watch) -> Result<BuiltLayer, TableError> {
        let statistics = next.add(self.rows, self.values.values().as_ref())?;
        let built = BuiltLayer {
            statistics,
            solving: self.solving,
            total: self.begin.elapsed(),
        };
        watch.layer_is_finished(&built);
        Ok(built)
    }
}

/// The threads of a build.
pub(crate) struct Threads {
    all: ThreadPool,
    /// For the layer at hand, if it is too small for all.
    few: Option<ThreadPool>,
    /// For the layer that is written meanwhile.
    writing: Option<ThreadPool>,
}

/// How many threads write a layer while others solve the next one, if any do.
fn writers(threads: usize) -> Option<usize> {
    (threads > 1).then_some(threads / 2)
}

impl Threads {
    pub(crate) fn new(threads: usize) -> Result<Threads, BuildError> {
        let all = pool(threads).map_err(|error| BuildError::NoThreads {
            threads,
            source: error.into(),
        })?;
        // If the system gives no more threads, nothing is written meanwhile.
        let writing = writers(threads).and_then(|writers| pool(writers).ok());
        Ok(Threads {
            all,
            few: None,
            writing,
        })
    }

    /// The threads that solve a layer, and those that write the one before meanwhile.
    pub(crate) fn of(&mut self, layer: Layer) -> (&ThreadPool, Option<&ThreadPool>) {
        let worthwhile = (layer.len() / solve::WORTH_A_THREAD).max(1) as usize;
        let is_right = |few: &ThreadPool| few.current_num_threads() == worthwhile;
        if worthwhile >= self.all.current_num_threads() {
            self.few = None;
        } else if !self.few.as_ref().is_some_and(is_right) {
            // If the system gives no more threads, all that it gave before do.
            self.few = pool(worthwhile).ok();
        }
        (
            self.few.as_ref().unwrap_or(&self.all),
            self.writing.as_ref(),
        )
    }
}

fn pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads).build()
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use std::sync::atomic::AtomicUsize;
    use std::sync::{Condvar, Mutex};

    use super::*;
    use granero_game::rules::Ruleset;

    /// What is there at a time while a layer is encoded: the bits, and a part of a smaller layer.
    #[test]
    fn parts_of_smaller_layers_leave_room_for_the_bits() {
        for layer in Layer::all() {
            for cycles in Cycles::ALL {
                let seeds = layer.seeds();
                let matrix = largest_matrix(seeds.saturating_sub(2));
                let part = read_at_a_time(layer).max(matrix) + bits_memory(layer);
                let values = numbers_per_position(cycles) * layer.len();
                assert!(
                    values + part <= memory_needed(cycles, seeds, 1),
                    "{layer:?}"
                );
            }
        }
    }

    #[test]
    fn positions_with_bounds_need_3_3_bytes_while_their_layer_is_solved() {
        for layer in Layer::all().skip(16) {
            let cycles = Cycles::OwnSide;
            let solving = values_memory(cycles, layer)
                + solve::status_bytes(cycles, layer)
                + solve::news_bytes(layer);
            assert!(solving <= layer.len() / 10 * 33, "{layer:?}");
        }
    }

    #[test]
    fn what_is_needed_and_what_may_be_used_differ_in_words() {
        for (needed, allowed, words) in [
            (
                4 << 30,
                3 << 30,
                "4.0 GiB of memory, and 3.0 GiB may be used",
            ),
            (
                (4 << 30) + 1,
                4 << 30,
                "4097 MiB of memory, and 4096 MiB may be used",
            ),
            (
                1 << 30,
                (1 << 30) - (200 << 10),
                "1024 MiB of memory, and 1023 MiB may be used",
            ),
            (
                4 << 30,
                (4 << 30) - 1,
                "4096 MiB of memory, and 4095 MiB may be used",
            ),
        ] {
            assert_eq!(more_than_may_be_used(needed, allowed), words);
        }
    }

    /// Does not let a layer be finished before work on the next one has begun.
    struct Patient {
        last: u8,
        begun: Mutex<Option<u8>>,
        more: Condvar,
    }

    impl Watch for Patient {
        fn layer_begins(&self, layer: Layer) {
            *self.begun.lock().unwrap() = Some(layer.seeds());
            self.more.notify_all();
        }

        fn layer_is_finished(&self, built: &BuiltLayer) {
            let seeds = built.statistics.seeds;
            if seeds < self.last {
                let begun = self.begun.lock().unwrap();
                drop(self.more.wait_while(begun, |begun| *begun <= Some(seeds)));
            }
        }
    }

    #[test]
    fn a_layer_is_written_while_the_next_one_is_solved() {
        const SEEDS: u8 = 7;
        for cycles in Cycles::ALL {
            let mut files = Vec::new();
            for memory in [u64::MAX, memory_needed(cycles, SEEDS, 2)] {
                let place = tempfile::tempdir().unwrap();
                let mut tables = TableWriter::open(place.path(), (Ruleset::Abapa, cycles)).unwrap();
                let build = Build {
                    cycles,
                    extent: Extent::FULL,
                    seeds: SEEDS,
                    threads: 2,
                    memory,
                    checkpoint: None,
                };
                let last = Layer::new(SEEDS).unwrap();
                let meanwhile = build.writes_while_solving(last);
                assert_eq!(meanwhile, memory == u64::MAX);
                let watch = Patient {
                    last: if meanwhile { SEEDS } else { 0 },
                    begun: Mutex::default(),
                    more: Condvar::new(),
                };
                let built = build.run(&mut tables, &watch).unwrap();
                assert!(
                    built
                        .iter()
                        .map(|built| built.statistics.seeds)
                        .eq(0..=SEEDS)
                );
                let entries = tables.manifest().files();
                files.push(entries.map(|file| file.sha256).collect::<Vec<_>>());
            }
            assert!(files[0] == files[1]);
        }
    }

    /// Takes the tables away when a layer is solved and those before it are written, so that it cannot
    /// be written.
    #[cfg(unix)]
    struct Robber<'a> {
        place: &'a std::path::Path,
        layer: u8,
        begun: AtomicBool,
        /// The layers that are finished.
        finished: AtomicUsize,
    }

    #[cfg(unix)]
    impl Watch for Robber<'_> {
        fn layer_begins(&self, layer: Layer) {
            if layer.seeds() > self.layer {
                self.begun.store(true, Ordering::Relaxed);
            }
        }

        fn layer_goes_on(&self, layer: Layer, _: Progress) {
            if layer.seeds() > self.layer {
                std::thread::sleep(Duration::from_millis(50));
            }
        }

        fn layer_is_solved(&self, layer: Layer) {
            assert!(layer.seeds() <= self.layer, "solved in vain");
            if layer.seeds() == self.layer {
                while self.finished.load(Ordering::Relaxed) < usize::from(self.layer) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                std::fs::remove_dir_all(self.place).unwrap();
            }
        }

        fn layer_is_finished(&self, _: &BuiltLayer) {
            self.finished.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    #[cfg(unix)]
    fn solving_ends_if_the_layer_before_cannot_be_written() {
        let place = tempfile::tempdir().unwrap();
        let cycles = Cycles::Split;
        let mut tables = TableWriter::open(place.path(), (Ruleset::Abapa, cycles)).unwrap();
        let build = Build {
            cycles,
            extent: Extent::FULL,
            seeds: 9,
            threads: 2,
            memory: u64::MAX,
            checkpoint: None,
        };
        let path = tables.path().to_path_buf();
        let watch = Robber {
            place: &path,
            layer: 7,
            begun: AtomicBool::new(false),
            finished: AtomicUsize::new(0),
        };
        let found = build.run(&mut tables, &watch);
        assert!(matches!(found, Err(BuildError::Table(_))), "{found:?}");
        assert!(watch.begun.into_inner());
    }

    #[test]
    fn checkpoints_take_disk() {
        let build = Build {
            cycles: Cycles::OwnSide,
            extent: Extent::FULL,
            seeds: 20,
            threads: 1,
            memory: u64::MAX,
            checkpoint: None,
        };
        assert_eq!(build.temporary_disk(), 0);
        let checkpoint = Some(Duration::ZERO);
        let with = Build {
            checkpoint,
            ..build
        };
        assert_eq!(with.temporary_disk(), 211_680_786);
        let together = build.temporary_disk_together();
        assert_eq!(with.temporary_disk_together(), together + 211_680_786);
    }
}

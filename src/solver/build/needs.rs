//! The memory that a build needs.

use crate::bands::queues_memory;
use crate::checkpoint::pieces_memory;
use crate::graph::Layout;
use crate::passes::MAPPED_LEAST;
use crate::sweep::{self, Scratch};
use crate::thresholds;
use crate::tuning::Tuning;
use crate::write::{encoding_memory, own_strip_memory};
use granero_game::{Cycles, Extent};
use granero_table::index::{Layer, half};

/// The memory that a build needs for a layer, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// All the time: the values of the layer. With sweeps also those of unreachable positions: first the best captures.
    pub values: u64,
    /// All the time: the tables of half-boards, and the program itself.
    pub graph: u64,
    /// All the time: the scratch memory of the threads.
    pub scratch: u64,
    /// All the time: messages to and from other processes.
    pub messages: u64,
    /// While the layer is encoded: a part of a smaller layer. While captures are looked up, a process that builds alone
    /// has no news yet, and a part may take its memory.
    pub reading: u64,
    /// While the layer is encoded: the values of unreachable positions that are found at a time.
    pub unreachable: u64,
    /// At the same time: moves of half-boards without an empty house.
    pub completing: u64,
    /// While the layer is solved: its state besides the values.
    pub status: u64,
    /// While the layer is solved: news.
    pub news: u64,
    /// While the layer is solved: a checkpoint.
    pub checkpoint: u64,
    /// While the layer is encoded: the block index, blocks, and counts of symbols.
    pub encoding: u64,
    /// While the layer is turned.
    pub turning: u64,
    /// While a layer that was solved in bands is written: the least for pages of its values.
    pub mapped: u64,
}

impl Needs {
    /// The needs of the engine of bands and of several processes, for the layer that needs most.
    pub fn new(cycles: Cycles, extent: Extent, seeds: u8, threads: usize) -> Needs {
        let last = Layer::new(seeds).expect("at most 48 seeds");
        let needs =
            last_layers(seeds).map(|layer| Needs::of_layer(cycles, extent, layer, last, threads));
        needs.max_by_key(Needs::peak).expect("a layer")
    }

    /// The needs for a layer in a build of which some layers are solved in bands. With `part` so many
    /// bytes of a smaller layer are read at a time.
    pub(super) fn in_bands(
        cycles: Cycles,
        extent: Extent,
        layer: Layer,
        last: Layer,
        threads: usize,
        bands: u64,
        part: Option<u64>,
    ) -> Needs {
        let (plane, news) = thresholds::band_bytes(cycles, extent, layer, bands);
        let whole = Needs::of_layer(cycles, extent, layer, last, threads);
        let part = part.unwrap_or((news / 3).max(Tuning::USUAL.piece as u64));
        let at_once = (2 * part).max(largest_unreachable_matrix(layer));
        Needs {
            // The sweeps of smaller layers have tables of their own.
            graph: whole.graph + half_boards(last.seeds()) * 66,
            // Solved in several bands, they are in files.
            values: if bands == 1 { whole.values } else { 0 },
            status: match (cycles, bands) {
                (_, 1) => whole.status,
                (Cycles::Split, _) => plane,
                (Cycles::OwnSide, _) => thresholds::status_of_band(layer, plane, threads),
            },
            messages: if bands == 1 {
                0
            } else {
                queues_memory(bands, threads)
            },
            reading: part + pieces_memory(threads),
            unreachable: numbers_per_position(cycles) * unreachable_positions(layer).min(at_once),
            news,
            turning: own_strip_memory(layer, part),
            mapped: if bands == 1 {
                0
            } else {
                (threads * MAPPED_LEAST) as u64
            },
            ..whole
        }
    }

    /// The needs for a layer that is swept in memory. With `part` so many bytes of a smaller layer are read at a time.
    pub(super) fn swept(
        cycles: Cycles,
        layer: Layer,
        last: Layer,
        threads: usize,
        part: Option<u64>,
    ) -> Needs {
        let (values, status) = sweep::memory(cycles, layer);
        Needs {
            values,
            graph: half_boards(last.seeds()) * 108 + PROGRAM,
            scratch: (threads * Scratch::MEMORY) as u64,
            messages: 0,
            reading: part.unwrap_or_else(|| largest_part(last)) + pieces_memory(threads),
            unreachable: 0,
            completing: 0,
            status,
            news: 0,
            checkpoint: pieces_memory(threads),
            encoding: encoding_memory(layer, cycles, threads),
            turning: 2 * largest_matrix(layer.seeds()),
            mapped: 0,
        }
    }

    /// The needs of the engine of bands and of several processes, for one of the layers of a build up to `last`.
    pub(super) fn of_layer(
        cycles: Cycles,
        extent: Extent,
        layer: Layer,
        last: Layer,
        threads: usize,
    ) -> Needs {
        let at_once = (2 * part_to_read(last)).max(largest_unreachable_matrix(layer));
        let numbers = numbers_per_position(cycles);
        Needs {
            values: thresholds::values_bytes(cycles, extent, layer),
            // Measured: 105 bytes for each half-board.
            graph: half_boards(last.seeds()) * 108 + PROGRAM,
            scratch: thresholds::scratch_memory(threads),
            messages: 0,
            reading: largest_part(last) + pieces_memory(threads),
            unreachable: numbers * unreachable_positions(layer).min(at_once),
            completing: matrices_of_halves(layer.seeds()).max().unwrap_or(0),
            status: thresholds::status_bytes(cycles, layer),
            news: thresholds::news_bytes(layer),
            checkpoint: pieces_memory(threads),
            encoding: encoding_memory(layer, cycles, threads),
            turning: 2 * largest_matrix(layer.seeds()),
            mapped: 0,
        }
    }

    /// The most memory that is needed at a time.
    pub fn peak(&self) -> u64 {
        let solving = self.status + self.news + self.checkpoint;
        self.values + self.graph + self.scratch + self.messages + solving.max(self.writing())
    }

    /// The most bytes that are read of a smaller layer at a time.
    pub(super) fn part(&self) -> u64 {
        self.reading - self.checkpoint
    }

    /// The most memory beside the values while a layer is read or written.
    pub(super) fn writing(&self) -> u64 {
        let summing = self.unreachable + self.completing + self.reading;
        (summing + self.encoding).max(self.turning) + self.mapped
    }
}

/// The peak memory for solving layers up to a number of seeds, in bytes: some two bytes for each position of the last
/// layer, or six where positions have bounds; and the tables of half-boards.
///
/// A build that may use more keeps smaller layers in memory.
///
/// ```
/// use granero::build::memory_needed;
/// use granero::index::Layer;
/// use granero::{Cycles, Extent};
///
/// let positions = Layer::new(30).unwrap().len();
/// assert!(memory_needed(Cycles::Split, Extent::FULL, 30, 2) < positions * 17 / 8);
/// ```
///
/// # Panics
///
/// If there are more than 48 seeds.
pub fn memory_needed(cycles: Cycles, _: Extent, seeds: u8, threads: usize) -> u64 {
    let last = Layer::new(seeds).expect("at most 48 seeds");
    Needs::swept(cycles, last, last, threads, None).peak()
}

/// The layers of which one needs most: in the last two of the game half a byte may be enough for a position.
pub(super) fn last_layers(seeds: u8) -> impl Iterator<Item = Layer> {
    (seeds.saturating_sub(2)..=seeds).filter_map(Layer::new)
}

/// The least memory with which layers up to a number of seeds can be solved, in bytes. With less than
/// [`memory_needed`], a layer lies in temporary files, and is solved in bands.
///
/// ```
/// use granero::build::{least_memory, memory_needed};
/// use granero::{Cycles, Extent};
///
/// let [least, needed] = [least_memory, memory_needed].map(|it| it(Cycles::Split, Extent::FULL, 30, 2));
/// assert!(least < needed / 5);
/// ```
///
/// # Panics
///
/// If there are more than 48 seeds.
pub fn least_memory(cycles: Cycles, extent: Extent, seeds: u8, threads: usize) -> u64 {
    let needed = memory_needed(cycles, extent, seeds, threads);
    let last = Layer::new(seeds).expect("at most 48 seeds");
    let least = last_layers(seeds).map(|layer| {
        let needs = |bands| Needs::in_bands(cycles, extent, layer, last, threads, bands, None);
        // Each band has a queue, so more bands may need more.
        let peaks = (2..=MOST_BANDS).map(|bands| needs(bands).peak());
        peaks.min().expect("a number of bands")
    });
    needed.min(least.max().expect("a layer"))
}

/// The most bands of a layer: more save little memory.
pub(super) const MOST_BANDS: u64 = 64;

/// The memory for the program itself, in bytes: 8 MiB, and some more for the allocator and the stacks.
#[doc(hidden)]
pub const PROGRAM: u64 = 20 << 20;

/// The most bytes of a part of a smaller layer, in a build up to this layer.
fn largest_part(last: Layer) -> u64 {
    part_to_read(last).max(largest_matrix(last.seeds().saturating_sub(2)))
}

/// The most bytes that are read of a smaller layer at a time, unless a single row has more: a third of the memory for
/// news, and twice as much is for unreachable positions.
#[doc(hidden)]
pub fn part_to_read(last: Layer) -> u64 {
    thresholds::news_bytes(last) / 3
}

/// The number of half-boards with up to `seeds` seeds.
#[doc(hidden)]
pub fn half_boards(seeds: u8) -> u64 {
    (0..=seeds).map(|seeds| u64::from(half::count(seeds))).sum()
}

/// The most memory for the moves of half-boards without an empty house, in bytes.
#[doc(hidden)]
pub fn unreachable_halves(seeds: u8) -> u64 {
    matrices_of_halves(seeds).sum()
}

/// By matrix: the most memory for the moves of half-boards without an empty house, in bytes.
fn matrices_of_halves(seeds: u8) -> impl Iterator<Item = u64> {
    (0..=seeds).map(move |own_seeds| {
        let unreachable = (seeds - own_seeds).checked_sub(6).map_or(0, half::count);
        16 * (u64::from(own_seeds) + 1) * u64::from(unreachable)
    })
}

#[doc(hidden)]
pub fn unreachable_positions(layer: Layer) -> u64 {
    let layout = Layout::new(layer);
    layout.unreachable_len(layout.matrices()) as u64
}

/// The most unreachable positions of a matrix.
fn largest_unreachable_matrix(layer: Layer) -> u64 {
    // Without a seed of each of the opponent's houses these are all positions of a smaller layer.
    layer.seeds().checked_sub(6).map_or(0, largest_matrix)
}

/// The memory for reading a whole layer, in bytes, if parts of smaller ones have `part` bytes at most. It
/// is read, turned, completed, and written to a temporary file.
#[doc(hidden)]
pub fn reading_memory(cycles: Cycles, layer: Layer, part: u64) -> u64 {
    let numbers = numbers_per_position(cycles);
    // The unreachable positions of one matrix at a time.
    let unreachable = largest_unreachable_matrix(layer) * numbers;
    let completing = unreachable + unreachable_halves(layer.seeds());
    let turning = own_strip_memory(layer, u64::MAX);
    2 * numbers * layer.len() + part.max(completing).max(turning)
}

/// The memory for reading a finished layer in a build up to `seeds` seeds, in bytes.
pub(super) fn resuming_memory(cycles: Cycles, seeds: u8, layer: Layer) -> u64 {
    let last = Layer::new(seeds).expect("at most 48 seeds");
    reading_memory(cycles, layer, largest_part(last)) + half_boards(seeds) * 108 + PROGRAM
}

/// The bytes of the largest matrix of a layer.
pub(super) fn largest_matrix(seeds: u8) -> u64 {
    u64::from(half::count(seeds / 2)) * u64::from(half::count(seeds - seeds / 2))
}

/// The numbers that tables hold for each position.
#[doc(hidden)]
pub fn numbers_per_position(cycles: Cycles) -> u64 {
    cycles.measures().into_iter().count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_need_2_3_bytes_and_bounds_6_5() {
        for seeds in 24..=30 {
            let layer = Layer::new(seeds).unwrap();
            let stored = layer.len() - Layer::new(seeds - 6).unwrap().len();
            let needs = |cycles| {
                let needs = Needs::swept(cycles, layer, layer, 1, None);
                (needs.values + needs.status) as f64 / stored as f64
            };
            assert!(needs(Cycles::Split) < 2.31, "{seeds}");
            assert!(needs(Cycles::OwnSide) < 6.54, "{seeds}");
        }
    }
}

//! The disk space that a build needs.

use super::Build;
use super::needs::numbers_per_position;
use granero_game::{Cycles, Extent};
use granero_table::index::Layer;

/// The disk space for the files of a layer, in bytes: a slight overestimate.
///
/// ```
/// use granero::build::file_bytes;
/// use granero::index::Layer;
/// use granero::{Cycles, Extent};
///
/// // Less than one and a half bits for each position.
/// let layer = Layer::new(18).unwrap();
/// assert!(file_bytes(Cycles::Split, Extent::FULL, layer) < layer.len() / 5);
/// ```
pub fn file_bytes(cycles: Cycles, extent: Extent, layer: Layer) -> u64 {
    // Measured: thousandths of a bit for each stored position. Full tables take a little more in larger layers, up to 30
    // seeds. Where values are cut off, the limit matters much more than the layer.
    let seeds = layer.seeds();
    let (full, by_limit) = match cycles {
        Cycles::Split => (
            1340 + 7 * u64::from(seeds.min(30)),
            [720, 720, 880, 1080, 1190, 1290, 1340, 1400, 1440, 1470],
        ),
        Cycles::OwnSide => (
            1750,
            [830, 830, 1120, 1320, 1450, 1560, 1650, 1690, 1720, 1750],
        ),
    };
    let bits = match extent.limit(cycles, seeds) {
        limit if limit == seeds => full,
        limit => full.min(by_limit[usize::from(limit).min(9)]),
    };
    // Not stored: positions whose opponent has no empty house, as many as positions with six seeds fewer.
    let fewer = seeds.checked_sub(6).and_then(Layer::new);
    (layer.len() - fewer.map_or(0, Layer::len)) * bits / 8000 + MODEL
}

/// More bytes than models and headers take.
const MODEL: u64 = 52 << 10;

/// The disk space for the tables up to a number of seeds, in bytes.
pub fn disk_needed(cycles: Cycles, extent: Extent, seeds: u8) -> u64 {
    let layers = Layer::all().take(usize::from(seeds) + 1);
    layers.map(|layer| file_bytes(cycles, extent, layer)).sum()
}

/// An estimate of the work on a layer that is larger than memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InShares {
    /// The number of shares.
    pub shares: u64,
    /// The bytes that are read.
    pub read: u64,
    /// The bytes that are written.
    pub written: u64,
    /// The seconds of one processor, besides those in memory.
    pub seconds: f64,
}

impl Build {
    /// Estimates the work on shares; returns `None` for a layer that fits into the memory.
    pub fn in_shares(&self, layer: Layer) -> Option<InShares> {
        if !self.is_in_shares(layer) {
            return None;
        }
        let shares = self.shares(layer).count() as u64;
        let measures = numbers_per_position(self.cycles);
        let positions = (measures * layer.len()) as f64;
        // Measured, see docs/internals/large-builds.md.
        let (read, written) = match self.cycles {
            Cycles::Split => (55.0 + 2.3 * shares as f64, 32.0),
            // For either bound.
            Cycles::OwnSide => (600.0, 90.0),
        };
        let (read, written) = (read * positions, written * positions);
        let smaller = (2..=18).filter_map(|captured| layer.seeds().checked_sub(captured));
        let smaller: u64 = smaller.filter_map(Layer::new).map(Layer::len).sum();
        let captures = (shares * measures * smaller) as f64;
        Some(InShares {
            shares,
            read: (read + captures * 0.45) as u64,
            written: written as u64,
            seconds: (read + written) * 0.3e-9 + captures * 2e-9,
        })
    }

    /// The disk space for files that are gone after the build, in bytes: the smaller layers for
    /// which there is no room in memory, and checkpoints of the last layer.
    pub fn temporary_disk(&self) -> u64 {
        self.smaller_disk() + self.shares_disk() + self.checkpoints_disk()
    }

    /// The disk space for a layer that is solved in shares, in bytes.
    fn shares_disk(&self) -> u64 {
        let layers = self.layers().filter(|&layer| self.is_in_shares(layer));
        let planes = match self.cycles {
            Cycles::Split => 2,
            // Also what is secured.
            Cycles::OwnSide => 6,
        };
        layers.map(|layer| planes * layer.len()).max().unwrap_or(0)
    }

    /// The memory for smaller layers, in bytes.
    pub(super) fn room(&self) -> u64 {
        let positions = Layer::new(self.seeds).map_or(0, Layer::len);
        let needed = super::memory_needed(self.cycles, self.seeds, self.threads);
        // More than this saves little time, and other programs need memory, too.
        let most = positions * 3 / 2 * numbers_per_position(self.cycles);
        self.memory.saturating_sub(needed).min(most)
    }
}

#[doc(hidden)]
impl Build {
    /// The disk space for the smaller layers.
    pub fn smaller_disk(&self) -> u64 {
        let smaller = Layer::all().take(usize::from(self.seeds.saturating_sub(1)));
        let measures = self.cycles.measures();
        let pieces = smaller.flat_map(|layer| measures.map(|_| layer.len()));
        // Compressed, they take less than four bits for each position.
        let store = |(room, disk): (u64, u64), (_, bytes): (_, u64)| match room.checked_sub(bytes) {
            Some(room) => (room, disk),
            None => (room, disk + bytes / 2),
        };
        pieces.fold((self.room(), 0), store).1
    }

    /// The disk space for two checkpoints of the last layer, because one is written before the other
    /// goes; 0 for a build without checkpoints.
    pub fn checkpoints_disk(&self) -> u64 {
        if self.checkpoint.is_none() {
            return 0;
        }
        let positions = Layer::new(self.seeds).map_or(0, Layer::len);
        // Measured: 0.53 bytes for each position of 23 seeds, and 1.0 of 14 seeds with bounds. Larger
        // layers take a little more.
        2 * match self.cycles {
            Cycles::Split => positions * 5 / 8,
            Cycles::OwnSide => positions * 5 / 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::build::tests;

    #[test]
    fn checkpoints_take_disk() {
        let build = tests::build(Cycles::OwnSide, Extent::FULL, 20);
        assert_eq!(build.temporary_disk(), 0);
        let with = Build {
            checkpoint: Some(Duration::ZERO),
            ..build
        };
        assert_eq!(with.temporary_disk(), 211_680_786);
    }
}

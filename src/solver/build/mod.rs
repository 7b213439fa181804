//! Building tables: solves layers in order and adds them to a directory.
//!
//! * `disk`: the disk space that a build needs;
//! * `error`: errors of builds;
//! * `needs`: the memory that it needs;
//! * `run`: solving and writing each layer.

mod disk;
mod error;
mod needs;
mod run;

use std::time::Duration;

pub use disk::{InShares, disk_needed, file_bytes};
pub use error::{BuildError, bytes};
pub use needs::{least_memory, memory_needed};
#[doc(hidden)]
pub use {
    crate::checkpoint::file::pieces_memory,
    needs::{Needs, numbers_per_position, part_to_read, reading_memory},
};

use crate::checkpoint::Checkpoint;
use crate::progress::Progress;
pub use crate::sweep::Moved;
use granero_game::{Cycles, Extent};
use granero_table::TableError;
use granero_table::file::statistics::LayerStatistics;
use granero_table::index::Layer;

/// A build: its layers, and its resources.
///
/// ```
/// use granero::build::{Build, Watch};
/// use granero::table::TableWriter;
/// use granero::{Cycles, Extent, Ruleset};
///
/// # let place = std::env::temp_dir().join(format!("granero-doc-{}", std::process::id()));
/// let cycles = Cycles::Split;
/// let extent = Extent::FULL;
/// let build = Build { cycles, extent, seeds: 5, threads: 1, memory: 1 << 30, checkpoint: None };
/// let mut tables = TableWriter::open(&place, (Ruleset::Abapa, cycles))?;
/// let built = build.run(&mut tables, &())?;
/// assert_eq!(built.len(), 6);
/// # std::fs::remove_dir_all(place).unwrap();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build {
    /// The convention for endless play, as in the tables.
    pub cycles: Cycles,
    /// The extent of the values, as in the tables.
    pub extent: Extent,
    /// The seeds of the last layer, at most [`MAX_SEEDS`](granero_game::MAX_SEEDS).
    pub seeds: u8,
    /// The number of threads.
    pub threads: usize,
    /// The memory that may be used, in bytes.
    pub memory: u64,
    /// The time between checkpoints, from which a build that was stopped goes on; `None` for none.
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
    /// The build reads the file of a finished layer, to see whether it is sound.
    fn layer_is_checked(&self, _layer: Layer) {}
    /// The file of a finished layer is gone or damaged, so the layer is solved again.
    fn layer_is_lost(&self, _layer: Layer, _lost: &TableError) {}
    /// The build reads a finished layer, because captures from larger layers lead to it.
    fn layer_is_read(&self, _layer: Layer) {}
    /// The build begins to solve a layer.
    fn layer_begins(&self, _layer: Layer) {}
    /// Solving a layer has made progress.
    fn layer_goes_on(&self, _layer: Layer, _progress: Progress) {}
    /// A checkpoint was written, read or refused.
    fn checkpoint(&self, _layer: Layer, _checkpoint: Checkpoint) {}
    /// A layer is solved, and the build begins to write it.
    fn layer_is_solved(&self, _layer: Layer) {}
    /// A layer is finished and on the disk.
    fn layer_is_finished(&self, _built: &BuiltLayer) {}
    /// Returns true to end the build. It is asked between layers, and whenever solving one has made
    /// progress. Then [`Build::run`] returns [`BuildError::Stopped`]. Builds by several
    /// processes do not ask.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Watches nothing.
impl Watch for () {}

/// A layer that a build has finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltLayer {
    /// The values of its positions, counted.
    pub statistics: LayerStatistics,
    /// The time that solving took.
    pub solving: Duration,
    /// The time for the whole layer, writing included.
    pub total: Duration,
    /// The work on shares, if the layer was larger than memory.
    pub moved: Option<Moved>,
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
        self.check_memory(|seeds| least_memory(self.cycles, seeds, self.threads))
    }

    /// Checks that this can be built, if up to some number of seeds so much memory is `needed`.
    #[doc(hidden)]
    pub fn check_memory(&self, needed: impl Fn(u8) -> u64) -> Result<(), BuildError> {
        BuildError::check_game(self.extent, self.seeds)?;
        if needed(self.seeds) > self.memory {
            let fits = |seeds: &u8| needed(*seeds) <= self.memory;
            return Err(BuildError::TooLittleMemory {
                seeds: self.seeds,
                needed: needed(self.seeds),
                allowed: self.memory,
                possible: (0..self.seeds).rev().find(fits),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

//! Errors of builds.

use std::error::Error;

use granero_game::Extent;
use granero_table::TableError;

/// Reasons why a build stopped.
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
    /// The operating system cannot start the threads.
    #[error("{threads} threads cannot be started")]
    NoThreads {
        /// The number of threads.
        threads: usize,
        /// The cause.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The [`Watch`](super::Watch) has stopped it. Finished layers stay, and another build goes on from there.
    #[error("the build was stopped")]
    Stopped,
    /// The values decide a game with fewer seeds.
    #[error("{seeds} seeds are more than the {game} seeds of the game")]
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

impl BuildError {
    /// Checks that layers up to `seeds` seeds occur in the game that the values decide.
    ///
    /// # Errors
    ///
    /// [`BuildError::BeyondTheGame`] if they do not.
    pub fn check_game(extent: Extent, seeds: u8) -> Result<(), BuildError> {
        match extent.game() {
            Some(game) if seeds > game => Err(BuildError::BeyondTheGame { seeds, game }),
            _ => Ok(()),
        }
    }
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

/// Formats both amounts with enough digits to differ; less may be used than is needed.
fn more_than_may_be_used(needed: u64, allowed: u64) -> String {
    let [needed, allowed] = if needed.saturating_sub(allowed) < needed / 16 {
        // One is rounded up and the other down.
        [needed.div_ceil(1 << 20), allowed >> 20].map(|amount| format!("{amount} MiB"))
    } else {
        [bytes(needed), bytes(allowed)]
    };
    format!("{needed} of memory, and {allowed} may be used")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_and_what_may_be_used_differ_in_words() {
        let gib = |count: u64| count << 30;
        for (needed, allowed, words) in [
            (gib(4), gib(3), ["4.0 GiB", "3.0 GiB"]),
            (gib(4) + 1, gib(4), ["4097 MiB", "4096 MiB"]),
            (gib(1), gib(1) - (200 << 10), ["1024 MiB", "1023 MiB"]),
            (gib(4), gib(4) - 1, ["4096 MiB", "4095 MiB"]),
        ] {
            let words = words.join(" of memory, and ") + " may be used";
            assert_eq!(more_than_may_be_used(needed, allowed), words);
        }
    }
}

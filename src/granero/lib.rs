//! Exact endgame tables for Oware, Awari, Wari, Awalé: the West African sowing
//! game with twelve houses and forty-eight seeds.
//!
//! This library knows the rules of the game in their common variations, reads and
//! writes positions and games, builds tables, and looks positions up in them. The
//! command `granero` is built on it.
//!
//! To look positions up:
//!
//! ```
//! use granero::{Position, Tables};
//!
//! let tables = Tables::sample(); // or Tables::open("granero-db")?
//! // North above, from right to left; South, below, is to move.
//! let position: Position = "0 1 0 2 0 1 / 0 2 0 1 1 0".parse()?;
//! for best in tables.assess(&position)?.best() {
//!     println!("{} is worth {}", best.play.house, best.value.unwrap());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Without the feature `build`, which is on by default, it only reads tables: nothing in C is compiled.
//! The feature `cluster` adds builds by several processes.
//!
//! # Where to find what
//!
//! An engine needs what is at the root:
//!
//! * [`Position`], [`House`]: the seeds in the houses, seen from the player to move;
//! * [`Ruleset`], [`Turn`], [`Move`]: the legal moves of a position, or why the game is over;
//! * [`Tables`], [`TableOptions`], [`TableError`]: what positions are worth;
//! * [`Value`], [`Measured`], [`Assessment`]: a value, or two bounds, of a position or of each move;
//! * [`Kind`], [`Extent`], [`Clamped`]: which values tables hold, and values that are cut off;
//! * [`Situation`], [`Game`], [`FinalScore`]: play with stores and sides.
//!
//! A player, a judge, a builder and a researcher find more in the modules:
//!
//! * [`notation`]: positions, moves and games as text;
//! * [`mod@line`], [`judge`], [`player`]: best lines; how well a game was played; a perfect player;
//! * [`build`], [`solver`], [`table`]: making tables, solving layers, the files of a directory;
//! * [`prove`]: proven bounds for positions with more seeds than the tables have;
//! * [`verify`]: proves tables right, from the rules;
//! * [`find`]: positions of a layer that satisfy a condition;
//! * [`index`], [`export`], [`captures`]: numbers of positions; whole layers; what moves capture;
//! * [`rules`]: the parts of a ruleset, and why a move is not legal;
//! * [`pool`], [`random`]: threads, also in a child of `fork`; random numbers, the same on every machine.
//!
//! In the repository, `docs/internals/architecture.md` draws the crates and explains the terms.

// The examples in the documents run as tests, too.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../README.md")]
    struct Readme;
    #[doc = include_str!("../../docs/guide.md")]
    struct Guide;
}

#[cfg(feature = "cluster")]
pub use granero_cluster as cluster;
pub use granero_game::{notation, random, rules};
pub use granero_play::{captures, export, find, judge, line, player, prove, verify};
#[cfg(feature = "build")]
pub use granero_solver::build;
pub use granero_table::{index, pool};

/// The solver: the exact value of every position of a layer, given the layers below.
#[cfg(feature = "build")]
pub mod solver {
    pub use granero_solver::solve::{Progress, Solver, TurnedLayer, solve_all};
}

/// Tables: solved layers in a directory.
pub mod table {
    #[cfg(feature = "build")]
    pub use granero_solver::Checkpoint;
    #[doc(hidden)]
    pub use granero_table::TableDirectory;
    pub use granero_table::{
        ByteSource, Distribution, FileEntry, FileSource, FinishedLayer, Header, LayerFile,
        LayerFileError, LayerReader, LayerStatistics, Manifest, Part, Sha256, TableCopy,
        TableWriter, fingerprint, is_being_written, mapped_file,
    };
}

pub use granero_game::{
    Bound, Capture, Clamped, Comments, Cycles, Extent, FinalScore, Game, House, Kind, MAX_SEEDS,
    Measure, Measured, Move, MoveNumber, NotAllSeeds, PlayedMove, PlayerHouse, Ply, Position,
    ReplayError, ReplayErrorReason, Ruleset, Side, Situation, TooManySeeds, Turn, UnknownCycles,
    Value, seeds_text, signed,
};
pub use granero_table::{Access, AssessedMove, Assessment, TableError, TableOptions, Tables};

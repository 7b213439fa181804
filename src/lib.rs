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
//!     println!("{} is worth {}", best.play.house, best.worth.unwrap());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to find what
//!
//! An engine needs what is at the root:
//!
//! * [`Position`], [`House`]: the seeds in the houses, seen from the player to move;
//! * [`Ruleset`], [`Turn`], [`Move`]: the legal moves of a position, or why the game is over;
//! * [`Tables`], [`TableOptions`], [`TableError`]: what positions are worth;
//! * [`Value`], [`Measured`], [`Assessment`]: a value, or two bounds, of a position or of each move;
//! * [`Extent`], [`Clamped`]: tables that hold only what decides a game, and what they say of it;
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
//! * [`pool`]: threads, also in a child of `fork`.
//!
//! In the repository, `docs/architecture.md` draws the modules, which depend downwards
//! only, and `docs/glossary.md` explains the terms.

// The examples in the documents run as tests, too.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/guide.md")]
    struct Guide;
}

mod board;
pub mod build;
pub mod captures;
mod clamped;
pub mod cluster;
mod comments;
mod cycles;
pub mod export;
mod extent;
pub mod find;
mod first_error;
mod game;
mod house;
pub mod index;
pub mod judge;
pub mod line;
mod measured;
pub mod notation;
mod numbering;
pub mod player;
pub mod pool;
mod position;
pub mod prove;
mod random;
mod rows;
pub mod rules;
mod score;
mod situation;
pub mod solver;
mod symbols;
pub mod table;
mod touched;
mod value;
pub mod verify;
mod visible;

pub use clamped::Clamped;
pub use comments::Comments;
pub use cycles::{Cycles, UnknownCycles};
pub use extent::Extent;
pub use game::{Capture, Game, PlayedMove, Ply, ReplayError, ReplayErrorReason};
pub use house::{House, PlayerHouse, Side};
pub use measured::{Bound, Measure, Measured};
pub use numbering::{MoveNumber, Numbering};
pub use position::{MAX_SEEDS, Position, TooManySeeds};
pub use rules::ruleset::Ruleset;
pub use rules::turn::{Move, Turn};
pub use score::FinalScore;
pub use situation::{NotAllSeeds, Situation};
pub use symbols::Symbols;
pub use table::assessment::{AssessedMove, Assessment};
pub use table::directory::Access;
pub use table::error::TableError;
pub use table::options::TableOptions;
pub use table::tables::Tables;
pub use value::Value;

//! Exact endgame tables for Oware, Awari, Wari, Awalé: the West African sowing
//! game with twelve houses and forty-eight seeds.
//!
//! This library knows the rules of the game in their common variations, reads and
//! writes positions and games, builds tables, and looks positions up in them. The
//! command `granero` is built on it.
//!
//! ```
//! use granero::{Position, Ruleset};
//!
//! // North above, from right to left; South, below, is to move.
//! let position: Position = "6 0 0 2 1 2 / 4 0 0 1 3 1".parse()?;
//!
//! for play in &Ruleset::Abapa.moves(&position) {
//!     println!("{} captures {} and leads to {}", play.house, play.captured, play.position);
//! }
//!
//! // Its number among all positions with twenty seeds.
//! let layer = granero::index::Layer::of(&position);
//! assert_eq!(layer.seeds(), 20);
//! assert_eq!(layer.position(layer.index(&position)), Some(position));
//! # Ok::<(), granero::notation::ParseError>(())
//! ```
//!
//! # Where to find what
//!
//! * [`Position`]: the seeds in the houses, seen from the player to move.
//! * [`Ruleset`]: the legal moves of a position, or why the game is over.
//! * [`Situation`], [`Game`]: a position with stores and side to move; a game record.
//! * [`FinalScore`]: how a game ends with best play.
//! * [`notation`]: all of these as text.
//! * [`index`]: the positions with `n` seeds, numbered without gaps.
//! * [`table`]: what positions are worth; [`mod@line`]: the best line from a position;
//!   [`judge`]: how well a recorded game was played.
//! * [`verify`]: proves tables right, from the rules.
//! * [`captures`]: what the moves of a layer capture.
//! * [`export`]: layers as files for other programs.
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

pub mod build;
pub mod captures;
mod comments;
mod cycles;
pub mod export;
mod game;
mod house;
pub mod index;
pub mod judge;
pub mod line;
mod measured;
pub mod notation;
pub mod player;
mod position;
mod random;
mod rows;
pub mod rules;
mod score;
mod situation;
pub mod solver;
pub mod table;
mod value;
pub mod verify;

pub use comments::Comments;
pub use cycles::{Cycles, UnknownCycles};
pub use game::{Game, PlayedMove, Ply, ReplayError, ReplayErrorReason};
pub use house::{House, PlayerHouse, Side};
pub use measured::{Bound, Measure, Measured};
pub use position::{MAX_SEEDS, Position, TooManySeeds};
pub use rules::{Move, Ruleset, Turn};
pub use score::FinalScore;
pub use situation::{NotAllSeeds, Situation};
pub use value::Value;

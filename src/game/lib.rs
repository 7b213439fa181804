//! The game: houses, positions, rules, recorded games, notations, and what positions are worth.
//!
//! Programs depend on the crate `granero`, which re-exports this crate; what it does not re-export is for granero's
//! other crates and carries no promise.

mod house;
mod named;
pub mod notation;
pub mod position;
pub mod random;
mod record;
pub mod rules;
mod score;
mod situation;
pub mod value;
mod visible;

pub use house::{House, PlayerHouse, Side};
pub use position::{MAX_SEEDS, Position, TooManySeeds};
pub use record::{
    Capture, Comments, Game, MoveNumber, PlayedMove, Ply, ReplayError, ReplayErrorReason,
};
pub use rules::ruleset::Ruleset;
pub use rules::turn::{Move, Turn};
pub use score::{FinalScore, seeds_text};
pub use situation::{NotAllSeeds, Situation};
pub use value::clamped::Clamped;
pub use value::cycles::{Cycles, UnknownCycles};
pub use value::extent::Extent;
pub use value::kind::Kind;
pub use value::measured::{Bound, Measure, Measured};
pub use value::{Value, signed};

//! The rules of the game, in all the rulesets of this project.
//!
//! * `ruleset` lists, as data, where the rulesets differ: when a move captures **all** the
//!   opponent's seeds (a *grand slam*), or gives none to an opponent without seeds.
//! * `board` sows houses and generates moves, from tables of sowings.
//! * `turn` says what they capture and where they lead; or why the game is over and what the position is worth.

pub mod board;
pub(crate) mod ruleset;
pub(crate) mod turn;

pub use ruleset::Ruleset;
pub use ruleset::{Permission, SlamTakes, UnknownRuleset, Variation};
pub use turn::{Arrival, EndReason, GameOver, IllegalMove, Moves, Refusal};
pub use turn::{Move, Turn};

//! The rules of the game, in all the rulesets of this project.
//!
//! * `ruleset` lists, as data, where the rulesets differ: when a move captures **all** the
//!   opponent's seeds (a *grand slam*), or gives none to an opponent without seeds.
//! * `sowing` sows houses and generates moves, from tables of sowings.
//! * `turn` has what they capture and where they lead; or why the game is over and what the position is worth.

pub(crate) mod ruleset;
mod sowing;
pub(crate) mod turn;

pub use ruleset::Ruleset;
pub use ruleset::{Permission, SlamTakes, UnknownRuleset, Variation};
pub use turn::{Arrival, EndReason, GameOver, IllegalMove, Moves, Refusal};
pub use turn::{Move, Turn};

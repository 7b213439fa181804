//! The rules of the game, in all the rulesets of this project.
//!
//! * [`sowing`] sows a house, and finds the chain of houses that the sowing would
//!   capture. This part is common to all rulesets.
//! * `ruleset` lists, as data, where the rulesets differ: when a move captures **all** the
//!   opponent's seeds (a *grand slam*), or gives none to an opponent without seeds.
//! * `turn` puts the two together: the legal moves of a position, what they capture and
//!   where they lead; or why the game is over and what the position is worth.
//! * `board` generates the same moves faster, for searches.
//!
//! ```
//! use granero::{Position, Ruleset};
//!
//! // South, below, captures five seeds with house E.
//! let position: Position = "6 0 0 2 1 2 / 4 0 0 1 3 1".parse()?;
//! let moves = Ruleset::Abapa.moves(&position);
//! let best = moves.iter().max_by_key(|play| play.captured).unwrap();
//! assert_eq!((best.house.to_string().as_str(), best.captured), ("E", 5));
//! # Ok::<(), granero::notation::ParseError>(())
//! ```

#[doc(hidden)]
pub mod board;
pub(crate) mod ruleset;
pub mod sowing;
pub(crate) mod turn;

pub use ruleset::Ruleset;
pub use ruleset::{Permission, SlamTakes, UnknownRuleset, Variation};
#[doc(hidden)]
pub use turn::Arrival;
pub use turn::{EndReason, GameOver, IllegalMove, Moves, Refusal};
pub use turn::{Move, Turn};

//! What the tables say, before it becomes text or a document, for verbs and server.

mod chosen_game;
mod effort;
mod extent;
mod layer;
mod line;
mod played;
mod position;
mod proven;
mod range;
mod reach;
mod worths;

pub(crate) use chosen_game::{ChosenGame, NoGame};
pub(crate) use extent::{limit_of, meaning_of};
pub(crate) use layer::{Example, Extremes, LayerReport};
pub(crate) use line::{BestLines, FoundLines, SERVED_LIMIT};
pub(crate) use played::{LineScore, PlayedLine};
pub(crate) use position::PositionAnswer;
pub(crate) use proven::{Effort, Proven, so_far};
pub(crate) use range::{Range, at_least, at_most, capitalised};
pub(crate) use reach::{reach, why_unknown};
pub(crate) use worths::worths;

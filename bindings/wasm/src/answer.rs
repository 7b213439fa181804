//! What the tables say, as the command has it: its own files.

#[path = "../../../cli/src/answer/chosen_game.rs"]
mod chosen_game;
#[path = "../../../cli/src/answer/line.rs"]
mod line;
#[path = "../../../cli/src/answer/played.rs"]
mod played;
#[path = "../../../cli/src/answer/position.rs"]
mod position;
#[path = "../../../cli/src/answer/proven.rs"]
mod proven;
#[path = "../../../cli/src/answer/range.rs"]
mod range;
#[path = "../../../cli/src/answer/reach.rs"]
mod reach;

pub(crate) use chosen_game::{ChosenGame, NoGame};
pub(crate) use line::{BestLines, FoundLines, SERVED_LIMIT};
pub(crate) use played::{LineScore, PlayedLine};
pub(crate) use position::PositionAnswer;
pub(crate) use proven::{Effort, Proven};
pub(crate) use range::Range;
pub(crate) use reach::why_unknown;

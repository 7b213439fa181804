//! Judges engines: asks an engine for its move in positions of the tables, or lets it play them to the end
//! against perfect defence, and counts the seeds that it gives away.
//!
//! Here, an engine is a function from a position to an [`Answer`], such as a process that speaks UCI, see
//! [`crate::uci`].
//!
//! [`Answer`]: crate::uci::Answer

mod fault;
mod game;
mod report;
mod sample;
mod verdict;

pub use fault::{Fault, FaultKind, legal};
pub use game::End;
pub(crate) use game::PlayedGame;
pub(crate) use report::Unjudged;
pub use report::{GameReport, Report};
pub use sample::draw;
pub(crate) use verdict::Verdict;

use granero::notation::PositionText;
use granero::{Position, Side, Situation};

/// Returns the situation of an undecided game for a position from input.
///
/// Written stores are kept if neither player has more than half of all seeds. Otherwise, and without stores, the
/// seeds that are not on the board are shared equally: an engine that has won has no reason to play on well.
pub fn open(text: &PositionText) -> Situation {
    match text.situation() {
        Some(written)
            if [Side::South, Side::North]
                .iter()
                .all(|&side| written.store(side) <= written.game() / 2) =>
        {
            written
        }
        Some(written) => open_for(text.position(), written.to_move()),
        None => open_for(text.position(), Side::South),
    }
}

/// Returns a position in an undecided game. An odd seed goes to the mover.
fn open_for(position: Position, to_move: Side) -> Situation {
    let open = Situation::open(position);
    match to_move {
        Side::South => open,
        Side::North => open.turned(),
    }
}

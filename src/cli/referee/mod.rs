//! Judges engines: asks an engine for its move in positions of the tables, or lets it play them to the end
//! against perfect defence, and counts the seeds that it gives away.
//!
//! Here, an engine is a function from a position to an [`Answer`], such as a process that speaks UCI, see
//! [`crate::uci`].
//!
//! [`Answer`]: crate::uci::Answer

mod game;
mod report;

pub use game::End;
pub(crate) use game::{Ask, Game};
pub use report::{Judged, Report, Unjudged};

use granero::notation::PositionText;
use granero::{Position, Ruleset, Side, Situation, Turn, index, judge};

/// Returns the situation of an undecided game for a position from input.
///
/// Written stores are kept if neither player has more than half of all seeds. Otherwise, and without stores, the
/// seeds that are not on the board are shared equally: an engine that has won has no reason to play on well.
pub fn open(text: &PositionText) -> Situation {
    match text.situation() {
        Some(written) if judge::decided(&written).is_none() => written,
        _ => open_for(text.position(), text.to_move()),
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

/// Draws an endless sequence of positions with up to `seeds` seeds in which the game is not over, all equally
/// likely. The same `seed` draws the same positions. South and North are to move in turn; the seeds that are not
/// on the board are shared equally.
///
/// Draws nothing if `seeds` is 0.
///
/// # Panics
///
/// If `seeds` is above 48.
pub fn draw(ruleset: Ruleset, seeds: u8, seed: u64) -> impl Iterator<Item = Situation> {
    index::draw(seeds, seed)
        .filter(move |position| matches!(ruleset.turn(position), Turn::Play(_)))
        .zip([Side::South, Side::North].into_iter().cycle())
        .map(|(position, side)| open_for(position, side))
}

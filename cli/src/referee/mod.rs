//! Judges engines: asks one for its move in positions of the tables, or lets it play them to
//! the end against perfect defence, and counts what it gave away.
//!
//! Here, an engine is a function from a position to an [`Answer`]. A process that speaks UCI is
//! one such function, see [`crate::uci`].
//!
//! ```no_run
//! use granero::Ruleset;
//! use granero_cli::referee::{Report, draw};
//! use granero::Tables;
//! use granero_cli::uci::Answer;
//!
//! let tables = Tables::open("granero-db")?;
//! let mut report = Report::default();
//! for situation in draw(tables.rules(), 10, 1).take(100) {
//!     report.judge(&tables, &situation, |_| Some(Answer::NoMove))?;
//! }
//! println!("{} seeds given away", report.given_away());
//! # Ok::<(), granero::TableError>(())
//! ```
//!
//! [`Answer`]: crate::uci::Answer

mod fault;
mod game;
mod report;
mod sample;
mod verdict;

pub use fault::{Fault, FaultKind};
pub use game::{End, PlayedGame};
pub use report::{GameReport, Report, Unjudged};
pub use sample::draw;
pub use verdict::Verdict;

use granero::notation::PositionText;
use granero::{MAX_SEEDS, Position, Side, Situation};

/// The most seeds a player may have captured in a game that is still open: half of all.
const HALF: u8 = MAX_SEEDS / 2;

/// The situation of a game that is still open, for a position from input.
///
/// Written stores are kept if neither player has more than half of all seeds. Otherwise, and
/// without stores, the seeds that are not on the board are shared equally: an engine that knows
/// that the game is won has no reason to play on well.
///
/// ```
/// use granero_cli::referee::open;
///
/// let won = "0-0-0-0-0-5-1-0-0-0-0-0-12-30-N".parse().unwrap();
/// assert_eq!(open(&won).to_string(), "0-0-0-0-0-5-1-0-0-0-0-0-21-21-N");
/// ```
pub fn open(text: &PositionText) -> Situation {
    match text.situation() {
        Some(written)
            if [Side::South, Side::North]
                .iter()
                .all(|&side| written.store(side) <= HALF) =>
        {
            written
        }
        Some(written) => open_for(text.position(), written.to_move()),
        None => open_for(text.position(), Side::South),
    }
}

/// A position in a game that is still open. An odd seed is the mover's.
fn open_for(position: Position, to_move: Side) -> Situation {
    let open = Situation::open(position);
    match to_move {
        Side::South => open,
        Side::North => open.turned(),
    }
}

//! The numbers of moves in a record.

use std::fmt;

/// The number of a move in a record, where each pair of moves has one, as in chess: `35.`, or `35…` for the second move
/// of the pair. The number of the first move gives those of all others.
///
/// ```
/// use granero::notation::ogn;
///
/// let start = "[FEN \"4-0-0-1-3-1-2-1-2-0-0-6-14-14-N\"]";
/// let game = ogn::parse(&format!("{start} 35... a 36. A b"))?;
/// let labels = [0, 1, 2].map(|index| game.numbering.of(index).to_string());
/// assert_eq!(labels, ["35…", "36.", "36…"]);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveNumber {
    /// The number of the pair.
    pub pair: u32,
    /// True for the second move of the pair.
    pub second: bool,
}

impl Default for MoveNumber {
    /// The first move of the first pair.
    fn default() -> MoveNumber {
        MoveNumber {
            pair: 1,
            second: false,
        }
    }
}

impl MoveNumber {
    /// The number of a move of the game whose first move has this number; `index` is 0 for the first one.
    pub fn of(&self, index: usize) -> MoveNumber {
        let moves = index + usize::from(self.second);
        let pairs = u32::try_from(moves / 2).unwrap_or(u32::MAX);
        MoveNumber {
            pair: self.pair.saturating_add(pairs),
            second: moves % 2 == 1,
        }
    }
}

impl fmt::Display for MoveNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.pair, if self.second { "…" } else { "." })
    }
}

//! The final score of a game.

use std::fmt;

use crate::house::Side;
use crate::situation::Situation;
use crate::value::Value;

/// The final score with best play: for each side, the seeds captured so far and its share of the seeds
/// on the board.
///
/// If endless play shares an odd number of seeds, each side gets half a seed.
///
/// ```
/// use granero::{FinalScore, Side, Situation, Value};
///
/// let situation: Situation = "0-0-0-0-0-5-1-0-0-0-0-0-20-22-N".parse()?;
/// let score = FinalScore::new(&situation, Value::new(6).unwrap());
/// assert_eq!(score.seeds(Side::North), 28.0);
/// assert_eq!(score.winner(), Some(Side::North));
/// assert_eq!(score.to_string(), "North wins, 28 to 20");
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinalScore {
    /// South's seeds minus North's.
    south_ahead: i16,
    /// The seeds of both.
    game: u8,
}

impl FinalScore {
    /// The score of a game from a situation whose position is worth `value`.
    pub fn new(situation: &Situation, value: Value) -> FinalScore {
        let store = |side| i16::from(situation.store(side));
        let value = i16::from(value.seeds());
        let from_board = match situation.to_move() {
            Side::South => value,
            Side::North => -value,
        };
        FinalScore {
            south_ahead: store(Side::South) - store(Side::North) + from_board,
            game: situation.game(),
        }
    }

    /// The seeds of a side, a multiple of one half.
    ///
    /// ```
    /// # use granero::{FinalScore, Side, Situation, Value};
    /// let score = FinalScore::new(&Situation::START, Value::new(1).unwrap());
    /// assert_eq!(score.seeds(Side::South), 24.5);
    /// ```
    pub fn seeds(&self, side: Side) -> f64 {
        let ahead = match side {
            Side::South => self.south_ahead,
            Side::North => -self.south_ahead,
        };
        f64::from(i16::from(self.game) + ahead) / 2.0
    }

    /// The side that has more than half of all seeds; `None` in a draw.
    pub fn winner(&self) -> Option<Side> {
        match self.south_ahead {
            0 => None,
            1.. => Some(Side::South),
            _ => Some(Side::North),
        }
    }
}

/// Who wins, the winner's seeds first: `North wins, 28 to 20`.
impl fmt::Display for FinalScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner() {
            Some(winner) => {
                let [more, less] =
                    [winner, winner.other()].map(|side| seeds_text(self.seeds(side)));
                write!(f, "{winner} wins, {more} to {less}")
            }
            None => {
                let half = seeds_text(self.seeds(Side::South));
                write!(f, "a draw, {half} to {half}")
            }
        }
    }
}

/// Formats a number of seeds, a multiple of one half: `24`, `24½`.
pub fn seeds_text(seeds: f64) -> String {
    match (seeds.trunc(), seeds.fract() == 0.0) {
        (whole, true) => whole.to_string(),
        (0.0, false) => if seeds < 0.0 { "-½" } else { "½" }.into(),
        (whole, false) => format!("{whole}½"),
    }
}

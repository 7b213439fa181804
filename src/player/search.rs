//! A short search for positions beyond the tables: alpha-beta with iterative deepening. It
//! counts the seeds captured on the way. Where it reaches the tables, they say what the rest
//! is worth; where it ends before, the rest counts 0.

use super::Choice;
use crate::position::Position;
use crate::rules::{Move, Ruleset, Turn};
use crate::table::{TableError, Tables};
use crate::value::Value;

/// A search.
pub(super) struct Search<'a> {
    rules: Ruleset,
    tables: Option<&'a Tables>,
    stop: &'a mut dyn FnMut() -> bool,
    /// Whether there is a move to make already.
    may_stop: bool,
}

/// Why a search ended early.
enum Halt {
    Stopped,
    Table(TableError),
}

/// More than any value.
const INFINITE: i8 = i8::MAX;

impl<'a> Search<'a> {
    pub(super) fn new(
        rules: Ruleset,
        tables: Option<&'a Tables>,
        stop: &'a mut dyn FnMut() -> bool,
    ) -> Search<'a> {
        Search {
            rules,
            tables,
            stop,
            may_stop: false,
        }
    }

    /// The best of some moves (at least one), by a search of depth 1, 2 and so on. The search
    /// of depth 1 is always completed.
    pub(super) fn deepen(&mut self, plays: &[Move], depth: u8) -> Result<Choice, TableError> {
        let mut plays: Vec<Move> = captures_first(plays).copied().collect();
        let mut choice = Choice {
            play: plays[0],
            value: Value::ZERO,
            exact: false,
            depth: 0,
        };
        for depth in 1..=depth {
            let (best, value) = match self.best(plays.iter(), depth, -INFINITE, INFINITE) {
                Ok(best) => best,
                Err(Halt::Stopped) => break,
                Err(Halt::Table(error)) => return Err(error),
            };
            choice = Choice {
                play: plays[best],
                value: Value::new(value).unwrap_or(Value::ZERO),
                exact: false,
                depth,
            };
            // Searched first, it is likely to be best again, which makes the rest quick.
            plays[..=best].rotate_right(1);
            self.may_stop = true;
        }
        Ok(choice)
    }

    /// The place of the best move and what it is worth. Outside `alpha` to `beta`, the value is
    /// only a bound.
    fn best<'m>(
        &mut self,
        plays: impl Iterator<Item = &'m Move>,
        depth: u8,
        mut alpha: i8,
        beta: i8,
    ) -> Result<(usize, i8), Halt> {
        let mut best = (0, -INFINITE);
        for (place, play) in plays.enumerate() {
            let gain = play.captured as i8 - play.conceded as i8;
            // Values are far from the limits of the type, so saturating is exact enough.
            let (low, high) = (gain.saturating_sub(beta), gain.saturating_sub(alpha));
            let value = gain - self.value(&play.position, depth - 1, low, high)?;
            if value > best.1 {
                best = (place, value);
                alpha = alpha.max(value);
            }
            if alpha >= beta {
                break;
            }
        }
        Ok(best)
    }

    /// What a position is worth to the player to move.
    fn value(&mut self, position: &Position, depth: u8, alpha: i8, beta: i8) -> Result<i8, Halt> {
        if self.may_stop && (self.stop)() {
            return Err(Halt::Stopped);
        }
        if let Some(tables) = self.tables
            && let Some(worth) = tables.clamped_worth(position).map_err(Halt::Table)?
        {
            return Ok(worth.low().number().seeds());
        }
        match self.rules.turn(position) {
            Turn::Over(over) => Ok(over.value.seeds()),
            Turn::Play(_) if depth == 0 => Ok(0),
            Turn::Play(plays) => {
                let (_, value) = self.best(captures_first(&plays), depth, alpha, beta)?;
                Ok(value)
            }
        }
    }
}

/// Captures are likely to be best, and a good first move makes the rest of the search quick.
fn captures_first(plays: &[Move]) -> impl Iterator<Item = &Move> {
    let captures = plays.iter().filter(|play| play.captured > 0);
    captures.chain(plays.iter().filter(|play| play.captured == 0))
}

//! Progress in a won position: of several best moves, one after which the next capture,
//! or the end of the game, cannot be put off for ever.
//!
//! The tables say what a position is worth, not how long it takes. A player who is to win
//! seeds of a position can force that some move captures or ends the game: else play would
//! be endless, and worth nothing. So there is a number of moves within which it can be
//! forced while the player makes best moves only, and the opponent, too; a lesser move of
//! the opponent is progress by itself. This looks for the smallest such number.

use std::collections::HashMap;

use crate::position::Position;
use crate::rules::Move;
use crate::table::{TableError, Tables};

/// The most positions that are looked at for one move.
const MOST_POSITIONS: usize = 20_000;

/// The most moves ahead.
const FURTHEST: u16 = 400;

/// Looks for progress from one position.
pub(super) struct Progress<'a> {
    tables: &'a Tables,
    stop: &'a mut dyn FnMut() -> bool,
    positions: HashMap<Position, Known>,
}

/// What is known about a position.
struct Known {
    /// The best moves; none if the game is over.
    best: Vec<Move>,
    /// A number of moves within which progress can be forced.
    forced: u16,
    /// The largest number within which it cannot.
    not_forced: u16,
}

/// The search was stopped, or grew too long.
enum Halt {
    GiveUp,
    Table(TableError),
}

impl<'a> Progress<'a> {
    pub(super) fn new(tables: &'a Tables, stop: &'a mut dyn FnMut() -> bool) -> Progress<'a> {
        Progress {
            tables,
            stop,
            positions: HashMap::new(),
        }
    }

    /// The first move of the shortest way to progress from a position that the mover wins,
    /// if it is found.
    pub(super) fn first_move(mut self, position: &Position) -> Result<Option<Move>, TableError> {
        for moves in 1..=FURTHEST {
            match self.step(position, moves, true) {
                Ok(None) => {}
                Ok(found) => return Ok(found),
                Err(Halt::GiveUp) => return Ok(None),
                Err(Halt::Table(error)) => return Err(error),
            }
        }
        Ok(None)
    }

    /// A best move after which progress is forced within so many moves, counting it: for
    /// the player who wants it some move, for the opponent all moves must do.
    fn step(
        &mut self,
        position: &Position,
        moves: u16,
        wanted: bool,
    ) -> Result<Option<Move>, Halt> {
        let best = self.known(position)?.best.clone();
        let mut forcing = None;
        for play in best {
            let leads_on = play.captured > 0
                || play.ends_game
                || self.is_forced(&play.position, moves - 1, !wanted)?;
            forcing = leads_on.then_some(play);
            // One move is enough for the player, and one way out for the opponent.
            if leads_on == wanted {
                break;
            }
        }
        Ok(forcing)
    }

    /// Whether progress is forced within so many moves from a position.
    fn is_forced(&mut self, position: &Position, moves: u16, wanted: bool) -> Result<bool, Halt> {
        let known = self.known(position)?;
        if known.best.is_empty() || known.forced <= moves {
            return Ok(true);
        }
        if known.not_forced >= moves {
            return Ok(false);
        }
        let forced = self.step(position, moves, wanted)?.is_some();
        let known = self.known(position)?;
        if forced {
            known.forced = moves;
        } else {
            known.not_forced = moves;
        }
        Ok(forced)
    }

    fn known(&mut self, position: &Position) -> Result<&mut Known, Halt> {
        if !self.positions.contains_key(position) {
            if self.positions.len() >= MOST_POSITIONS || (self.stop)() {
                return Err(Halt::GiveUp);
            }
            let assessment = self.tables.assess(position).map_err(Halt::Table)?;
            let known = Known {
                best: assessment.best().map(|best| best.play).collect(),
                forced: u16::MAX,
                not_forced: 0,
            };
            self.positions.insert(*position, known);
        }
        self.positions.get_mut(position).ok_or(Halt::GiveUp)
    }
}

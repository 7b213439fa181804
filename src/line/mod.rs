//! The best line: how a game goes on when both players play their best moves, to its end
//! or into a cycle.
//!
//! All moves of the line are best, and so what the players take on the way comes to the
//! value of the position. Where several moves are best, the line makes progress, capture
//! by capture: see [`Line`].

pub(crate) mod region;

use std::collections::HashMap;

use crate::game::{Game, PlayedMove};
use crate::house::PlayerHouse;
use crate::position::Position;
use crate::rules::{GameOver, Move, Turn};
use crate::situation::Situation;
use crate::table::{TableError, Tables};
use crate::value::Value;

use region::{Region, best_capture};

/// A best line of play.
///
/// Every move is a best one. Of several best moves, whoever wins chooses the one that leads
/// soonest to the next capture or to the end of the game, whatever the best moves of the
/// opponent; whoever loses chooses the one that puts it off longest. Where neither wins,
/// both go the shortest way, and only if no best moves lead to a capture or to the end, or
/// too many would have to be looked at to know, do they play on into a cycle. So a line
/// repeats a position only where nothing is left to be won by either. Of moves that are
/// equal in all this, a capture is the largest, then a house the first.
///
/// ```no_run
/// use granero::line::Line;
/// use granero::table::Tables;
///
/// let tables = Tables::open("granero-db")?;
/// let position = "0 0 0 1 1 1 / 1 1 0 2 4 0".parse().unwrap();
/// let line = Line::best(&tables, &position)?.expect("within reach of the tables");
/// println!("{} moves, worth {}", line.moves.len(), line.value);
/// # Ok::<(), granero::table::TableError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What the position that it starts from is worth.
    pub value: Value,
    /// The moves.
    pub moves: Vec<Move>,
    /// What comes after the last of them.
    pub end: LineEnd,
}

/// What a line comes to.
///
/// ```
/// use granero::line::LineEnd;
///
/// fn is_endless(end: &LineEnd) -> bool {
///     matches!(end, LineEnd::Cycle { .. })
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// The game is over; the seeds left are shared out by the rules.
    Over(GameOver),
    /// The last move was a grand slam that ended the game.
    GrandSlam,
    /// The last move leads back to a position of the line, and play is endless.
    Cycle {
        /// How many moves were played before that position first came.
        from: usize,
        /// Whether it is known that no best moves lead to a capture or to the end instead.
        /// Else there were too many positions to know; the value is right in either case.
        proven: bool,
    },
    /// The line goes on, but how was not found within the limit: see
    /// [`best_within`](Line::best_within).
    Unexplored,
}

impl Line {
    /// About how many positions at a time [`best`](Line::best) looks at, at most. The layers
    /// of up to 12 seeds have fewer; and in larger ones best moves come to few positions: of
    /// 2,400 spread over layers of 8 to 20 seeds (`abapa`), none took a tenth of this.
    ///
    /// ```
    /// assert!(granero::line::Line::LIMIT > 1_352_078);
    /// ```
    pub const LIMIT: usize = 2_000_000;

    /// The best line from a position; `None` if the tables do not reach it.
    ///
    /// # Errors
    ///
    /// When a file of the tables is damaged or cannot be read.
    ///
    /// ```no_run
    /// # use granero::{Position, line::{Line, LineEnd}, table::Tables};
    /// let tables = Tables::open("granero-db")?;
    /// let line = Line::best(&tables, &Position::EMPTY)?.unwrap();
    /// assert!(matches!(line.end, LineEnd::Over(_)));
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn best(tables: &Tables, position: &Position) -> Result<Option<Line>, TableError> {
        Line::best_within(tables, position, Line::LIMIT, &mut |_| {})
    }

    /// The best line, as far as it can be found by looking at about `limit` positions at a
    /// time: to find the way to the next capture, the positions that best moves come to are
    /// kept in memory, some 250 bytes for each. `watch` is told again and again how many
    /// have been looked at since the last capture.
    ///
    /// # Errors
    ///
    /// As [`best`](Line::best).
    ///
    /// ```no_run
    /// # use granero::{Position, line::Line, table::Tables};
    /// # let tables = Tables::open("granero-db")?;
    /// # let position = Position::EMPTY;
    /// let line = Line::best_within(&tables, &position, 1000, &mut |positions| {
    ///     eprint!("\r{positions}");
    /// });
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn best_within(
        tables: &Tables,
        position: &Position,
        limit: usize,
        watch: &mut dyn FnMut(usize),
    ) -> Result<Option<Line>, TableError> {
        tables.hold_values()?;
        let Some(value) = tables.assess(position)?.value() else {
            return Ok(None);
        };
        let mut moves: Vec<Move> = Vec::new();
        let mut now = *position;
        let end = loop {
            if moves.last().is_some_and(|last| last.ends_game) {
                break LineEnd::GrandSlam;
            }
            if let Turn::Over(over) = tables.rules().turn(&now) {
                break LineEnd::Over(over);
            }
            let region = Region::explore(tables, &now, limit, &mut |positions| {
                watch(positions);
                true
            })?;
            let way = match region.way_out() {
                Some(way) => way,
                None if tables.assess(&now)?.value() != Some(Value::ZERO) => {
                    break LineEnd::Unexplored;
                }
                None => {
                    let aimless = Aimless::play(tables, &now)?;
                    if let Some(from) = aimless.returns_to {
                        let from = moves.len() + from;
                        moves.extend(aimless.moves);
                        let proven = region.is_whole();
                        break LineEnd::Cycle { from, proven };
                    }
                    aimless.moves
                }
            };
            moves.extend(way);
            now = moves.last().map_or(now, |last| last.position);
        };
        Ok(Some(Line { value, moves, end }))
    }

    /// The line as a game from a situation, whose position is the one it starts from.
    ///
    /// ```no_run
    /// use granero::notation::aalina;
    /// use granero::{Situation, line::Line, table::Tables};
    ///
    /// let tables = Tables::open("granero-db")?;
    /// let start: Situation = "0-0-0-0-0-5-1-0-0-0-0-0-20-22-N".parse().unwrap();
    /// if let Some(line) = Line::best(&tables, &start.position())? {
    ///     println!("{}", aalina::write_game(&line.game(start)));
    /// }
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn game(&self, start: Situation) -> Game {
        let sides = [start.to_move(), start.to_move().other()];
        let moves = self.moves.iter().zip(sides.into_iter().cycle());
        Game {
            start,
            moves: moves
                .map(|(&Move { house, .. }, side)| PlayedMove::from(PlayerHouse { side, house }))
                .collect(),
            ..Game::default()
        }
    }
}

/// What comes of always playing the first best move in a draw without a way out.
struct Aimless {
    moves: Vec<Move>,
    /// The number of moves before the position that returned, or none if play came out of
    /// the layer or to the end all the same, further away than was explored.
    returns_to: Option<usize>,
}

impl Aimless {
    fn play(tables: &Tables, position: &Position) -> Result<Aimless, TableError> {
        let mut seen = HashMap::new();
        let mut moves = Vec::new();
        let mut now = *position;
        loop {
            if let Some(from) = seen.insert(now, moves.len()) {
                let returns_to = Some(from);
                return Ok(Aimless { moves, returns_to });
            }
            let assessment = tables.assess(&now)?;
            let capture = best_capture(&assessment);
            let first = assessment.best().next().map(|best| best.play);
            moves.extend(capture.or(first));
            if capture.is_some() || first.is_none() {
                let returns_to = None;
                return Ok(Aimless { moves, returns_to });
            }
            now = moves.last().map_or(now, |last: &Move| last.position);
        }
    }
}

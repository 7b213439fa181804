//! The best line: how a game goes on when both players play their best moves, to its end
//! or into a cycle.
//!
//! All moves of the line are best, and so what the players take on the way comes to the
//! value of the position. Where several moves are best, the line makes progress, capture
//! by capture: see [`Line`].

mod contest;
pub(crate) mod region;

use std::collections::HashMap;

use crate::cycles::Cycles;
use crate::game::{Game, PlayedMove};
use crate::house::PlayerHouse;
use crate::measured::{Bound, Measure};
use crate::position::Position;
use crate::rules::{GameOver, Move, Turn};
use crate::situation::Situation;
use crate::table::{TableError, Tables};
use crate::value::Value;

use contest::Contest;
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
/// Where endless play gives each player the seeds on the own side, a line shows one of the
/// bounds, its [`measure`](Line::measure): how play goes if of each cycle the position counts
/// that is worst for whoever is to move at the start, or the best one. Both players play only
/// moves that keep it, and leave the layer where one of these captures; else the player whom
/// cycles favour goes to where they are worth the bound, and the other one to where they are
/// worth no more. So the line comes to a result that is the bound, or to a cycle whose
/// smallest difference (for the high bound: largest) between the seeds on both sides is, with
/// what was captured before.
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
    /// What the line shows of the position that it starts from: its value, or one of its
    /// bounds.
    pub measure: Measure,
    /// What the position is worth by that measure.
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
        /// In the line of a bound it says no more than that all that matters was looked at,
        /// and is always so.
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

    /// The best line from a position; `None` if the tables do not reach it. Where positions
    /// have bounds, it is the line of the low one: what is guaranteed.
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
        Line::best_within(tables, position, Bound::Low, Line::LIMIT, &mut |_| {})
    }

    /// The best line; where positions have bounds, that of one of the two. It is followed as far
    /// as it can be found by looking at about `limit` positions at a time: to find the way to the
    /// next capture, the positions that best moves come to are kept in memory, some 250 bytes
    /// for each. `watch` is told again and again how many
    /// have been looked at since the last capture.
    ///
    /// # Errors
    ///
    /// As [`best`](Line::best).
    ///
    /// ```no_run
    /// # use granero::{Bound, Position, line::Line, table::Tables};
    /// # let tables = Tables::open("granero-db")?;
    /// # let position = Position::EMPTY;
    /// let line = Line::best_within(&tables, &position, Bound::High, 1000, &mut |positions| {
    ///     eprint!("\r{positions}");
    /// });
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn best_within(
        tables: &Tables,
        position: &Position,
        bound: Bound,
        limit: usize,
        watch: &mut dyn FnMut(usize),
    ) -> Result<Option<Line>, TableError> {
        let Some(worth) = tables.assess(position)?.worth else {
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
            let way = match tables.cycles() {
                Cycles::Split => Way::by_value(tables, &now, limit, watch)?,
                Cycles::OwnSide => {
                    let starters_turn = moves.len().is_multiple_of(2);
                    let favoured = starters_turn == (bound == Bound::High);
                    let contest = Contest::explore(tables, &now, favoured, limit, watch)?;
                    contest.map_or(Way::Unexplored, |contest| contest.way())
                }
            };
            let before = moves.len();
            match way {
                Way::Out(way) => moves.extend(way),
                Way::Cycle {
                    moves: way,
                    from,
                    proven,
                } => {
                    moves.extend(way);
                    let from = before + from;
                    break LineEnd::Cycle { from, proven };
                }
                Way::Unexplored => break LineEnd::Unexplored,
            }
            now = moves.last().map_or(now, |last| last.position);
        };
        Ok(Some(Line {
            measure: *tables.cycles().measures().get(bound),
            value: *worth.get(bound),
            moves,
            end,
        }))
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

/// How play goes on from a position, as far as its layer goes.
enum Way {
    /// Out of the layer, or to the end of the game.
    Out(Vec<Move>),
    /// Into a cycle, which begins after some of the moves.
    Cycle {
        moves: Vec<Move>,
        from: usize,
        proven: bool,
    },
    /// That would take too many positions to know.
    Unexplored,
}

impl Way {
    /// The way where endless play is shared equally.
    fn by_value(
        tables: &Tables,
        now: &Position,
        limit: usize,
        watch: &mut dyn FnMut(usize),
    ) -> Result<Way, TableError> {
        let region = Region::explore(tables, now, limit, &mut |positions| {
            watch(positions);
            true
        })?;
        if let Some(moves) = region.way_out() {
            return Ok(Way::Out(moves));
        }
        if tables.assess(now)?.value() != Some(Value::ZERO) {
            return Ok(Way::Unexplored);
        }
        Way::aimless(tables, now, region.is_whole())
    }

    /// What comes of always playing the first best move in a draw without a way out. It may
    /// come out of the layer or to the end all the same, further away than was explored.
    fn aimless(tables: &Tables, position: &Position, proven: bool) -> Result<Way, TableError> {
        let mut seen = HashMap::new();
        let mut moves = Vec::new();
        let mut now = *position;
        loop {
            if let Some(from) = seen.insert(now, moves.len()) {
                return Ok(Way::Cycle {
                    moves,
                    from,
                    proven,
                });
            }
            let assessment = tables.assess(&now)?;
            let capture = best_capture(&assessment);
            let first = assessment.best().next().map(|best| best.play);
            moves.extend(capture.or(first));
            if capture.is_some() || first.is_none() {
                return Ok(Way::Out(moves));
            }
            now = moves.last().map_or(now, |last: &Move| last.position);
        }
    }
}

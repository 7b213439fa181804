//! Best lines: how a game continues when both players make best moves, to its end or into a cycle.
//!
//! All moves of a line are best, so what the players take on the way adds up to the value of the
//! position. Of several best moves, the line takes one that makes progress, capture by capture: see
//! [`Line`].
//!
//! * `split`, `own_side`: the way out of a layer, for each convention for endless play;
//! * `graph`: what these have in common;
//! * `distance`: the number of moves to the next capture;
//! * `proven`: lines that begin beyond the tables.

mod distance;
pub(crate) mod graph;
mod own_side;
mod proven;
pub(crate) mod split;

use std::collections::HashMap;

use granero_game::rules::{GameOver, Move, Turn};
use granero_game::{Bound, Cycles, Game, Measure, PlayerHouse, Position, Situation, Value};
use granero_table::{TableError, Tables};

pub use distance::Distance;

use own_side::OwnSideGraph;
use split::{SplitGraph, best_capture, cut_off};

/// A best line of play.
///
/// Every move is a best move. Of several best moves, the winner chooses the one that leads
/// soonest to the next capture or to the end of the game, against every best reply; the loser
/// chooses the one that delays this longest. In a draw, both take the shortest way. They play
/// on into a cycle only if no best moves lead to a capture or to the end, or if the search for
/// a way reached its limit. So a line repeats a position only where neither player can win
/// anything more. Among moves that are still equal, the line takes the largest capture, then
/// the first house.
///
/// If endless play gives each player the seeds on their own side, a line shows one of the
/// bounds, its [`measure`](Line::measure). The low bound assumes that the position of a cycle which
/// is worst for the player to move at the start counts; the high bound assumes the best. Both
/// players make only moves that keep the bound, and leave the layer if such a move captures.
/// Otherwise the favoured player goes where cycles are worth the bound, and the other player where
/// they are worth no more. So the line ends in a result that equals the bound, or in a cycle: its
/// smallest difference between the seeds on the two sides (largest for the high bound), together
/// with the captures before it, equals the bound.
///
/// ```no_run
/// use granero::line::Line;
/// use granero::{Bound, Tables};
///
/// let tables = Tables::open("granero-db")?;
/// let position = "0 0 0 1 1 1 / 1 1 0 2 4 0".parse().unwrap();
/// let line = Line::best(&tables, &position, Bound::Low)?.expect("within reach of the tables");
/// println!("{} moves, worth {}", line.moves.len(), line.value);
/// # Ok::<(), granero::TableError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The measure that the line shows of its first position: the value, or one of the bounds.
    pub measure: Measure,
    /// That value or bound.
    pub value: Value,
    /// The moves.
    pub moves: Vec<Move>,
    /// The end of the line.
    pub end: LineEnd,
}

/// The end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// The game is over; the rules share the seeds that are left.
    Over(GameOver),
    /// The last move was a grand slam that ended the game.
    GrandSlam,
    /// The last move leads back to a position of the line: play is endless.
    Cycle {
        /// The number of moves before that position first occurred.
        from: usize,
        /// True if no best moves lead to a capture or to the end instead. If false, the search
        /// reached its limit before it could tell; the value is right all the same. Always true in
        /// the line of a bound.
        proven: bool,
    },
    /// The line goes on, but the search reached its limit: see
    /// [`keeping`](Line::keeping).
    Unexplored,
    /// The line goes on, but beyond the tables it is not proven how: see
    /// [`proven`](Line::proven).
    Unproven(Unproven),
}

/// Why a line beyond the tables stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unproven {
    /// No move is proven to be best.
    NoMove,
    /// Moves that are proven to be best lead back to an earlier position, or on for too long.
    NoProgress,
}

impl LineEnd {
    /// The end of a line that begins with this number of moves more.
    fn after(self, moves: usize) -> LineEnd {
        match self {
            LineEnd::Cycle { from, proven } => LineEnd::Cycle {
                from: moves + from,
                proven,
            },
            end => end,
        }
    }
}

impl Line {
    /// The limit of [`best`](Line::best): about the number of positions that it explores at a time.
    /// Layers of up to 12 seeds have fewer positions. In larger layers best moves reach few: of
    /// 2,400 lines from layers of 8 to 20 seeds (`abapa`), none needed a tenth of this.
    pub const LIMIT: usize = 2_000_000;

    /// Finds the best line from a position; if positions have bounds, the line of `bound`. `None` if the position is
    /// beyond the tables, or its value is cut off.
    pub fn best(tables: &Tables, at: &Position, bound: Bound) -> Result<Option<Line>, TableError> {
        match tables.assess(at)?.value {
            Some(_) => Line::keeping(tables, at, bound, Line::LIMIT, &mut |_| {}),
            None => Ok(None),
        }
    }

    /// Like [`best`](Line::best), also from a position whose value deciding tables have cut off: each move keeps
    /// the cut-off value, but need not be the best move that does. The [value](Line::value) is then the limit where it was cut off.
    ///
    /// To find the way to the next capture, this explores the positions that best moves reach,
    /// about `limit` at most, and keeps them in memory, some 250 bytes each. The line ends where
    /// the limit is reached. `watch` is called repeatedly with the number of positions explored
    /// since the last capture.
    pub fn keeping(
        tables: &Tables,
        position: &Position,
        bound: Bound,
        limit: usize,
        watch: &mut dyn FnMut(usize),
    ) -> Result<Option<Line>, TableError> {
        let Some(value) = tables.assess(position)?.clamped else {
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
            let (way, end) = match tables.cycles() {
                Cycles::Split => way_by_value(tables, &now, limit, watch)?,
                Cycles::OwnSide => {
                    let starters_turn = moves.len().is_multiple_of(2);
                    let favoured = starters_turn == (bound == Bound::High);
                    let graph = OwnSideGraph::explore(tables, &now, favoured, limit, watch)?;
                    graph.map_or(UNEXPLORED, |graph| graph.way())
                }
            };
            let before = moves.len();
            moves.extend(way);
            if let Some(end) = end {
                break end.after(before);
            }
            now = moves.last().map_or(now, |last| last.position);
        };
        Ok(Some(Line {
            measure: *tables.cycles().measures().get(bound),
            value: value.get(bound).number(),
            moves,
            end,
        }))
    }

    /// The number of its moves to the first capture or to the end of the game.
    pub fn distance(&self) -> Distance {
        match (
            self.moves.iter().position(|play| play.captured > 0),
            self.end,
        ) {
            (Some(before), _) => Distance::Moves(before + 1),
            (None, LineEnd::Over(_) | LineEnd::GrandSlam) => Distance::Moves(self.moves.len()),
            (None, LineEnd::Cycle { proven: true, .. }) => Distance::Endless,
            (None, _) => Distance::Unknown,
        }
    }

    /// Returns the line as a game; `start` is a situation with the line's first position. If the line
    /// shows a bound, the game says which one by the player that it [favours](Game::favours): all
    /// moves are best if endless play is decided for this player.
    ///
    /// ```no_run
    /// use granero::notation::aalina;
    /// use granero::{Bound, Situation, Tables, line::Line};
    ///
    /// let tables = Tables::open("granero-db")?;
    /// let start: Situation = "0-0-0-0-0-5-1-0-0-0-0-0-20-22-N".parse().unwrap();
    /// if let Some(line) = Line::best(&tables, &start.position(), Bound::Low)? {
    ///     println!("{}", aalina::write_game(&line.game(start)));
    /// }
    /// # Ok::<(), granero::TableError>(())
    /// ```
    pub fn game(&self, start: Situation) -> Game {
        let sides = [start.to_move(), start.to_move().other()];
        let moves = self.moves.iter().zip(sides.into_iter().cycle());
        let moves = moves.map(|(&Move { house, .. }, side)| PlayerHouse { side, house });
        let mut game = Game::of(start, moves);
        game.set_favours(match self.measure {
            Measure::Value => None,
            Measure::Low => Some(start.to_move().other()),
            Measure::High => Some(start.to_move()),
        });
        game
    }
}

/// Best play from a position within its layer: the moves, and the end of the line unless they lead out of the layer, or
/// to the end of the game.
type Way = (Vec<Move>, Option<LineEnd>);

const UNEXPLORED: Way = (Vec::new(), Some(LineEnd::Unexplored));

/// Finds the way where endless play is shared equally.
fn way_by_value(
    tables: &Tables,
    now: &Position,
    limit: usize,
    watch: &mut dyn FnMut(usize),
) -> Result<Way, TableError> {
    let graph = SplitGraph::explore(tables, now, limit, &mut |positions| {
        watch(positions);
        true
    })?;
    if let Some(moves) = graph.way_out() {
        return Ok((moves, None));
    }
    if cut_off(&tables.assess(now)?) != Some(Value::ZERO) {
        return Ok(UNEXPLORED);
    }
    // A draw without a known way out: the first best move of each position may still leave the layer or end the game,
    // further away than was explored.
    let proven = graph.whole;
    let mut seen = HashMap::new();
    let mut moves = Vec::new();
    let mut now = *now;
    loop {
        if let Some(from) = seen.insert(now, moves.len()) {
            return Ok((moves, Some(LineEnd::Cycle { from, proven })));
        }
        let assessment = tables.assess(&now)?;
        let capture = best_capture(&assessment);
        let first = assessment.best().next().map(|best| best.play);
        moves.extend(capture.or(first));
        if capture.is_some() || first.is_none() {
            return Ok((moves, None));
        }
        now = moves.last().map_or(now, |last: &Move| last.position);
    }
}

//! A player: perfect within the tables, with proofs near them, and a search beyond.

mod evaluation;
mod memory;
mod order;
mod proof;
mod search;

use proof::Left;
use search::Search;

use crate::line::split::SplitGraph;
use crate::prove::{Budget, Prover};
use granero_game::rules::{Move, Ruleset, Turn};
use granero_game::{Clamped, Measured, Position, Value};
use granero_table::{TableError, Tables};

/// Chooses moves: best ones within the tables, and beyond them those that a search finds,
/// which looks positions up where it reaches the tables and estimates them where it ends before.
/// With the same limits it finds the same on every machine.
///
/// Among several best moves of a won position it takes one that brings the next capture
/// nearer, unless the search for it takes too long: a best move may lead nowhere, and a
/// player who only makes such moves never wins. Otherwise it takes the largest capture, then
/// the first house.
///
/// A player who [proves](Player::proving) chooses near the tables among the moves that are proven to
/// be best, or else leaves out those that are proven not to be.
///
/// ```
/// use granero::player::Player;
/// use granero::{House, Ruleset};
///
/// let player = Player::without_tables(Ruleset::Abapa);
/// let position = "6 0 0 2 1 2 / 4 0 0 1 3 1".parse()?;
/// let choice = player.choose(&position, 1, || false)?.unwrap();
/// assert_eq!(choice.play.house, House::E);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Player<'a> {
    rules: Ruleset,
    tables: Option<&'a Tables>,
    /// What proofs may take.
    proof: Option<Budget>,
    /// How many threads search for proofs.
    threads: usize,
}

/// The move that a player chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move.
    pub play: Move,
    /// What it is worth to the player who makes it. Deciding tables may have cut it off.
    pub value: Value,
    /// Whether this is its value by the tables or by a proof. Otherwise it is the estimate of a
    /// search, or the tables hold only what decides games, and it is worth this or more, or if it
    /// loses this or less.
    pub exact: bool,
    /// What the tables say of it, which they may have cut off; `None` beyond them.
    pub clamped: Option<Clamped>,
    /// The depth of the last search that was completed, in moves.
    pub depth: u8,
}

/// The most positions explored to find the best move that makes progress: twice the largest
/// number seen with up to 15 seeds.
const MOST_POSITIONS: usize = 200_000;

/// The depth of the deepest search among moves that are proven to be best.
const SETTLED_DEPTH: u8 = 8;

/// The depth of the deepest search.
pub const MAX_DEPTH: u8 = 64;

impl<'a> Player<'a> {
    /// A player with tables, who plays by their rules.
    ///
    /// ```no_run
    /// use granero::player::Player;
    /// use granero::Tables;
    ///
    /// let tables = Tables::open("granero-db")?;
    /// let player = Player::new(&tables);
    /// # Ok::<(), granero::TableError>(())
    /// ```
    pub fn new(tables: &'a Tables) -> Player<'a> {
        Player {
            rules: tables.rules(),
            tables: Some(tables),
            proof: None,
            threads: 1,
        }
    }

    /// A player who can only search.
    pub fn without_tables(rules: Ruleset) -> Player<'static> {
        Player {
            rules,
            tables: None,
            proof: None,
            threads: 1,
        }
    }

    /// Has the player search for proofs first, near the tables.
    #[must_use]
    pub fn proving(mut self, budget: Budget) -> Player<'a> {
        self.proof = Some(budget);
        self
    }

    /// Has several threads search for proofs, see [`Prover::threads`](crate::prove::Prover::threads).
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Player<'a> {
        self.threads = threads;
        self
    }

    /// Chooses a move in a position; `None` if the game is over.
    ///
    /// Searches at most `depth` moves ahead, and ends when `stop` returns `true`. `stop` is
    /// called at each position, once there is a move to make, and during proofs now and then. Within the tables the move is
    /// always a best one, however soon the search ends.
    ///
    /// # Errors
    ///
    /// When the tables are damaged or cannot be read.
    pub fn choose(
        &self,
        position: &Position,
        depth: u8,
        mut stop: impl FnMut() -> bool,
    ) -> Result<Option<Choice>, TableError> {
        let plays = match self.rules.turn(position) {
            Turn::Play(plays) => plays,
            Turn::Over(_) => return Ok(None),
        };
        if let Some(tables) = self.tables {
            tables.hold_values()?;
            if let Some(choice) = best_by_tables(tables, position, &mut stop)? {
                return Ok(Some(choice));
            }
        }
        let left = match (self.tables, self.proof) {
            (Some(tables), Some(budget)) => {
                let prover = Prover::new(tables).threads(self.threads);
                Left::by_proof(tables, prover, position, budget, &mut stop)?
            }
            _ => None,
        };
        let plays = left.as_ref().map_or_else(|| plays.to_vec(), Left::plays);
        let most = match (&left, &plays[..]) {
            (Some(_), [_]) => 1,
            // Any of the moves is right. A search only finds captures that come soon.
            (Some(left), _) if left.are_settled() => SETTLED_DEPTH,
            _ => MAX_DEPTH,
        };
        let depth = depth.clamp(1, most);
        let mut search = Search::new(self.rules.variation(), self.tables, &mut stop);
        let mut choice = search.deepen(&plays, depth)?;
        if let Some(left) = left {
            (choice.value, choice.exact) = left.worth(&choice.play, choice.value);
        }
        Ok(Some(choice))
    }
}

/// The best move according to the tables, if they reach the position.
fn best_by_tables(
    tables: &Tables,
    position: &Position,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Option<Choice>, TableError> {
    let assessment = tables.assess(position)?;
    let Some(clamped) = assessment.clamped.and_then(Measured::value) else {
        return Ok(None);
    };
    let value = clamped.number();
    let best: Vec<Move> = assessment.best().map(|best| best.play).collect();
    let progress = if value > Value::ZERO && best.len() > 1 {
        let graph = SplitGraph::explore(tables, position, MOST_POSITIONS, &mut |_| !stop())?;
        graph.way_out().and_then(|way| way.first().copied())
    } else {
        None
    };
    // `max_by_key` returns the last of several maxima.
    let largest_capture = || best.iter().rev().max_by_key(|play| play.captured).copied();
    Ok(progress.or_else(largest_capture).map(|play| Choice {
        play,
        value,
        exact: clamped.exact().is_some(),
        clamped: Some(clamped),
        depth: 1,
    }))
}

//! A player: perfect within the tables, with proofs near them, and a search beyond.
//!
//! * `difficulty`: how easily a player goes wrong in a position;
//! * `level`: levels of strength;
//! * `search`: the search, with its `transpositions`, `move_order` and `evaluation`.

mod difficulty;
mod evaluation;
mod level;
mod move_order;
mod search;
mod transpositions;

use std::ops::ControlFlow;

pub use difficulty::Difficulty;
use evaluation::SEED;
use search::Search;

use crate::line::split::SplitGraph;
use crate::prove::{Budget, ProvenMove, Prover};
use granero_game::rules::{Move, Ruleset, Turn};
use granero_game::{Clamped, House, Measured, Position, Value};
use granero_table::{TableError, Tables};

/// Chooses moves: best moves within the tables, and beyond them moves that a search finds. The search
/// looks up the positions where it reaches the tables, and estimates the positions where it ends
/// before. With the same limits it finds the same on every machine.
///
/// Among several best moves of a won position it takes one that brings the next capture
/// nearer, unless the search for it takes too long: a best move may lead nowhere, and a
/// player who only makes such moves never wins. Otherwise it takes the largest capture, then
/// the first house.
///
/// Near the tables, a player who [proves](Player::proving) chooses among the moves that are proven to
/// be best, or else leaves out the moves that are proven not to be.
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
    /// The budget of a proof.
    proof: Option<Budget>,
    /// The number of threads that search for proofs.
    threads: usize,
    /// True if it makes the opponent's task hard.
    hardest: bool,
    /// The houses that it chooses from beyond the tables; `None` for all.
    among: Option<&'a [House]>,
}

/// The move that a player chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move.
    pub play: Move,
    /// Its value to the player who makes it. Deciding tables may have cut it off.
    pub value: Value,
    /// True if `value` is exact, by the tables or by a proof. Otherwise it is the estimate of a
    /// search, or cut off: the move is then worth this or more if it wins, and this or less if it
    /// loses.
    pub exact: bool,
    /// Its value by the tables, which may be cut off; `None` beyond them.
    pub clamped: Option<Clamped>,
    /// The depth of the last search that was completed, in moves.
    pub depth: u8,
}

/// The most positions explored to find the best move that makes progress: twice the largest
/// number seen with up to 15 seeds.
const MOST_POSITIONS: usize = 200_000;

/// A position is searched for proofs if it has at most this many seeds more than the tables. With
/// more, little is proven in the time of a move.
const NEAR: u8 = 8;

/// The depth of the deepest search among moves that are proven to be best.
const SETTLED_DEPTH: u8 = 8;

/// The depth of the deepest search.
pub const MAX_DEPTH: u8 = 64;

impl<'a> Player<'a> {
    /// Creates a player with tables, who plays by their rules.
    pub fn new(tables: &'a Tables) -> Player<'a> {
        Player {
            tables: Some(tables),
            ..Player::without_tables(tables.rules())
        }
    }

    /// Creates a player who can only search.
    pub fn without_tables(rules: Ruleset) -> Player<'static> {
        Player {
            rules,
            tables: None,
            proof: None,
            threads: 1,
            hardest: false,
            among: None,
        }
    }

    /// Makes the player search for proofs first, near the tables.
    #[must_use]
    pub fn proving(mut self, budget: Budget) -> Player<'a> {
        self.proof = Some(budget);
        self
    }

    /// Sets the number of threads that search for proofs, see
    /// [`Prover::threads`](crate::prove::Prover::threads).
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Player<'a> {
        self.threads = threads;
        self
    }

    /// Makes the player choose, among best moves of a position within the tables that is not won, the one
    /// that leaves the opponent the position of the greatest [`Difficulty`].
    #[must_use]
    pub fn hardest(mut self) -> Player<'a> {
        self.hardest = true;
        self
    }

    /// Restricts the choice beyond the tables to some houses, if any of them can be played: to moves that somebody
    /// else has proven to be best, or not to be worse.
    ///
    /// ```
    /// use granero::player::Player;
    /// use granero::{House, Position, Ruleset};
    ///
    /// let player = Player::without_tables(Ruleset::Abapa).among(&[House::B]);
    /// let choice = player.choose(&Position::START, 1, || false)?.unwrap();
    /// assert_eq!(choice.play.house, House::B);
    /// # Ok::<(), granero::TableError>(())
    /// ```
    #[must_use]
    pub fn among(mut self, houses: &'a [House]) -> Player<'a> {
        self.among = Some(houses);
        self
    }

    /// Chooses a move in a position; `None` if the game is over.
    ///
    /// Searches at most `depth` moves ahead. If that is [`MAX_DEPTH`] and no moves are proven to be best, it looks
    /// less far after moves that are unlikely to be best, and estimates positions by a network instead of by their
    /// houses. Ends when `stop` returns true. `stop` is called at each position once there is a move to make, and now
    /// and then during proofs. Within the tables the move is always a best one, however soon the search ends.
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
            if let Some(choice) = best_by_tables(tables, position, self.hardest, &mut stop)? {
                return Ok(Some(choice));
            }
        }
        let candidates = match (self.tables, self.proof) {
            (Some(tables), Some(budget)) => {
                let prover = Prover::new(tables).threads(self.threads);
                candidates(tables, prover, position, budget, &mut stop)?
            }
            _ => None,
        };
        let mut plays = match &candidates {
            Some(candidates) => candidates.iter().map(|proven| proven.play).collect(),
            None => plays.to_vec(),
        };
        let is_chosen = |play: &Move| self.among.is_none_or(|among| among.contains(&play.house));
        if plays.iter().any(is_chosen) {
            plays.retain(is_chosen);
        }
        let is_settled = |proven: &ProvenMove| proven.low == proven.high;
        let most = match (&candidates, &plays[..]) {
            (Some(_), [_]) => 1,
            // All candidates are right. The search only finds captures that come soon.
            (Some(candidates), _) if candidates.iter().all(is_settled) => SETTLED_DEPTH,
            _ => MAX_DEPTH,
        };
        let depth = depth.clamp(1, most);
        let mut search = Search::new(self.rules, self.tables, &mut stop);
        // A depth that the caller sets holds for all moves.
        search.selective = depth == MAX_DEPTH;
        let mut choice = search.deepen(&plays, depth)?;
        let mut candidates = candidates.iter().flatten();
        if let Some(proven) = candidates.find(|proven| proven.play == choice.play) {
            choice.value = choice.value.max(proven.low).min(proven.high);
            choice.exact = is_settled(proven);
        }
        Ok(Some(choice))
    }
}

impl Player<'_> {
    /// Estimates what each move of a position is worth to its player, in seeds: by a search that looks at about so many
    /// `positions`, with tables where it reaches them. The same on every machine; nothing is proven.
    ///
    /// # Errors
    ///
    /// When the tables are damaged or cannot be read, or hold bounds.
    ///
    /// ```
    /// use granero::player::Player;
    /// use granero::{Position, Ruleset};
    ///
    /// let player = Player::without_tables(Ruleset::Abapa);
    /// assert_eq!(player.estimate(&Position::START, 1000)?.len(), 6);
    /// # Ok::<(), granero::TableError>(())
    /// ```
    pub fn estimate(
        &self,
        position: &Position,
        positions: u64,
    ) -> Result<Vec<(Move, f64)>, TableError> {
        let Turn::Play(plays) = self.rules.turn(position) else {
            return Ok(Vec::new());
        };
        if let Some(tables) = self.tables {
            tables.hold_values()?;
        }
        let mut left = positions;
        let mut stop = || {
            left = left.saturating_sub(1);
            left == 0
        };
        let mut search = Search::new(self.rules, self.tables, &mut stop);
        search.selective = true;
        let scores = search.score_each(&plays, MAX_DEPTH)?;
        let scores = scores
            .into_iter()
            .map(|score| f64::from(score) / f64::from(SEED));
        Ok(plays.iter().copied().zip(scores).collect())
    }
}

/// Searches for proofs; `None` if the position is too far from the tables. If some moves are
/// certainly best, they are the candidates; otherwise all moves that are not certainly worse than
/// another.
fn candidates(
    tables: &Tables,
    prover: Prover<'_>,
    position: &Position,
    budget: Budget,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Option<Vec<ProvenMove>>, TableError> {
    let near = tables.max_seeds().map(|seeds| seeds.saturating_add(NEAR));
    if near < Some(position.seeds()) {
        return Ok(None);
    }
    let proof = prover.prove(position, budget, |_| {
        if stop() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    let best: Vec<ProvenMove> = proof.best().copied().collect();
    if !best.is_empty() {
        return Ok(Some(best));
    }
    let may_be_best = |proven: &ProvenMove| proven.high >= proof.low;
    Ok(Some(proof.moves.into_iter().filter(may_be_best).collect()))
}

/// Chooses the best move by the tables, if they hold the position.
fn best_by_tables(
    tables: &Tables,
    position: &Position,
    hardest: bool,
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
    let is_hard = hardest && progress.is_none() && best.len() > 1;
    // Of several maxima, the last one stays.
    let mut chosen = None;
    for play in best.into_iter().rev() {
        // An end of the game leaves the opponent no task.
        let task = if is_hard {
            Difficulty::of(tables, &play.position)?
        } else {
            None
        };
        let rank = (task, play.captured);
        if chosen.is_none_or(|(most, _)| rank >= most) {
            chosen = Some((rank, play));
        }
    }
    let chosen = progress.or(chosen.map(|(_, play)| play));
    Ok(chosen.map(|play| Choice {
        play,
        value,
        exact: clamped.exact().is_some(),
        clamped: Some(clamped),
        depth: 1,
    }))
}

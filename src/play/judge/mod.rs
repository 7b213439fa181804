//! Judging recorded games: the value of each move, and the best moves.
//!
//! Where endless play gives each player the seeds on their own side, a move has bounds, and can
//! be wrong in two ways. It **gives away** part of what was guaranteed; or it keeps this, but
//! **gives up** part of what was attainable. The guarantee comes first: a move with the best low
//! bound is right, even if another move has a better high bound. If the game says for whom endless
//! play is decided, see [`Game::favours`], each move has one value.
//!
//! Beyond the tables, a move is judged as far as it is proven: by the least and the most that it
//! gives away. It is blamed only if the most that it can be worth is less than the least that the
//! position before it can be worth.
//!
//! * `judged_move`: a judged move;
//! * `class`: classes of wrong moves, by the result of the game;
//! * `summary`: the moves of a player.

mod class;
mod judged_move;
mod summary;

use std::collections::HashSet;
use std::ops::ControlFlow;

use crate::prove::{Budget, Ended, Proof, ProofProgress, Prover};
use granero_game::{Cycles, Game, Measured, Position, ReplayError};
use granero_table::{TableError, Tables};

pub use class::{Class, decided};
pub use judged_move::{JudgedMove, Source};
pub use summary::{Count, PlayerSummary};

use judged_move::for_favoured;

/// The moves of a recorded game, judged by tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// The judged moves, in the order of the game: within reach of the tables, and beyond them those from
    /// positions with a proof; see [`with_search`](Judgement::with_search).
    pub moves: Vec<JudgedMove>,
    /// The number of moves with too many seeds for the tables.
    pub beyond: usize,
    /// The number of moves that deciding tables cannot judge: their value, or the value of the
    /// position, is cut off.
    pub cut_off: usize,
    /// The first move that cannot be replayed, if there is one: the game is judged up to
    /// there.
    pub error: Option<ReplayError>,
}

impl Judgement {
    /// The number of moves of the game that can have been played.
    pub fn possible(&self, game: &Game) -> usize {
        let error = self.error.as_ref();
        error.map_or(game.moves.len(), |error| error.number - 1)
    }

    /// Judges a game, by the rules of the tables. An illegal move is not an error here, but part of the judgement:
    /// [`error`](Judgement::error).
    pub fn new(tables: &Tables, game: &Game) -> Result<Judgement, TableError> {
        Judgement::with_proofs(tables, game, |_| Ok(None))
    }

    /// Judges a game with a search from each position beyond the tables. `watch` is called now and then; once it
    /// ends a search there is no other, and the game is judged by the proofs so far. Without a budget there is no
    /// search.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use granero::judge::{Class, Judgement};
    /// use granero::prove::Budget;
    /// use granero::{Game, Side, Tables};
    ///
    /// let game: Game = "2-0-1-1-0-1-1-1-0-0-2-1-19-19-S C".parse()?;
    /// let go_on = |_: &_| ControlFlow::Continue(());
    /// let budget = Some(Budget::nodes(10_000));
    /// let judgement = Judgement::with_search(Tables::sample(), &game, budget, go_on)?;
    /// assert_eq!(judgement.moves[0].lost_at_least(), 10);
    /// assert_eq!(judgement.moves[0].class(), Some(Class::ChangedWinner));
    /// assert_eq!(judgement.player(Side::South).lost.least, 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_search(
        tables: &Tables,
        game: &Game,
        mut budget: Option<Budget>,
        mut watch: impl FnMut(&ProofProgress) -> ControlFlow<()>,
    ) -> Result<Judgement, TableError> {
        Judgement::with_proofs(tables, game, |position| {
            let Some(each) = budget else {
                return Ok(None);
            };
            let prover = Prover::new(tables);
            let proof = prover.prove_unless_hopeless(position, each, &mut watch)?;
            if proof.ended == Ended::Stopped {
                budget = None;
            }
            Ok(Some(proof))
        })
    }

    /// Judges a game with proofs of positions beyond the tables. `prove` is called for the position
    /// before each move there, and for the position after the last of these moves. Moves from
    /// positions without a proof are not judged. Its errors are returned.
    pub fn with_proofs(
        tables: &Tables,
        game: &Game,
        mut prove: impl FnMut(&Position) -> Result<Option<Proof>, TableError>,
    ) -> Result<Judgement, TableError> {
        let mut judgement = Judgement::default();
        let favours = match tables.cycles() {
            Cycles::Split => None,
            Cycles::OwnSide => game.favours(),
        };
        let mut beyond = Vec::new();
        // The proof of the position after the last move, if there is one.
        let mut after: Option<Proof> = None;
        for (number, ply) in (1..).zip(game.plies(tables.rules())) {
            let ply = match ply {
                Ok(ply) => ply,
                Err(error) => {
                    judgement.error = Some(error);
                    break;
                }
            };
            let assessment = tables.assess(&ply.before.position())?;
            let played = assessment
                .moves
                .iter()
                .find(|assessed| assessed.play == ply.play)
                .and_then(|assessed| assessed.value);
            match (assessment.value, played) {
                (Some(value), Some(played)) => judgement.moves.push(JudgedMove {
                    number,
                    ply,
                    value: for_favoured(value, favours, ply.before.to_move()),
                    played: for_favoured(played, favours, ply.before.to_move()),
                    favours,
                    source: Source::Tables(assessment),
                }),
                // The tables hold the position, but have cut off a value.
                _ if assessment.clamped.is_some() => {
                    judgement.cut_off += 1;
                    after = None;
                }
                _ => {
                    judgement.beyond += 1;
                    let before = match after.take() {
                        None => prove(&ply.before.position())?,
                        proof => proof,
                    };
                    let Some(before) = before else { continue };
                    let next = &ply.play.position;
                    let child = match tables.value(next)? {
                        None => {
                            after = prove(next)?;
                            let bounds =
                                |&Proof { low, high, .. }: &_| Measured::Bounds { low, high };
                            after.as_ref().map(bounds)
                        }
                        value => value,
                    };
                    beyond.push((number, ply, before, child));
                }
            }
        }
        // The last move first: the proof of its position helps to judge the move before it.
        let mut proven: Vec<JudgedMove> = Vec::with_capacity(beyond.len());
        for (number, ply, proof, child) in beyond.into_iter().rev() {
            let child = match proven.last() {
                Some(next) if next.number == number + 1 => Some(next.value),
                _ => child,
            };
            proven.extend(JudgedMove::by_proof(number, ply, proof, child));
        }
        judgement.moves.extend(proven);
        judgement.moves.sort_by_key(|judged| judged.number);
        Ok(judgement)
    }
}

/// The positions of a game beyond the tables, before and after its moves: the last first, because proofs
/// of those succeed most often.
pub fn beyond(tables: &Tables, game: &Game) -> Vec<Position> {
    let plies = game.plies(tables.rules()).map_while(Result::ok);
    let positions = plies.flat_map(|ply| [ply.before.position(), ply.play.position]);
    let beyond = positions.filter(|position| tables.max_seeds() < Some(position.seeds()));
    let mut seen = HashSet::new();
    let mut beyond: Vec<Position> = beyond.filter(|position| seen.insert(*position)).collect();
    beyond.reverse();
    beyond
}

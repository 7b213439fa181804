//! Judging recorded games: the worth of each move, and the best moves.
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
//! * `class`: classes of wrong moves, by the result of the game;
//! * `by_proof`: moves beyond the tables.

mod by_proof;
mod class;

use std::cmp::Reverse;

use crate::prove::Proof;
use granero_game::{Cycles, Game, Measured, Ply, Position, ReplayError, Side, Value};
use granero_table::{AssessedMove, Assessment, TableError, Tables};

pub use by_proof::{JudgedByProof, ProofSummary};
pub use class::{Class, decided};

/// The moves of a recorded game, judged by tables.
///
/// ```no_run
/// use granero::judge::Judgement;
/// use granero::Tables;
/// use granero::{Game, Side};
///
/// let tables = Tables::open("granero-db")?;
/// let game: Game = "0-0-0-0-0-5-1-0-0-0-0-0-20-22-N aF".parse().unwrap();
/// let judgement = Judgement::new(&tables, &game)?;
/// println!("South gave away {}", judgement.player(Side::South).given_away);
/// # Ok::<(), granero::TableError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The moves within reach of the tables, in the order of the game.
    pub moves: Vec<JudgedMove>,
    /// The number of moves before them, with too many seeds for the tables.
    pub beyond: usize,
    /// The number of moves that deciding tables cannot judge: their worth, or the worth of the
    /// position, is cut off.
    pub cut_off: usize,
    /// The moves of `beyond` that were judged by proofs; see [`with_proofs`](Judgement::with_proofs).
    pub proven: Vec<JudgedByProof>,
    /// The first move that cannot be replayed, if there is one: the game is judged up to
    /// there.
    pub error: Option<ReplayError>,
}

/// A move that was played, compared with the best moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedMove {
    /// The number of the move, counted from 1 for each player's move.
    pub number: usize,
    /// The move, and the situation before it.
    pub ply: Ply,
    /// The worth of the position before it, and of each of its moves.
    pub assessment: Assessment,
    /// The worth of that position to the player who moved.
    pub worth: Measured<Value>,
    /// The worth of the move to that player.
    pub played: Measured<Value>,
    /// The player for whom the game says that endless play is decided; then both are values.
    pub favours: Option<Side>,
}

/// A summary of the moves of one player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerSummary<'a> {
    /// The number of judged moves.
    pub judged: usize,
    /// The number of these that were best.
    pub best: usize,
    /// The guaranteed seeds that they gave away, all together.
    pub given_away: u32,
    /// The attainable seeds that they gave up, all together.
    pub given_up: u32,
    /// The move that gave away most; of several, the one that gave up most, then the first.
    /// `None` if all were best.
    pub worst: Option<&'a JudgedMove>,
    /// The number of moves of each class, in the order of [`Class::WRONG`].
    pub wrong: [usize; 3],
    /// The summary of the moves beyond the tables, as far as they are proven.
    pub by_proof: ProofSummary<'a>,
}

impl Judgement {
    /// Judges a game, by the rules of the tables.
    ///
    /// # Errors
    ///
    /// When a file of the tables is damaged or cannot be read. An illegal move is not an
    /// error here, but part of the judgement: [`error`](Judgement::error).
    pub fn new(tables: &Tables, game: &Game) -> Result<Judgement, TableError> {
        Judgement::with_proofs(tables, game, |_| Ok(None))
    }

    /// Judges a game with proofs of positions beyond the tables. `prove` is called for the position
    /// before each move there, and for the position after the last of these moves. Moves from
    /// positions without a proof are not judged.
    ///
    /// # Errors
    ///
    /// Like [`new`](Judgement::new), and the errors of `prove`.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use granero::judge::{Class, Judgement};
    /// use granero::prove::{Budget, Prover};
    /// use granero::{Game, Tables};
    ///
    /// let tables = Tables::sample();
    /// let game: Game = "2-0-1-1-0-1-1-1-0-0-2-1-19-19-S C".parse()?;
    /// let judgement = Judgement::with_proofs(tables, &game, |position| {
    ///     let go_on = |_: &_| ControlFlow::Continue(());
    ///     Prover::new(tables).prove(position, Budget::nodes(10_000), go_on).map(Some)
    /// })?;
    /// assert_eq!(judgement.proven[0].given_away_at_least(), 10);
    /// assert_eq!(judgement.proven[0].class(), Some(Class::ChangedWinner));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_proofs(
        tables: &Tables,
        game: &Game,
        mut prove: impl FnMut(&Position) -> Result<Option<Proof>, TableError>,
    ) -> Result<Judgement, TableError> {
        let mut judgement = Judgement {
            moves: Vec::new(),
            beyond: 0,
            cut_off: 0,
            proven: Vec::new(),
            error: None,
        };
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
                .and_then(|assessed| assessed.worth);
            match (assessment.worth, played) {
                (Some(worth), Some(played)) => judgement.moves.push(JudgedMove {
                    number,
                    ply,
                    worth: for_favoured(worth, favours, ply.before.to_move()),
                    played: for_favoured(played, favours, ply.before.to_move()),
                    assessment,
                    favours,
                }),
                // The tables hold the position, but have cut off a worth.
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
                    let child = match tables.worth(next)? {
                        None => {
                            after = prove(next)?;
                            let bounds =
                                |&Proof { low, high, .. }: &_| Measured::Bounds { low, high };
                            after.as_ref().map(bounds)
                        }
                        worth => worth,
                    };
                    beyond.push((number, ply, before, child));
                }
            }
        }
        // The last move first: the proof of its position helps to judge the move before it.
        for (number, ply, proof, child) in beyond.into_iter().rev() {
            let child = match judgement.proven.last() {
                Some(next) if next.number == number + 1 => Some(next.worth),
                _ => child,
            };
            let judged = JudgedByProof::new(number, ply, proof, child);
            judgement.proven.extend(judged);
        }
        judgement.proven.reverse();
        Ok(judgement)
    }

    /// Sums up the moves of one player.
    pub fn player(&self, side: Side) -> PlayerSummary<'_> {
        let moves = || self.moves.iter().filter(|judged| judged.side() == side);
        PlayerSummary {
            judged: moves().count(),
            best: moves().filter(|judged| judged.is_best()).count(),
            given_away: moves().map(|judged| u32::from(judged.given_away())).sum(),
            given_up: moves().map(|judged| u32::from(judged.given_up())).sum(),
            worst: moves()
                .filter(|judged| !judged.is_best())
                .min_by_key(|judged| Reverse((judged.given_away(), judged.given_up()))),
            wrong: of_each_class(moves().map(|judged| Some(judged.class()))),
            by_proof: self.player_by_proof(side),
        }
    }

    fn player_by_proof(&self, side: Side) -> ProofSummary<'_> {
        let moves = || self.proven.iter().filter(|judged| judged.side() == side);
        let at_least = JudgedByProof::given_away_at_least;
        ProofSummary {
            judged: moves()
                .filter(|judged| judged.is_best() || at_least(judged) > 0)
                .count(),
            best: moves().filter(|judged| judged.is_best()).count(),
            given_away: moves().map(|judged| u32::from(at_least(judged))).sum(),
            complete: moves().all(|judged| judged.given_away_at_most() == at_least(judged)),
            worst: moves()
                .filter(|judged| at_least(judged) > 0)
                .min_by_key(|judged| Reverse(at_least(judged))),
            wrong: of_each_class(moves().map(JudgedByProof::class)),
            unsettled: of_each_class(moves().map(|judged| match judged.class() {
                None => Some(judged.class_at_most()),
                Some(_) => None,
            })),
        }
    }
}

/// Counts the moves of each class, in the order of [`Class::WRONG`].
fn of_each_class(classes: impl Iterator<Item = Option<Class>> + Clone) -> [usize; 3] {
    Class::WRONG.map(|class| {
        let of_class = classes.clone().filter(|&found| found == Some(class));
        of_class.count()
    })
}

/// The worth to a side if endless play is decided for a player.
fn for_favoured(worth: Measured<Value>, favours: Option<Side>, side: Side) -> Measured<Value> {
    match favours {
        None => worth,
        Some(favoured) if favoured == side => Measured::Value(worth.high()),
        Some(_) => Measured::Value(worth.low()),
    }
}

impl JudgedMove {
    /// The side that moved.
    pub fn side(&self) -> Side {
        self.ply.before.to_move()
    }

    /// The number of seeds that the move guarantees less than the best moves: by this the difference
    /// between the two players became worse for the player who moved.
    pub fn given_away(&self) -> u8 {
        // The position guarantees what its best move does.
        let [position, played] = [self.worth, self.played].map(|worth| worth.low().seeds());
        position.abs_diff(played)
    }

    /// The best moves of the position by its [assessment](Self::assessment); if endless play is
    /// decided for a player, the moves that are best then.
    pub fn best(&self) -> impl Iterator<Item = &AssessedMove> {
        let side = self.side();
        self.assessment
            .moves
            .iter()
            .filter(move |found| match self.favours {
                None => found.best,
                Some(_) => {
                    let worth = found
                        .worth
                        .map(|worth| for_favoured(worth, self.favours, side));
                    worth == Some(self.worth)
                }
            })
    }

    /// The number of seeds that are attainable less after the move than after the best moves, if it
    /// guarantees as much as they do. Otherwise 0, and always 0 for values.
    pub fn given_up(&self) -> u8 {
        if self.favours.is_some() {
            return 0;
        }
        let mut best = self.best().filter_map(|best| best.worth);
        match best.next() {
            Some(best) if best.low() == self.played.low() => {
                best.high().seeds().abs_diff(self.played.high().seeds())
            }
            _ => 0,
        }
    }

    /// Returns true if the move is one of the best: it gives nothing away, and nothing up.
    pub fn is_best(&self) -> bool {
        self.given_away() == 0 && self.given_up() == 0
    }
}

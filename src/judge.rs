//! Judging a recorded game: what each move was worth, and which move was best.
//!
//! Where endless play gives each player the seeds on their own side, a move has bounds, and can
//! be wrong in two ways. It **gives away** part of what was guaranteed; or it keeps that, but
//! **gives up** part of what was attainable. The guarantee comes first: a move with the best low
//! bound is right, even if another move has a better high bound.

use std::cmp::Reverse;

use crate::game::{Game, Ply, ReplayError};
use crate::house::Side;
use crate::measured::Measured;
use crate::table::{Assessment, TableError, Tables};
use crate::value::Value;

/// What tables say about the moves of a recorded game.
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
    /// The number of moves that deciding tables do not tell from the best ones, or cannot say how
    /// much worse they are: their worth, or that of the position, is cut off.
    pub cut_off: usize,
    /// The first move that cannot be replayed, if there is one: the game is judged up to
    /// there.
    pub error: Option<ReplayError>,
}

/// A move that was played, compared with the best ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedMove {
    /// The number of the move, counted from 1 for each player's move.
    pub number: usize,
    /// The move, and the situation before it.
    pub ply: Ply,
    /// What the position before it is worth, and each of its moves.
    pub assessment: Assessment,
    /// What that position was worth to the player who moved.
    pub worth: Measured<Value>,
    /// What the move was worth to that player.
    pub played: Measured<Value>,
}

/// A summary of the moves of one player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerSummary<'a> {
    /// The number of judged moves.
    pub judged: usize,
    /// How many of these were best.
    pub best: usize,
    /// The guaranteed seeds that they gave away, all together.
    pub given_away: u32,
    /// The attainable seeds that they gave up, all together.
    pub given_up: u32,
    /// The move that gave away most; of several, the one that gave up most, then the first.
    /// `None` if all were best.
    pub worst: Option<&'a JudgedMove>,
}

impl Judgement {
    /// Judges a game, by the rules of the tables.
    ///
    /// # Errors
    ///
    /// When a file of the tables is damaged or cannot be read. An illegal move is not an
    /// error here, but part of the judgement: [`error`](Judgement::error).
    pub fn new(tables: &Tables, game: &Game) -> Result<Judgement, TableError> {
        let mut judgement = Judgement {
            moves: Vec::new(),
            beyond: 0,
            cut_off: 0,
            error: None,
        };
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
                    assessment,
                    worth,
                    played,
                }),
                _ if assessment.clamped.is_some() => judgement.cut_off += 1,
                _ => judgement.beyond += 1,
            }
        }
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
        }
    }
}

impl JudgedMove {
    /// The side that moved.
    pub fn side(&self) -> Side {
        self.ply.before.to_move()
    }

    /// How many seeds less the move guarantees than the best moves do: by this the difference
    /// between the two players became worse for the one who moved.
    pub fn given_away(&self) -> u8 {
        // The position guarantees what its best move does.
        let [position, played] = [self.worth, self.played].map(|worth| worth.low().seeds());
        position.abs_diff(played)
    }

    /// How many seeds less are attainable after the move than after the best moves, if it
    /// guarantees as much as they do. Otherwise 0, and always 0 for values.
    pub fn given_up(&self) -> u8 {
        let mut best = self.assessment.best().filter_map(|best| best.worth);
        match best.next() {
            Some(best) if best.low() == self.played.low() => {
                best.high().seeds().abs_diff(self.played.high().seeds())
            }
            _ => 0,
        }
    }

    /// Whether the move is one of the best: it gives nothing away, and nothing up.
    pub fn is_best(&self) -> bool {
        self.given_away() == 0 && self.given_up() == 0
    }
}

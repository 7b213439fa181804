//! Judging a recorded game: what each move was worth, and what would have been best.
//!
//! Where endless play gives each player the seeds on the own side, a move has bounds, and can
//! be wrong in two ways. It **gives away** what was guaranteed; or it keeps that, but **gives
//! up** what could still be had beside it. What cannot both be had is no error: a move that
//! guarantees more is right, however much another one lets hope for.

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
/// use granero::table::Tables;
/// use granero::{Game, Side};
///
/// let tables = Tables::open("granero-db")?;
/// let game: Game = "0-0-0-0-0-5-1-0-0-0-0-0-20-22-N aF".parse().unwrap();
/// let judgement = Judgement::new(&tables, &game)?;
/// println!("South gave away {}", judgement.player(Side::South).given_away);
/// # Ok::<(), granero::table::TableError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The moves within reach of the tables, in the order of the game.
    pub moves: Vec<JudgedMove>,
    /// How many moves come before them, when there were too many seeds on the board.
    pub beyond: usize,
    /// The first move that cannot have been played so, if there is one: the game is judged
    /// up to there.
    pub error: Option<ReplayError>,
}

/// A move that was played, and what could have been.
///
/// ```
/// use granero::judge::JudgedMove;
///
/// fn is_blunder(judged: &JudgedMove) -> bool {
///     judged.given_away() > 3
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedMove {
    /// The number of the move, counted from 1 for each player's move.
    pub number: usize,
    /// The move, and the situation before it.
    pub ply: Ply,
    /// What the position before it is worth, and each of its moves.
    pub assessment: Assessment,
    /// What the position was worth to the player who moved. Where endless play is shared
    /// equally, both bounds are the value.
    pub worth: Measured<Value>,
    /// What the move was worth to that player.
    pub played: Measured<Value>,
}

/// The moves of one player, taken together.
///
/// ```
/// use granero::judge::PlayerSummary;
///
/// fn is_perfect(player: &PlayerSummary<'_>) -> bool {
///     player.best == player.judged
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerSummary<'a> {
    /// How many moves were judged.
    pub judged: usize,
    /// How many of these were best.
    pub best: usize,
    /// What all of them gave away of what was guaranteed.
    pub given_away: u32,
    /// What all of them gave up of what was attainable.
    pub given_up: u32,
    /// The move that gave away most, of several the one that gave up most, and then the
    /// first; `None` if all were best.
    pub worst: Option<&'a JudgedMove>,
}

impl Judgement {
    /// Judges a game, by the rules of the tables.
    ///
    /// # Errors
    ///
    /// When a file of the tables is damaged or cannot be read. That a move is not legal is
    /// part of the judgement: [`error`](Judgement::error).
    ///
    /// ```no_run
    /// # use granero::{Game, judge::Judgement, table::Tables};
    /// let tables = Tables::open("granero-db")?;
    /// let judgement = Judgement::new(&tables, &Game::default())?;
    /// assert!(judgement.moves.is_empty());
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn new(tables: &Tables, game: &Game) -> Result<Judgement, TableError> {
        let mut judgement = Judgement {
            moves: Vec::new(),
            beyond: 0,
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
                _ => judgement.beyond += 1,
            }
        }
        Ok(judgement)
    }

    /// The moves of one player, taken together.
    ///
    /// ```no_run
    /// # use granero::{Game, Side, judge::Judgement, table::Tables};
    /// # let judgement = Judgement::new(&Tables::open("granero-db")?, &Game::default())?;
    /// let south = judgement.player(Side::South);
    /// println!("{} of {} moves were best", south.best, south.judged);
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
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
    /// Who moved.
    ///
    /// ```
    /// # use granero::{Side, judge::JudgedMove};
    /// fn is_souths(judged: &JudgedMove) -> bool {
    ///     judged.side() == Side::South
    /// }
    /// ```
    pub fn side(&self) -> Side {
        self.ply.before.to_move()
    }

    /// How much less the move guarantees than a best one: by so many seeds the difference
    /// between the two players became worse for the one who moved.
    ///
    /// ```
    /// # use granero::judge::JudgedMove;
    /// fn keeps_what_is_guaranteed(judged: &JudgedMove) -> bool {
    ///     judged.given_away() == 0
    /// }
    /// ```
    pub fn given_away(&self) -> u8 {
        // The position guarantees what its best move does.
        let [position, played] = [self.worth, self.played].map(|worth| worth.low().seeds());
        position.abs_diff(played)
    }

    /// How much less can be had after the move than after a best one, if it guarantees as
    /// much; 0 if it does not, and wherever endless play is shared equally.
    ///
    /// ```
    /// # use granero::judge::JudgedMove;
    /// fn is_careless(judged: &JudgedMove) -> bool {
    ///     judged.given_away() == 0 && judged.given_up() > 0
    /// }
    /// ```
    pub fn given_up(&self) -> u8 {
        let mut best = self.assessment.best().filter_map(|best| best.worth);
        match best.next() {
            Some(best) if best.low() == self.played.low() => {
                best.high().seeds().abs_diff(self.played.high().seeds())
            }
            _ => 0,
        }
    }

    /// Whether the move is one of the best: nothing is given away, and nothing given up.
    ///
    /// ```
    /// # use granero::judge::JudgedMove;
    /// fn is_an_error(judged: &JudgedMove) -> bool {
    ///     !judged.is_best()
    /// }
    /// ```
    pub fn is_best(&self) -> bool {
        self.given_away() == 0 && self.given_up() == 0
    }
}

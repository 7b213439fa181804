//! A recorded game, and playing it through.

use thiserror::Error;

use crate::comments::Comments;
use crate::house::{House, PlayerHouse, Side};
use crate::rules::{IllegalMove, Move, Ruleset};
use crate::situation::Situation;

/// A game as it was recorded: where it started, what was played, and what else
/// the record says. Its moves may be illegal: [`replay`](Game::replay) checks them.
///
/// ```
/// use granero::{Ruleset, notation::aalina};
///
/// let game = aalina::parse_game("FfBeBc")?;
/// let plies = game.replay(Ruleset::Abapa).unwrap();
/// assert_eq!(plies.len(), 6);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Where the game starts.
    pub start: Situation,
    /// The moves, as they were recorded, even if South and North do not take turns.
    pub moves: Vec<PlayedMove>,
    /// Facts about the game by name (`Event`, `South`, …), in the order of the record.
    pub tags: Vec<(String, String)>,
    /// Comments on the whole game and on its moves.
    pub comments: Comments,
}

/// A move as it was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedMove {
    /// The house that was sown.
    pub sown: PlayerHouse,
    /// The seeds captured, if the record has them.
    pub captured: Option<u8>,
}

/// One move of a replayed game.
///
/// ```
/// use granero::{Ruleset, Side, notation::aalina};
///
/// let plies = aalina::parse_game("Ff")?.replay(Ruleset::Abapa).unwrap();
/// assert_eq!(plies[1].before.to_move(), Side::North);
/// assert_eq!(plies[1].before.position(), plies[0].play.position);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The situation in which the move was made.
    pub before: Situation,
    /// The move.
    pub play: Move,
    /// The situation after it.
    pub after: Situation,
}

impl Default for Game {
    /// A game from the start without any moves.
    fn default() -> Game {
        Game {
            start: Situation::START,
            moves: Vec::new(),
            tags: Vec::new(),
            comments: Comments::default(),
        }
    }
}

impl From<PlayerHouse> for PlayedMove {
    fn from(sown: PlayerHouse) -> PlayedMove {
        PlayedMove {
            sown,
            captured: None,
        }
    }
}

impl Game {
    /// The value of a tag, if the record has it.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let tag = self.tags.iter().find(|(tag, _)| tag == name)?;
        Some(&tag.1)
    }

    /// Plays the game through under a ruleset.
    ///
    /// The captures of the last move may include the seeds that its player takes from
    /// their own side at the end of the game: Aualé counts them in.
    ///
    /// # Errors
    ///
    /// [`ReplayError`] at the first move that is illegal, out of turn, or captures
    /// another number of seeds than the record says.
    ///
    /// ```
    /// use granero::{Ruleset, notation::aalina};
    ///
    /// let error = aalina::parse_game("FfF")?.replay(Ruleset::Abapa).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "move 3 (F): the house cannot be played: it is empty; legal are A, B, C, D, E"
    /// );
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    pub fn replay(&self, ruleset: Ruleset) -> Result<Vec<Ply>, ReplayError> {
        self.plies(ruleset).collect()
    }

    /// Plays the game through under a ruleset, one move at a time. The first move that
    /// [`replay`](Game::replay) does not accept is the last item, an error.
    ///
    /// ```
    /// use granero::{Ruleset, notation::aalina};
    ///
    /// let game = aalina::parse_game("FfF")?;
    /// let accepted = game.plies(Ruleset::Abapa).take_while(Result::is_ok).count();
    /// assert_eq!(accepted, 2);
    /// assert_eq!(game.plies(Ruleset::Abapa).count(), 3);
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    pub fn plies(&self, ruleset: Ruleset) -> impl Iterator<Item = Result<Ply, ReplayError>> {
        let mut now = Some(self.start);
        self.moves
            .iter()
            .enumerate()
            .map_while(move |(index, played)| {
                let last = index + 1 == self.moves.len();
                let ply = play_recorded(&now?, played, ruleset, last);
                now = ply.as_ref().ok().map(|ply| ply.after);
                Some(ply.map_err(|reason| ReplayError {
                    number: index + 1,
                    sown: played.sown,
                    reason,
                }))
            })
    }
}

fn play_recorded(
    before: &Situation,
    played: &PlayedMove,
    ruleset: Ruleset,
    last: bool,
) -> Result<Ply, ReplayErrorReason> {
    let side = before.to_move();
    let legal: Vec<House> = ruleset
        .moves(&before.position())
        .iter()
        .map(|play| play.house)
        .collect();
    // When the game is over it is nobody's turn.
    if played.sown.side != side && !legal.is_empty() {
        return Err(ReplayErrorReason::NotTheMover { side, legal });
    }
    let (play, after) =
        before
            .play(ruleset, played.sown.house)
            .map_err(|illegal| ReplayErrorReason::Illegal {
                illegal,
                side,
                legal,
            })?;
    if let Some(recorded) = played.captured {
        let with_own_side = play.captured + play.position.opponents_seeds();
        if recorded != play.captured && !(last && recorded == with_own_side) {
            return Err(ReplayErrorReason::OtherCapture {
                recorded,
                ruleset,
                captured: play.captured,
            });
        }
    }
    Ok(Ply {
        before: *before,
        play,
        after,
    })
}

/// A recorded move that the rules do not allow, or with another capture than they give.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("move {number} ({sown}): {reason}")]
pub struct ReplayError {
    /// The number of the move, counted from 1 for each player's move.
    pub number: usize,
    /// The move as recorded.
    pub sown: PlayerHouse,
    /// What is wrong with it.
    pub reason: ReplayErrorReason,
}

/// What is wrong with a recorded move.
///
/// ```
/// use granero::{ReplayErrorReason, Ruleset, notation::ogn};
///
/// let error = ogn::parse("1. F+2")?.replay(Ruleset::Abapa).unwrap_err();
/// assert!(matches!(error.reason, ReplayErrorReason::OtherCapture { .. }));
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReplayErrorReason {
    /// It is the other player's turn.
    #[error("{side} is to move{}", list_legal(legal, *side))]
    NotTheMover {
        /// The side to move.
        side: Side,
        /// The legal moves.
        legal: Vec<House>,
    },
    /// The move is not legal.
    #[error("the house cannot be played: {}{}", illegal.refusal, list_legal(legal, *side))]
    Illegal {
        /// Why not.
        illegal: IllegalMove,
        /// The side to move.
        side: Side,
        /// The legal moves.
        legal: Vec<House>,
    },
    /// The record and the rules disagree about what the move captured.
    #[error(
        "the record says that it captured {recorded}, \
         but under the ruleset `{ruleset}` it captures {captured}"
    )]
    OtherCapture {
        /// The seeds captured according to the record.
        recorded: u8,
        /// The rules of the replay.
        ruleset: Ruleset,
        /// The seeds captured under these rules.
        captured: u8,
    },
}

fn list_legal(legal: &[House], side: Side) -> String {
    let letters: Vec<String> = legal
        .iter()
        .map(|house| house.letter(side).to_string())
        .collect();
    match letters.as_slice() {
        [] => String::new(),
        [only] => format!("; only {only} is legal"),
        several => format!("; legal are {}", several.join(", ")),
    }
}

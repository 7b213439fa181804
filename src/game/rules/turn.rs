//! The turn of the player to move: the legal moves, or the end of the game.

use std::fmt;

use arrayvec::ArrayVec;
use thiserror::Error;

use super::ruleset::{Permission, Ruleset};
use super::sowing::arrive;
use crate::house::House;
use crate::position::{Position, join};
use crate::value::Value;
use crate::value::measured::Measured;

/// The turn of the player to move: legal moves, or the end of the game.
///
/// ```
/// use granero::{Position, Ruleset, Turn};
///
/// match Ruleset::Abapa.turn(&Position::START) {
///     Turn::Play(moves) => assert_eq!(moves.len(), 6),
///     Turn::Over(over) => panic!("{}", over.reason),
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The legal moves; there is at least one.
    Play(Moves),
    /// The game is over.
    Over(GameOver),
}

/// A legal move and its result.
///
/// After the move, every seed of the board is in one of three places: `captured`,
/// `conceded`, or still on the board, in `position`. So the move is worth
/// `captured - conceded - value(position)` to the player who makes it.
///
/// ```
/// use granero::{House, Position, Ruleset};
///
/// let position: Position = "6 0 0 2 1 2 / 4 0 0 1 3 1".parse()?;
/// let play = Ruleset::Abapa.play(&position, House::E).unwrap();
/// assert_eq!(play.captured, 5);
/// // The opponent moves next and sees the board from the other side.
/// assert_eq!(play.position, "2 0 1 0 0 4 / 0 0 2 0 0 6".parse()?);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Move {
    /// The house that is sown.
    pub house: House,
    /// The seeds that the mover captures.
    pub captured: u8,
    /// The seeds that the opponent gets at once: in `slam-ends`, all that a grand slam does not
    /// capture; 0 for every other move.
    pub conceded: u8,
    /// True if the move itself ends the game, as a grand slam does in `slam-ends`.
    pub ends_game: bool,
    /// The position after the move, seen from the opponent, who moves next.
    pub position: Position,
}

impl Move {
    /// The seeds captured, less those conceded.
    pub fn gain(&self) -> i8 {
        self.captured as i8 - self.conceded as i8
    }

    /// Like [`value`](Move::value), for an exact value.
    pub fn exact_value(&self, child: Value) -> Value {
        Value::of_shares(self.captured, self.conceded).minus(child)
    }

    /// The value or bounds of the move to the player who makes it, if the position after it is worth `child`
    /// to the opponent.
    ///
    /// ```
    /// use granero::{Measured, Position, Ruleset, Value};
    ///
    /// let position: Position = "6 0 0 2 1 2 / 4 0 0 1 3 1".parse()?;
    /// let play = Ruleset::Abapa.moves(&position)[2];
    /// let child = Measured::Bounds { low: -3, high: 1 }.map(|seeds| Value::new(seeds).unwrap());
    /// assert_eq!(play.captured, 5);
    /// assert_eq!(play.value(child).to_string(), "+4…+8");
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    pub fn value(&self, child: Measured<Value>) -> Measured<Value> {
        child.of_parent().map(|child| self.exact_value(child))
    }
}

/// The legal moves of a position, in the order of their houses.
pub type Moves = ArrayVec<Move, 6>;

/// The end of the game: its reason, and the value of the position.
///
/// ```
/// use granero::rules::EndReason;
/// use granero::{Position, Ruleset, Turn, Value};
///
/// // South cannot give North a seed and takes all five.
/// let position: Position = "0 0 0 0 0 0 / 1 1 0 2 1 0".parse()?;
/// let Turn::Over(over) = Ruleset::Abapa.turn(&position) else { panic!() };
/// assert_eq!(over.reason, EndReason::CannotFeed);
/// assert_eq!(over.value, Value::new(5).unwrap());
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameOver {
    /// The reason for having no legal move.
    pub reason: EndReason,
    /// The value of the position to the player whose turn it would be.
    pub value: Value,
}

/// The reason for having no legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EndReason {
    /// The mover has no seeds: the opponent takes the rest.
    NoSeeds,
    /// The opponent has no seeds and no legal move gives any: the mover takes the rest.
    CannotFeed,
    /// Every move would be a grand slam, which is illegal: each player takes the seeds on their own side.
    OnlyGrandSlams,
}

/// The error for a house that cannot be played.
///
/// ```
/// use granero::{House, Position, Ruleset};
///
/// let position: Position = "0 0 0 0 0 0 / 1 1 0 2 4 0".parse()?;
/// let error = Ruleset::Abapa.play(&position, House::A).unwrap_err();
/// assert!(error.to_string().starts_with("house A cannot be played"));
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("house {house} cannot be played: {refusal}")]
pub struct IllegalMove {
    /// The house.
    pub house: House,
    /// The reason.
    pub refusal: Refusal,
}

/// The reason why a house cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refusal {
    /// The house is empty.
    EmptyHouse,
    /// The opponent has no seeds and the move would give none.
    MustFeed,
    /// The move would capture all the opponent's seeds.
    GrandSlam,
    /// The game is over; there is no legal move at all.
    GameOver(EndReason),
}

impl Ruleset {
    /// The legal moves of a position, or the end of the game.
    pub fn turn(self, position: &Position) -> Turn {
        let moves = self.moves(position);
        if moves.is_empty() {
            Turn::Over(game_over(position))
        } else {
            Turn::Play(moves)
        }
    }

    /// Plays one house.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`], which says why the house cannot be played.
    ///
    /// ```
    /// use granero::{House, Position, Ruleset};
    ///
    /// let after = Ruleset::Abapa.play(&Position::START, House::E).unwrap().position;
    /// assert_eq!(after.houses(), [5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 0, 5]);
    /// ```
    pub fn play(self, position: &Position, house: House) -> Result<Move, IllegalMove> {
        let moves = self.moves(position);
        if let Some(play) = moves.iter().find(|play| play.house == house) {
            return Ok(*play);
        }
        let refusal = if moves.is_empty() {
            Refusal::GameOver(game_over(position).reason)
        } else if position.seeds_in(house) == 0 {
            Refusal::EmptyHouse
        } else if position.sown(house).0.opponents_seeds() == 0 {
            Refusal::MustFeed
        } else {
            Refusal::GrandSlam
        };
        Err(IllegalMove { house, refusal })
    }
}

/// The outcome of a move whose last seed falls into one of the opponent's houses. It depends on the
/// opponent's half-board alone, and the solver relies on this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// The move captures nothing, and play goes on.
    Quiet,
    /// The move captures seeds and leaves these to the opponent.
    Captures {
        /// The captured seeds.
        captured: u8,
        /// The seeds left in the opponent's houses.
        left: [u8; 6],
    },
    /// The move captures seeds and ends the game; the opponent gets the rest.
    EndsGame {
        /// The captured seeds.
        captured: u8,
    },
    /// The move is not legal, or only as a last resort.
    Barred,
}

impl Ruleset {
    /// The outcome of a move whose sowing leaves these seeds in the opponent's houses, the last one
    /// in the house `last`.
    pub fn arrival(self, opponents: [u8; 6], last: House) -> Arrival {
        let sown = Position::from_valid(join([0; 6], opponents));
        let last = 6 + last as u8;
        let (permission, play) = arrive(House::A, sown.words(), last, self.variation());
        match play.captured {
            _ if permission != Permission::Always => Arrival::Barred,
            captured if play.ends_game => Arrival::EndsGame { captured },
            0 => Arrival::Quiet,
            captured => Arrival::Captures {
                captured,
                left: play.position.own(),
            },
        }
    }
}

/// The end of the game in a position without a legal move.
///
/// Each player takes the seeds on their own side. This covers all cases: a player without seeds
/// takes none, and the other player takes all.
fn game_over(position: &Position) -> GameOver {
    let own = position.own_seeds();
    let opponents = position.opponents_seeds();
    let reason = if own == 0 {
        EndReason::NoSeeds
    } else if opponents == 0 {
        EndReason::CannotFeed
    } else {
        EndReason::OnlyGrandSlams
    };
    GameOver {
        reason,
        value: Value::of_shares(own, opponents),
    }
}

impl EndReason {
    /// The name used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            EndReason::NoSeeds => "no-seeds",
            EndReason::CannotFeed => "cannot-feed",
            EndReason::OnlyGrandSlams => "only-grand-slams",
        }
    }
}

/// Writes a clause that tells a player why the game is over.
impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            EndReason::NoSeeds => "the player to move has no seeds, so the opponent takes the rest",
            EndReason::CannotFeed => {
                "the opponent has no seeds and no legal move gives any, \
                 so the player to move takes the rest"
            }
            EndReason::OnlyGrandSlams => {
                "every move would be a grand slam, which is illegal, \
                 so each player takes the seeds on their own side"
            }
        })
    }
}

impl Refusal {
    /// The name used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Refusal::EmptyHouse => "empty",
            Refusal::MustFeed => "must-feed",
            Refusal::GrandSlam => "grand-slam",
            Refusal::GameOver(_) => "game-over",
        }
    }
}

/// Writes a clause that tells a player why the house cannot be played.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::EmptyHouse => f.pad("it is empty"),
            Refusal::MustFeed => f.pad("the opponent has no seeds, and this move would give none"),
            Refusal::GrandSlam => f.pad("it would capture all the opponent's seeds"),
            Refusal::GameOver(reason) => write!(f, "the game is over: {reason}"),
        }
    }
}

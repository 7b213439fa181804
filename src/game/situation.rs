//! A position within a game: the stores, and who is to move.

use thiserror::Error;

use crate::house::{House, Side};
use crate::position::{MAX_SEEDS, Position};
use crate::rules::{IllegalMove, Move, Ruleset};
use crate::value::extent::Extent;

/// A position with the rest of the game: the seeds that each side has captured, and which side is to move.
///
/// Houses and stores together always hold all seeds of the game: 48, or in smaller games 12, 24 or 36, which
/// begin with one, two or three seeds in each house.
///
/// ```
/// use granero::{House, Ruleset, Side, Situation};
///
/// let (_, next) = Situation::START.play(Ruleset::Abapa, House::F).unwrap();
/// assert_eq!(next.to_move(), Side::North);
/// assert_eq!(next.to_string(), "4-4-4-4-4-0-5-5-5-5-4-4-0-0-N");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Situation {
    position: Position,
    to_move: Side,
    // Invariant: the stores and the position together hold the seeds of a game with an opening.
    south: u8,
    north: u8,
}

impl Situation {
    /// The start of the game of 48 seeds, South to move.
    pub const START: Situation = Situation {
        position: Position::START,
        to_move: Side::South,
        south: 0,
        north: 0,
    };

    /// The start of a game of `game` seeds, South to move; `None` unless they can be shared among twelve houses.
    ///
    /// ```
    /// use granero::Situation;
    ///
    /// let opening = Situation::opening(36).unwrap();
    /// assert_eq!(opening.to_string(), "3-3-3-3-3-3-3-3-3-3-3-3-0-0-S");
    /// assert_eq!(Situation::opening(48), Some(Situation::START));
    /// assert_eq!(Situation::opening(35), None);
    /// ```
    pub fn opening(game: u8) -> Option<Situation> {
        has_opening(game.into()).then(|| Situation {
            position: Position::from_valid([game / 12; 12]),
            ..Situation::START
        })
    }

    /// A position, seen from the side to move, and the two stores.
    ///
    /// # Errors
    ///
    /// [`NotAllSeeds`] unless houses and stores together hold 12, 24, 36 or 48 seeds.
    pub fn new(
        position: Position,
        to_move: Side,
        south: u8,
        north: u8,
    ) -> Result<Situation, NotAllSeeds> {
        let seeds = u32::from(position.seeds()) + u32::from(south) + u32::from(north);
        if !has_opening(seeds) {
            return Err(NotAllSeeds { seeds });
        }
        Ok(Situation {
            position,
            to_move,
            south,
            north,
        })
    }

    /// A position of the game of 48 seeds with South to move and invented stores: each player gets half of the
    /// captured seeds, South an odd one.
    ///
    /// ```
    /// use granero::{Position, Side, Situation};
    ///
    /// let situation = Situation::open("0 0 0 0 1 1 / 1 1 0 0 0 1".parse()?);
    /// assert_eq!(situation.store(Side::South), 22);
    /// assert_eq!(situation.store(Side::North), 21);
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    pub fn open(position: Position) -> Situation {
        Situation::open_for(Extent::FULL, position)
    }

    /// Like [`open`](Situation::open), in the game that tables decide, if that has an opening and enough seeds.
    ///
    /// ```
    /// use granero::{Extent, Situation};
    ///
    /// let opening = Situation::opening(24).unwrap();
    /// let extent = Extent::deciding(24).unwrap();
    /// assert_eq!(Situation::open_for(extent, opening.position()), opening);
    /// ```
    pub fn open_for(extent: Extent, position: Position) -> Situation {
        let game = extent.max_seeds();
        let fits = has_opening(game.into()) && position.seeds() <= game;
        let captured = if fits { game } else { MAX_SEEDS } - position.seeds();
        let north = captured / 2;
        Situation {
            position,
            to_move: Side::South,
            south: captured - north,
            north,
        }
    }

    /// The position, seen from the side to move.
    pub fn position(&self) -> Position {
        self.position
    }

    /// All seeds of the game: in houses and stores.
    pub fn game(&self) -> u8 {
        self.position.seeds() + self.south + self.north
    }

    /// The side to move.
    pub fn to_move(&self) -> Side {
        self.to_move
    }

    /// The seeds that a side has captured.
    pub fn store(&self, side: Side) -> u8 {
        match side {
            Side::South => self.south,
            Side::North => self.north,
        }
    }

    /// The situation with South and North exchanged.
    ///
    /// ```
    /// use granero::Situation;
    ///
    /// let situation: Situation = "0-0-0-0-0-5-1-0-0-0-0-0-20-22-N".parse()?;
    /// assert_eq!(situation.turned().to_string(), "1-0-0-0-0-0-0-0-0-0-0-5-22-20-S");
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    #[must_use]
    pub fn turned(&self) -> Situation {
        Situation {
            position: self.position,
            to_move: self.to_move.other(),
            south: self.north,
            north: self.south,
        }
    }

    /// Plays a house of the side to move: returns the move and the situation after it.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`], which says why the house cannot be played.
    ///
    /// ```
    /// use granero::{House, Ruleset, Side, Situation};
    ///
    /// let situation: Situation = "4-0-0-1-3-1-2-1-2-0-0-6-14-14-S".parse()?;
    /// let (play, next) = situation.play(Ruleset::Abapa, House::E).unwrap();
    /// assert_eq!(play.captured, 5);
    /// assert_eq!(next.store(Side::South), 19);
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    pub fn play(&self, ruleset: Ruleset, house: House) -> Result<(Move, Situation), IllegalMove> {
        let play = ruleset.play(&self.position, house)?;
        let (to_south, to_north) = match self.to_move {
            Side::South => (play.captured, play.conceded),
            Side::North => (play.conceded, play.captured),
        };
        let next = Situation {
            position: play.position,
            to_move: self.to_move.other(),
            south: self.south + to_south,
            north: self.north + to_north,
        };
        Ok((play, next))
    }
}

impl Default for Situation {
    fn default() -> Situation {
        Situation::START
    }
}

/// The seeds of the games with an opening, in words.
pub(crate) const GAMES: &str = "12, 24, 36 or 48";

/// Tells if a game of so many seeds can begin with as many in each house.
fn has_opening(game: u32) -> bool {
    (12..=MAX_SEEDS.into()).contains(&game) && game.is_multiple_of(12)
}

/// Houses and stores that do not add up to the seeds of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("houses and stores together hold {seeds} seeds, and a game has {GAMES}")]
pub struct NotAllSeeds {
    /// The seeds that they hold together.
    pub seeds: u32,
}

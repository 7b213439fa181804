//! A position within a game: the stores, and who is to move.

use thiserror::Error;

use crate::house::{House, Side};
use crate::position::{MAX_SEEDS, Position};
use crate::rules::{IllegalMove, Move, Ruleset};

/// A position with the rest of the game: the seeds that each side has captured, and which side is to move.
///
/// Houses and stores together always hold the 48 seeds of the game.
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
    // Invariant: the stores and the position together hold `MAX_SEEDS`.
    south: u8,
    north: u8,
}

impl Situation {
    /// The start of every game, South to move.
    pub const START: Situation = Situation {
        position: Position::START,
        to_move: Side::South,
        south: 0,
        north: 0,
    };

    /// A position, seen from the side to move, and the two stores.
    ///
    /// # Errors
    ///
    /// [`NotAllSeeds`] unless houses and stores together hold 48 seeds.
    pub fn new(
        position: Position,
        to_move: Side,
        south: u8,
        north: u8,
    ) -> Result<Situation, NotAllSeeds> {
        let seeds = u32::from(position.seeds()) + u32::from(south) + u32::from(north);
        if seeds != u32::from(MAX_SEEDS) {
            return Err(NotAllSeeds { seeds });
        }
        Ok(Situation {
            position,
            to_move,
            south,
            north,
        })
    }

    /// A position with South to move and invented stores: each player gets half of the captured
    /// seeds, South an odd one.
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
        let captured = MAX_SEEDS - position.seeds();
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

/// Houses and stores that do not add up to the 48 seeds of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("houses and stores together hold {seeds} seeds, not the {MAX_SEEDS} of the game")]
pub struct NotAllSeeds {
    /// The seeds that they hold together.
    pub seeds: u32,
}

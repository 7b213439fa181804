//! A position: the seeds in each of the twelve houses, seen from the player to move.

use std::fmt;

use thiserror::Error;

use crate::house::House;

/// The number of seeds in the game, and so the most that a board can hold.
pub const MAX_SEEDS: u8 = 48;

/// The seeds in the twelve houses, seen from the player to move (the *mover*).
///
/// Houses `0..6` are the mover's own, `A` to `F` in sowing order; houses `6..12` are the opponent's. Captured
/// seeds are not part of a position. A `Position` never holds more than [`MAX_SEEDS`] seeds.
///
/// Positions are ordered lexicographically by their houses, first house first.
///
/// ```
/// use granero::Position;
///
/// let position = Position::new([4, 0, 0, 1, 3, 1, 2, 1, 2, 0, 0, 6])?;
/// assert_eq!(position.seeds(), 20);
/// assert_eq!(position.own(), [4, 0, 0, 1, 3, 1]);
/// assert_eq!(position.opponents(), [2, 1, 2, 0, 0, 6]);
/// # Ok::<(), granero::TooManySeeds>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    // Invariant: the sum is at most `MAX_SEEDS`.
    houses: [u8; 12],
}

impl Position {
    /// The position in which every game starts: four seeds in every house.
    pub const START: Position = Position { houses: [4; 12] };

    /// An empty board.
    pub const EMPTY: Position = Position { houses: [0; 12] };

    /// The position with these seeds in the mover's houses `A` to `F`, then in the opponent's.
    ///
    /// # Errors
    ///
    /// [`TooManySeeds`] when the houses hold more than [`MAX_SEEDS`] seeds.
    pub fn new(houses: [u8; 12]) -> Result<Position, TooManySeeds> {
        let seeds = houses.iter().map(|&seeds| u32::from(seeds)).sum();
        if seeds > u32::from(MAX_SEEDS) {
            return Err(TooManySeeds { seeds });
        }
        Ok(Position { houses })
    }

    /// A position from houses that are known to hold at most [`MAX_SEEDS`] seeds, such as those of another
    /// position; only builds with debug assertions check it.
    pub fn from_valid(houses: [u8; 12]) -> Position {
        debug_assert!(Position::new(houses).is_ok(), "{houses:?}");
        Position { houses }
    }

    /// All twelve houses, the mover's first.
    pub fn houses(&self) -> [u8; 12] {
        self.houses
    }

    /// The mover's six houses.
    #[inline]
    pub fn own(&self) -> [u8; 6] {
        let [a, b, c, d, e, f, ..] = self.houses;
        [a, b, c, d, e, f]
    }

    /// The opponent's six houses, in the opponent's sowing order.
    #[inline]
    pub fn opponents(&self) -> [u8; 6] {
        let [.., a, b, c, d, e, f] = self.houses;
        [a, b, c, d, e, f]
    }

    /// The seeds in one of the mover's houses.
    pub fn seeds_in(&self, house: House) -> u8 {
        self.houses[house.index()]
    }

    /// The seeds on the board: the number of the position's layer.
    #[inline]
    pub fn seeds(&self) -> u8 {
        self.houses.iter().sum()
    }

    /// The seeds in the mover's houses.
    #[inline]
    pub fn own_seeds(&self) -> u8 {
        self.own().iter().sum()
    }

    /// The seeds in the opponent's houses.
    #[inline]
    pub fn opponents_seeds(&self) -> u8 {
        self.opponents().iter().sum()
    }

    /// The board seen from the other side.
    ///
    /// ```
    /// use granero::Position;
    ///
    /// let position = Position::new([1, 2, 3, 0, 0, 0, 4, 5, 6, 0, 0, 0])?;
    /// assert_eq!(position.turned().houses(), [4, 5, 6, 0, 0, 0, 1, 2, 3, 0, 0, 0]);
    /// # Ok::<(), granero::TooManySeeds>(())
    /// ```
    #[must_use]
    pub fn turned(&self) -> Position {
        Position {
            houses: join(self.opponents(), self.own()),
        }
    }
}

#[doc(hidden)]
impl Position {
    /// The half-boards as words: a byte for each house, the first house in the lowest byte.
    #[inline]
    pub fn words(&self) -> [u64; 2] {
        [self.own(), self.opponents()]
            .map(|[a, b, c, d, e, f]| u64::from_le_bytes([a, b, c, d, e, f, 0, 0]))
    }

    /// The position with these words.
    #[inline]
    pub fn from_words(words: [u64; 2]) -> Position {
        let [own, opponents] = words.map(|word| {
            let [a, b, c, d, e, f, ..] = word.to_le_bytes();
            [a, b, c, d, e, f]
        });
        Position::from_valid(join(own, opponents))
    }

    /// A number that differs for most positions.
    #[inline]
    pub fn hash_code(&self) -> u64 {
        let [own, opponents] = self.words();
        let mixed = (own ^ opponents.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }
}

/// Two half-boards as one board.
pub fn join([a, b, c, d, e, f]: [u8; 6], [g, h, i, j, k, l]: [u8; 6]) -> [u8; 12] {
    [a, b, c, d, e, f, g, h, i, j, k, l]
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({self})")
    }
}

/// A board with more seeds than the game has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the houses hold {seeds} seeds together, but the game has only {MAX_SEEDS}")]
pub struct TooManySeeds {
    /// The seeds in all houses together.
    pub seeds: u32,
}

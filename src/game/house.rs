//! Houses and sides, and their letters.

use std::fmt;

/// One of the two players, by their seat at the board.
///
/// South's houses have capital letters, North's small ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The player of the lower row, `A` to `F`, who begins the game.
    South,
    /// The player of the upper row, `a` to `f`.
    North,
}

impl Side {
    /// The other player.
    #[must_use]
    pub fn other(self) -> Side {
        match self {
            Side::South => Side::North,
            Side::North => Side::South,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Side::South => "South",
            Side::North => "North",
        })
    }
}

/// One of a player's six houses, `A` to `F` in sowing order.
///
/// ```
/// use granero::{House, Side};
///
/// assert_eq!(House::E.index(), 4);
/// assert_eq!(House::E.letter(Side::North), 'e');
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum House {
    /// The first house in sowing order, furthest from the opponent's.
    A,
    /// The second house.
    B,
    /// The third house.
    C,
    /// The fourth house.
    D,
    /// The fifth house.
    E,
    /// The last house; the opponent's first comes next.
    F,
}

impl House {
    /// All six houses in sowing order.
    pub const ALL: [House; 6] = [House::A, House::B, House::C, House::D, House::E, House::F];

    /// The house with this index, `None` above 5.
    pub fn new(index: usize) -> Option<House> {
        House::ALL.get(index).copied()
    }

    /// The house's index in its owner's half-board: `A` is 0, `F` is 5.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The house's letter: a capital for South, a small letter for North.
    pub fn letter(self, side: Side) -> char {
        let first = match side {
            Side::South => b'A',
            Side::North => b'a',
        };
        char::from(first + self as u8)
    }
}

/// Writes the capital letter: without a side, houses are the mover's.
impl fmt::Display for House {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.letter(Side::South).encode_utf8(&mut [0; 4]))
    }
}

/// A house and its owner, as a game record names it: `A` to `F` are South's, `a` to `f` North's.
///
/// ```
/// use granero::{House, PlayerHouse, Side};
///
/// let sown: PlayerHouse = "d".parse()?;
/// assert_eq!(sown, PlayerHouse { side: Side::North, house: House::D });
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlayerHouse {
    /// Whose house it is.
    pub side: Side,
    /// Which of the six.
    pub house: House,
}

impl PlayerHouse {
    /// The house that a letter names; `None` for other letters.
    pub fn from_letter(letter: char) -> Option<PlayerHouse> {
        let both = |house| [Side::South, Side::North].map(|side| PlayerHouse { side, house });
        House::ALL
            .into_iter()
            .flat_map(both)
            .find(|house| house.letter() == letter)
    }

    /// The letter: a capital for South, a small letter for North.
    pub fn letter(self) -> char {
        self.house.letter(self.side)
    }
}

impl fmt::Display for PlayerHouse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.letter().encode_utf8(&mut [0; 4]))
    }
}

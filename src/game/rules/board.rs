//! Positions as two words, and their moves: fast enough for searches that generate millions of moves a second. The
//! tests have a plain twin, `tests/support/twin.rs`.

use super::{Moves, Permission, SlamTakes, Variation};
use crate::house::House;
use crate::position::{MAX_SEEDS, Position};

/// A position: a byte for each house, the first house in the lowest byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Board {
    /// The mover's houses.
    pub own: u64,
    /// The opponent's houses.
    pub opponents: u64,
}

/// A move: what it gains, and the board after it, seen from the opponent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoardMove {
    /// The number of the house that is sown.
    pub house: u8,
    /// The seeds captured less those conceded.
    pub gain: i8,
    /// The captured seeds.
    pub captured: u8,
    /// True if the move ends the game.
    pub ends_game: bool,
    /// The board after the move, seen from the opponent.
    pub board: Board,
}

/// The legal moves of a board.
pub type BoardMoves = Moves<BoardMove>;

/// The seeds that sowing a house adds to other houses.
#[derive(Clone, Copy)]
struct Sowing {
    own: u64,
    opponents: u64,
    /// The house of the last seed, the mover's first.
    last: u8,
}

/// By house and by the seeds in it.
static SOWINGS: [[Sowing; MAX_SEEDS as usize + 1]; 6] = {
    let none = Sowing {
        own: 0,
        opponents: 0,
        last: 0,
    };
    let mut sowings = [[none; MAX_SEEDS as usize + 1]; 6];
    let mut house = 0;
    while house < 6 {
        let mut last = house;
        let mut seeds = 1;
        while seeds <= MAX_SEEDS as usize {
            last = (last + 1) % 12;
            if last == house {
                last = (last + 1) % 12;
            }
            let mut sowing = sowings[house][seeds - 1];
            if last < 6 {
                sowing.own += 1 << (8 * last);
            } else {
                sowing.opponents += 1 << (8 * (last - 6));
            }
            sowing.last = last as u8;
            sowings[house][seeds] = sowing;
            seeds += 1;
        }
        house += 1;
    }
    sowings
};

/// A half-board as a word.
pub(super) fn word([a, b, c, d, e, f]: [u8; 6]) -> u64 {
    u64::from_le_bytes([a, b, c, d, e, f, 0, 0])
}

/// The bytes of a half-board added up.
fn sum(half: u64) -> u8 {
    (half.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u8
}

impl Board {
    /// The board of a position.
    pub fn of(position: &Position) -> Board {
        Board {
            own: word(position.own()),
            opponents: word(position.opponents()),
        }
    }

    /// The position of the board.
    pub fn position(self) -> Position {
        let [a, b, c, d, e, f, ..] = self.own.to_le_bytes();
        let [g, h, i, j, k, l, ..] = self.opponents.to_le_bytes();
        Position::from_valid([a, b, c, d, e, f, g, h, i, j, k, l])
    }

    /// The seeds in the mover's houses.
    pub fn own_seeds(self) -> u8 {
        sum(self.own)
    }

    /// The seeds in the opponent's houses.
    pub fn opponents_seeds(self) -> u8 {
        sum(self.opponents)
    }

    /// All seeds on the board.
    pub fn seeds(self) -> u8 {
        sum(self.own + self.opponents)
    }

    /// The board after a house is sown, before captures, and the house of the last seed, the mover's first. An empty
    /// house leaves the board as it is.
    ///
    /// ```
    /// use granero::rules::board::Board;
    /// use granero::{House, Position};
    ///
    /// // 14 seeds go once round the board and skip their own house.
    /// let position: Position = "0 0 0 8 2 0 / 6 1 7 0 14 8".parse()?;
    /// let (sown, last) = Board::of(&position).sown(House::E);
    /// assert_eq!(sown.position().houses(), [7, 2, 8, 1, 0, 10, 2, 4, 9, 1, 1, 1]);
    /// assert_eq!(last, 7);
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    #[inline]
    pub fn sown(self, house: House) -> (Board, u8) {
        let place = 8 * house.index();
        let sowing = SOWINGS[house.index()][(self.own >> place & 0xff) as usize];
        let sown = Board {
            own: (self.own & !(0xff << place)) + sowing.own,
            opponents: self.opponents + sowing.opponents,
        };
        (sown, sowing.last)
    }

    /// A number that differs for most boards.
    pub fn hash(self) -> u64 {
        let mixed = (self.own ^ self.opponents.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }

    /// The legal moves, in the order of their houses; none if the game is over.
    pub fn moves(self, variation: &Variation) -> BoardMoves {
        let mut always = BoardMoves::default();
        let mut last_resort = BoardMoves::default();
        for house in House::ALL {
            if self.own >> (8 * house.index()) & 0xff == 0 {
                continue;
            }
            let (sown, last) = self.sown(house);
            let (permission, mut play) = arrive(sown, last, variation);
            play.house = house as u8;
            match permission {
                Permission::Always => always.push(play),
                Permission::LastResort => last_resort.push(play),
                Permission::Never => {}
            }
        }
        if always.is_empty() {
            last_resort
        } else {
            always
        }
    }
}

/// Completes a move after its house is sown.
pub(super) fn arrive(sown: Board, last: u8, variation: &Variation) -> (Permission, BoardMove) {
    let Board { own, opponents } = sown;
    let quiet = capture(own, opponents, 0);
    if opponents == 0 {
        return (variation.starving, quiet);
    }
    // The chain: houses `start..end` of the opponent's.
    let end = (last + 1).saturating_sub(6);
    let mut start = end;
    while start > 0 && opponents >> (8 * (start - 1)) & 0xfe == 2 {
        start -= 1;
    }
    if start == end {
        return (Permission::Always, quiet);
    }
    let houses = |start: u8, end: u8| (1_u64 << (8 * end)) - (1_u64 << (8 * start));
    if opponents & !houses(start, end) != 0 {
        let play = capture(own, opponents, houses(start, end));
        return (Permission::Always, play);
    }
    let taken = match variation.slam_takes {
        SlamTakes::Nothing => 0,
        SlamTakes::Everything => houses(start, end),
        SlamTakes::AllButLast => houses(start + 1, end),
        SlamTakes::AllButFirst => houses(start, end - 1),
    };
    let mut play = capture(own, opponents, taken);
    if variation.slam_ends_game {
        play.gain -= play.board.seeds() as i8;
        play.ends_game = true;
        play.board = Board::default();
    }
    (variation.slam, play)
}

/// A move that captures the opponent's houses under a mask.
fn capture(own: u64, opponents: u64, taken: u64) -> BoardMove {
    let captured = sum(opponents & taken);
    BoardMove {
        gain: captured as i8,
        captured,
        board: Board {
            own: opponents & !taken,
            opponents: own,
        },
        ..BoardMove::default()
    }
}

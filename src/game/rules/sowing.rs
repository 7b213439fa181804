//! Sowing, and the legal moves of a position: fast enough for searches that generate millions of moves a second. Half-boards
//! are words here, with a byte for each house, the first house in the lowest byte. The tests have a plain twin,
//! `tests/support/twin.rs`.

use super::{Move, Moves, Permission, Ruleset, SlamTakes, Variation};
use crate::house::House;
use crate::position::{MAX_SEEDS, Position};

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
        sowings[house][0].last = house as u8;
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

/// The bytes of a half-board added up.
fn sum(half: u64) -> u8 {
    (half.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u8
}

/// The half-boards after a house is sown, before captures, and the house of the last seed, the mover's first.
#[inline]
fn sow([own, opponents]: [u64; 2], house: House) -> ([u64; 2], u8) {
    let place = 8 * house.index();
    let sowing = SOWINGS[house.index()][(own >> place & 0xff) as usize];
    let own = (own & !(0xff << place)) + sowing.own;
    ([own, opponents + sowing.opponents], sowing.last)
}

impl Position {
    /// The houses after one is sown, before captures, and the house of the last seed, the mover's first. An empty
    /// house leaves the position as it is.
    ///
    /// ```
    /// use granero::{House, Position};
    ///
    /// // 14 seeds go once round the board and skip their own house.
    /// let position: Position = "0 0 0 8 2 0 / 6 1 7 0 14 8".parse()?;
    /// let (sown, last) = position.sown(House::E);
    /// assert_eq!(sown.houses(), [7, 2, 8, 1, 0, 10, 2, 4, 9, 1, 1, 1]);
    /// assert_eq!(last, 7);
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    pub fn sown(&self, house: House) -> (Position, u8) {
        let (sown, last) = sow(self.words(), house);
        (Position::from_words(sown), last)
    }
}

impl Ruleset {
    /// The legal moves of a position, in the order of their houses; none if the game is over.
    pub fn moves(self, position: &Position) -> Moves {
        let (variation, words) = (self.variation(), position.words());
        let mut always = Moves::new();
        let mut last_resort = Moves::new();
        for house in House::ALL {
            if words[0] >> (8 * house.index()) & 0xff == 0 {
                continue;
            }
            let (sown, last) = sow(words, house);
            match arrive(house, sown, last, variation) {
                (Permission::Always, play) => always.push(play),
                (Permission::LastResort, play) => last_resort.push(play),
                (Permission::Never, _) => {}
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
pub(super) fn arrive(
    house: House,
    [own, opponents]: [u64; 2],
    last: u8,
    variation: &Variation,
) -> (Permission, Move) {
    let capture = |taken: u64| Move {
        house,
        captured: sum(opponents & taken),
        conceded: 0,
        ends_game: false,
        position: Position::from_words([opponents & !taken, own]),
    };
    if opponents == 0 {
        return (variation.starving, capture(0));
    }
    // The chain: houses `start..end` of the opponent's.
    let end = (last + 1).saturating_sub(6);
    let mut start = end;
    while start > 0 && opponents >> (8 * (start - 1)) & 0xfe == 2 {
        start -= 1;
    }
    if start == end {
        return (Permission::Always, capture(0));
    }
    let houses = |start: u8, end: u8| (1_u64 << (8 * end)) - (1_u64 << (8 * start));
    if opponents & !houses(start, end) != 0 {
        return (Permission::Always, capture(houses(start, end)));
    }
    let mut play = capture(match variation.slam_takes {
        SlamTakes::Nothing => 0,
        SlamTakes::Everything => houses(start, end),
        SlamTakes::AllButLast => houses(start + 1, end),
        SlamTakes::AllButFirst => houses(start, end - 1),
    });
    if variation.slam_ends_game {
        play.conceded = play.position.seeds();
        play.ends_game = true;
        play.position = Position::EMPTY;
    }
    (variation.slam, play)
}

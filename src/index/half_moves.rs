//! What moves do to half-boards, worked out once for all of them.
//!
//! What a move does to the mover's half does not depend on the opponent's half:
//! [`HalfMoves`] tabulates it. What crosses to the other side is a [`Crossing`], which adds
//! a fixed pattern to the opponent's half: [`arrivals`] lists the results. So a whole row of
//! positions, one half-board of the mover against all of the opponent's, moves at once.

use super::half;
use crate::house::House;
use crate::position::{MAX_SEEDS, Position, join};
use crate::rules::sowing::sow;

/// The seeds that a move sends across.
///
/// ```
/// use granero::index::Crossing;
///
/// // Eight seeds: one for each house, and a second one for the first two.
/// let crossing = Crossing { seeds: 8, ends_there: true };
/// assert_eq!(crossing.pattern(), [2, 2, 1, 1, 1, 1]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Crossing {
    /// The number of seeds that fall into the opponent's houses.
    pub seeds: u8,
    /// Whether the last seed of the move is among them, so that it may capture.
    pub ends_there: bool,
}

impl Crossing {
    /// The seeds that each of the opponent's houses gets.
    pub fn pattern(self) -> [u8; 6] {
        let (laps, rest) = (self.seeds / 6, self.seeds % 6);
        std::array::from_fn(|house| laps + u8::from(house < usize::from(rest)))
    }
}

/// What sowing a house does to the mover's half-board.
///
/// ```
/// use granero::House;
/// use granero::index::{HalfMoves, half};
///
/// let half_moves = HalfMoves::up_to(4);
/// let rank = half::rank([0, 0, 0, 0, 0, 4]);
/// let half_move = half_moves.get(4, rank, House::F).unwrap();
/// assert_eq!((half_move.seeds, half_move.crossing.seeds), (0, 4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfMove {
    /// The rank of the half-board after the move.
    pub rank: u32,
    /// Its seeds after the move.
    pub seeds: u8,
    /// The seeds that cross.
    pub crossing: Crossing,
}

/// The moves of all half-boards up to a number of seeds.
#[derive(Clone, Debug)]
pub struct HalfMoves {
    /// By seeds, then by rank of the half-board.
    by_seeds: Vec<Vec<[Option<HalfMove>; 6]>>,
}

impl HalfMoves {
    /// Works out the moves of all half-boards with at most `max_seeds` seeds.
    ///
    /// There are `C(max_seeds + 6, 6)` half-boards, of 48 bytes each: with up to 24 seeds
    /// 593,775 take 29 MB, with up to 35 seeds 4.5 million take 216 MB.
    ///
    /// # Panics
    ///
    /// If there are more than 48 seeds.
    pub fn up_to(max_seeds: u8) -> HalfMoves {
        let mut moves = HalfMoves {
            by_seeds: Vec::new(),
        };
        moves.reach(max_seeds);
        moves
    }

    /// Adds the missing moves of half-boards with at most `max_seeds` seeds.
    pub(crate) fn reach(&mut self, max_seeds: u8) {
        assert!(max_seeds <= MAX_SEEDS, "{max_seeds} seeds");
        let moves_of = |houses| House::ALL.map(|house| half_move(houses, house));
        for seeds in self.by_seeds.len() as u8..=max_seeds {
            let moves = half::all(seeds).map(moves_of).collect();
            self.by_seeds.push(moves);
        }
    }

    /// The most seeds of a half-board in the table.
    pub fn max_seeds(&self) -> u8 {
        // There are 0 to 48 seeds.
        self.by_seeds.len() as u8 - 1
    }

    /// What sowing a house does to the half-board with these seeds and this rank; `None`
    /// if the house is empty.
    ///
    /// # Panics
    ///
    /// If `seeds` is above [`max_seeds`](HalfMoves::max_seeds), or there is no such rank.
    pub fn get(&self, seeds: u8, rank: u32, house: House) -> Option<HalfMove> {
        self.by_seeds[usize::from(seeds)][rank as usize][house.index()]
    }
}

fn half_move(houses: [u8; 6], house: House) -> Option<HalfMove> {
    // The opponent's seeds make no difference; leave them out.
    let position = Position::from_valid(join(houses, [0; 6]));
    if position.seeds_in(house) == 0 {
        return None;
    }
    let sown = sow(&position, house);
    let [a, b, c, d, e, f, ..] = sown.houses();
    let own = [a, b, c, d, e, f];
    Some(HalfMove {
        rank: half::rank(own),
        seeds: own.iter().sum(),
        crossing: Crossing {
            seeds: sown.opponents_seeds(),
            ends_there: sown.last() >= 6,
        },
    })
}

/// For each half-board with `seeds` seeds, in order: its rank after the seeds of a
/// crossing have arrived.
///
/// Adding the same pattern keeps the lexicographic order, so the ranks ascend.
///
/// ```
/// use granero::index::{Crossing, arrivals, half};
///
/// let crossing = Crossing { seeds: 1, ends_there: true };
/// let ranks: Vec<u32> = arrivals(1, crossing).collect();
/// assert_eq!(ranks[0], half::rank([1, 0, 0, 0, 0, 1]));
/// assert!(ranks.is_sorted());
/// ```
///
/// # Panics
///
/// If there are more than 48 seeds afterwards.
pub fn arrivals(seeds: u8, crossing: Crossing) -> impl Iterator<Item = u32> {
    let after = u32::from(seeds) + u32::from(crossing.seeds);
    assert!(after <= u32::from(MAX_SEEDS), "{after} seeds");
    let pattern = crossing.pattern();
    half::all(seeds).map(move |mut houses| {
        for (house, more) in houses.iter_mut().zip(pattern) {
            *house += more;
        }
        half::rank(houses)
    })
}

//! What moves do to half-boards, worked out once for all of them.
//!
//! A move changes the mover's half in a way that the opponent's half has no
//! influence on: [`HalfMoves`] tabulates it. What arrives on the other side is
//! described by two things, [`Crossing`], and adds a fixed pattern to the
//! opponent's half: [`arrivals`] says what becomes of each. So a whole row of positions, one
//! half-board of the mover against all of the opponent's, moves at once.

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
    /// How many seeds fall into the opponent's houses.
    pub seeds: u8,
    /// Whether the last seed of the move is one of them, so that it may capture.
    pub ends_there: bool,
}

impl Crossing {
    /// How many seeds each of the opponent's houses gets.
    ///
    /// ```
    /// # use granero::index::Crossing;
    /// assert_eq!(Crossing { seeds: 0, ends_there: false }.pattern(), [0; 6]);
    /// ```
    pub fn pattern(self) -> [u8; 6] {
        let (laps, rest) = (self.seeds / 6, self.seeds % 6);
        std::array::from_fn(|house| laps + u8::from(house < usize::from(rest)))
    }

    /// The opponent's houses after the seeds have come across.
    pub(crate) fn added_to(self, houses: [u8; 6]) -> [u8; 6] {
        let pattern = self.pattern();
        std::array::from_fn(|house| houses[house] + pattern[house])
    }

    /// The opponent's houses before the seeds came across, `None` if they do not hold enough.
    pub(crate) fn taken_from(self, mut houses: [u8; 6]) -> Option<[u8; 6]> {
        for (house, came) in houses.iter_mut().zip(self.pattern()) {
            *house = house.checked_sub(came)?;
        }
        Some(houses)
    }

    /// The opponent's house into which the last of the seeds falls. There must be one.
    pub(crate) fn last_house(self) -> House {
        House::ALL[usize::from((self.seeds - 1) % 6)]
    }
}

/// What sowing a house does to the half-board of the mover.
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
    /// The number of the half-board afterwards, among those with as many seeds.
    pub rank: u32,
    /// The seeds that the half-board has afterwards.
    pub seeds: u8,
    /// The seeds that have gone across.
    pub crossing: Crossing,
}

/// The moves of all half-boards up to a number of seeds.
///
/// ```
/// use granero::index::HalfMoves;
///
/// let half_moves = HalfMoves::up_to(12);
/// assert_eq!(half_moves.max_seeds(), 12);
/// ```
#[derive(Clone, Debug)]
pub struct HalfMoves {
    /// By number of seeds, then by number of the half-board.
    by_seeds: Vec<Vec<[Option<HalfMove>; 6]>>,
}

impl HalfMoves {
    /// Works out the moves of all half-boards with at most so many seeds.
    ///
    /// There are `C(seeds + 6, 6)` of them, of 48 bytes each: 593,775 with up to 24
    /// seeds take 29 MB, 4.5 million with up to 35 take 216 MB.
    ///
    /// ```
    /// # use granero::{House, index::HalfMoves};
    /// // An empty half-board has no moves.
    /// assert_eq!(HalfMoves::up_to(0).get(0, 0, House::A), None);
    /// ```
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

    /// Adds the moves that are missing of half-boards with at most so many seeds.
    pub(crate) fn reach(&mut self, max_seeds: u8) {
        assert!(max_seeds <= MAX_SEEDS, "{max_seeds} seeds");
        let moves_of = |houses| House::ALL.map(|house| half_move(houses, house));
        for seeds in self.by_seeds.len() as u8..=max_seeds {
            let moves = half::all(seeds).map(moves_of).collect();
            self.by_seeds.push(moves);
        }
    }

    /// The most seeds of a half-board whose moves are known.
    ///
    /// ```
    /// # use granero::index::HalfMoves;
    /// assert_eq!(HalfMoves::up_to(3).max_seeds(), 3);
    /// ```
    pub fn max_seeds(&self) -> u8 {
        // There are at most 49 numbers of seeds.
        self.by_seeds.len() as u8 - 1
    }

    /// What sowing a house does to the half-board with these seeds and this
    /// number; `None` if the house is empty.
    ///
    /// ```
    /// use granero::House;
    /// use granero::index::{HalfMoves, half};
    ///
    /// let half_moves = HalfMoves::up_to(2);
    /// assert_eq!(half_moves.get(2, half::rank([1, 0, 0, 0, 0, 1]), House::B), None);
    /// ```
    ///
    /// # Panics
    ///
    /// If the table does not reach so far.
    pub fn get(&self, seeds: u8, rank: u32, house: House) -> Option<HalfMove> {
        self.by_seeds[usize::from(seeds)][rank as usize][house.index()]
    }
}

fn half_move(houses: [u8; 6], house: House) -> Option<HalfMove> {
    // Seeds on the other side make no difference, so there are none.
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

/// The numbers of the half-boards that those with so many seeds become when the
/// seeds of a crossing arrive, in order. Each is worked out when it is asked for.
///
/// Adding the same pattern keeps the lexicographic order, so the numbers ascend.
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
    half::all(seeds).map(move |houses| half::rank(crossing.added_to(houses)))
}

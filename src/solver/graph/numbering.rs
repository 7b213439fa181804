//! The solver's numbers of half-boards.
//!
//! No move leads to a position in which all six houses of the opponent hold seeds: the house
//! that was sown is empty. The solver leaves such half-boards of the opponent out of its
//! planes. So it numbers the half-boards with a number of seeds in an order of its own: first
//! half-boards with an empty house, then the rest, each in the order of their ranks.

use super::by_seeds::BySeeds;
use granero_table::index::half;

/// The number of a half-board in the solver's order, among those with as many seeds.
pub type Number = u32;

/// The place of a half-board among all half-boards, sorted by seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HalfBoard(pub usize);

impl HalfBoard {
    /// The half-board `number` places further on.
    #[inline(always)]
    pub fn after(self, number: Number) -> HalfBoard {
        HalfBoard(self.0 + number as usize)
    }
}

/// The place of a half-board with an empty house among all such half-boards, sorted by seeds. Only these can
/// be the opponent's after a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpponentsHalf(pub usize);

/// Numbers half-boards with up to some number of seeds.
#[derive(Debug)]
pub struct Numbering {
    max_seeds: u8,
    /// By seeds: the number of all half-boards with fewer seeds, and of half-boards with fewer seeds and an
    /// empty house.
    first: BySeeds,
    first_of_opponent: BySeeds,
    /// By half-board: the number for a rank, and the rank for a number.
    numbers: Vec<Number>,
    ranks: Vec<u32>,
}

impl Numbering {
    pub fn new(max_seeds: u8) -> Numbering {
        let mut numbers = Vec::new();
        let mut ranks = Vec::new();
        for seeds in 0..=max_seeds {
            let first = numbers.len();
            let (mut next, mut next_without) = (0, count_of_opponent(seeds));
            ranks.resize(first + half::count(seeds) as usize, 0);
            for (rank, houses) in (0..).zip(half::all(seeds)) {
                let next = if half::is_filled(houses) {
                    &mut next_without
                } else {
                    &mut next
                };
                ranks[first + *next as usize] = rank;
                numbers.push(*next);
                *next += 1;
            }
        }
        Numbering {
            max_seeds,
            first: BySeeds::sums((0..=max_seeds).map(|seeds| half::count(seeds) as usize)),
            first_of_opponent: BySeeds::sums(
                (0..=max_seeds).map(|seeds| count_of_opponent(seeds) as usize),
            ),
            numbers,
            ranks,
        }
    }

    pub fn max_seeds(&self) -> u8 {
        self.max_seeds
    }

    pub fn half_boards(&self) -> usize {
        self.numbers.len()
    }

    /// The number of half-boards with up to `seeds` seeds that have an empty house.
    pub fn opponents_halves(&self, seeds: u8) -> usize {
        self.first_of_opponent.get(seeds + 1)
    }

    #[inline(always)]
    pub fn half_board(&self, seeds: u8, number: Number) -> HalfBoard {
        HalfBoard(self.first.get(seeds) + number as usize)
    }

    /// A half-board with an empty house.
    #[inline(always)]
    pub fn opponents_half(&self, seeds: u8, number: Number) -> OpponentsHalf {
        debug_assert!(number < count_of_opponent(seeds));
        OpponentsHalf(self.first_of_opponent.get(seeds) + number as usize)
    }

    /// The seeds and the number of a half-board with an empty house.
    #[inline(always)]
    pub fn seeds_and_number(&self, OpponentsHalf(half): OpponentsHalf) -> (u8, Number) {
        let seeds = self.first_of_opponent.last_at_most(half, self.max_seeds);
        (seeds, (half - self.first_of_opponent.get(seeds)) as Number)
    }

    /// By rank: the numbers of all half-boards with `seeds` seeds.
    pub fn numbers(&self, seeds: u8) -> &[Number] {
        &self.numbers[self.first.get(seeds)..self.first.get(seeds + 1)]
    }

    pub fn number(&self, seeds: u8, rank: u32) -> Number {
        self.numbers(seeds)[rank as usize]
    }

    pub fn rank(&self, seeds: u8, number: Number) -> u32 {
        self.ranks[self.first.get(seeds)..self.first.get(seeds + 1)][number as usize]
    }
}

/// Counts the half-boards with `seeds` seeds that have an empty house: these can be the opponent's after a
/// move. Their numbers come first.
pub(crate) fn count_of_opponent(seeds: u8) -> u32 {
    half::count(seeds) - seeds.checked_sub(6).map_or(0, half::count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_boards_without_an_empty_house_come_last_in_the_order_of_ranks() {
        const SEEDS: u8 = 12;
        let numbering = Numbering::new(SEEDS);
        let (mut half_boards, mut opponents) = (0, 0);
        for seeds in 0..=SEEDS {
            let mut order: Vec<(bool, u32)> = (0..)
                .zip(half::all(seeds))
                .map(|(rank, houses)| (half::is_filled(houses), rank))
                .collect();
            order.sort_unstable();
            for (number, &(is_last, rank)) in (0..).zip(&order) {
                assert_eq!(numbering.rank(seeds, number), rank);
                assert_eq!(numbering.number(seeds, rank), number);
                assert_eq!(is_last, number >= count_of_opponent(seeds));
                assert_eq!(numbering.half_board(seeds, number), HalfBoard(half_boards));
                half_boards += 1;
                if !is_last {
                    let half = numbering.opponents_half(seeds, number);
                    assert_eq!(half, OpponentsHalf(opponents));
                    assert_eq!(numbering.seeds_and_number(half), (seeds, number));
                    opponents += 1;
                }
            }
        }
        assert_eq!(numbering.half_boards(), half_boards);
        assert_eq!(numbering.opponents_halves(SEEDS), opponents);
    }
}

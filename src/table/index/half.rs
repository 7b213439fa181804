//! Half-boards: the six houses of one player, numbered among all half-boards with the same number of seeds.
//!
//! The order is lexicographic, house `A` first: `0 0 0 0 0 2`, `0 0 0 0 1 1`,
//! `0 0 0 0 2 0`, `0 0 0 1 0 1`, … `2 0 0 0 0 0`.
//!
//! All functions that need the number of seeds panic if it is above 48.

use granero_game::MAX_SEEDS;

/// The number of half-boards with `seeds` seeds: `C(seeds + 5, 5)`.
pub const fn count(seeds: u8) -> u32 {
    COUNTS[seeds as usize]
}

/// Returns true if no house is empty.
#[inline]
pub fn is_filled(houses: [u8; 6]) -> bool {
    houses.iter().all(|&seeds| seeds > 0)
}

/// The number of a half-board among those with the same number of seeds, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Rank(pub u32);

/// The rank of a half-board.
///
/// ```
/// use granero::index::half::{Rank, rank};
///
/// assert_eq!(rank([0, 0, 0, 0, 0, 2]), Rank(0));
/// assert_eq!(rank([0, 0, 0, 0, 1, 1]), Rank(1));
/// assert_eq!(rank([2, 0, 0, 0, 0, 0]), Rank(20));
/// ```
#[inline]
pub fn rank(houses: [u8; 6]) -> Rank {
    // Let `r` be the total seeds in a house and all after it. The five `r` of houses B to F have
    // entries in `STEPS`, whose sum is the number of steps from this half-board to the last one,
    // `s 0 0 0 0 0` (see docs/internals/numbering.md).
    let f = houses[5] as usize;
    let e = f + houses[4] as usize;
    let d = e + houses[3] as usize;
    let c = d + houses[2] as usize;
    let b = c + houses[1] as usize;
    let a = b + houses[0] as usize;
    let steps = STEPS[0][b] + STEPS[1][c] + STEPS[2][d] + STEPS[3][e] + STEPS[4][f];
    Rank(COUNTS[a] - 1 - steps as u32)
}

/// The half-board with `seeds` seeds and this rank: the inverse of [`rank`].
///
/// # Panics
///
/// If `rank` is not below [`count`].
#[inline]
pub fn unrank(seeds: u8, Rank(rank): Rank) -> [u8; 6] {
    let count = count(seeds);
    assert!(rank < count, "half-board {rank} of {count}");
    let mut steps = (count - 1 - rank) as i32;
    let mut left = usize::from(seeds);
    let mut houses = [0; 6];
    for (house, table) in houses[..3].iter_mut().zip(&STEPS) {
        // The seeds in the following houses: the largest `r` whose entry is not above the steps left.
        // Counting through the whole table needs no branch that could be mispredicted.
        let following: i32 = table[1..]
            .iter()
            .map(|&next| i32::from(next <= steps))
            .sum();
        let following = following as usize;
        steps -= table[following];
        *house = (left - following) as u8;
        left = following;
    }
    // `STEPS[2]` counts the entries with fewer seeds.
    houses[3..].copy_from_slice(&LAST_THREE[(STEPS[2][left] + steps) as usize]);
    houses
}

/// The half-board that follows in the order; `None` after the last one, `s 0 0 0 0 0`.
#[inline]
pub fn next(mut houses: [u8; 6]) -> Option<[u8; 6]> {
    let seeds: u32 = houses.iter().map(|&seeds| u32::from(seeds)).sum();
    assert!(seeds <= MAX_SEEDS as u32, "{seeds} seeds");
    // The last house with seeds after it gets one more seed; the rest goes to the last house.
    let last = (1..6).rev().find(|&house| houses[house] > 0)?;
    let left = houses[last] - 1;
    houses[last] = 0;
    houses[last - 1] += 1;
    houses[5] = left;
    Some(houses)
}

/// The first half-board with `seeds` seeds: `0 0 0 0 0 s`.
pub const fn first(seeds: u8) -> [u8; 6] {
    assert!(seeds <= MAX_SEEDS);
    [0, 0, 0, 0, 0, seeds]
}

/// All half-boards with `seeds` seeds, in order.
pub fn all(seeds: u8) -> impl Iterator<Item = [u8; 6]> {
    std::iter::successors(Some(first(seeds)), |&houses| next(houses))
}

const SIZES: usize = MAX_SEEDS as usize + 1;

/// The binomial coefficient `C(upper, lower)`.
const fn choose(upper: usize, lower: usize) -> usize {
    let (mut chosen, mut taken) = (1, 0);
    while taken < lower {
        chosen = chosen * (upper - taken) / (taken + 1);
        taken += 1;
    }
    chosen
}

/// `C(seeds + 5, 5)` by seeds.
const COUNTS: [u32; SIZES] = {
    let mut counts = [0; SIZES];
    let mut seeds = 0;
    while seeds < SIZES {
        counts[seeds] = choose(seeds + 5, 5) as u32;
        seeds += 1;
    }
    counts
};

/// `STEPS[i][r]` = `C(r + 4 - i, 5 - i)`: the number of half-boards that come later because they have
/// fewer than `r` seeds after house `i`.
static STEPS: [[i32; SIZES]; 5] = {
    let mut steps = [[0; SIZES]; 5];
    let mut house = 0;
    while house < 5 {
        let mut seeds = 0;
        while seeds < SIZES {
            steps[house][seeds] = choose(seeds + 4 - house, 5 - house) as i32;
            seeds += 1;
        }
        house += 1;
    }
    steps
};

/// Houses `D` to `F` with `r` seeds together, from `r 0 0` down to `0 0 r`, for every
/// `r` in turn.
static LAST_THREE: [[u8; 3]; choose(SIZES + 2, 3)] = {
    let mut table = [[0; 3]; choose(SIZES + 2, 3)];
    let mut next = 0;
    let mut seeds = 0;
    while seeds < SIZES {
        let mut after_d = 0;
        while after_d <= seeds {
            let mut f = 0;
            while f <= after_d {
                table[next] = [(seeds - after_d) as u8, (after_d - f) as u8, f as u8];
                next += 1;
                f += 1;
            }
            after_d += 1;
        }
        seeds += 1;
    }
    table
};

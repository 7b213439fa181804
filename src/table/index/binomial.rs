//! The binomial coefficients that the index needs.

use granero_game::MAX_SEEDS;

/// The largest upper number: `C(48+11, 11)` positions with 48 seeds.
const MAX_UPPER: usize = MAX_SEEDS as usize + 11;
/// The largest lower number.
const MAX_LOWER: usize = 11;

/// Pascal's triangle.
const TABLE: [[u64; MAX_LOWER + 1]; MAX_UPPER + 1] = {
    let mut table = [[0; MAX_LOWER + 1]; MAX_UPPER + 1];
    let mut upper = 0;
    while upper <= MAX_UPPER {
        table[upper][0] = 1;
        let mut lower = 1;
        while lower <= MAX_LOWER && upper > 0 {
            table[upper][lower] = table[upper - 1][lower - 1] + table[upper - 1][lower];
            lower += 1;
        }
        upper += 1;
    }
    table
};

/// `C(upper, lower)`, for `upper` up to 59 and `lower` up to 11.
pub(super) const fn choose(upper: usize, lower: usize) -> u64 {
    TABLE[upper][lower]
}

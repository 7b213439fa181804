//! Deciding values are full values, cut off at the limit of their layer. The tests play games of few seeds,
//! whose large layers are quick to solve.

use granero::{Bound, Cycles, Extent, Measured, Ruleset, solver};
use test_case::test_case;

use crate::support::solved::Solved;

/// Full values or bounds, cut off at the limits.
pub(crate) fn cut(extent: Extent, layers: &[Measured<Vec<i8>>]) -> Vec<Measured<Vec<i8>>> {
    let cut = |(seeds, values): (u8, &Measured<Vec<i8>>)| {
        let limit = extent.limit(values.cycles(), seeds) as i8;
        let cut = |values: &Vec<i8>| values.iter().map(|v| *v.clamp(&-limit, &limit)).collect();
        values.as_ref().map(cut)
    };
    (0..).zip(layers).map(cut).collect()
}

/// The largest number in some values or bounds.
fn largest(values: &Measured<Vec<i8>>) -> i8 {
    *values.get(Bound::High).iter().max().unwrap()
}

/// From layers of 12 seeds on, houses go around the board.
#[test_case(&Ruleset::ALL, 7, 6, 2)]
#[test_case(&Ruleset::ALL, 10, 9, 1 => ignore["slow: .ci/long has it"] (); "9 seeds at length")]
#[test_case(&Ruleset::ALL, 16, 12, 2 => ignore["slow: .ci/long has it"] (); "12 seeds at length")]
#[test_case(&[Ruleset::Awari, Ruleset::SlamEnds], 16, 13, 2 => ignore["slow: .ci/long has it"] (); "13 seeds at length")]
#[test_case(&[Ruleset::Abapa, Ruleset::Awari], 14, 14, 2 => ignore["slow: .ci/long has it"] (); "14 seeds at length")]
#[test_case(&[Ruleset::Abapa, Ruleset::Awari], 13, 13, 2 => ignore["slow: .ci/run has it"] ())]
fn values_are_those_in_full_cut_off(rulesets: &[Ruleset], game: u8, seeds: u8, threads: usize) {
    let extent = Extent::deciding(game).unwrap();
    for &ruleset in rulesets {
        for cycles in Cycles::ALL {
            let full = Solved::of(ruleset, cycles, seeds).layers;
            let cut = cut(extent, &full);
            let found = solver::solve_all((ruleset, cycles, extent), seeds, threads);
            assert!(found == cut, "{ruleset}, {cycles}, {game} seeds");
            // Something was cut off, and not everything.
            let last = usize::from(seeds);
            assert!(largest(&full[last]) > largest(&cut[last]));
            let small = ..=usize::from(game / 2);
            assert!(full[small] == cut[small]);
        }
    }
}

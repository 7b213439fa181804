//! Deciding values are full values, cut off at the limit of their layer. The tests play games of few seeds,
//! whose large layers are quick to solve.

use std::sync::Arc;

use granero::index::Layer;
use granero::verify::{Fault, FaultKind};
use granero::{Bound, Cycles, Extent, Measured, Ruleset, solver};

use crate::support::checked::Checked;
use crate::support::known;

/// Full values or bounds, cut off at the limits.
fn cut(extent: Extent, layers: &known::Layers) -> Vec<Measured<Vec<i8>>> {
    let cut = |(seeds, values): (u8, &Arc<Measured<Vec<i8>>>)| {
        let limit = extent.limit(values.cycles(), seeds) as i8;
        let cut = |values: &Vec<i8>| values.iter().map(|v| *v.clamp(&-limit, &limit)).collect();
        Measured::as_ref(values).map(cut)
    };
    (0..).zip(layers).map(cut).collect()
}

/// The largest number in some values or bounds.
fn largest(values: &Measured<Vec<i8>>) -> i8 {
    *values.get(Bound::High).iter().max().unwrap()
}

fn values_are_those_in_full_cut_off(rulesets: &[Ruleset], game: u8, seeds: u8, threads: usize) {
    let extent = Extent::deciding(game).unwrap();
    for &ruleset in rulesets {
        for cycles in Cycles::ALL {
            let full = known::layers(ruleset, cycles, seeds);
            let cut = cut(extent, &full);
            let found = solver::solve_all((ruleset, cycles, extent), seeds, threads);
            assert!(found == cut, "{ruleset}, {cycles}, {game} seeds");
            // Something was cut off, and not everything.
            let last = usize::from(seeds);
            assert!(largest(&full[last]) > largest(&cut[last]));
            let small = ..=usize::from(game / 2);
            let same = |(full, cut): (&Arc<_>, &_)| **full == *cut;
            assert!(full[small].iter().zip(&cut[small]).all(same));
        }
    }
}

#[test]
fn values_are_those_in_full_cut_off_in_all_rulesets() {
    values_are_those_in_full_cut_off(&Ruleset::ALL, 7, 6, 2);
}

#[test]
#[ignore = "slow: .ci/long has it"]
fn values_are_those_in_full_cut_off_at_length() {
    values_are_those_in_full_cut_off(&Ruleset::ALL, 10, 9, 1);
    values_are_those_in_full_cut_off(&Ruleset::ALL, 16, 12, 2);
    values_are_those_in_full_cut_off(&[Ruleset::Awari, Ruleset::SlamEnds], 16, 13, 2);
    values_are_those_in_full_cut_off(&[Ruleset::Abapa, Ruleset::Awari], 14, 14, 2);
}

/// From layers of 12 seeds on, houses go around the board.
#[test]
#[ignore = "slow: .ci/run has it"]
fn values_are_those_in_full_cut_off_up_to_the_last_layer_of_a_game() {
    values_are_those_in_full_cut_off(&[Ruleset::Abapa, Ruleset::Awari], 13, 13, 2);
}

fn solved(ruleset: Ruleset, cycles: Cycles, game: u8, seeds: u8) -> Checked {
    Checked::new((ruleset, cycles, Extent::deciding(game).unwrap()), seeds)
}

const GAME: u8 = 10;

fn layer(seeds: u8) -> Layer {
    Layer::new(seeds).unwrap()
}

#[test]
fn a_proof_passes_what_is_right_in_all_rulesets() {
    for ruleset in Ruleset::ALL {
        for cycles in Cycles::ALL {
            // Up to the last layer, in which some endless play is worth more than the limit.
            let checked = solved(ruleset, cycles, 6, 6);
            for (layer, values) in Layer::all().zip(&checked.layers) {
                assert_eq!(checked.check(layer, values), [], "{ruleset}, {cycles}");
            }
        }
    }
}

#[test]
fn a_proof_finds_wrong_values() {
    for (ruleset, cycles) in [
        (Ruleset::Abapa, Cycles::Split),
        (Ruleset::SlamEnds, Cycles::Split),
        (Ruleset::Abapa, Cycles::OwnSide),
        (Ruleset::Italian, Cycles::OwnSide),
    ] {
        let checked = solved(ruleset, cycles, GAME, 7);
        let step = if cycles == Cycles::Split { 1 } else { 2 };
        let layer = layer(7);
        let limit = checked.limit(layer);
        assert!(limit < 7);
        for index in (0..layer.len() as usize).step_by(997) {
            for up in [true, false] {
                let wrong = checked.right(layer).clone().map(|mut values| {
                    let value = &mut values[index];
                    let changed = if up { *value + step } else { *value - step };
                    // Beyond the limit, where the full value may be.
                    *value = changed;
                    values
                });
                let faults = checked.check(layer, &wrong);
                assert!(!faults.is_empty(), "{ruleset}, {cycles}, {index}");
                let mut of_each = wrong.iter();
                let beyond = of_each.any(|(_, values)| values[index].abs() > limit);
                assert_eq!(faults[0].kind == FaultKind::Impossible, beyond);
            }
        }
    }
}

/// Values that fit each other, but are higher or lower than the right ones. If endless play decides, only the
/// second step of a proof finds them.
#[test]
fn a_proof_finds_values_that_only_fit_each_other() {
    for cycles in Cycles::ALL {
        let checked = solved(Ruleset::Abapa, cycles, 8, 6);
        let layer = layer(6);
        let limit = checked.limit(layer);
        let mut ungrounded = 0;
        for change in [-2, 2, 4] {
            let near = |values: Vec<i8>| -> Vec<i8> {
                let near = values
                    .into_iter()
                    .map(|v| (v + change).clamp(-limit, limit));
                near.collect()
            };
            let Ok(settled) = checked.settled(layer, checked.right(layer).clone().map(near)) else {
                continue;
            };
            let faults = checked.check(layer, &settled);
            assert_eq!(faults.is_empty(), settled == *checked.right(layer));
            let is_ungrounded = |fault: &Fault| fault.kind == FaultKind::Ungrounded;
            assert!(faults.iter().all(is_ungrounded), "{faults:?}");
            ungrounded += faults.len();
        }
        assert!(ungrounded > 0, "{cycles}");
    }
}

#[test]
fn values_in_full_are_not_deciding_ones() {
    for cycles in Cycles::ALL {
        let checked = solved(Ruleset::Abapa, cycles, GAME, 8);
        let full = solver::solve_all((Ruleset::Abapa, cycles), 8, 1);
        let faults = checked.check(layer(8), &full[8]);
        assert!(
            faults
                .iter()
                .all(|fault| fault.kind == FaultKind::Impossible)
        );
        assert!(!faults.is_empty());
    }
}

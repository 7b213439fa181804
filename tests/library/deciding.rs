//! Deciding values are full values, cut off at the limit of their layer. The tests play games of few seeds,
//! whose large layers are quick to solve.

use std::sync::Arc;

use granero::index::Layer;
use granero::solver::TurnedLayer;
use granero::verify::{Checker, Fault, FaultKind};
use granero::{Bound, Cycles, Extent, Measured, Move, Ruleset, Turn, solver};

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
    // A game with an odd number of seeds, and all seeds of a game.
    values_are_those_in_full_cut_off(&Ruleset::ALL, 9, 8, 1);
    values_are_those_in_full_cut_off(&[Ruleset::Abapa, Ruleset::Italian], 8, 8, 2);
}

#[test]
fn values_are_those_in_full_cut_off_in_a_game_of_16_seeds() {
    values_are_those_in_full_cut_off(&[Ruleset::Abapa], 16, 10, 2);
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

/// Solved deciding layers, and the parts to check other values in their place.
struct Solved {
    ruleset: Ruleset,
    cycles: Cycles,
    extent: Extent,
    layers: Vec<Measured<Vec<i8>>>,
    turned: Vec<Measured<Arc<TurnedLayer>>>,
    checker: Checker,
}

impl Solved {
    fn new(ruleset: Ruleset, cycles: Cycles, game: u8, seeds: u8) -> Solved {
        let extent = Extent::deciding(game).unwrap();
        let layers = solver::solve_all((ruleset, cycles, extent), seeds, 1);
        let turned = Layer::all().zip(&layers).map(|(layer, values)| {
            let turn = |values: &Vec<i8>| Arc::new(TurnedLayer::new(layer, values));
            values.as_ref().map(turn)
        });
        Solved {
            ruleset,
            cycles,
            extent,
            turned: turned.collect(),
            layers,
            checker: Checker::new((ruleset, cycles, extent), seeds),
        }
    }

    fn limit(&self, layer: Layer) -> i8 {
        self.extent.limit(self.cycles, layer.seeds()) as i8
    }

    fn right(&self, layer: Layer) -> &Measured<Vec<i8>> {
        &self.layers[usize::from(layer.seeds())]
    }

    /// Checks other values in place of a layer's own.
    fn check(&self, layer: Layer, values: &Measured<Vec<i8>>) -> Vec<Fault> {
        let smaller = |seeds: u8, bound: Bound| {
            Ok::<_, ()>(self.turned[usize::from(seeds)].get(bound).clone())
        };
        let checked = self.checker.check(layer, values.clone(), smaller, |_| {});
        checked.unwrap()
    }

    /// The best result of the moves of a position, if the layer has these values.
    fn best(&self, layer: Layer, values: &Measured<Vec<i8>>, index: u64, bound: Bound) -> i8 {
        let position = layer.position(index).unwrap();
        let worth = |play: &Move| {
            let to = Layer::of(&play.position);
            let children = if to == layer { values } else { self.right(to) };
            let child = children.get(bound.of_child())[to.index(&play.position) as usize];
            play.captured as i8 - play.conceded as i8 - if play.ends_game { 0 } else { child }
        };
        let best = match self.ruleset.turn(&position) {
            Turn::Over(over) => over.value.seeds(),
            Turn::Play(plays) => plays.iter().map(worth).max().unwrap(),
        };
        best.clamp(-self.limit(layer), self.limit(layer))
    }

    /// Gives all positions the best of their moves until nothing changes; `None` if this takes too long.
    fn settled(&self, layer: Layer, mut values: Measured<Vec<i8>>) -> Option<Measured<Vec<i8>>> {
        for _ in 0..200 {
            let before = values.clone();
            for index in 0..layer.len() {
                for (_, measure) in self.cycles.measures() {
                    let best = self.best(layer, &values, index, measure.bound());
                    let values = match (&mut values, measure.bound()) {
                        (Measured::Value(values), _) => values,
                        (Measured::Bounds { low, .. }, Bound::Low) => low,
                        (Measured::Bounds { high, .. }, Bound::High) => high,
                    };
                    values[index as usize] = best;
                }
            }
            if values == before {
                return Some(values);
            }
        }
        None
    }
}

const GAME: u8 = 10;

fn layer(seeds: u8) -> Layer {
    Layer::new(seeds).unwrap()
}

fn a_proof_passes_what_is_right_in_a_game_of(seeds: u8) {
    for ruleset in Ruleset::ALL {
        for cycles in Cycles::ALL {
            // Up to the last layer, in which some endless play is worth more than the limit.
            let solved = Solved::new(ruleset, cycles, seeds, seeds);
            for (layer, values) in Layer::all().zip(&solved.layers) {
                assert_eq!(solved.check(layer, values), [], "{ruleset}, {cycles}");
            }
        }
    }
}

#[test]
fn a_proof_passes_what_is_right_in_all_rulesets() {
    a_proof_passes_what_is_right_in_a_game_of(7);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn a_proof_passes_what_is_right_in_a_game_of_8_seeds() {
    a_proof_passes_what_is_right_in_a_game_of(8);
}

fn a_proof_finds_wrong_values_every(places: usize) {
    for (ruleset, cycles) in [
        (Ruleset::Abapa, Cycles::Split),
        (Ruleset::SlamEnds, Cycles::Split),
        (Ruleset::Abapa, Cycles::OwnSide),
        (Ruleset::Italian, Cycles::OwnSide),
    ] {
        let solved = Solved::new(ruleset, cycles, GAME, 7);
        let step = if cycles == Cycles::Split { 1 } else { 2 };
        let layer = layer(7);
        let limit = solved.limit(layer);
        assert!(limit < 7);
        for index in (0..layer.len() as usize).step_by(places) {
            for up in [true, false] {
                let wrong = solved.right(layer).clone().map(|mut values| {
                    let value = &mut values[index];
                    let changed = if up { *value + step } else { *value - step };
                    // Beyond the limit, where the full value may be.
                    *value = changed;
                    values
                });
                let faults = solved.check(layer, &wrong);
                assert!(!faults.is_empty(), "{ruleset}, {cycles}, {index}");
                let mut of_each = wrong.iter();
                let beyond = of_each.any(|(_, values)| values[index].abs() > limit);
                assert_eq!(faults[0].kind == FaultKind::Impossible, beyond);
            }
        }
    }
}

#[test]
fn a_proof_finds_wrong_values() {
    a_proof_finds_wrong_values_every(331);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn a_proof_finds_many_wrong_values() {
    a_proof_finds_wrong_values_every(97);
}

/// Values that fit each other, but are higher or lower than the right ones. If endless play decides, only the
/// second step of a proof finds them.
#[test]
fn a_proof_finds_values_that_only_fit_each_other() {
    a_proof_finds_values_that_only_fit_each_other_with(6, &[-2, 2, 4]);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn a_proof_finds_values_that_only_fit_each_other_with_7_seeds() {
    a_proof_finds_values_that_only_fit_each_other_with(7, &[2]);
}

fn a_proof_finds_values_that_only_fit_each_other_with(seeds: u8, changes: &[i8]) {
    for cycles in Cycles::ALL {
        let solved = Solved::new(Ruleset::Abapa, cycles, 8, seeds);
        let layer = layer(seeds);
        let limit = solved.limit(layer);
        let mut ungrounded = 0;
        for change in changes {
            let near = |values: Vec<i8>| -> Vec<i8> {
                let near = values
                    .into_iter()
                    .map(|v| (v + change).clamp(-limit, limit));
                near.collect()
            };
            let Some(settled) = solved.settled(layer, solved.right(layer).clone().map(near)) else {
                continue;
            };
            let faults = solved.check(layer, &settled);
            assert_eq!(faults.is_empty(), settled == *solved.right(layer));
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
        let solved = Solved::new(Ruleset::Abapa, cycles, GAME, 8);
        let full = solver::solve_all((Ruleset::Abapa, cycles), 8, 1);
        let faults = solved.check(layer(8), &full[8]);
        assert!(
            faults
                .iter()
                .all(|fault| fault.kind == FaultKind::Impossible)
        );
        assert!(!faults.is_empty());
    }
}

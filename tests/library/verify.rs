//! The checks of values: they pass right values, and find every wrong one.

use granero::index::Layer;
use granero::verify::{self, Fault, FaultKind, MAX_FAULTS};
use granero::{Bound, Cycles, Measured, Ruleset, Tables, Value};
use proptest::prelude::*;

use crate::support::checked::Checked;
use crate::support::solved;
use crate::support::{with_causes, with_one_thread};

/// Solved layers, and the parts to check other values in their place.
struct Solved {
    ruleset: Ruleset,
    layers: Vec<Vec<i8>>,
    checked: Checked,
}

impl Solved {
    fn new(ruleset: Ruleset, max_seeds: u8) -> Solved {
        let checked = Checked::new((ruleset, Cycles::Split), max_seeds);
        Solved {
            ruleset,
            layers: checked.layers.iter().cloned().map(Measured::low).collect(),
            checked,
        }
    }

    fn check(&self, layer: Layer, values: &[i8]) -> Vec<Fault> {
        self.checked.check(layer, &Measured::Value(values.to_vec()))
    }
}

fn layer(seeds: u8) -> Layer {
    Layer::new(seeds).unwrap()
}

/// Checks values, and what the faults say. Returns true if nothing is wrong.
fn passes(solved: &Solved, layer: Layer, values: &[i8]) -> bool {
    let found = solved.check(layer, values);
    assert!(found.len() <= MAX_FAULTS);
    for fault in &found {
        let number = layer.index(&fault.position);
        assert_eq!(fault.value, values[number as usize]);
        if let FaultKind::Inconsistent { best } = fault.kind {
            let values = Measured::Value(values.to_vec());
            let expected = solved.checked.best(layer, &values, number, Bound::Low);
            assert_eq!(best, expected);
        }
    }
    found.is_empty()
}

#[test]
fn what_is_right_passes() {
    for ruleset in Ruleset::ALL {
        let solved = Solved::new(ruleset, 8);
        for (layer, values) in Layer::all().zip(&solved.layers) {
            assert_eq!(solved.check(layer, values), [], "{ruleset}");
        }
    }
}

/// Plants each wrong value at some positions of a layer.
fn plant(solved: &Solved, layer: Layer, numbers: impl Iterator<Item = usize>) {
    let right = &solved.layers[usize::from(layer.seeds())];
    let most = layer.seeds() as i8;
    let mut values = right.clone();
    for number in numbers {
        for wrong in -most..=most {
            if wrong == right[number] {
                continue;
            }
            values[number] = wrong;
            let faults = solved.check(layer, &values);
            let position = layer.position(number as u64).unwrap();
            assert!(!faults.is_empty(), "{}: {position} {wrong}", solved.ruleset);
            // No move leads back to its own position, so the value differs from the best result.
            let found = faults.iter().any(|fault| fault.position == position);
            assert!(found || faults.len() == MAX_FAULTS, "{position} {wrong}");
        }
        values[number] = right[number];
    }
}

fn every_wrong_value_is_found_under(rulesets: &[Ruleset]) {
    for &ruleset in rulesets {
        let solved = Solved::new(ruleset, 3);
        for layer in Layer::all().take(4) {
            plant(&solved, layer, 0..layer.len() as usize);
        }
    }
}

#[test]
fn every_wrong_value_is_found() {
    every_wrong_value_is_found_under(&[Ruleset::Abapa, Ruleset::Awari]);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn every_wrong_value_is_found_under_all_rules() {
    with_one_thread(|| every_wrong_value_is_found_under(&Ruleset::ALL));
}

#[test]
fn values_beyond_the_seeds_are_impossible() {
    let solved = Solved::new(Ruleset::Abapa, 3);
    for wrong in [-128, -67, -4, 4, 64, 127] {
        let mut values = solved.layers[3].clone();
        values[100] = wrong;
        let faults = solved.check(layer(3), &values);
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].kind, FaultKind::Impossible);
    }
    let all_wrong = vec![i8::MIN; solved.layers[3].len()];
    assert_eq!(solved.check(layer(3), &all_wrong).len(), MAX_FAULTS);
}

/// Wrong values that fit each other, found by giving some positions other values, and then all positions the
/// best of their moves until nothing changes.
fn consistent_but_wrong(solved: &Solved, layer: Layer, start: impl Fn(usize) -> i8) -> Vec<i8> {
    // At first, change only draws.
    let right = solved.layers[usize::from(layer.seeds())].iter().enumerate();
    let values = right.map(|(number, &value)| if value == 0 { start(number) } else { value });
    let settled = solved
        .checked
        .settled(layer, Measured::Value(values.collect()));
    // Values that go round and round are wrong, too.
    settled.unwrap_or_else(|unsettled| unsettled).low()
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn values_that_only_fit_each_other_are_found() {
    for ruleset in Ruleset::ALL {
        let solved = Solved::new(ruleset, 5);
        let mut ungrounded = 0;
        for seeds in 2..=5 {
            let layer = layer(seeds);
            let right = &solved.layers[usize::from(seeds)];
            for size in 1..=seeds as i8 {
                // Won by the mover, lost, and either.
                let starts: [&dyn Fn(usize) -> i8; 4] = [
                    &|_| size,
                    &|_| -size,
                    &|number| if number % 2 == 0 { size } else { -size },
                    &|number| if number % 7 < 3 { size } else { -size },
                ];
                for start in starts {
                    let values = consistent_but_wrong(&solved, layer, start);
                    assert_eq!(passes(&solved, layer, &values), values == *right);
                    let faults = solved.check(layer, &values);
                    let kind = faults.first().map(|fault| fault.kind);
                    ungrounded += u32::from(kind == Some(FaultKind::Ungrounded));
                }
            }
        }
        assert!(ungrounded >= 10, "{ruleset}: {ungrounded}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Many wrong values at once.
    #[test]
    fn any_values_pass_only_if_they_are_right(
        ruleset in prop::sample::select(&Ruleset::ALL[..]),
        changes in prop::collection::vec((0usize..4368, -5i8..=5), 0..20),
    ) {
        let solved = Solved::new(ruleset, 5);
        let mut values = solved.layers[5].clone();
        for (number, value) in changes {
            values[number] = value;
        }
        prop_assert_eq!(passes(&solved, layer(5), &values), values == solved.layers[5]);
    }
}

/// Plants wrong values or bounds in tables, one at a time, at every `step`-th position with 4 seeds, and checks
/// the tables. Returns the number of such tables that could be written, and were found.
///
/// The check sees values as tables return them, not as they were written.
pub(crate) fn found_in_tables(
    cycles: Cycles,
    step: usize,
    wrong: fn(Measured<i8>) -> [Measured<i8>; 4],
) -> usize {
    let solved = solved::Solved::of(Ruleset::Abapa, cycles, 5);
    let has_bounds = cycles == Cycles::OwnSide;
    let mut found = 0;
    for (number, position) in layer(4).positions().enumerate().step_by(step) {
        let right = solved.layers[4].as_ref().map(|values| values[number]);
        for wrong in wrong(right) {
            let beyond = wrong.iter().any(|(_, seeds)| seeds.unsigned_abs() > 4);
            if wrong == right || beyond {
                continue;
            }
            let layers = solved.layers.clone();
            let mut changed = solved::Solved { layers, ..solved };
            let values = changed.layers[4].as_mut().into_iter();
            for ((_, values), (_, wrong)) in values.zip(wrong) {
                values[number] = wrong;
            }
            let place = match changed.write_changed() {
                Ok(place) => place,
                // A win that followed from the right value.
                Err(error) => {
                    let is_known = with_causes(&error).contains("is better than its moves");
                    assert!(has_bounds || is_known, "{error}");
                    continue;
                }
            };
            let tables = Tables::open(place.path()).unwrap();
            let answer = tables.value(&position).unwrap().unwrap();
            let answer = answer.map(Value::seeds);
            match verify::check_tables(&tables, |_| true, |_| {}) {
                // Wins, and bounds that follow from others, are not stored.
                Ok(reports) if answer == right => {
                    assert!(has_bounds || right.low() > 0);
                    assert!(reports.iter().all(|report| report.is_right()));
                }
                Ok(reports) => {
                    assert!(has_bounds || answer == wrong);
                    let faults: Vec<_> = reports.iter().flat_map(|report| &report.faults).collect();
                    assert!(faults.iter().any(|fault| fault.position == position));
                    let sampled = verify::sample(&tables, layer(4), 1365, 1, |_| {}).unwrap();
                    assert!(!sampled.faults.is_empty());
                    found += 1;
                }
                // A stored value is below its moves.
                Err(error) => {
                    assert!(with_causes(&error).contains("not those that were written"));
                }
            }
        }
    }
    found
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn wrong_values_in_tables_are_found() {
    let found = found_in_tables(Cycles::Split, 29, |right| {
        let right = right.low();
        [0, -right, right + 1, right - 1].map(Measured::Value)
    });
    assert!(found > 40, "only {found}");
}

/// Equal seeds draw equal samples; different layers or seeds draw different ones.
#[test]
fn samples_differ_between_layers_and_seeds() {
    let mut solved = solved::Solved::new(Ruleset::Abapa, 7);
    for seeds in 5..=7 {
        let values = solved.values_mut(seeds);
        let least = values.iter().copied().min().unwrap();
        values.fill(least);
    }
    let place = solved.write();
    let tables = Tables::open(place.path()).unwrap();
    // The wrong values that were found show which positions were drawn.
    let drawn = |seeds: u8, seed: u64| -> Vec<u64> {
        let sample = verify::sample(&tables, layer(seeds), 12, seed, |_| {}).unwrap();
        let faults = sample.faults.iter();
        let numbers = faults.map(|fault| layer(seeds).index(&fault.position));
        numbers
            .map(|number| number * 1_000_000 / layer(seeds).len())
            .collect()
    };
    let mut all = Vec::new();
    for seeds in 5..=7 {
        for seed in 0..8 {
            assert_eq!(drawn(seeds, seed), drawn(seeds, seed));
            all.push(drawn(seeds, seed));
        }
    }
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count);
}

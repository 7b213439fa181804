//! The checks of values and of bounds: they pass what is right, and find all that is wrong, above all wrong values that
//! fit each other.

use granero::index::Layer;
use granero::verify::{self, Fault, FaultKind, MAX_FAULTS};
use granero::{Bound, Cycles, Measured, Ruleset, Tables};
use proptest::prelude::*;
use test_case::test_case;

use crate::support::checked::Checked;
use crate::support::solved::Solved;
use crate::support::with_one_thread;

fn layer(seeds: u8) -> Layer {
    Layer::new(seeds).unwrap()
}

/// The value or the bounds of a position.
fn at(values: &Measured<Vec<i8>>, number: usize) -> Measured<i8> {
    values.as_ref().map(|values| values[number])
}

fn put(values: &mut Measured<Vec<i8>>, number: usize, value: Measured<i8>) {
    let both = values.as_mut().into_iter().zip(value);
    for ((_, values), (_, value)) in both {
        values[number] = value;
    }
}

/// Tells if a layer of some seeds can have such a value or bound.
fn is_possible(cycles: Cycles, seeds: u8, value: i8) -> bool {
    let is_odd = (i32::from(value) + i32::from(seeds)) % 2 != 0;
    value.unsigned_abs() <= seeds && !(cycles == Cycles::OwnSide && is_odd)
}

/// Checks other values in place of a layer's own, and what the faults say.
fn faults(solved: &Checked, layer: Layer, values: &Measured<Vec<i8>>) -> Vec<Fault> {
    let found = solved.check(layer, values);
    assert!(found.len() <= MAX_FAULTS);
    for fault in &found {
        let (number, bound) = (layer.index(&fault.position), fault.measure.bound());
        assert_eq!(fault.value, values.get(bound)[number as usize]);
        let is_possible = is_possible(solved.kind.cycles, layer.seeds(), fault.value);
        assert_eq!(fault.kind == FaultKind::Impossible, !is_possible);
        if let FaultKind::Inconsistent { best } = fault.kind {
            assert_eq!(best, solved.best(layer, values, number, bound));
        }
    }
    found
}

#[test_case([6, 5])]
#[test_case([8, 7] => ignore["slow: .ci/run has it"] ())]
fn what_is_right_passes(seeds: [u8; 2]) {
    for ruleset in Ruleset::ALL {
        for (cycles, seeds) in Cycles::ALL.into_iter().zip(seeds) {
            let solved = Checked::new((ruleset, cycles), seeds);
            for (layer, values) in Layer::all().zip(&solved.layers) {
                assert_eq!(solved.check(layer, values), [], "{ruleset}, {cycles}");
            }
        }
    }
}

/// Other values for a position.
fn wrong(right: Measured<i8>) -> Vec<Measured<i8>> {
    let by = [-128i8, -67, -4, -3, -2, -1, 1, 2, 3, 4, 64, 127];
    let each = by.map(|by| match right {
        Measured::Value(value) => vec![Measured::Value(value.wrapping_sub(by))],
        Measured::Bounds { low, high } => {
            let [less, more] = [low, high].map(|bound| bound.wrapping_sub(by));
            [(less, high), (low, more), (less, more)]
                .map(|(low, high)| Measured::Bounds { low, high })
                .into()
        }
    });
    each.concat()
}

/// Plants wrong values at each position of the layers, one at a time.
#[test_case(&[Ruleset::Abapa, Ruleset::Awari], Cycles::Split, 3)]
#[test_case(&Ruleset::ALL, Cycles::OwnSide, 2)]
#[test_case(&Ruleset::ALL, Cycles::Split, 3 => ignore["slow: .ci/run has it"] ())]
fn every_wrong_value_is_found(rulesets: &[Ruleset], cycles: Cycles, most: u8) {
    with_one_thread(|| {
        for &ruleset in rulesets {
            let solved = Checked::new((ruleset, cycles), most);
            for layer in Layer::all().take(usize::from(most) + 1) {
                let right = solved.right(layer);
                let mut values = right.clone();
                for (number, position) in layer.positions().enumerate() {
                    for wrong in wrong(at(right, number)) {
                        put(&mut values, number, wrong);
                        let faults = faults(&solved, layer, &values);
                        let name = || format!("{ruleset}, {cycles}: {position} {wrong:?}");
                        assert!(!faults.is_empty(), "{}", name());
                        // No move leads back to its own position, so the value differs from the best result.
                        let found = faults.iter().find(|fault| fault.position == position);
                        assert!(found.is_some() || faults.len() == MAX_FAULTS, "{}", name());
                        if let Some(found) = found {
                            let right = *at(right, number).get(found.measure.bound());
                            assert_ne!(found.value, right, "{}", name());
                        }
                    }
                    put(&mut values, number, at(right, number));
                }
            }
        }
    });
}

/// Starts that lead to wrong values that fit each other: from the right value, the number of the position, some number
/// of seeds, and the mover's seeds minus the opponent's.
type Forgery = fn(i8, usize, i8, i8) -> i8;

/// Of draws alone: won by the mover, lost, and either.
const OF_VALUES: [Forgery; 4] = [
    |right, _, size, _| if right == 0 { size } else { right },
    |right, _, size, _| if right == 0 { -size } else { right },
    |right, number, size, _| match (right, number % 2) {
        (0, 0) => size,
        (0, _) => -size,
        _ => right,
    },
    |right, number, size, _| match (right, number % 7) {
        (0, ..3) => size,
        (0, _) => -size,
        _ => right,
    },
];

/// For the low and the high bounds of positions.
const OF_BOUNDS: [[Forgery; 2]; 6] = [
    [|_, _, size, _| -size, |_, _, size, _| size],
    [|_, _, size, _| size, |_, _, size, _| -size],
    [|_, _, size, _| size; 2],
    [|_, _, size, _| -size; 2],
    [|_, _, _, difference| difference; 2],
    [
        |low, _, size, _| (low + 2).min(size),
        |high, _, size, _| (high - 2).max(-size),
    ],
];

/// Gives some positions other values, and then all positions the best of their moves until nothing changes. Returns
/// true if this finds values that only the last step of a check tells from the right ones.
fn fit_each_other(solved: &Checked, layer: Layer, forgeries: [Forgery; 2], size: i8) -> bool {
    let right = solved.right(layer);
    let mut start = right.clone();
    for (number, position) in layer.positions().enumerate() {
        let difference = position.own_seeds() as i8 - position.opponents_seeds() as i8;
        let forge = |bound: Bound| {
            let right = right.get(bound)[number];
            forgeries[usize::from(bound == Bound::High)](right, number, size, difference)
        };
        let measures = solved.kind.cycles.measures();
        put(
            &mut start,
            number,
            measures.map(|measure| forge(measure.bound())),
        );
    }
    // Values that go round and round are wrong, too.
    let Ok(settled) = solved.settled(layer, start) else {
        return false;
    };
    let faults = faults(solved, layer, &settled);
    assert_eq!(faults.is_empty(), settled == *right);
    let is_ungrounded = |fault: &Fault| fault.kind == FaultKind::Ungrounded;
    assert!(faults.iter().all(is_ungrounded), "{faults:?}");
    !faults.is_empty()
}

#[test_case(&[Ruleset::Awari], Cycles::OwnSide, 4)]
#[test_case(&[Ruleset::Abapa], Cycles::Split, 4)]
#[test_case(&Ruleset::ALL, Cycles::Split, 5 => ignore["slow: .ci/run has it"] ())]
#[test_case(&Ruleset::ALL, Cycles::OwnSide, 5 => ignore["slow: .ci/run has it"] ())]
fn values_that_only_fit_each_other_are_found(rulesets: &[Ruleset], cycles: Cycles, most: u8) {
    for &ruleset in rulesets {
        let solved = Checked::new((ruleset, cycles), most);
        let mut ungrounded = 0;
        for seeds in 2..=most {
            let mut try_out = |forgeries, size| {
                ungrounded += u32::from(fit_each_other(&solved, layer(seeds), forgeries, size));
            };
            match cycles {
                Cycles::Split => (1..=seeds as i8).for_each(|size| {
                    OF_VALUES
                        .iter()
                        .for_each(|&forgery| try_out([forgery; 2], size));
                }),
                Cycles::OwnSide => {
                    OF_BOUNDS
                        .iter()
                        .for_each(|&both| try_out(both, seeds as i8));
                }
            }
        }
        assert!(ungrounded >= 5, "{ruleset}, {cycles}: {ungrounded}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Many wrong values at once.
    #[test]
    fn any_values_pass_only_if_they_are_right(
        ruleset in prop::sample::select(&Ruleset::ALL[..]),
        cycles in prop::sample::select(&Cycles::ALL[..]),
        changes in prop::collection::vec((0usize..1365, -2i8..=2, -2i8..=2), 0..20),
    ) {
        let solved = Checked::new((ruleset, cycles), 4);
        let right = solved.right(layer(4));
        let mut values = right.clone();
        for (number, low, high) in changes {
            let measures = cycles.measures();
            let value = measures.map(|measure| match measure.bound() {
                Bound::Low => 2 * low,
                Bound::High => 2 * high,
            });
            put(&mut values, number, value);
        }
        prop_assert_eq!(faults(&solved, layer(4), &values).is_empty(), values == *right);
    }
}

/// Equal seeds draw equal samples; different layers or seeds draw different ones.
#[test]
fn samples_differ_between_layers_and_seeds() {
    let mut solved = Solved::new(Ruleset::Abapa, 7);
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

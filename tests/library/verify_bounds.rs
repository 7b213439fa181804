//! The checks of bounds, if endless play gives each player the seeds on their own side: they pass right
//! bounds, and find all wrong ones, above all wrong ones that fit each other.

use granero::index::Layer;
use granero::verify::{self, CheckProgress, Fault, FaultKind, MAX_FAULTS};
use granero::{Bound, Cycles, Measure, Measured, Ruleset, Tables};
use proptest::prelude::*;

use crate::support::checked::Checked;
use crate::support::solved;
use crate::verify::found_in_tables;

/// The bounds of the positions of a layer, `(low, high)`.
type Bounds = Vec<(i8, i8)>;

/// Solved layers, and the parts to check other bounds in their place.
struct Solved {
    ruleset: Ruleset,
    layers: Vec<Bounds>,
    checked: Checked,
}

fn layer(seeds: u8) -> Layer {
    Layer::new(seeds).unwrap()
}

fn values(bounds: &[(i8, i8)]) -> Measured<Vec<i8>> {
    let (low, high) = bounds.iter().copied().unzip();
    Measured::Bounds { low, high }
}

fn pairs(values: &Measured<Vec<i8>>) -> Bounds {
    let low = values.get(Bound::Low).iter().copied();
    low.zip(values.get(Bound::High).iter().copied()).collect()
}

impl Solved {
    fn new(ruleset: Ruleset, max_seeds: u8) -> Solved {
        let checked = Checked::new((ruleset, Cycles::OwnSide), max_seeds);
        Solved {
            ruleset,
            layers: checked.layers.iter().map(pairs).collect(),
            checked,
        }
    }

    fn right(&self, layer: Layer) -> &Bounds {
        &self.layers[usize::from(layer.seeds())]
    }

    /// Checks other bounds in place of a layer's own.
    fn check(&self, layer: Layer, bounds: &[(i8, i8)]) -> Vec<Fault> {
        self.checked.check(layer, &values(bounds))
    }

    /// Gives all positions the best of their moves until nothing changes; `None` if this takes too long.
    fn settled(&self, layer: Layer, bounds: &[(i8, i8)]) -> Option<Bounds> {
        let settled = self.checked.settled(layer, values(bounds)).ok()?;
        Some(pairs(&settled))
    }
}

/// One of the two bounds.
fn of((low, high): (i8, i8), measure: Measure) -> i8 {
    match measure {
        Measure::Low => low,
        _ => high,
    }
}

/// Checks bounds, and what the faults say. Returns true if nothing is wrong.
fn passes(solved: &Solved, layer: Layer, bounds: &[(i8, i8)]) -> bool {
    let faults = solved.check(layer, bounds);
    assert!(faults.len() <= MAX_FAULTS);
    for fault in &faults {
        let number = layer.index(&fault.position);
        assert_eq!(fault.value, of(bounds[number as usize], fault.measure));
        if let FaultKind::Inconsistent { best } = fault.kind {
            let bound = fault.measure.bound();
            let expected = solved.checked.best(layer, &values(bounds), number, bound);
            assert_eq!(best, expected);
        }
    }
    faults.is_empty()
}

#[test]
fn what_is_right_passes() {
    for ruleset in Ruleset::ALL {
        let solved = Solved::new(ruleset, 7);
        for (layer, bounds) in Layer::all().zip(&solved.layers) {
            assert_eq!(solved.check(layer, bounds), [], "{ruleset}");
        }
    }
}

/// Plants wrong bounds at some positions of a layer, one at a time.
fn plant(solved: &Solved, layer: Layer, numbers: impl Iterator<Item = usize>) {
    let right = solved.right(layer);
    let mut bounds = right.clone();
    for number in numbers {
        let (low, high) = right[number];
        let position = layer.position(number as u64).unwrap();
        for by in [-128i8, -4, -2, -1, 1, 2, 4, 127] {
            let (low, high) = (low.wrapping_sub(by), high.wrapping_sub(by));
            let wrong = [(low, right[number].1), (right[number].0, high), (low, high)];
            for wrong in wrong {
                bounds[number] = wrong;
                let faults = solved.check(layer, &bounds);
                let name = || format!("{}: {position} {wrong:?}", solved.ruleset);
                assert!(!faults.is_empty(), "{}", name());
                // No move leads back to its own position, so the bound differs from the best result.
                let found = faults.iter().find(|fault| fault.position == position);
                assert!(found.is_some() || faults.len() == MAX_FAULTS, "{}", name());
                let Some(found) = found else { continue };
                let bound = of(wrong, found.measure);
                assert_eq!(found.value, bound);
                assert_ne!(bound, of(right[number], found.measure), "{}", name());
                let is_odd = (i32::from(bound) + i32::from(layer.seeds())) % 2 != 0;
                let is_impossible = bound.unsigned_abs() > layer.seeds() || is_odd;
                let said = found.kind == FaultKind::Impossible;
                assert_eq!(is_impossible, said, "{}", name());
            }
        }
        bounds[number] = right[number];
    }
}

#[test]
fn every_wrong_bound_is_found() {
    for ruleset in Ruleset::ALL {
        let solved = Solved::new(ruleset, 2);
        for layer in Layer::all().take(3) {
            plant(&solved, layer, 0..layer.len() as usize);
        }
    }
}

/// Wrong bounds to start with, from the right ones, the seeds on the board, and the mover's seeds minus the
/// opponent's.
type Forgery = fn((i8, i8), i8, i8) -> (i8, i8);

const FORGERIES: [Forgery; 9] = [
    |(low, high), _, _| (high, low),
    |(low, _), _, _| (low, low),
    |(_, high), _, _| (high, high),
    |_, seeds, _| (-seeds, seeds),
    |_, seeds, _| (seeds, -seeds),
    |_, seeds, _| (seeds, seeds),
    |_, seeds, _| (-seeds, -seeds),
    |_, _, difference| (difference, difference),
    |(low, high), seeds, _| ((low + 2).min(seeds), (high - 2).max(-seeds)),
];

/// Forges the bounds of the positions that `whether` selects.
fn forged(
    solved: &Solved,
    layer: Layer,
    forgery: Forgery,
    whether: impl Fn(usize) -> bool,
) -> Option<Bounds> {
    let bounds = layer.positions().zip(solved.right(layer)).enumerate();
    let bounds = bounds.map(|(number, (position, &right))| {
        if whether(number) {
            let difference = position.own_seeds() as i8 - position.opponents_seeds() as i8;
            forgery(right, layer.seeds() as i8, difference)
        } else {
            right
        }
    });
    solved.settled(layer, &bounds.collect::<Bounds>())
}

fn bounds_that_only_fit_each_other_are_found_for(rulesets: &[Ruleset], parts: &[usize]) {
    for &ruleset in rulesets {
        let most = if ruleset == Ruleset::Abapa { 5 } else { 4 };
        let solved = Solved::new(ruleset, most);
        let mut ungrounded = 0;
        for seeds in 2..=most {
            let layer = layer(seeds);
            for forgery in FORGERIES {
                for &part in parts {
                    let whether = |number: usize| number.is_multiple_of(part);
                    let Some(bounds) = forged(&solved, layer, forgery, whether) else {
                        continue;
                    };
                    let faults = solved.check(layer, &bounds);
                    assert_eq!(
                        faults.is_empty(),
                        bounds == *solved.right(layer),
                        "{ruleset}"
                    );
                    let is_ungrounded = |fault: &Fault| fault.kind == FaultKind::Ungrounded;
                    assert!(faults.iter().all(is_ungrounded), "{ruleset}");
                    ungrounded += usize::from(!faults.is_empty());
                }
            }
        }
        assert!(ungrounded >= 10, "{ruleset}: {ungrounded}");
    }
}

#[test]
fn bounds_that_only_fit_each_other_are_found() {
    bounds_that_only_fit_each_other_are_found_for(&[Ruleset::Awari], &[1]);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn bounds_that_only_fit_each_other_are_found_under_any_rules() {
    bounds_that_only_fit_each_other_are_found_for(&Ruleset::ALL, &[1, 2, 3, 7]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    /// Many wrong bounds at once.
    #[test]
    fn any_bounds_pass_only_if_they_are_right(
        ruleset in prop::sample::select(&Ruleset::ALL[..]),
        changes in prop::collection::vec((0usize..1365, 0i8..=4, 0i8..=4), 0..20),
    ) {
        let solved = Solved::new(ruleset, 4);
        let layer = layer(4);
        let mut bounds = solved.right(layer).clone();
        for (number, low, high) in changes {
            bounds[number] = (2 * low - 4, 2 * high - 4);
        }
        prop_assert_eq!(passes(&solved, layer, &bounds), bounds == *solved.right(layer));
    }
}

/// Each position is reported once, whatever its steps.
#[test]
fn progress_counts_all_positions() {
    let place = solved::Solved::of(Ruleset::Italian, Cycles::OwnSide, 7).write();
    let tables = Tables::open(place.path()).unwrap();
    let checked = std::sync::Mutex::new(0);
    let reports = verify::check_tables(
        &tables,
        |_| true,
        |step| {
            if let CheckProgress::Checked(positions) = step {
                *checked.lock().unwrap() += positions;
            }
        },
    );
    assert!(reports.unwrap().iter().all(verify::LayerReport::is_right));
    assert_eq!(checked.into_inner().unwrap(), 50_388);
}

#[test]
fn wrong_bounds_in_tables_are_found() {
    let found = found_in_tables(Cycles::OwnSide, 290, |right| {
        let (low, high) = (right.low(), right.high());
        [
            (low - 2, high),
            (low, high + 2),
            (low + 2, high + 2),
            (-high, -low),
        ]
        .map(|(low, high)| Measured::Bounds { low, high })
    });
    assert!(found > 5);
}

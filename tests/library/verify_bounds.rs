//! The checks of bounds, if endless play gives each player the seeds on their own side: they pass right
//! bounds, and find all wrong ones, above all wrong ones that fit each other.

use std::collections::HashMap;

use granero::index::Layer;
use granero::verify::{self, CheckProgress, Fault, FaultKind, MAX_FAULTS};
use granero::{Bound, Cycles, Measure, Measured, Move, Position, Ruleset, Tables, Turn};
use proptest::prelude::*;

use crate::support::checked::Checked;
use crate::support::{solved, with_one_thread};
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

/// A move: its child, if this is in the layer, and its worth, `(low, high)`.
struct Known {
    child: Option<usize>,
    worth: (i8, i8),
}

/// The moves of a position, if the layer has these bounds; or the end of the game.
fn known(
    solved: &Solved,
    layer: Layer,
    bounds: &Measured<Vec<i8>>,
    position: &Position,
) -> Vec<Known> {
    let of_move = |play: &Move| {
        let to = Layer::of(&play.position);
        // A mover without seeds has lost them all: no bound is needed to tell.
        let is_over = play.ends_game || play.position.own_seeds() == 0;
        let child = (to == layer && !is_over).then(|| to.index(&play.position) as usize);
        let worth = |bound| solved.checked.worth(layer, bounds, play, bound);
        Known {
            child,
            worth: (worth(Bound::Low), worth(Bound::High)),
        }
    };
    match solved.ruleset.turn(position) {
        Turn::Play(plays) => plays.iter().map(of_move).collect(),
        Turn::Over(over) => vec![Known {
            child: None,
            worth: (over.value.seeds(), over.value.seeds()),
        }],
    }
}

/// The measures, in the twin's order of the two roles of a position.
const MEASURES: [Measure; 2] = [Measure::Low, Measure::High];

/// One of the two bounds.
fn of((low, high): (i8, i8), measure: Measure) -> i8 {
    match measure {
        Measure::Low => low,
        _ => high,
    }
}

/// The twin of the second step, in the words of the documentation: by position, then by
/// measure.
struct Twin<'a> {
    bounds: &'a [(i8, i8)],
    moves: Vec<Vec<Known>>,
    /// The mover's seeds minus the opponent's.
    differences: Vec<i8>,
}

type Set = Vec<[bool; 2]>;

impl Twin<'_> {
    /// Tells if a side is content in a position in its role by measure: `high` if the favoured side is to
    /// move.
    fn content(&self, number: usize, place: usize, side: Measure) -> bool {
        let (difference, bound) = (
            self.differences[number],
            of(self.bounds[number], MEASURES[place]),
        );
        if MEASURES[place] == side {
            difference >= bound
        } else {
            difference <= bound
        }
    }

    /// Tells if the side can force `set`, or a promised result, in one move.
    fn forces(&self, number: usize, place: usize, side: Measure, set: &Set) -> bool {
        let measure = MEASURES[place];
        let bound = of(self.bounds[number], measure);
        let mut best = self.moves[number]
            .iter()
            .filter(|known| of(known.worth, measure) == bound)
            .map(|known| known.child.is_none_or(|child| set[child][1 - place]));
        if measure == side {
            best.any(|good| good)
        } else {
            best.all(|good| good)
        }
    }

    fn map(&self, found: impl Fn(usize, usize) -> bool) -> Set {
        let numbers = 0..self.bounds.len();
        numbers
            .map(|number| [0, 1].map(|place| found(number, place)))
            .collect()
    }

    /// The positions from which the favoured side can reach one in which it is content.
    fn comes_back(&self) -> Set {
        let mut set = self.map(|_, _| false);
        loop {
            let next = self.map(|number, place| {
                self.content(number, place, Measure::High)
                    || self.forces(number, place, Measure::High, &set)
            });
            if next == set {
                return set;
            }
            set = next;
        }
    }

    /// The positions from which the other side can finally stay where it is content.
    fn stays(&self) -> Set {
        let mut certain = self.map(|_, _| false);
        loop {
            let mut set = self.map(|_, _| true);
            loop {
                let next = self.map(|number, place| {
                    self.forces(number, place, Measure::Low, &certain)
                        || self.content(number, place, Measure::Low)
                            && self.forces(number, place, Measure::Low, &set)
                });
                if next == set {
                    break;
                }
                set = next;
            }
            if set == certain {
                return set;
            }
            certain = set;
        }
    }
}

/// The step that finds something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    Inconsistent,
    FavouredCannotComeBack,
    OtherCannotStay,
}

/// Checks bounds, and that the twin agrees.
fn finding(solved: &Solved, layer: Layer, bounds: &[(i8, i8)]) -> Found {
    let positions: Vec<Position> = layer.positions().collect();
    let measured = values(bounds);
    let moves = |position| known(solved, layer, &measured, position);
    let moves: Vec<Vec<Known>> = positions.iter().map(moves).collect();
    let mut expected = Vec::new();
    let mut found = Found::Inconsistent;
    for measure in MEASURES {
        for ((index, position), &bounds) in (0..).zip(&positions).zip(bounds) {
            let best = solved
                .checked
                .best(layer, &measured, index, measure.bound());
            if best != of(bounds, measure) {
                expected.push((*position, measure, FaultKind::Inconsistent { best }));
            }
        }
    }
    let twin = Twin {
        bounds,
        moves,
        differences: positions
            .iter()
            .map(|position| position.own_seeds() as i8 - position.opponents_seeds() as i8)
            .collect(),
    };
    for (step, set) in [
        (
            Found::FavouredCannotComeBack,
            Twin::comes_back as fn(&_) -> Set,
        ),
        (Found::OtherCannotStay, Twin::stays),
    ] {
        if !expected.is_empty() {
            break;
        }
        found = step;
        for (position, certain) in positions.iter().zip(set(&twin)) {
            for (measure, certain) in MEASURES.into_iter().zip(certain) {
                if !certain {
                    expected.push((*position, measure, FaultKind::Ungrounded));
                }
            }
        }
    }
    let faults = solved.check(layer, bounds);
    assert_eq!(faults.len(), expected.len().min(MAX_FAULTS));
    for fault in &faults {
        let told = (fault.position, fault.measure, fault.kind);
        assert!(expected.contains(&told), "{fault}");
        let bounds = bounds[layer.index(&fault.position) as usize];
        assert_eq!(fault.value, of(bounds, fault.measure));
    }
    if faults.is_empty() {
        Found::Nothing
    } else {
        found
    }
}

fn what_is_right_passes_up_to(seeds: impl Fn(Ruleset) -> u8) {
    for ruleset in Ruleset::ALL {
        let seeds = seeds(ruleset);
        let solved = Solved::new(ruleset, seeds);
        for (layer, bounds) in Layer::all().zip(&solved.layers) {
            assert_eq!(solved.check(layer, bounds), [], "{ruleset}");
        }
        let layer = layer(seeds.min(6));
        assert_eq!(finding(&solved, layer, solved.right(layer)), Found::Nothing);
    }
}

#[test]
fn what_is_right_passes() {
    what_is_right_passes_up_to(|_| 5);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn what_is_right_passes_in_larger_layers() {
    what_is_right_passes_up_to(|ruleset| if ruleset == Ruleset::Abapa { 10 } else { 8 });
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

fn every_wrong_bound_is_found_up_to(seeds: u8) {
    for ruleset in Ruleset::ALL {
        let solved = Solved::new(ruleset, seeds);
        for layer in Layer::all().take(usize::from(seeds) + 1) {
            plant(&solved, layer, 0..layer.len() as usize);
        }
    }
}

#[test]
fn every_wrong_bound_is_found() {
    every_wrong_bound_is_found_up_to(2);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn every_wrong_bound_is_found_up_to_4_seeds() {
    with_one_thread(|| {
        every_wrong_bound_is_found_up_to(3);
        let solved = Solved::new(Ruleset::Abapa, 4);
        plant(&solved, layer(4), 0..layer(4).len() as usize);
    });
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn wrong_bounds_among_many_are_found() {
    for ruleset in Ruleset::ALL {
        let solved = Solved::new(ruleset, 7);
        for seeds in 5..=7 {
            let layer = layer(seeds);
            let step = layer.len() as usize / 7;
            let numbers = (seeds.into()..layer.len() as usize).step_by(step);
            plant(&solved, layer, numbers);
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
        let mut found = Vec::new();
        for seeds in 2..=most {
            let layer = layer(seeds);
            // Many forgeries settle at the same bounds.
            let mut findings = HashMap::new();
            for forgery in FORGERIES {
                for &part in parts {
                    let whether = |number: usize| number.is_multiple_of(part);
                    let bounds = forged(&solved, layer, forgery, whether);
                    let Some(bounds) = bounds else { continue };
                    let is_right = bounds == *solved.right(layer);
                    let finding = findings.entry(bounds);
                    let finding =
                        *finding.or_insert_with_key(|it| self::finding(&solved, layer, it));
                    assert_eq!(finding == Found::Nothing, is_right, "{ruleset}");
                    found.push(finding);
                }
            }
        }
        let count = |wanted| found.iter().filter(|&&finding| finding == wanted).count();
        assert_eq!(count(Found::Inconsistent), 0);
        for step in [Found::FavouredCannotComeBack, Found::OtherCannotStay] {
            assert!(count(step) >= 5, "{ruleset}: {step:?} {}", count(step));
        }
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

/// If the worst position of a cycle for the favoured side counted, low and high would be exchanged in all
/// layers. They would fit each other as before.
#[test]
#[ignore = "slow: .ci/run has it"]
fn bounds_with_the_wrong_side_favoured_are_found() {
    for ruleset in Ruleset::ALL {
        let mut solved = Solved::new(ruleset, 8);
        for turned in &mut solved.checked.turned {
            *turned = turned.clone().of_parent();
        }
        for layer in Layer::all().take(9).skip(2) {
            let right = solved.right(layer).iter();
            let bounds: Bounds = right.map(|&(low, high)| (high, low)).collect();
            let faults = solved.check(layer, &bounds);
            // In larger layers, bounds may differ only because of captures: such bounds are right, if the
            // smaller layers are.
            assert!(faults.len() == MAX_FAULTS || layer.seeds() > 4, "{ruleset}");
            let ungrounded = |fault: &Fault| fault.kind == FaultKind::Ungrounded;
            assert!(faults.iter().all(ungrounded), "{ruleset}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    /// Random bounds that fit each other.
    #[test]
    #[ignore = "slow: .ci/run has it"]
    fn forgeries_pass_only_if_they_are_right(
        ruleset in prop::sample::select(&Ruleset::ALL[..]),
        seeds in 2u8..=4,
        forgery in prop::sample::select(&FORGERIES[..]),
        part in 1u64..40,
        random in any::<u64>(),
    ) {
        let solved = Solved::new(ruleset, seeds);
        let layer = layer(seeds);
        let whether = |number: usize| {
            let mixed = (number as u64 ^ random).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (mixed >> 32).is_multiple_of(part)
        };
        if let Some(bounds) = forged(&solved, layer, forgery, whether) {
            let finding = finding(&solved, layer, &bounds);
            prop_assert_eq!(finding == Found::Nothing, bounds == *solved.right(layer));
        }
    }

    /// Many wrong bounds at once, and the twin agrees.
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
        let finding = finding(&solved, layer, &bounds);
        prop_assert_eq!(finding == Found::Nothing, bounds == *solved.right(layer));
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

fn wrong_bounds_found_in_tables(step: usize) -> usize {
    found_in_tables(Cycles::OwnSide, step, |right| {
        let (low, high) = (right.low(), right.high());
        [
            (low - 2, high),
            (low, high + 2),
            (low + 2, high + 2),
            (-high, -low),
        ]
        .map(|(low, high)| Measured::Bounds { low, high })
    })
}

#[test]
fn wrong_bounds_in_tables_are_found() {
    assert!(wrong_bounds_found_in_tables(290) > 5);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn wrong_bounds_in_many_tables_are_found() {
    assert!(wrong_bounds_found_in_tables(29) > 50);
}

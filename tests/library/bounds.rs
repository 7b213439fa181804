//! The bounds of positions if endless play gives each player the seeds on their own side, against a slow
//! reference written from their definition, and numbers from elsewhere.

use granero::index::Layer;
use granero::{Bound, Cycles, Measured, Ruleset, solver};

use crate::support::checked::Checked;
use crate::support::known;
use crate::support::reference::bounds::reference;

/// The bounds of all layers, `(low, high)` in index order.
fn solve(ruleset: Ruleset, seeds: u8, threads: usize) -> Vec<Vec<(i8, i8)>> {
    let layers = solver::solve_all((ruleset, Cycles::OwnSide), seeds, threads);
    let bounds = |layer: Measured<Vec<i8>>| match layer {
        Measured::Bounds { low, high } => low.into_iter().zip(high).collect(),
        Measured::Value(_) => panic!("bounds were asked for"),
    };
    layers.into_iter().map(bounds).collect()
}

fn layers(seeds: u8) -> impl Iterator<Item = Layer> {
    Layer::all().take(usize::from(seeds) + 1)
}

fn every_position_has_the_bounds_of_the_definition(most: u8) {
    for ruleset in Ruleset::ALL {
        let expected = reference(ruleset.name(), most.into());
        for (layer, bounds) in layers(most).zip(solve(ruleset, most, 1)) {
            for (position, (low, high)) in layer.positions().zip(bounds) {
                let found = (low.into(), high.into());
                let expected = expected[&position.houses()];
                assert_eq!(found, expected, "{position} under {ruleset}");
            }
        }
    }
}

#[test]
fn every_position_up_to_five_seeds_has_the_bounds_of_the_definition() {
    every_position_has_the_bounds_of_the_definition(5);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn every_position_up_to_six_seeds_has_the_bounds_of_the_definition() {
    every_position_has_the_bounds_of_the_definition(6);
}

/// The numbers in the project's rules text.
#[test]
fn as_many_positions_are_exact_as_the_contract_says() {
    let layers = solve(Ruleset::Abapa, 6, 1);
    for (seeds, expected) in [(2, 65), (3, 300), (4, 994), (6, 10_194)] {
        let exact = layers[seeds].iter().filter(|(low, high)| low == high);
        assert_eq!(exact.count(), expected, "{seeds} seeds");
    }
}

/// The exhaustive test has no houses of twelve seeds or more, which go around the board.
fn bounds_follow_from_the_children(solved: &Checked) {
    for (layer, bounds) in Layer::all().zip(&solved.layers) {
        let step = if layer.seeds() < 8 { 1 } else { 37 };
        for index in (0..layer.len()).step_by(step) {
            let said = format!("{:?}, {}", layer.position(index), solved.kind.rules);
            let found = [Bound::Low, Bound::High].map(|bound| {
                let found = bounds.get(bound)[index as usize];
                assert_eq!(found, solved.best(layer, bounds, index, bound), "{said}");
                assert!((found - layer.seeds() as i8) % 2 == 0, "{said}");
                found
            });
            assert!(found[0] <= found[1], "{said}");
        }
    }
}

#[test]
fn bounds_follow_from_the_children_and_keep_the_parity_of_the_seeds() {
    for ruleset in Ruleset::ALL {
        bounds_follow_from_the_children(&Checked::new((ruleset, Cycles::OwnSide), 7));
    }
}

/// With houses that go around the board and several threads, the verifier proves the solver right. Apart
/// from the verifier, each bound follows from the legal moves; `solver.rs` does the same for values.
#[test]
#[ignore = "slow: .ci/run has it"]
fn layers_with_thirteen_seeds_are_proven_and_follow_from_the_children() {
    for ruleset in [Ruleset::Abapa, Ruleset::Awari] {
        for cycles in Cycles::ALL {
            let layers = known::layers(ruleset, cycles, 13);
            let layers: Vec<_> = layers.iter().map(|layer| (**layer).clone()).collect();
            let checked = Checked::of((ruleset, cycles), layers);
            for seeds in 12..=13 {
                let layer = Layer::new(seeds).unwrap();
                let faults = checked.check(layer, checked.right(layer));
                assert!(faults.is_empty(), "{ruleset}: {:?}", faults[0]);
            }
            if cycles == Cycles::OwnSide {
                bounds_follow_from_the_children(&checked);
            }
        }
    }
}

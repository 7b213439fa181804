//! The solver against a slow reference written from the definition of values, and
//! against numbers from elsewhere.

use granero::index::Layer;
use granero::{Bound, Cycles, Position, Ruleset, solver};
use test_case::test_case;

use crate::support::checked::Checked;
use crate::support::reference::reference;
use crate::support::solved::Solved;

#[test_case(6)]
#[test_case(8 => ignore["slow: .ci/run has it"] ())]
fn every_position_has_the_value_of_the_definition(most: u8) {
    for ruleset in Ruleset::ALL {
        let expected = reference(ruleset.name(), most.into());
        let solved = Solved::new(ruleset, most);
        for position in solved.positions() {
            let found = i32::from(solved.value(&position).unwrap().low().seeds());
            let expected = expected[&position.houses()];
            assert_eq!(found, expected, "{position} under {ruleset}");
        }
    }
}

/// The exhaustive test has no houses that go around the board. Here every value is the best result of a move,
/// or 0 if this is endless play.
#[test_case(&[Ruleset::Italian])]
#[test_case(&[Ruleset::Abapa, Ruleset::Italian] => ignore["slow: .ci/run has it"] ())]
fn values_follow_from_the_children_where_houses_go_around(rulesets: &[Ruleset]) {
    for &ruleset in rulesets {
        let solved = Checked::new((ruleset, Cycles::Split), 13);
        for seeds in 11..=13 {
            let layer = Layer::new(seeds).unwrap();
            let values = solved.right(layer);
            for index in (0..layer.len()).step_by(61) {
                let best = solved.best(layer, values, index, Bound::Low);
                let position = layer.position(index);
                let found = values.get(Bound::Low)[index as usize];
                assert_eq!(found, best, "{position:?} under {ruleset}");
            }
        }
    }
}

// The wins, losses and draws in the project's rules text; for rulesets without numbers there, the numbers of
// three other implementations.
#[test]
fn wins_and_losses_known_from_elsewhere() {
    #[rustfmt::skip]
    let known = [
        (Ruleset::Abapa, [(577, 645), (5_707, 5_124), (37_806, 29_443)]),
        (Ruleset::Awari, [(580, 642), (5_698, 5_130), (37_767, 29_464)]),
        (Ruleset::SlamIllegal, [(579, 642), (5_696, 5_131), (37_765, 29_468)]),
        (Ruleset::SlamEnds, [(583, 631), (5_721, 5_073), (37_910, 29_279)]),
        (Ruleset::SlamLeavesLast, [(577, 644), (5_714, 5_110), (37_895, 29_340)]),
        (Ruleset::SlamLeavesFirst, [(577, 644), (5_721, 5_102), (37_941, 29_321)]),
        (Ruleset::Italian, [(577, 645), (5_692, 5_141), (37_755, 29_484)]),
        (Ruleset::SlamCaptures, [(596, 631), (5_781, 5_055), (38_104, 29_243)]),
    ];
    for (ruleset, counts) in known {
        let solved = Solved::new(ruleset, 8);
        for (seeds, expected) in [4, 6, 8].into_iter().zip(counts) {
            let values = solved.layers[seeds].as_ref().low();
            let count = |wanted: fn(&&i8) -> bool| values.iter().filter(wanted).count();
            let found = (count(|&&value| value > 0), count(|&&value| value < 0));
            assert_eq!(found, expected, "{ruleset}, {seeds} seeds");
        }
    }
}

// Romein and Bal, the Awari score database: "1 1 1 1 1 2 4 2 3 0 0 0 has value 0", and
// its six moves are worth -1 -1 -2 -2 -2 0.
#[test]
#[ignore = "slow: .ci/run has it"]
fn the_published_position_with_sixteen_seeds() {
    let solved = Solved::new(Ruleset::Awari, 16);
    let value = |position| solved.value(position).unwrap().low().seeds();
    let position: Position = "1 1 1 1 1 2 4 2 3 0 0 0".parse().unwrap();
    assert_eq!(value(&position), 0);
    let moves = Ruleset::Awari.moves(&position);
    let moves = moves
        .iter()
        .map(|play| play.captured as i8 - value(&play.position));
    assert!(moves.eq([-1, -1, -2, -2, -2, 0]));
}

/// Layers of 200,000 positions or more are shared among the threads.
#[test_case(&[3])]
#[test_case(&[2, 7] => ignore["slow: .ci/run has it"] ())]
fn the_number_of_threads_makes_no_difference(numbers: &[usize]) {
    for ruleset in [Ruleset::Abapa, Ruleset::Italian] {
        let solve = |threads| solver::solve_all((ruleset, Cycles::Split), 10, threads);
        let alone = solve(1);
        for &threads in numbers {
            let shared = solve(threads);
            assert!(shared == alone, "{ruleset} with {threads} threads");
        }
    }
}

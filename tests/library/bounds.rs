//! The bounds of positions if endless play gives each player the seeds on their own side, against a slow
//! reference written from their definition, numbers from elsewhere, and games that are played out.

use std::collections::HashMap;

use granero::index::Layer;
use granero::{Bound, Cycles, Position, Ruleset, Turn};
use test_case::test_case;

use crate::support::checked::Checked;
use crate::support::reference::bounds::reference;
use crate::support::solved::Solved;

/// The bounds of a position.
fn at(solved: &Solved, position: &Position) -> (i32, i32) {
    let bounds = solved.value(position).unwrap();
    (bounds.low().seeds().into(), bounds.high().seeds().into())
}

#[test_case(4)]
#[test_case(6 => ignore["slow: .ci/run has it"] ())]
fn every_position_has_the_bounds_of_the_definition(most: u8) {
    for ruleset in Ruleset::ALL {
        let expected = reference(ruleset.name(), most.into());
        let solved = Solved::of(ruleset, Cycles::OwnSide, most);
        for position in solved.positions() {
            let expected = expected[&position.houses()];
            assert_eq!(
                at(&solved, &position),
                expected,
                "{position} under {ruleset}"
            );
        }
    }
}

/// The numbers in the project's rules text.
#[test]
fn as_many_positions_are_exact_as_the_contract_says() {
    let solved = Solved::of(Ruleset::Abapa, Cycles::OwnSide, 6);
    for (seeds, expected) in [(2, 65), (3, 300), (4, 994), (6, 10_194)] {
        let bounds = &solved.layers[seeds];
        let exact = bounds.get(Bound::Low).iter().zip(bounds.get(Bound::High));
        assert_eq!(
            exact.filter(|(low, high)| low == high).count(),
            expected,
            "{seeds} seeds"
        );
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
            let checked = Checked::new((ruleset, cycles), 13);
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

/// The choice of the position of an endless cycle that counts, once a position has been repeated.
#[derive(Clone, Copy, Debug)]
enum Arbiter {
    /// The position that repeats.
    First,
    /// The position before it.
    Last,
    /// The best position for South, who moves first.
    BestForSouth,
    WorstForSouth,
}

const ARBITERS: [Arbiter; 4] = [
    Arbiter::First,
    Arbiter::Last,
    Arbiter::BestForSouth,
    Arbiter::WorstForSouth,
];

/// Plays games out to the end or to the first repetition, with all their history.
struct PlayOut<'a> {
    ruleset: Ruleset,
    arbiter: Arbiter,
    /// The values of positions of smaller layers with an empty history: with South to move, and with North
    /// to move.
    smaller: [&'a HashMap<Position, i32>; 2],
    seeds: u8,
    /// The positions so far, each with South's seeds minus North's.
    history: Vec<(Position, i32)>,
}

impl Arbiter {
    /// The arbiter for the board turned around.
    fn turned(self) -> Arbiter {
        match self {
            Arbiter::BestForSouth => Arbiter::WorstForSouth,
            Arbiter::WorstForSouth => Arbiter::BestForSouth,
            other => other,
        }
    }
}

impl PlayOut<'_> {
    /// The value of the position to the player to move; outside `alpha` to `beta` only a bound.
    fn value(&mut self, position: Position, mut alpha: i32, beta: i32) -> i32 {
        let south = self.history.len().is_multiple_of(2);
        let sign = if south { 1 } else { -1 };
        let cycle = (0..self.history.len())
            // A repetition needs the same player to move.
            .filter(|ply| ply % 2 == self.history.len() % 2)
            .find(|&ply| self.history[ply].0 == position);
        if let Some(begin) = cycle {
            let cycle = self.history[begin..]
                .iter()
                .map(|&(_, difference)| difference);
            let difference = match self.arbiter {
                Arbiter::First => self.history[begin].1,
                Arbiter::Last => self.history[self.history.len() - 1].1,
                Arbiter::BestForSouth => cycle.max().unwrap(),
                Arbiter::WorstForSouth => cycle.min().unwrap(),
            };
            return difference * sign;
        }
        let moves = match self.ruleset.turn(&position) {
            Turn::Over(over) => return over.value.seeds().into(),
            Turn::Play(moves) => moves,
        };
        let difference = i32::from(position.own_seeds()) - i32::from(position.opponents_seeds());
        self.history.push((position, difference * sign));
        let mut best = i32::MIN;
        for play in &moves {
            let gained = if play.position.seeds() < self.seeds {
                let at_once = i32::from(play.captured) - i32::from(play.conceded);
                // The history counts this position, so South moves after an even number.
                let north_moves = self.history.len() % 2;
                at_once - self.smaller[north_moves][&play.position]
            } else {
                -self.value(play.position, -beta, -alpha)
            };
            best = best.max(gained);
            alpha = alpha.max(gained);
            if alpha >= beta {
                break;
            }
        }
        self.history.pop();
        best
    }
}

/// For all layers up to some number of seeds: the value of each position with an empty history.
fn play_out(ruleset: Ruleset, seeds: u8, arbiter: Arbiter) -> Vec<(Position, i32)> {
    // If North is to move, board and arbiter are turned around.
    let mut smaller = [HashMap::new(), HashMap::new()];
    let mut all = Vec::new();
    for layer in Layer::all().take(usize::from(seeds) + 1) {
        let play = |arbiter: Arbiter, smaller: [&HashMap<Position, i32>; 2]| {
            let play = |position: Position| {
                let mut play_out = PlayOut {
                    ruleset,
                    arbiter,
                    smaller,
                    seeds: layer.seeds(),
                    history: Vec::new(),
                };
                (position, play_out.value(position, -100, 100))
            };
            layer.positions().map(play).collect::<Vec<_>>()
        };
        let [south, north] = &smaller;
        let found = play(arbiter, [south, north]);
        let turned = play(arbiter.turned(), [north, south]);
        for (smaller, found) in smaller.iter_mut().zip([&found, &turned]) {
            smaller.extend(found.iter().copied());
        }
        all.extend(found);
    }
    all
}

#[test]
fn every_way_to_decide_a_cycle_gives_a_result_within_the_bounds() {
    for ruleset in Ruleset::ALL {
        let solved = Solved::of(ruleset, Cycles::OwnSide, 2);
        for arbiter in ARBITERS {
            for (position, value) in play_out(ruleset, 2, arbiter) {
                let (low, high) = at(&solved, &position);
                let said = format!("{position} {ruleset} {arbiter:?} {value}");
                assert!((low..=high).contains(&value), "{said}");
            }
        }
    }
}

/// The mover's seeds minus the opponent's, within the bounds.
fn nominal(position: &Position, (low, high): (i32, i32)) -> i32 {
    let difference = position.own_seeds() as i32 - position.opponents_seeds() as i32;
    difference.clamp(low, high)
}

/// The number that the project's rules text calls nominal is often the result if the first position to repeat
/// counts.
#[test]
fn the_nominal_value_is_the_first_repetition_in_451_of_454_positions() {
    let solved = Solved::of(Ruleset::Abapa, Cycles::OwnSide, 3);
    let played = play_out(Ruleset::Abapa, 3, Arbiter::First);
    let same = played.iter().filter(|(position, value)| {
        position.seeds() > 0 && *value == nominal(position, at(&solved, position))
    });
    assert_eq!(same.count(), 451);
}

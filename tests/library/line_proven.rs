//! Lines that begin beyond the tables, against larger tables.

use granero::index::Layer;
use granero::line::{Line, LineEnd, Unproven};
use granero::prove::{Budget, Prover};
use granero::{Bound, Cycles, Move, Ruleset, Turn, Value};

use crate::prove::go_on;
use crate::support::tables::{build, build_bounds, opened};

/// The result of a line for the player to move at its start, if the last position is worth `value` to the player
/// to move there.
fn result(moves: &[Move], value: Value) -> Value {
    moves
        .iter()
        .rev()
        .fold(value, |value, play| play.exact_value(value))
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn lines_follow_proofs_into_the_tables() {
    let mut ends = [0; 5];
    for ruleset in Ruleset::ALL {
        for build in [build, build_bounds] {
            let built = [4, 6].map(|seeds| opened(build(ruleset, seeds)));
            let [(_, tables), (_, truth)] = &built;
            let prover = Prover::new(tables);
            for (seeds, step) in [(5, 97), (6, 499)] {
                let layer = Layer::new(seeds).unwrap();
                for index in (0..layer.len()).step_by(step) {
                    let start = layer.position(index).unwrap();
                    let budget = Budget::nodes(1 << (index / step as u64 % 13));
                    for bound in [Bound::Low, Bound::High] {
                        let prove = |position: &_| prover.prove(position, budget, go_on);
                        let (limit, watch) = (Line::LIMIT, &mut |_| {});
                        let line = Line::proven(tables, &start, bound, limit, watch, prove);
                        let line = line.unwrap();
                        let what = format!("{ruleset}, {start}, {bound:?}: {line:?}");
                        let value = truth.assess(&start).unwrap().value.unwrap();
                        let value = *value.get(bound);
                        // Every move beyond the tables is best.
                        let mut now = start;
                        for play in &line.moves {
                            if now.seeds() <= 4 {
                                break;
                            }
                            let assessment = truth.assess(&now).unwrap();
                            assert!(assessment.best().any(|best| best.play == *play), "{what}");
                            now = play.position;
                        }
                        let end = line.moves.last().map_or(start, |last| last.position);
                        if let LineEnd::Unproven(why) = line.end {
                            assert!(end.seeds() > 4, "{what}");
                            ends[usize::from(why == Unproven::NoProgress)] += 1;
                            match bound {
                                Bound::Low => assert!(line.value <= value, "{what}"),
                                Bound::High => assert!(line.value >= value, "{what}"),
                            }
                            continue;
                        }
                        assert_eq!(line.value, value, "{what}");
                        let last = match line.end {
                            LineEnd::Over(over) => {
                                assert!(matches!(ruleset.turn(&end), Turn::Over(_)), "{what}");
                                ends[2] += 1;
                                over.value
                            }
                            LineEnd::GrandSlam => {
                                assert!(line.moves.last().unwrap().ends_game, "{what}");
                                ends[3] += 1;
                                Value::ZERO
                            }
                            LineEnd::Cycle { from, .. } => {
                                let first = match from {
                                    0 => start,
                                    _ => line.moves[from - 1].position,
                                };
                                assert_eq!(end, first, "{what}");
                                ends[4] += 1;
                                if tables.cycles() == Cycles::OwnSide {
                                    continue;
                                }
                                Value::ZERO
                            }
                            other => panic!("{other:?}: {what}"),
                        };
                        assert_eq!(result(&line.moves, last), value, "{what}");
                    }
                }
            }
        }
    }
    // Few grand slams are best moves.
    assert!([0, 1, 2, 4].iter().all(|&end| ends[end] > 0), "{ends:?}");
}

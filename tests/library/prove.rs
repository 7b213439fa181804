//! Proven bounds hold, whatever the budget, and a larger budget proves more.

use std::borrow::Cow;
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use granero::index::Layer;
use granero::prove::{Budget, Ended, Proof, ProofProgress, Prover};
use granero::table::{ByteSource, FileSource, Manifest};
use granero::{Cycles, Measured, Position, Ruleset, TableOptions, Tables, Value};
use granero_game::random::SplitMix64;
use test_case::test_case;

use crate::line::in_memory;
use crate::support::solved::Solved;
use crate::support::tables::{build_kind, opened};
use crate::support::with_causes;

/// A position that has some number of seeds.
fn drawn(random: &mut SplitMix64, seeds: u8) -> Position {
    let layer = Layer::new(seeds).unwrap();
    layer.position(random.below(layer.len())).unwrap()
}

/// Proves bounds of a position, with tables that are sound.
fn prove(prover: &Prover<'_>, position: &Position, budget: Budget) -> Proof {
    prover.prove(position, budget, go_on).unwrap()
}

pub(crate) fn go_on(_: &ProofProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn holds(low: Value, high: Value, value: Measured<Value>) -> bool {
    low <= value.low() && value.high() <= high
}

/// Checks the bounds of a position and of its moves.
fn assert_right(truth: &Solved, rules: Ruleset, position: &Position, proof: &Proof) {
    let right = truth.value(position).unwrap();
    let said = || format!("{rules}, {position}: {right}, but {proof:?}");
    assert!(holds(proof.low, proof.high, right), "{}", said());
    let plays = rules.moves(position);
    assert_eq!(proof.moves.len(), plays.len(), "{}", said());
    for (proven, play) in proof.moves.iter().zip(&plays) {
        assert_eq!(proven.play, *play);
        let right = play.value(truth.value(&play.position).unwrap());
        assert!(
            holds(proven.low, proven.high, right),
            "{}: {}",
            play.house,
            said()
        );
    }
    // The bounds of the moves together give the bounds of the position, or less precise ones.
    let most = proof.moves.iter().map(|proven| proven.high).max();
    assert!(most.is_none_or(|most| most >= proof.high), "{}", said());
    let least = proof.moves.iter().map(|proven| proven.low).max();
    assert!(least.is_none_or(|least| least <= proof.low), "{}", said());
}

fn within(inner: &Proof, outer: &Proof) -> bool {
    let moves = inner.moves.iter().zip(&outer.moves);
    let mut moves = moves.map(|(inner, outer)| (inner.low, inner.high, outer.low, outer.high));
    outer.low <= inner.low
        && inner.high <= outer.high
        && moves.all(|(low, high, least, most)| least <= low && high <= most)
}

/// A budget of any size: none, a few positions, or many.
fn any_nodes(random: &mut SplitMix64) -> u64 {
    let most = 1 << random.below(13);
    random.below(most)
}

/// Proves positions with up to four seeds more than the tables have.
fn check(rules: Ruleset, cycles: Cycles, seeds: u8, count: usize, truth: &Solved) {
    let built = in_memory(rules, cycles, seeds);
    let without = Prover::without_tables(rules, cycles);
    let mut random = SplitMix64::new(u64::from(seeds));
    for _ in 0..count {
        let more = 1 + random.below(4) as u8;
        let mut prover = Prover::new(&built);
        if random.below(16) == 0 {
            prover = without;
        }
        match random.below(4) {
            0 => prover = prover.memory(random.below(1 << 16)),
            1 => prover = prover.memory(random.below(1 << 11)),
            _ => {}
        }
        let threads = [1, 1, 2, 4][random.below(4) as usize];
        let alone_for = [0, 0, any_nodes(&mut random)][random.below(3) as usize];
        let prover = prover.threads(threads).alone_for(alone_for);
        let position = drawn(&mut random, seeds + more);
        let nodes = any_nodes(&mut random);
        let proof = prove(&prover, &position, Budget::nodes(nodes));
        assert_right(truth, rules, &position, &proof);
        // Visiting a position includes its children.
        assert!(proof.nodes <= nodes + 7 * threads as u64, "{proof:?}");
        match random.below(8) {
            0..3 => {
                let nodes = nodes + any_nodes(&mut random);
                let longer = prove(&prover, &position, Budget::nodes(nodes));
                assert_right(truth, rules, &position, &longer);
                // Several threads do not always visit the same positions.
                assert!(
                    within(&longer, &proof) || threads > 1,
                    "{rules}: {longer:?}, but {proof:?}"
                );
            }
            3 => {
                let time = Duration::from_micros(random.below(500));
                let timed = prove(&prover, &position, Budget::time(time));
                assert_right(truth, rules, &position, &timed);
            }
            4 => {
                let mut left = random.below(5);
                let stopped = prover.prove(&position, Budget::nodes(u64::MAX), |_| {
                    if left == 0 {
                        return ControlFlow::Break(());
                    }
                    left -= 1;
                    ControlFlow::Continue(())
                });
                assert_right(truth, rules, &position, &stopped.unwrap());
            }
            _ => {}
        }
    }
}

#[test_case(2..4, 60)]
// 144,000 positions.
#[test_case(2..8, 1500 => ignore["slow: .ci/long has it"] (); "at length")]
fn no_bound_is_ever_wrong(seeds: Range<u8>, count: usize) {
    for rules in Ruleset::ALL {
        for cycles in Cycles::ALL {
            let truth = Solved::of(rules, cycles, seeds.end + 3);
            for seeds in seeds.clone() {
                check(rules, cycles, seeds, count, &truth);
            }
        }
    }
}

/// The search does not end before everything provable is proven.
#[test]
fn with_budget_enough_all_is_proven() {
    for rules in Ruleset::ALL {
        for cycles in Cycles::ALL {
            let truth = Solved::of(rules, cycles, 7);
            let built = in_memory(rules, cycles, 4);
            let mut random = SplitMix64::new(1);
            for _ in 0..6 {
                let seeds = 5 + random.below(3) as u8;
                let position = drawn(&mut random, seeds);
                let threads = [1, 2, 4][random.below(3) as usize];
                let prover = Prover::new(&built).threads(threads);
                let proof = prove(&prover, &position, Budget::nodes(u64::MAX));
                assert_eq!(proof.ended, Ended::Settled);
                assert_right(&truth, rules, &position, &proof);
                let value = truth.value(&position).unwrap();
                assert_eq!(
                    (proof.low, proof.high),
                    (value.low(), value.high()),
                    "{rules}, {cycles}, {position}"
                );
            }
        }
    }
}

#[test]
fn odd_budgets_and_positions_have_clear_answers() {
    let tables = Tables::sample();
    let start = Position::START;
    let most = Value::new(48).unwrap();
    for cycles in Cycles::ALL {
        let without = Prover::without_tables(Ruleset::Abapa, cycles);
        for prover in [
            without,
            without.memory(0),
            without.memory(u64::MAX).threads(0),
        ] {
            let proof = prove(&prover, &start, Budget::nodes(0));
            assert_eq!((proof.low, proof.high), (-most, most));
            let proof = prove(&prover, &start, Budget::nodes(5000));
            assert!(proof.low < proof.high);
            assert_eq!(proof.moves.len(), 6);
        }
        let proof = prove(&without.memory(0), &start, Budget::nodes(9));
        assert_eq!(proof.ended, Ended::Memory);
    }
    let prover = Prover::new(tables).threads(usize::MAX);
    for time in [Duration::ZERO, Duration::from_micros(1)] {
        let proof = prove(&prover, &start, Budget::time(time));
        assert_eq!(proof.ended, Ended::Time);
    }
    let absurd = Budget {
        nodes: 3000,
        time: Some(Duration::MAX),
    };
    let proof = prove(&prover, &start, absurd);
    assert_eq!(proof.ended, Ended::Nodes);
    let stopped = prover.prove(&start, Budget::nodes(u64::MAX), |_| ControlFlow::Break(()));
    assert_eq!(stopped.unwrap().ended, Ended::Stopped);
    // All seeds in one house, for each house.
    for house in 0..12 {
        let mut houses = [0; 12];
        houses[house] = 48;
        let position = Position::new(houses).unwrap();
        let proof = prove(&prover, &position, Budget::nodes(2000));
        assert!(proof.low <= proof.high);
    }
}

#[test]
fn positions_within_the_tables_need_no_search() {
    let tables = Tables::sample();
    let prover = Prover::new(tables);
    for text in ["0 1 0 2 0 1 / 0 2 0 1 1 0", "0 0 0 0 0 0 / 1 1 0 2 1 0"] {
        let position: Position = text.parse().unwrap();
        let assessment = tables.assess(&position).unwrap();
        let proof = prove(&prover, &position, Budget::nodes(0));
        assert_eq!(Some(proof.low), assessment.exact());
        assert_eq!(Some(proof.high), assessment.exact());
        assert_eq!(proof.ended, Ended::Settled);
        for proven in &proof.moves {
            let same = |assessed: &&granero::AssessedMove| assessed.play == proven.play;
            let assessed = assessment.moves.iter().find(same).unwrap();
            assert_eq!(Some(proven.low), assessed.exact());
            assert_eq!(Some(proven.high), assessed.exact());
        }
    }
}

/// A file that cannot be read after some reads.
struct Failing {
    file: FileSource,
    reads_left: Arc<AtomicI64>,
}

impl ByteSource for Failing {
    fn length(&self) -> u64 {
        self.file.length()
    }

    fn bytes(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        if self.reads_left.fetch_sub(1, Ordering::Relaxed) <= 0 {
            return Err(io::Error::other("the disk is gone"));
        }
        self.file.bytes(range)
    }
}

#[test]
fn tables_that_fail_in_the_middle_of_a_search_are_an_error() {
    for cycles in Cycles::ALL {
        let rules = Ruleset::Abapa;
        let truth = Solved::of(rules, cycles, 7);
        let (_place, built) = opened(build_kind((rules, cycles), 5));
        let directory = built.directory().unwrap();
        let manifest = std::fs::read_to_string(directory.join(Manifest::FILE)).unwrap();
        let mut failed = 0;
        for reads in 0..40 {
            let reads_left = Arc::new(AtomicI64::new(i64::MAX));
            let options = TableOptions::new().cycles(cycles).cache_bytes(0);
            let tables = options.open_sources(&manifest, |entry| {
                Ok(Box::new(Failing {
                    file: FileSource::open(directory.join(&entry.name))?,
                    reads_left: reads_left.clone(),
                }) as Box<dyn ByteSource>)
            });
            let tables = tables.unwrap();
            reads_left.store(reads, Ordering::Relaxed);
            let position = drawn(&mut SplitMix64::new(7), 7);
            let prover = Prover::new(&tables).threads(1 + reads as usize % 3);
            match prover.prove(&position, Budget::nodes(1000), go_on) {
                Ok(proof) => assert_right(&truth, rules, &position, &proof),
                Err(error) => {
                    failed += 1;
                    let error = with_causes(&error);
                    assert!(error.contains("the disk is gone"), "{error}");
                }
            }
        }
        assert!(failed > 0);
    }
}

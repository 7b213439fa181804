//! The proofs of a budget, checked against larger tables.

use std::ops::ControlFlow;
use std::time::Duration;

use granero::prove::{Budget, Ended, Proof, ProofProgress, Prover};
use granero::{Measured, Tables, Value};

use crate::positions::{limited, list};

/// The processor time of this process.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The proofs of some positions.
#[derive(Default)]
struct Tally {
    positions: u32,
    /// The bounds meet.
    exact: u32,
    /// The winner is known, or it is known to be a draw.
    winner: u32,
    /// The bounds are equal to the bounds in larger tables.
    tight: u32,
    memory_full: u32,
    nodes: u64,
    /// Processor time, which other programs do not affect.
    time: Duration,
    longest: Duration,
}

/// Checks a proof against larger tables.
pub(crate) fn assert_holds(proof: &Proof, value: Measured<Value>) {
    let holds = proof.low <= value.low() && value.high() <= proof.high;
    assert!(holds, "{proof:?}, but {value}");
}

/// Tells if the winner is known, or if it is known to be a draw.
pub(crate) fn winner_is_known(proof: &Proof) -> bool {
    let (low, high) = (proof.low, proof.high);
    low == high || low > Value::ZERO || high < Value::ZERO
}

impl Tally {
    fn add(&mut self, proof: &Proof, value: Option<Measured<Value>>, time: Duration) {
        let (low, high) = (proof.low, proof.high);
        self.positions += 1;
        self.exact += u32::from(low == high);
        self.winner += u32::from(winner_is_known(proof));
        if let Some(value) = value {
            assert_holds(proof, value);
            self.tight += u32::from(low == value.low() && high == value.high());
        }
        self.memory_full += u32::from(proof.ended == Ended::Memory);
        self.nodes += proof.nodes;
        self.time += time;
        self.longest = self.longest.max(time);
    }
}

/// Proves the first `count` positions of a list, and prints the results.
pub(crate) fn measure(db: &str, budget: Budget, seeds: u8, count: usize, threads: usize) {
    let truth = Tables::open(db).expect("tables");
    let place = tempfile::tempdir().expect("a temporary directory");
    let tables = limited(&truth, place.path());
    let mut tally = Tally::default();
    for position in list(seeds, count) {
        let began = processor_time();
        let go_on = |_: &ProofProgress| ControlFlow::Continue(());
        let proof = Prover::new(&tables)
            .threads(threads)
            .prove(&position, budget, go_on);
        let proof = proof.expect("sound tables");
        let time = processor_time() - began;
        tally.add(&proof, truth.value(&position).expect("sound tables"), time);
    }
    let share = |part: u32| 100.0 * f64::from(part) / f64::from(tally.positions);
    println!("{seeds} seeds, {} positions", tally.positions);
    println!("  exact             {:6.1} %", share(tally.exact));
    println!("  winner            {:6.1} %", share(tally.winner));
    println!("  as larger tables  {:6.1} %", share(tally.tight));
    let seconds = tally.time.as_secs_f64();
    let (mean, longest) = (
        seconds / f64::from(tally.positions),
        tally.longest.as_secs_f64(),
    );
    println!("  processor time    {mean:6.3} s each, at most {longest:.3} s");
    let nodes = tally.nodes as f64 / 1e6;
    println!("  rate              {:6.2} M nodes/s", nodes / seconds);
    println!("  memory full       {:6} times", tally.memory_full);
}

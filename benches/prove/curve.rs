//! Proofs by time, as a table.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use granero::prove::{Budget, Ended, Proof, ProofProgress, Prover};
use granero::table::TableWriter;
use granero::{Measured, Position, TableOptions, Tables, Value};

/// The seeds of the prover's tables.
const TABLES: u8 = 15;

/// The numbers of seeds.
const SEEDS: [u8; 3] = [16, 18, 20];

/// The budgets, in seconds.
const BUDGETS: [f64; 9] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0];

/// Larger budgets go to fewer positions.
const FOR_ALL: f64 = 3.0;

/// The extent of a measurement.
pub(crate) struct Extent {
    /// The number of positions for each number of seeds.
    pub(crate) count: usize,
    /// The number of open positions that get the largest budgets.
    pub(crate) open: usize,
    pub(crate) threads: usize,
    pub(crate) memory: u64,
}

/// The results of a budget.
struct Share {
    exact: f64,
    winner: f64,
    /// Visited positions in a second, in millions; `None` if all were settled before.
    rate: Option<f64>,
    memory_full: usize,
}

/// Measures, and prints a table.
pub(crate) fn curve(db: &str, extent: &Extent) {
    let truth = Tables::open(db).expect("tables");
    let place = tempfile::tempdir().expect("a temporary directory");
    let tables = limited(&truth, place.path());
    let mut columns = Vec::new();
    for seeds in SEEDS {
        let shares = shares(&truth, &tables, list(seeds, extent.count), extent);
        eprintln!("{seeds} seeds are done");
        columns.push((seeds, shares));
    }
    println!(
        "Proofs beyond tables to {TABLES} seeds, rules {}, endless play by {}, {} thread{}",
        truth.rules(),
        truth.cycles(),
        extent.threads,
        if extent.threads == 1 { "" } else { "s" },
    );
    println!();
    print!("| seconds |");
    for (seeds, _) in &columns {
        print!(" {seeds} seeds: exact | winner | M positions/s | memory full |");
    }
    println!();
    println!("|{}", "---:|".repeat(1 + 4 * columns.len()));
    for (number, seconds) in BUDGETS.iter().enumerate() {
        print!("| {seconds} |");
        for (_, shares) in &columns {
            let share = &shares[number];
            print!(" {:.1} % | {:.1} % |", share.exact, share.winner);
            match share.rate {
                Some(rate) => print!(" {rate:.2} | {} |", share.memory_full),
                None => print!(" | |"),
            }
        }
        println!();
    }
}

/// The results of each budget.
fn shares(
    truth: &Tables,
    tables: &Tables,
    positions: Vec<Position>,
    extent: &Extent,
) -> Vec<Share> {
    let prover = Prover::new(tables)
        .threads(extent.threads)
        .memory(extent.memory);
    let all = positions.len() as f64;
    // The positions that no budget has settled so far, and how many positions each stands for.
    let (mut open, mut weight) = (positions, 1.0);
    let shares = BUDGETS.map(|seconds| {
        if seconds > FOR_ALL && open.len() > extent.open {
            weight *= open.len() as f64 / extent.open as f64;
            open.truncate(extent.open);
        }
        let (mut winners, mut memory_full) = (0, 0);
        let (mut nodes, mut time) = (0, Duration::ZERO);
        // More time does not open what is settled.
        open.retain(|position| {
            let budget = Budget::time(Duration::from_secs_f64(seconds));
            let go_on = |_: &ProofProgress| ControlFlow::Continue(());
            let proof = prover.prove(position, budget, go_on).expect("sound tables");
            if let Some(value) = truth.value(position).expect("sound tables") {
                assert_holds(&proof, value);
            }
            nodes += proof.nodes;
            time += proof.time;
            memory_full += usize::from(proof.ended == Ended::Memory);
            let is_open = proof.low != proof.high;
            winners += usize::from(is_open && winner_is_known(&proof));
            is_open
        });
        let exact = all - weight * open.len() as f64;
        Share {
            exact: 100.0 * exact / all,
            winner: 100.0 * (exact + weight * winners as f64) / all,
            rate: (nodes > 0).then(|| nodes as f64 / 1e6 / time.as_secs_f64().max(1e-9)),
            memory_full,
        }
    });
    shares.into()
}

/// Checks a proof against larger tables.
fn assert_holds(proof: &Proof, worth: Measured<Value>) {
    let holds = proof.low <= worth.low() && worth.high() <= proof.high;
    assert!(holds, "{proof:?}, but {worth}");
}

/// Tells if the winner is known, or if it is known to be a draw.
fn winner_is_known(proof: &Proof) -> bool {
    let (low, high) = (proof.low, proof.high);
    low == high || low > Value::ZERO || high < Value::ZERO
}

/// The first positions of a list.
fn list(seeds: u8, count: usize) -> Vec<Position> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let list = std::fs::read_to_string(format!("{root}/data/prove/seeds-{seeds}.txt"));
    let list = list.expect("a list of positions");
    let positions = list.lines().take(count);
    positions
        .map(|line| line.parse().expect("a position"))
        .collect()
}

/// Tables up to 15 seeds, decoded in memory.
fn limited(whole: &Tables, place: &Path) -> Tables {
    let writer = TableWriter::open(place, (whole.rules(), whole.cycles()));
    let mut writer = writer.expect("a new directory");
    for layer in whole.layers().take(usize::from(TABLES) + 1) {
        let (_, values) = layer.expect("sound tables");
        writer.add_layer(&values).expect("a new layer");
    }
    let options = TableOptions::new().in_memory(TABLES);
    options.open(place).expect("tables")
}

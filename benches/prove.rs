//! How much the prover proves of positions beyond the tables.
//!
//! ```text
//! cargo bench -p granero-benches --bench prove -- measure DB [SECONDS] [SEEDS] [COUNT] [NODES]
//! cargo bench -p granero-benches --bench prove -- draw SEEDS
//! ```
//!
//! `measure` takes the tables in DB up to 15 seeds, and asks for the first COUNT positions
//! of `data/prove/` with SEEDS seeds, for SECONDS each, on one thread; on a busy machine, leave
//! SECONDS large and limit the NODES instead. Larger tables in DB check what is proven. It prints
//! the share of positions whose value is proven, the share whose winner is (or that it is a
//! draw), and the rate.
//!
//! `draw` prints 1,000 positions with SEEDS seeds, reached by play from the opening: players who
//! look three moves ahead, but play at random in every second, fourth or eighth move.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use granero::player::Player;
use granero::prove::{Budget, Ended, Progress, Proof, Prover};
use granero::table::TableWriter;
use granero::{Measured, Position, Ruleset, TableOptions, Tables, Value};

/// The seeds of the tables that the prover has.
const TABLES: u8 = 15;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |place: usize, default: f64| {
        let text = arguments.get(place).copied();
        text.and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    match arguments.first() {
        Some(&"draw") => draw(number(1, 16.0) as u8),
        Some(&"measure") if arguments.len() > 1 => {
            let nodes = number(5, f64::MAX) as u64;
            let seconds = number(2, 1.0);
            let budget = Budget {
                nodes,
                time: Some(Duration::from_secs_f64(seconds)),
            };
            measure(
                arguments[1],
                budget,
                number(3, 16.0) as u8,
                number(4, 1000.0) as usize,
            );
        }
        // `cargo test` runs this without arguments.
        _ => println!("measure DB [SECONDS] [SEEDS] [COUNT] [NODES] | draw SEEDS"),
    }
}

/// The processor time of this process.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) as usize % end
    }
}

fn draw(seeds: u8) {
    let mut random = Random(u64::from(seeds));
    let rules = Ruleset::Abapa;
    let player = Player::without_tables(rules);
    let mut drawn = HashSet::new();
    while drawn.len() < 1000 {
        let mut position = Position::START;
        let careless = [2, 4, 8][random.below(3)];
        // Some games never get there.
        for _ in 0..300 {
            let plays = rules.moves(&position);
            if plays.is_empty() || position.seeds() <= seeds {
                break;
            }
            let choice = player.choose(&position, 3, || false).expect("no tables");
            let play = if random.below(careless) == 0 {
                plays[random.below(plays.len())]
            } else {
                choice.expect("a move").play
            };
            position = play.position;
        }
        let goes_on = !rules.moves(&position).is_empty();
        if position.seeds() == seeds && goes_on && drawn.insert(position) {
            println!("{position}");
        }
    }
}

/// What was proven of some positions.
#[derive(Default)]
struct Tally {
    positions: u32,
    /// The bounds meet.
    exact: u32,
    /// It is known who wins, or that nobody does.
    winner: u32,
    /// The bounds are those that larger tables have.
    tight: u32,
    memory_full: u32,
    nodes: u64,
    /// Processor time, of which other programs take nothing away.
    time: Duration,
    longest: Duration,
}

impl Tally {
    fn add(&mut self, proof: &Proof, worth: Option<Measured<Value>>, time: Duration) {
        let (low, high) = (proof.low, proof.high);
        self.positions += 1;
        self.exact += u32::from(low == high);
        self.winner += u32::from(low == high || low > Value::ZERO || high < Value::ZERO);
        if let Some(worth) = worth {
            let (least, most) = (worth.low(), worth.high());
            assert!(low <= least && most <= high, "{proof:?}, but {worth}");
            self.tight += u32::from(low == least && most == high);
        }
        self.memory_full += u32::from(proof.ended == Ended::Memory);
        self.nodes += proof.nodes;
        self.time += time;
        self.longest = self.longest.max(time);
    }
}

fn measure(db: &str, budget: Budget, seeds: u8, count: usize) {
    let truth = Tables::open(db).expect("tables");
    let place = tempfile::tempdir().expect("a temporary directory");
    let tables = limited(&truth, place.path());
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let list = std::fs::read_to_string(format!("{root}/data/prove/seeds-{seeds}.txt"));
    let list = list.expect("a list of positions");
    let mut tally = Tally::default();
    for line in list.lines().take(count) {
        let position: Position = line.parse().expect("a position");
        let began = processor_time();
        let go_on = |_: &Progress| ControlFlow::Continue(());
        let threads = std::env::var("THREADS").map_or(1, |t| t.parse().unwrap());
        let proof = Prover::new(&tables)
            .threads(threads)
            .prove(&position, budget, go_on);
        let proof = proof.expect("sound tables");
        let time = processor_time() - began;
        tally.add(&proof, truth.worth(&position).expect("sound tables"), time);
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

/// Tables up to 15 seeds, decoded in memory.
fn limited(whole: &Tables, place: &Path) -> Tables {
    let writer = TableWriter::open(place, whole.rules(), whole.cycles());
    let mut writer = writer.expect("a new directory");
    for layer in whole.layers().take(usize::from(TABLES) + 1) {
        let (_, values) = layer.expect("sound tables");
        writer.add_layer(&values).expect("a new layer");
    }
    let options = TableOptions::new().in_memory(TABLES);
    options.open(place).expect("tables")
}

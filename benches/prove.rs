//! How much the prover proves of positions beyond the tables.
//!
//! ```text
//! cargo bench --bench prove -- measure DB [SECONDS] [SEEDS] [COUNT] [NODES]
//! cargo bench --bench prove -- draw SEEDS
//! ```
//!
//! `measure` takes the tables in DB up to 15 seeds, and asks for the first COUNT positions
//! of `data/prove/` with SEEDS seeds, for SECONDS each, on one thread. Values of larger tables in DB
//! check what is proven. It prints the share of positions whose value is proven, the share whose
//! winner is (or that it is a draw), and the rate.
//!
//! `draw` prints 1,000 positions with SEEDS seeds, reached by play from the opening: players who
//! look three moves ahead, but play at random in every second, fourth or eighth move.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::Duration;

use granero::player::Player;
use granero::prove::{Budget, Ended, Prover};
use granero::{Cycles, Position, Ruleset, TableOptions, Tables, Value};

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

fn measure(db: &str, budget: Budget, seeds: u8, count: usize) {
    let truth = Tables::open(db).expect("tables");
    let place = tempfile::tempdir().expect("a temporary directory");
    let tables = limited(db, place.path(), truth.cycles());
    let list = format!(
        "{}/data/prove/seeds-{seeds}.txt",
        env!("CARGO_MANIFEST_DIR")
    );
    let list = std::fs::read_to_string(list).expect("a list of positions");
    let positions: Vec<Position> = list
        .lines()
        .take(count)
        .map(|line| line.parse().expect("a position"))
        .collect();
    let prover = Prover::new(&tables);
    let cpu = processor_time();
    let (mut exact, mut winner, mut nodes, mut time) = (0, 0, 0, Duration::ZERO);
    let mut longest = Duration::ZERO;
    let mut draws = (0, 0);
    let (mut memory, mut tight) = (0, 0);
    let verbose = std::env::var_os("GRANERO_VERBOSE").is_some();
    for position in &positions {
        let go_on = |_: &_| ControlFlow::Continue(());
        let proof = prover.prove(position, budget, go_on).expect("sound tables");
        let worth = truth.worth(position).expect("sound tables");
        if let Some(worth) = worth {
            assert!(
                proof.low <= worth.low() && worth.high() <= proof.high,
                "{position}: {proof:?}, but {worth}"
            );
            tight += u32::from(proof.low == worth.low() && proof.high == worth.high());
            if worth.exact() == Some(Value::ZERO) {
                draws.0 += 1;
                draws.1 += u32::from(proof.low == proof.high);
            }
        }
        if verbose {
            let worth = worth.map_or_else(String::new, |worth| worth.to_string());
            println!(
                "{position}: {}…{} of {worth}, {} nodes, {:?}, {:?}",
                proof.low, proof.high, proof.nodes, proof.time, proof.ended
            );
        }
        let (low, high) = (proof.low, proof.high);
        exact += u32::from(low == high);
        winner += u32::from(low == high || low > Value::ZERO || high < Value::ZERO);
        memory += u32::from(proof.ended == Ended::Memory);
        nodes += proof.nodes;
        time += proof.time;
        longest = longest.max(proof.time);
    }
    let cpu = processor_time() - cpu;
    let share = |part: u32| 100.0 * f64::from(part) / positions.len() as f64;
    println!(
        "{seeds} seeds, {} positions: exact {:.1} %, winner {:.1} %, bounds as in tables {:.1} %; {:.2} M nodes/s of processor time, {nodes} nodes, {:.2} s each, longest {:.2} s; draws {} of {}; memory full {memory}",
        positions.len(),
        share(exact),
        share(winner),
        share(tight),
        nodes as f64 / cpu.as_secs_f64() / 1e6,
        time.as_secs_f64() / positions.len() as f64,
        longest.as_secs_f64(),
        draws.1,
        draws.0,
    );
}

/// The tables of a directory up to 15 seeds, decoded in memory.
fn limited(db: &str, place: &std::path::Path, cycles: Cycles) -> Tables {
    let options = TableOptions::new().cycles(cycles).in_memory(TABLES);
    let whole = TableOptions::new().cycles(cycles).open(db).expect("tables");
    let mut writer =
        granero::table::TableWriter::open(place, whole.rules(), cycles).expect("a new directory");
    for layer in whole.layers().take(usize::from(TABLES) + 1) {
        let (_, values) = layer.expect("sound tables");
        writer.add_layer(&values).expect("a new layer");
    }
    options.open(place).expect("tables")
}

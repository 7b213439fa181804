//! Answers and speed of the Rust library, to compare the bindings with.
//!
//!     granero-reference answers DB CYCLES COUNT SEED     prints the value of random positions
//!     granero-reference positions SEEDS COUNT SEED       prints random positions, twelve bytes each
//!     granero-reference figures DB POSITIONS LAYER       measures the speed of the library
//!
//! `answers` prints a line of numbers for each position: its houses; the least and the most that it is
//! worth, or -128 beyond the tables; the same two numbers from its moves, which may say more; the reason
//! of the end of the game, and the number of moves. Then for each move: its house, its captured and
//! conceded seeds, 1 if it ends the game, the least and the most that it is worth, and 1 if it is best.

use std::env;
use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::time::Duration;

use granero::index::draw;
use granero::rules::EndReason;
use granero::{Assessment, Clamped, Measured, Position, TableOptions, Tables, Value};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["answers", db, cycles, count, seed] => {
            let tables = TableOptions::new().cycles(cycles.parse()?).open(db)?;
            answers(&tables, count.parse()?, seed.parse()?)
        }
        ["positions", seeds, count, seed] => {
            let drawn = draw(seeds.parse()?, seed.parse()?).take(count.parse()?);
            let houses: Vec<u8> = drawn.flat_map(|position| position.houses()).collect();
            Ok(io::stdout().write_all(&houses)?)
        }
        ["figures", db, positions, layer] => figures(db, &fs::read(positions)?, layer.parse()?),
        _ => Err("see the beginning of bindings/reference/src/main.rs".into()),
    }
}

/// Prints answers for random positions, some with one more seed than the tables.
fn answers(tables: &Tables, count: usize, seed: u64) -> Result<(), Box<dyn Error>> {
    let seeds = tables.max_seeds().ok_or("the tables are empty")? + 1;
    let mut out = io::stdout().lock();
    for position in draw(seeds, seed).take(count) {
        let numbers = numbers(tables.clamped_value(&position)?, &tables.assess(&position)?)?;
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        writeln!(out, "{}", numbers.join(" "))?;
    }
    Ok(())
}

fn numbers(
    value: Option<Measured<Clamped>>,
    assessment: &Assessment,
) -> Result<Vec<i32>, Box<dyn Error>> {
    let seeds = assessment.position.seeds();
    let range = |value: Option<Measured<Clamped>>| {
        let range = value.map(|value| value.range(seeds).map(Value::seeds));
        range.unwrap_or([i8::MIN; 2]).map(i32::from)
    };
    let over = match assessment.over.map(|over| over.reason) {
        None => 0,
        Some(EndReason::NoSeeds) => 1,
        Some(EndReason::CannotFeed) => 2,
        Some(EndReason::OnlyGrandSlams) => 3,
        Some(reason) => return Err(format!("{reason} has no number").into()),
    };
    let mut numbers: Vec<i32> = assessment.position.houses().map(i32::from).to_vec();
    numbers.extend(range(value));
    numbers.extend(range(assessment.clamped));
    numbers.extend([over, assessment.moves.len() as i32]);
    for assessed in &assessment.moves {
        let play = assessed.play;
        numbers.extend([
            play.house.index() as i32,
            play.captured.into(),
            play.conceded.into(),
            play.ends_game.into(),
        ]);
        numbers.extend(range(assessed.clamped));
        numbers.push(assessed.best.into());
    }
    Ok(numbers)
}

/// The least processor time of several rounds, which other programs affect less than elapsed time.
fn time<T>(rounds: usize, mut work: impl FnMut() -> T) -> io::Result<Duration> {
    let mut least = Duration::MAX;
    for _ in 0..rounds {
        let begin = processor_time()?;
        std::hint::black_box(work());
        least = least.min(processor_time()?.saturating_sub(begin));
    }
    Ok(least)
}

/// The processor time of all threads of this process so far, on Linux.
fn processor_time() -> io::Result<Duration> {
    // The system updates its counts now.
    std::thread::yield_now();
    let mut sum = Duration::ZERO;
    for thread in fs::read_dir("/proc/self/task")? {
        let text = fs::read_to_string(thread?.path().join("schedstat"))?;
        let nanoseconds = text.split(' ').next().and_then(|first| first.parse().ok());
        sum += Duration::from_nanos(nanoseconds.unwrap_or(0));
    }
    Ok(sum)
}

fn figures(db: &str, houses: &[u8], layer: u8) -> Result<(), Box<dyn Error>> {
    let (houses, _) = houses.as_chunks::<12>();
    let positions: Vec<Position> = houses
        .iter()
        .map(|&houses| Position::new(houses))
        .collect::<Result<_, _>>()?;
    let count = positions.len() as f64;
    let options = TableOptions::new().cache_bytes(256 << 20);
    for (name, options) in [
        ("cached blocks", options.clone()),
        ("layers in memory", options.in_memory(48)),
    ] {
        let tables = options.open(db)?;
        let one = time(9, || {
            let values = positions.iter().map(|position| tables.value(position));
            let sum = |sum, value: Option<Measured<Value>>| {
                sum + value.map_or(0, |value| i64::from(value.low().seeds()))
            };
            values.fold(0, |total, value| sum(total, value.ok().flatten()))
        })?;
        println!(
            "Rust  a probe, {name}: {:.0} ns",
            one.as_nanos() as f64 / count
        );
        let batch = time(5, || tables.values(&positions))?;
        let rate = count / batch.as_secs_f64() / 1e6;
        println!("Rust  a batch, {name}: {rate:.2} M positions/s");
    }
    let tables = Tables::open(db)?;
    if tables.max_seeds() >= Some(layer) {
        let whole = time(3, || tables.layer(layer))?;
        println!(
            "Rust  the layer of {layer} seeds: {:.2} s",
            whole.as_secs_f64()
        );
    }
    Ok(())
}

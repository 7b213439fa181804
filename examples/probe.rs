//! Searches like an engine, and looks positions up as soon as the search reaches the tables.
//!
//! `cargo run --release --example probe -- [granero-db] [depth]`

use std::error::Error;
use std::time::Instant;

use granero::{Position, TableError, TableOptions, Tables, Turn};

/// The score in seeds, by alpha-beta; `probes` counts the answers of the tables.
fn search(
    tables: &Tables,
    position: &Position,
    (low, high): (i8, i8),
    depth: u32,
    probes: &mut u64,
) -> Result<i8, TableError> {
    if let Some(value) = tables.value(position)? {
        *probes += 1;
        // Tables by `own-side` have bounds: take the low one.
        return Ok(value.low().seeds());
    }
    let moves = match tables.rules().turn(position) {
        Turn::Over(over) => return Ok(over.value.seeds()),
        Turn::Play(_) if depth == 0 => return Ok(0),
        Turn::Play(moves) => moves,
    };
    let mut best = low;
    for play in &moves {
        let gain = play.captured as i8 - play.conceded as i8;
        let window = (gain - high, gain - best);
        let reply = search(tables, &play.position, window, depth - 1, probes)?;
        best = best.max(gain - reply);
        if best >= high {
            break;
        }
    }
    Ok(best)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    // The search looks up small layers most often: keep them decoded in memory.
    let options = TableOptions::new().in_memory(8);
    let opened = arguments.next().map(|place| options.open(place));
    let opened = opened.transpose()?;
    let tables = opened.as_ref().unwrap_or_else(|| Tables::sample());
    let depth = arguments.next().map_or(Ok(9), |depth| depth.parse())?;

    let position: Position = "0 0 1 0 2 3 / 2 0 1 1 0 2".parse()?;
    let (begin, mut probes) = (Instant::now(), 0);
    let score = search(tables, &position, (-48, 48), depth, &mut probes)?;
    let time = begin.elapsed();
    println!("Score {score} at depth {depth}, with {probes} probes, in {time:.1?}.");
    Ok(())
}

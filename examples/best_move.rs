//! The best moves of a position.
//!
//! `cargo run --example best_move -- "0 0 0 0 2 1 / 1 0 1 0 2 1" [granero-db]`
//!
//! Without a directory, it uses the sample tables inside the library.

use std::error::Error;

use granero::{Position, Tables};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let position = arguments
        .next()
        .unwrap_or("0 0 0 0 2 1 / 1 0 1 0 2 1".into());
    let position: Position = position.parse()?;
    let opened = arguments.next().map(Tables::open).transpose()?;
    let tables = opened.as_ref().unwrap_or_else(|| Tables::sample());

    let assessment = tables.assess(&position)?;
    if let Some(over) = assessment.over {
        println!("The game is over: {}.", over.reason);
    }
    match assessment.exact() {
        Some(value) => println!("The position is worth {value} to the player to move."),
        None => println!("The tables do not reach so far."),
    }
    for best in assessment.best() {
        println!(
            "Play {}, which captures {}.",
            best.play.house, best.play.captured
        );
    }
    Ok(())
}

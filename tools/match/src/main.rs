//! Plays a match between two engines that speak the dialect of `docs/engines.md`, and prints by how
//! much better the first one is:
//!
//! ```sh
//! cargo run --release -p granero-match -- --engine 'granero uci' --against './other uci'
//! ```
//!
//! Each opening is played twice, with the sides changed. A game ends as soon as a player has more
//! than half of all seeds or the tables of `--db` hold the position. `granero referee --play` cannot replace
//! this: it judges one engine, and only within tables.

mod game;
mod opening;
mod score;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use granero::Tables;
use granero_cli::uci::{Engine, EngineCommand, KillSwitch, Patience};

use game::{ENDS, Played};
use opening::Openings;
use score::Score;

/// Play a match between two engines
#[derive(Debug, Parser)]
struct Args {
    /// The command that starts the engine whose score is printed
    #[arg(long, value_name = "COMMAND")]
    engine: String,

    /// The command that starts its opponent
    #[arg(long, value_name = "COMMAND")]
    against: String,

    /// The number of openings; two games are played from each
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    openings: u32,

    /// The seed of the openings: the same number draws the same openings
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// The time for a move, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 100)]
    movetime: u64,

    /// The delay after which an answer is too late, in milliseconds; more on a busy machine
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    grace: u64,

    /// The tables that end games, whose rules are played
    #[arg(long, value_name = "DIR", default_value = "granero-db")]
    db: PathBuf,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let tables = Tables::open(&args.db)?;
    let patience = Patience {
        movetime: Duration::from_millis(args.movetime),
        grace: Duration::from_millis(args.grace),
        own_book: true,
        ..Patience::default()
    };
    let mut engine = start(&args.engine, patience)?;
    let mut against = start(&args.against, patience)?;
    println!(
        "{} against {}: {} games, {} ms for a move, rules {}, openings drawn with seed {}",
        args.engine,
        args.against,
        2 * args.openings,
        args.movetime,
        tables.rules(),
        args.seed,
    );
    let mut score = Score::default();
    let mut ends = Vec::new();
    for opening in Openings::new(tables.rules(), args.seed).take(args.openings as usize) {
        let mut games = [0; 2];
        for (game, sign) in [1, -1].into_iter().enumerate() {
            let mut ours = |start: &_, moves: &_| engine.ask(start, moves);
            let mut theirs = |start: &_, moves: &_| against.ask(start, moves);
            let played = match sign {
                1 => game::play(&tables, &opening, &mut ours, &mut theirs)?,
                _ => game::play(&tables, &opening, &mut theirs, &mut ours)?,
            };
            let Some(Played { result, end }) = played else {
                return Err("an engine has failed too often".into());
            };
            games[game] = sign * result;
            ends.push(end);
        }
        score.add(games);
        // A match that is stopped has told what it knows.
        eprintln!("{score}\n");
    }
    println!("{score}");
    for end in ENDS {
        let count = ends.iter().filter(|&&other| other == end).count();
        println!("{count:6} games ended: {end}");
    }
    Ok(())
}

fn start(command: &str, patience: Patience) -> Result<Engine, Box<dyn Error>> {
    let command: EngineCommand = command.parse()?;
    Ok(Engine::start(
        command,
        patience,
        false,
        &KillSwitch::default(),
    )?)
}

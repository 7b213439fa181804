//! `granero referee`: judges an engine.

pub(in crate::verb) mod document;
mod text;

use std::path::PathBuf;

use granero::notation::visible;
use granero::{Situation, Tables};

use super::engines::{Asking, positions_of, with_kill_switches};
use crate::output::meter::Meter;
use crate::referee::{self, Report};
use crate::uci::{EngineCommand, KillSwitch, Patience};
use document::Conditions;
use granero_console::{Failure, hint, options};

/// Judge an engine: how often it plays a best move, and how many seeds it gives away
///
/// Starts the engine, asks it for its move in each position, in the dialect of UCI in
/// docs/engines.md, and compares its moves with the tables. The positions are random, or come from a
/// file. Illegal moves, timeouts and other faults are counted and set the exit code to 1; moves that
/// only give seeds away do not.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero referee --engine ./my-engine
  granero referee --engine 'java -jar aalina.jar' --random 100 --seeds 12 --movetime 500
  granero referee --engine ./my-engine --positions endgames.txt --json
  granero referee --engine ./my-engine --play
  granero referee --engine 'granero uci'")]
pub(crate) struct Args {
    /// The command that starts the engine; quotes keep words together; no shell is involved
    #[arg(long, value_name = "COMMAND")]
    engine: EngineCommand,

    /// A file of positions, one per line, in any notation; - for the standard input
    ///
    /// Empty lines and lines that begin with # are skipped. The file has at most 16 MiB.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["random", "seeds", "seed"])]
    positions: Option<PathBuf>,

    /// The number of random positions [default: 500, with --play 20]
    #[arg(long, value_name = "K", value_parser = options::number::<u32>(1..=1_000_000))]
    random: Option<u32>,

    /// The most seeds of random positions [default: as many as the tables have]
    ///
    /// All positions with at most N seeds are equally likely.
    #[arg(long, value_name = "N", value_parser = options::number::<u8>(1..=48))]
    seeds: Option<u8>,

    /// The seed of the random positions: the same number draws the same positions
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = options::number::<u64>(0..=u64::MAX))]
    seed: u64,

    /// The most restarts of an engine that hangs or ends
    #[arg(long, value_name = "TIMES", default_value_t = 20, value_parser = options::number::<u32>(0..=1_000_000))]
    restarts: u32,

    /// Let the engine play each position to the end, against perfect defence
    #[arg(long)]
    play: bool,

    /// The most moves of a game, by both players together
    #[arg(long, value_name = "MOVES", default_value_t = 1000, requires = "play", value_parser = options::number::<u32>(0..=1_000_000))]
    max_moves: u32,

    #[command(flatten)]
    asking: Asking,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    // Bounds would leave open how many seeds a move gives away.
    let tables = args.asking.db.ask(args.asking.look_up.access())?;
    if !tables.extent().is_full() {
        return Err(Failure::not_possible(
            "deciding tables cannot judge all moves",
            "name full tables with --db",
        ));
    }
    let situations = situations(args, &tables)?;
    with_kill_switches(|[kill_switch]| run_engine(args, &tables, &situations, kill_switch))
}

/// Starts the engine, judges it, and ends it.
fn run_engine(
    args: &Args,
    tables: &Tables,
    situations: &[Situation],
    kill_switch: &KillSwitch,
) -> Result<String, Failure> {
    let patience = Patience {
        restarts: args.restarts,
        ..Patience::default()
    };
    let mut engine = args.asking.start(&args.engine, patience, kill_switch)?;
    let meter = Meter::unless(args.asking.quiet, situations.len() as u64);
    meter.begin(visible(&engine.name));
    let most_moves = args.play.then_some(args.max_moves as usize);
    let mut report = Report::default();
    for start in situations {
        report.judge(tables, start, most_moves, |start, moves| {
            engine.ask(start, moves)
        })?;
        meter.add(1);
    }
    drop(meter);
    let conditions = Conditions {
        args,
        tables,
        engine: engine.name.clone(),
        restarts: engine.restarts,
        positions: situations.len(),
    };
    engine.quit();
    conditions.report(&report)
}

/// Returns the positions for the engine.
fn situations(args: &Args, tables: &Tables) -> Result<Vec<Situation>, Failure> {
    if let Some(file) = &args.positions {
        return positions_of(file);
    }
    let most = match tables.max_seeds() {
        Some(most) if most > 0 => most,
        _ => {
            return Err(Failure::not_possible(
                "the tables have no positions with a move",
                hint::extend(tables, 15, args.asking.db.path()),
            ));
        }
    };
    let seeds = args.seeds.unwrap_or(most);
    if seeds > most {
        return Err(Failure::not_possible(
            format!("the tables reach up to {most} seeds, not to {seeds}"),
            hint::extend(tables, seeds, args.asking.db.path()) + "; or ask for fewer",
        ));
    }
    let count = args.random.unwrap_or(if args.play { 20 } else { 500 });
    let drawn = referee::draw(tables.rules(), seeds, args.seed);
    Ok(drawn.take(count as usize).collect())
}

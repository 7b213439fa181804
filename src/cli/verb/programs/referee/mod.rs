//! `granero referee`: judges an engine.

pub(in crate::verb) mod document;
mod games;
mod moves;
mod summary;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread;

use crate::referee::{self, GameReport, Report};
use crate::uci::{Engine, EngineCommand, KillSwitch, Patience, StartError};
use granero::notation::{PositionText, visible};
use granero::{Situation, Tables};

use super::Asking;
use crate::output::json;
use crate::system::interruption;
use granero_answer::with_causes;
use granero_console::{Failure, INTERRUPTED, hint, options, say};
use summary::Judged;

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
    let tables = args.asking.tables()?;
    if !tables.extent().is_full() {
        return Err(Failure::NotPossible {
            message: "deciding tables cannot judge all moves".into(),
            help: "name full tables with --db".into(),
        });
    }
    let situations = situations(args, &tables)?;
    let kill_switch = KillSwitch::default();
    on_interruption(vec![kill_switch.clone()]);
    let output = run_engine(args, &tables, &situations, &kill_switch);
    while kill_switch.is_pulled() {
        // The user has stopped the program, which is not the engine's fault, and the program is about to end.
        thread::park();
    }
    output
}

/// Starts the engine, judges it, and ends it.
fn run_engine(
    args: &Args,
    tables: &Tables,
    situations: &[Situation],
    kill_switch: &KillSwitch,
) -> Result<String, Failure> {
    let mut engine = Engine::start(
        args.engine.clone(),
        args.patience(),
        args.asking.stderr,
        kill_switch,
    )?;
    let meter = args.asking.meter(situations.len());
    meter.begin(visible(engine.name()));
    let (mut games, mut moves) = (GameReport::default(), Report::default());
    for situation in situations {
        if args.play {
            let most = args.max_moves as usize;
            let ask = |start: &_, moves: &_| engine.ask(start, moves);
            games.play(tables, situation, most, ask)?;
        } else {
            moves.judge(tables, situation, |situation| engine.ask(situation, &[]))?;
        }
        meter.add(1);
    }
    drop(meter);
    let (unjudged, faults) = if args.play {
        let faults = games.faults().map(|(game, fault)| (&game.start, fault));
        (games.unjudged, faults.collect())
    } else {
        (moves.unjudged, moves.faults().collect())
    };
    let judged = Judged {
        args,
        tables,
        engine: engine.name().to_string(),
        restarts: engine.restarts(),
        positions: situations.len(),
        unjudged,
        faults,
    };
    engine.quit();
    judged.outcome(match (args.play, args.asking.json) {
        (true, true) => json(&document::GameReportJson::new(&judged, &games))?,
        (true, false) => games::describe(&judged, &games),
        (false, true) => json(&document::MoveReportJson::new(&judged, &moves))?,
        (false, false) => moves::describe(&judged, &moves),
    })
}

impl Args {
    fn patience(&self) -> Patience {
        Patience {
            restarts: self.restarts,
            ..self.asking.patience()
        }
    }
}

/// Returns the positions for the engine.
fn situations(args: &Args, tables: &Tables) -> Result<Vec<Situation>, Failure> {
    if let Some(file) = &args.positions {
        return positions_of(file);
    }
    let most = match tables.max_seeds() {
        Some(most) if most > 0 => most,
        _ => {
            return Err(Failure::NotPossible {
                message: "the tables have no positions with a move".into(),
                help: hint::extend(tables, 15, args.asking.db.path()),
            });
        }
    };
    let seeds = args.seeds.unwrap_or(most);
    if seeds > most {
        return Err(Failure::NotPossible {
            message: format!("the tables reach up to {most} seeds, not to {seeds}"),
            help: hint::extend(tables, seeds, args.asking.db.path()) + "; or ask for fewer",
        });
    }
    let count = args.random.unwrap_or(if args.play { 20 } else { 500 });
    let drawn = referee::draw(tables.rules(), seeds, args.seed);
    Ok(drawn.take(count as usize).collect())
}

/// The longest file of positions, in MiB: half a million positions, which take an engine a day.
const LONGEST: u64 = 16;

/// Reads the positions of a file, one per line.
pub(super) fn positions_of(file: &Path) -> Result<Vec<Situation>, Failure> {
    let name = file.display();
    let help = "name a file with a position on each line";
    let bytes = options::read_file(file, LONGEST, help)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut situations = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let text: PositionText = line.parse().map_err(|error| {
            let what = format!("a position in line {number} of {name}");
            let help = "`granero moves --help` shows one position in all the notations";
            Failure::bad_text(&what, line, &error, help)
        })?;
        situations.push(referee::open(&text));
    }
    if situations.is_empty() {
        return Err(Failure::NotPossible {
            message: format!("{name} has no positions"),
            help: "write one per line, in any notation that `granero moves` reads".into(),
        });
    }
    Ok(situations)
}

/// Ends the engines when the user stops the program.
pub(super) fn on_interruption(kill_switches: Vec<KillSwitch>) {
    interruption::on_stop(move || {
        kill_switches.iter().for_each(KillSwitch::pull);
        say("\nStopped.");
        std::process::exit(INTERRUPTED.into());
    });
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Failure {
        let help = match &error {
            StartError::NoProcess { source, .. }
                if source.kind() == ErrorKind::PermissionDenied =>
            {
                "make it executable, as with chmod +x my-engine, or name the program that runs it, as in \
                 --engine 'python3 my-engine.py'"
            }
            StartError::NoProcess { .. } => {
                "give its path, as in --engine ./my-engine, unless it is a command of the system"
            }
            _ => "docs/engines.md says what an engine must answer; --stderr shows its messages",
        };
        Failure::NotPossible {
            message: with_causes(&error),
            help: help.into(),
        }
    }
}

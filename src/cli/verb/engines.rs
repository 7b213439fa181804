//! Engines that a verb asks for moves.

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;
use std::{array, thread};

use granero::Situation;
use granero::notation::PositionText;

use crate::referee;
use crate::system::interruption;
use crate::uci::{Engine, EngineCommand, KillSwitch, Patience, StartError};
use granero_answer::with_causes;
use granero_console::{Failure, ReadOption, ValuesOrSample, options};

/// The options of the verbs that ask engines for moves
#[derive(Debug, clap::Args)]
pub(crate) struct Asking {
    /// The time for a move, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = options::number::<u64>(0..=3_600_000))]
    pub(super) movetime: u64,

    /// How long after --movetime an answer still counts, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = options::number::<u64>(0..=3_600_000))]
    grace: u64,

    /// Show what engines write to stderr
    #[arg(long)]
    pub(super) stderr: bool,

    #[command(flatten)]
    pub(super) db: ValuesOrSample,

    #[command(flatten)]
    pub(super) look_up: ReadOption,

    /// Show no progress
    #[arg(long)]
    pub(super) quiet: bool,

    /// Print JSON, see docs/json.md
    #[arg(long)]
    pub(super) json: bool,
}

impl Asking {
    /// Starts an engine; its own `patience` leaves the times to these options.
    pub(super) fn start(
        &self,
        command: &EngineCommand,
        patience: Patience,
        kill_switch: &KillSwitch,
    ) -> Result<Engine, StartError> {
        let patience = Patience {
            movetime: Duration::from_millis(self.movetime),
            grace: Duration::from_millis(self.grace),
            ..patience
        };
        Engine::start(command.clone(), patience, self.stderr, kill_switch)
    }
}

/// Runs work with engines, which end when the user stops the program.
pub(super) fn with_kill_switches<const N: usize>(
    work: impl FnOnce(&[KillSwitch; N]) -> Result<String, Failure>,
) -> Result<String, Failure> {
    let kill_switches: [KillSwitch; N] = array::from_fn(|_| KillSwitch::default());
    let pulled = kill_switches.clone();
    interruption::end_with(move || {
        pulled.iter().for_each(KillSwitch::pull);
        ".".into()
    });
    let output = work(&kill_switches);
    while kill_switches.iter().any(KillSwitch::is_pulled) {
        // The user has stopped the program, which is not the engines' fault, and the program is about to end.
        thread::park();
    }
    output
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
        return Err(Failure::not_possible(
            format!("{name} has no positions"),
            "write one per line, in any notation that `granero moves` reads",
        ));
    }
    Ok(situations)
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
        Failure::not_possible(with_causes(&error), help)
    }
}

//! Verbs for other programs: files that they read, and engines.

use clap::builder::TypedValueParser;
use granero::Tables;
use granero_console::{Failure, ReadOption, ValuesOrSample, options};

use crate::output::meter::Meter;
use crate::uci::Patience;

/// `granero export`: a layer as a file.
pub(crate) mod export;
/// `granero match`: two engines play each other.
pub(crate) mod r#match;
/// `granero referee`: an engine's mistakes.
pub(crate) mod referee;
/// `granero uci`: plays as an engine.
pub(crate) mod uci;

/// The options of the verbs that ask engines for moves
#[derive(Debug, clap::Args)]
pub(crate) struct Asking {
    /// The time for a move, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = milliseconds())]
    pub(crate) movetime: u64,

    /// How long after --movetime an answer still counts, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = milliseconds())]
    grace: u64,

    /// Show what engines write to stderr
    #[arg(long)]
    pub(crate) stderr: bool,

    #[command(flatten)]
    pub(crate) db: ValuesOrSample,

    #[command(flatten)]
    look_up: ReadOption,

    /// Show no progress
    #[arg(long)]
    quiet: bool,

    /// Print JSON, see docs/json.md
    #[arg(long)]
    pub(crate) json: bool,
}

/// Parses a time of at most an hour.
fn milliseconds() -> impl TypedValueParser<Value = u64> {
    options::number(0..=3_600_000)
}

impl Asking {
    /// Opens the tables of values.
    fn tables(&self) -> Result<Tables, Failure> {
        Ok(self.db.ask(&self.look_up)?)
    }

    fn patience(&self) -> Patience {
        Patience::of(self.movetime, self.grace)
    }

    fn meter(&self, positions: usize) -> Meter {
        if self.quiet {
            Meter::hidden()
        } else {
            Meter::new(positions as u64)
        }
    }
}

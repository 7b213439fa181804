//! The `granero` command: its verbs, the referee and the engine.
//!
//! This library has no stable API: it is for the program, its tests and its fuzz targets. Other programs use
//! the library `granero`.

mod arguments;
#[cfg(feature = "mpi")]
mod cluster;
mod output;
mod plot;
pub mod referee;
mod system;
pub mod uci;
mod verb;

use std::env;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser};

use granero_console::{Failure, db, style};
use verb::Verb;
#[cfg(feature = "fuzzing")]
pub use verb::query::fuzzing;

/// Exact endgame tables for Oware, Awari, Wari, Awalé.
#[derive(Debug, Parser)]
#[command(
    name = "granero",
    version = env!("GRANERO_VERSION"),
    about = "Exact endgame tables for Oware, Awari, Wari, Awalé, the West African sowing game",
    styles = style::CLAP,
    max_term_width = 100,
    arg_required_else_help = true,
    after_help = "\
Examples:
  granero build
  granero rules
  granero moves \"6 0 0 2 1 2 / 4 0 0 1 3 1\"
  granero moves --help"
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

/// Reads the arguments.
fn parse() -> Result<Cli, clap::Error> {
    let command = Cli::command().mut_subcommands(|verb| {
        // So that `--seeds -3` is told what it may be.
        verb.mut_args(|argument| {
            let is_option = argument.get_long().is_some();
            if is_option && argument.get_action().takes_values() {
                argument.allow_negative_numbers(true)
            } else {
                argument
            }
        })
    });
    let matches = command.clone().try_get_matches();
    let matches = matches.map_err(|mut error| {
        if error.kind() == ErrorKind::UnknownArgument {
            // No argument of a verb begins with two dashes.
            error.insert(ContextKind::Suggested, ContextValue::None);
            if let Some(meant) = meant(&command, &error) {
                error.insert(ContextKind::SuggestedArg, ContextValue::String(meant));
            }
        }
        error
    })?;
    Cli::from_arg_matches(&matches)
}

/// The option that was written with its letters in another order. `clap` finds those that are written almost like
/// this, but no short ones.
fn meant(command: &clap::Command, error: &clap::Error) -> Option<String> {
    let ContextValue::String(written) = error.get(ContextKind::InvalidArg)? else {
        return None;
    };
    let sorted = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.sort_unstable();
        letters
    };
    let letters = sorted(written.strip_prefix("--")?);
    let mut words = env::args_os().skip(1);
    let verb = words.find_map(|word| command.find_subcommand(word))?;
    let mut names = verb.get_arguments().filter_map(clap::Arg::get_long);
    let name = names.find(|name| sorted(name) == letters)?;
    Some(format!("--{name}"))
}

/// Runs the command line and returns the exit code.
pub fn main() -> ExitCode {
    #[cfg(unix)]
    system::fault::tell_of_faults();
    system::allocator::keep_to_limits();
    let output = match parse() {
        Ok(cli) => cli.verb.run(),
        Err(error) if db::is_empty_variable(&error) => Err(Failure::not_possible(
            format!("the environment variable {} is empty", db::VARIABLE),
            "name a directory of tables in it, or unset it, or use --db",
        )),
        // Bad arguments: clap explains them and exits with 2.
        Err(error) if error.use_stderr() => error.exit(),
        // `--help` and `--version`.
        Err(answer) => Ok(answer.render().ansi().to_string()),
    };
    match output.and_then(|output| output::print(&output)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => output::tell(&failure).into(),
    }
}

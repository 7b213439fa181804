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

use std::process::ExitCode;

use clap::Parser;

use granero_console::{Failure, db, style};
use verb::Verb;
#[cfg(feature = "fuzzing")]
pub use verb::ask::query::fuzzing;

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

/// Runs the command line and returns the exit code.
pub fn main() -> ExitCode {
    system::fault::tell_of_faults();
    system::fault::let_writes_fail();
    system::allocator::keep_to_limits();
    let output = match Cli::try_parse() {
        Ok(cli) => cli.verb.run(),
        Err(error) if db::is_empty_variable(&error) => Err(Failure::NotPossible {
            message: format!("the environment variable {} is empty", db::VARIABLE),
            help: "name a directory of tables in it, or unset it, or use --db".into(),
        }),
        // Bad arguments: clap explains them and exits with 2.
        Err(error) if error.use_stderr() => error.exit(),
        // `--help` and `--version`.
        Err(answer) => Ok(answer.render().ansi().to_string()),
    };
    match output.and_then(|output| output::print(&output)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => output::report(&failure),
    }
}

//! The verbs of the command: for each a file or folder with its arguments, its work and its output.
//!
//! A verb returns its output as text with colours; [`output`](crate::output) prints it, and strips the colours if
//! need be. `docs/cli.md` documents exit codes and JSON.

/// Defines the subcommands of a group, in the order of the help. Each is a module with `Args` and `run`.
macro_rules! verbs {
    ($($name:ident($module:ident)),* $(,)?) => {
        #[derive(Debug, clap::Subcommand)]
        pub(crate) enum Verb {
            $($name($module::Args),)*
        }

        impl Verb {
            /// Runs the verb, and returns the text to print.
            pub(in crate::verb) fn run(
                &self,
            ) -> Result<String, granero_console::failure::Failure> {
                match self {
                    $(Verb::$name(args) => $module::run(args),)*
                }
            }
        }
    };
}
use verbs;

pub(crate) mod ask;
mod completions;
#[cfg(test)]
mod documents;
mod game;
pub(crate) mod programs;
mod tables;
mod web;

use std::env;

use clap::Subcommand;

use granero_console::{Failure, MORE_THREADS, machine};

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    #[command(flatten)]
    Game(game::Verb),
    #[command(flatten)]
    Tables(tables::Verb),
    #[command(flatten)]
    Ask(ask::Verb),
    #[command(flatten)]
    Programs(programs::Verb),
    #[command(flatten)]
    Web(web::Verb),
    Completions(completions::Args),
}

impl Verb {
    /// Runs the verb, and returns the text to print.
    pub(crate) fn run(&self) -> Result<String, Failure> {
        match self {
            Verb::Game(_) | Verb::Completions(_) => {}
            Verb::Tables(tables::Verb::Info(_) | tables::Verb::Cite(_)) => {}
            _ => start_threads()?,
        }
        match self {
            Verb::Game(verb) => verb.run(),
            Verb::Tables(verb) => verb.run(),
            Verb::Ask(verb) => verb.run(),
            Verb::Programs(verb) => verb.run(),
            Verb::Web(verb) => verb.run(),
            Verb::Completions(args) => Ok(completions::run(args)),
        }
    }
}

/// Starts the threads that share work. `rayon` would do so on first use, and panic on failure.
fn start_threads() -> Result<(), Failure> {
    let threads = match env::var_os("RAYON_NUM_THREADS") {
        // `rayon` reads it.
        Some(_) => 0,
        None => machine::threads(),
    };
    let started = rayon::ThreadPoolBuilder::new().num_threads(threads);
    started.build_global().map_err(|error| Failure::Data {
        message: format!("the threads of the program cannot be started: {error}"),
        help: format!("start fewer with RAYON_NUM_THREADS=1; or {MORE_THREADS}"),
    })
}

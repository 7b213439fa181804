//! The verbs of the command: a file for each, with its arguments and what it does.
//!
//! A verb makes its whole output as text, with colours in it; [`output`](crate::output) writes
//! it and strips the colours where they are not wanted. `docs/cli.md` documents exit codes and
//! JSON.

mod build;
mod cite;
mod compare;
mod completions;
mod estimate;
mod export;
mod find;
mod get;
#[cfg(target_os = "linux")]
pub(crate) mod guard;
mod info;
mod judge;
mod line;
mod moves;
pub(crate) mod query;
mod referee;
mod rules;
mod site;
mod stats;
mod uci;
mod verify;

use std::env;

use clap::Subcommand;

use granero_console::failure::{Failure, MORE_THREADS};
use granero_console::machine;

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Rules(rules::Args),
    Moves(moves::Args),
    Build(build::Args),
    Estimate(estimate::Args),
    Get(get::Args),
    Info(info::Args),
    Cite(cite::Args),
    Verify(verify::Args),
    Query(query::Args),
    Line(line::Args),
    Judge(judge::Args),
    Stats(stats::Args),
    Find(find::Args),
    Export(export::Args),
    Compare(compare::Args),
    Referee(referee::Args),
    Uci(uci::Args),
    Serve(granero_serve::Args),
    Site(site::Args),
    Completions(completions::Args),
}

impl Verb {
    /// Runs the verb, and returns what to print.
    pub(crate) fn run(&self) -> Result<String, Failure> {
        match self {
            Verb::Rules(_)
            | Verb::Moves(_)
            | Verb::Info(_)
            | Verb::Cite(_)
            | Verb::Completions(_) => {}
            _ => start_threads()?,
        }
        match self {
            Verb::Rules(args) => rules::run(args),
            Verb::Moves(args) => moves::run(args),
            Verb::Build(args) => build::run(args),
            Verb::Estimate(args) => estimate::run(args),
            Verb::Get(args) => get::run(args),
            Verb::Info(args) => info::run(args),
            Verb::Cite(args) => cite::run(args),
            Verb::Verify(args) => verify::run(args),
            Verb::Query(args) => query::run(args),
            Verb::Line(args) => line::run(args),
            Verb::Judge(args) => judge::run(args),
            Verb::Stats(args) => stats::run(args),
            Verb::Find(args) => find::run(args),
            Verb::Export(args) => export::run(args),
            Verb::Compare(args) => compare::run(args),
            Verb::Referee(args) => referee::run(args),
            Verb::Uci(args) => uci::run(args),
            Verb::Serve(args) => granero_serve::run(args),
            Verb::Site(args) => site::run(args),
            Verb::Completions(args) => Ok(completions::run(args)),
        }
    }
}

/// Starts the threads that share work, which `rayon` would do on first use, and panic if it cannot.
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

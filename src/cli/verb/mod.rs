//! The verbs of the command: for each a file or folder with its arguments, its work and its output.
//!
//! A verb returns its output as text with colours; [`output`](crate::output) prints it, and strips the colours if
//! need be. `docs/cli.md` documents exit codes and JSON.

pub(crate) mod ask;
mod completions;
#[cfg(test)]
mod documents;
mod game;
pub(crate) mod programs;
mod site;
mod tables;

use std::env;

use clap::Subcommand;

use granero_console::{Failure, MORE_THREADS, machine};

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Rules(game::rules::Args),
    Moves(game::moves::Args),
    Build(tables::build::Args),
    Estimate(tables::estimate::Args),
    Get(tables::get::Args),
    Info(tables::info::Args),
    Cite(tables::cite::Args),
    Verify(tables::verify::Args),
    Query(ask::query::Args),
    Line(ask::line::Args),
    Judge(ask::judge::Args),
    Play(ask::play::Args),
    Stats(ask::stats::Args),
    Find(ask::find::Args),
    Export(programs::export::Args),
    Referee(programs::referee::Args),
    Match(programs::r#match::Args),
    Uci(programs::uci::Args),
    Serve(granero_serve::Args),
    Site(site::Args),
    Completions(completions::Args),
}

impl Verb {
    /// Runs the verb, and returns the text to print.
    pub(crate) fn run(&self) -> Result<String, Failure> {
        let is_quick = matches!(
            self,
            Verb::Rules(_) | Verb::Moves(_) | Verb::Info(_) | Verb::Cite(_) | Verb::Completions(_)
        );
        if !is_quick {
            start_threads()?;
        }
        match self {
            Verb::Rules(args) => game::rules::run(args),
            Verb::Moves(args) => game::moves::run(args),
            Verb::Build(args) => tables::build::run(args),
            Verb::Estimate(args) => tables::estimate::run(args),
            Verb::Get(args) => tables::get::run(args),
            Verb::Info(args) => tables::info::run(args),
            Verb::Cite(args) => tables::cite::run(args),
            Verb::Verify(args) => tables::verify::run(args),
            Verb::Query(args) => ask::query::run(args),
            Verb::Line(args) => ask::line::run(args),
            Verb::Judge(args) => ask::judge::run(args),
            Verb::Play(args) => ask::play::run(args),
            Verb::Stats(args) => ask::stats::run(args),
            Verb::Find(args) => ask::find::run(args),
            Verb::Export(args) => programs::export::run(args),
            Verb::Referee(args) => programs::referee::run(args),
            Verb::Match(args) => programs::r#match::run(args),
            Verb::Uci(args) => programs::uci::run(args),
            Verb::Serve(args) => granero_serve::run(args),
            Verb::Site(args) => site::run(args),
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
    started.build_global().map_err(|error| {
        Failure::data(
            format!("the threads of the program cannot be started: {error}"),
            format!("start fewer with RAYON_NUM_THREADS=1; or {MORE_THREADS}"),
        )
    })
}

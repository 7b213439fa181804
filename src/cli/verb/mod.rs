//! The verbs of the command: for each a file or folder with its arguments, its work and its output.
//!
//! A verb returns its output as text with colours; [`output`](crate::output) prints it, and strips the colours if
//! need be. `docs/cli.md` documents exit codes and JSON.

mod build;
mod cite;
mod completions;
#[cfg(test)]
mod documents;
mod engines;
mod estimate;
mod export;
mod find;
mod get;
mod info;
mod judge;
mod line;
mod r#match;
mod moves;
mod play;
pub(crate) mod query;
mod referee;
mod rules;
mod site;
mod stats;
mod uci;
mod verify;

use std::env;

use clap::Subcommand;

use granero_console::{Failure, MORE_THREADS, machine};

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
    Play(play::Args),
    Stats(stats::Args),
    Find(find::Args),
    Export(export::Args),
    Referee(referee::Args),
    Match(r#match::Args),
    Uci(uci::Args),
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
            start_threads(match self {
                Verb::Verify(args) => args.threads,
                _ => None,
            })?;
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
            Verb::Play(args) => play::run(args),
            Verb::Stats(args) => stats::run(args),
            Verb::Find(args) => find::run(args),
            Verb::Export(args) => export::run(args),
            Verb::Referee(args) => referee::run(args),
            Verb::Match(args) => r#match::run(args),
            Verb::Uci(args) => uci::run(args),
            Verb::Serve(args) => granero_serve::run(args),
            Verb::Site(args) => site::run(args),
            Verb::Completions(args) => Ok(completions::run(args)),
        }
    }
}

/// The most threads that RAYON_NUM_THREADS may ask for. Many thousands take minutes to start.
const MOST_THREADS: usize = 1024;

/// Starts the threads that share work: as many as the option `--threads` says, or RAYON_NUM_THREADS. `rayon` would start
/// them on first use, and panic on failure.
fn start_threads(option: Option<u16>) -> Result<(), Failure> {
    // `rayon` takes nothing and 0 as no number, too.
    let given = env::var_os("RAYON_NUM_THREADS").filter(|given| !given.is_empty() && given != "0");
    let (threads, fewer) = match (option, given) {
        (Some(threads), _) => (threads.into(), "--threads"),
        (None, None) => (machine::threads(), "RAYON_NUM_THREADS=1"),
        (None, Some(given)) => {
            let number = given.to_str().and_then(|given| given.parse().ok());
            let number = number.filter(|&number| number <= MOST_THREADS);
            let number = number.ok_or_else(|| {
                Failure::not_possible(
                    format!("RAYON_NUM_THREADS is no number from 0 to {MOST_THREADS}: {given:?}"),
                    "set it to the number of threads, or unset it",
                )
            })?;
            (number, "RAYON_NUM_THREADS=1")
        }
    };
    let started = rayon::ThreadPoolBuilder::new().num_threads(threads);
    started.build_global().map_err(|error| {
        Failure::data(
            format!("the threads of the program cannot be started: {error}"),
            format!("start fewer with {fewer}; or {MORE_THREADS}"),
        )
    })
}

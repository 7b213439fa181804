//! The command line: one file per verb, each with its arguments and what it does.
//!
//! A verb makes its whole output as text, with colours in it; [`main`] writes it
//! and strips the colours where they do not belong. `docs/cli.md` documents exit
//! codes and JSON.

mod allocator;
mod build;
mod compare;
mod completions;
mod db;
mod estimate;
mod export;
mod failure;
mod fault;
#[cfg(target_os = "linux")]
mod guard;
mod hint;
mod info;
mod judge;
mod line;
mod machine;
mod meter;
mod moves;
mod options;
mod plot;
mod position_arg;
mod progress;
mod query;
mod referee;
mod rules;
mod serve;
mod stats;
mod style;
mod uci;
mod verify;
mod whole_file;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use granero::Ruleset;
use granero::rules::UnknownRuleset;

use failure::Failure;

/// Exact endgame tables for Oware, Awari, Wari, Awalé.
#[derive(Debug, Parser)]
#[command(
    version,
    about,
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

#[derive(Debug, Subcommand)]
enum Verb {
    Rules(rules::Args),
    Moves(moves::Args),
    Build(build::Args),
    Estimate(estimate::Args),
    Info(info::Args),
    Verify(verify::Args),
    Query(query::Args),
    Line(line::Args),
    Judge(judge::Args),
    Stats(stats::Args),
    Export(export::Args),
    Compare(compare::Args),
    Referee(referee::Args),
    Uci(uci::Args),
    Serve(serve::Args),
    Completions(completions::Args),
}

/// Runs the command line and says with which code to exit.
pub(crate) fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Some(code) = guard::run() {
        return code;
    }
    fault::tell_of_mapped_files();
    let output = match Cli::try_parse() {
        Ok(cli) => run(&cli.verb),
        // Bad arguments: clap explains them and exits with 2.
        Err(error) if error.use_stderr() => error.exit(),
        // `--help` and `--version`.
        Err(answer) => Ok(answer.render().ansi().to_string()),
    };
    match output.and_then(|output| print(&output)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(verb: &Verb) -> Result<String, Failure> {
    match verb {
        Verb::Rules(args) => rules::run(args),
        Verb::Moves(args) => moves::run(args),
        Verb::Build(args) => build::run(args),
        Verb::Estimate(args) => estimate::run(args),
        Verb::Info(args) => info::run(args),
        Verb::Verify(args) => verify::run(args),
        Verb::Query(args) => query::run(args),
        Verb::Line(args) => line::run(args),
        Verb::Judge(args) => judge::run(args),
        Verb::Stats(args) => stats::run(args),
        Verb::Export(args) => export::run(args),
        Verb::Compare(args) => compare::run(args),
        Verb::Referee(args) => referee::run(args),
        Verb::Uci(args) => uci::run(args),
        Verb::Serve(args) => serve::run(args),
        Verb::Completions(args) => Ok(completions::run(args)),
    }
}

fn print(output: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout().lock();
    match stdout
        .write_all(output.as_bytes())
        .and_then(|()| stdout.flush())
    {
        // Whoever reads, for instance `head`, has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(Failure::Output),
    }
}

/// A JSON document as the output of a verb.
fn json(document: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(document).map_err(|error| Failure::Output(error.into()))?;
    Ok(text + "\n")
}

/// How all verbs read the name of a ruleset.
fn ruleset_parser() -> impl TypedValueParser<Value = Ruleset> {
    PossibleValuesParser::new(Ruleset::ALL.map(Ruleset::name))
        .try_map(|name| -> Result<Ruleset, UnknownRuleset> { name.parse() })
}

//! `granero uci`: answers as an engine.

use std::io;

use crate::output::written_or_closed;
use crate::uci::Session;

use granero_console::{Failure, ReadOption, ValuesOrSample};

/// Play as an engine: perfectly inside the tables
///
/// Speaks the dialect of UCI in docs/engines.md, for boards and tournament programs that load
/// engines. Near the tables it uses half of its time to prove which moves are best. Further away, or
/// without tables, it searches a few moves ahead.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero uci
  granero uci --db granero-db
  printf 'position startpos\\ngo depth 8\\n' | granero uci")]
pub(crate) struct Args {
    #[command(flatten)]
    db: ValuesOrSample,

    #[command(flatten)]
    look_up: ReadOption,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    // A named directory may get its tables later.
    let opened = args.db.ask(args.look_up.access());
    let mut session = Session::with_tables(args.db.path(), args.look_up.access(), opened)?;
    // The program that loaded the engine may be gone.
    written_or_closed(session.run(io::stdin(), io::stdout()))?;
    Ok(String::new())
}

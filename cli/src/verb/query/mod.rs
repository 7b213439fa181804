//! `granero query`: what positions and their moves are worth.

mod batch;
mod chunks;
pub(crate) mod fuzzing;
mod text;

use std::io;
use std::path::PathBuf;

use crate::answer::PositionAnswer;
use crate::db::{Db, LookUp};
use crate::document::QueryDocument;
use crate::failure::Failure;
use crate::position_arg;

/// Say what a position is worth, and each of its moves
///
/// The values come from tables that `granero build` has made. Several positions may be given, if
/// each is one argument. With --batch, positions are read from a file, one from each line, and
/// each line gets a line of output in its place. A line that is not a valid position gives
/// `error`, a tab and the reason; the others are answered, and the exit code is 2.
#[derive(Debug, clap::Args)]
#[command(after_help = position_arg::notations_and("\
Examples:
  granero query 1 1 0 2 4 0 1 1 1 0 0 0
  granero query \"0 0 0 1 1 1 / 1 1 0 2 4 0\" --db granero-db
  granero query 0-0-0-0-0-5-1-0-0-0-0-0-20-22-N --json
  granero query \"1 1 0 2 4 0 0 0 0 0 0 0\" \"0 0 0 0 1 1 / 1 1 0 0 0 0\"
  granero query --batch positions.txt --format tsv > values.tsv
  granero query --batch - < positions.txt"))]
pub(crate) struct Args {
    #[arg(
        required_unless_present = "batch",
        allow_negative_numbers = true,
        help = position_arg::HELP
    )]
    position: Vec<String>,

    /// A file with a position in each line, or - for the standard input
    #[arg(long, value_name = "FILE", conflicts_with = "position")]
    batch: Option<PathBuf>,

    #[command(flatten)]
    db: Db,

    #[command(flatten)]
    look_up: LookUp,

    /// How to write the answers
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Print JSON, see docs/cli.md: the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people; in a batch one line for each position
    Text,
    /// The twelve houses, those of the player to move first, a tab, and the value, or the low
    /// bound, a tab and the high one; - beyond the reach of the tables
    Tsv,
    /// A JSON document on one line for each position, see docs/cli.md
    Json,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let format = if args.json { Format::Json } else { args.format };
    if let Some(file) = &args.batch {
        let input = batch::open(file)?;
        let tables = args.db.ask(&args.look_up)?;
        let mut output = io::stdout().lock();
        batch::run(&tables, format, input, file, &mut output)?;
        return Ok(String::new());
    }
    let texts = position_arg::parse_several(&args.position)?;
    let tables = args.db.ask(&args.look_up)?;
    let other = args.db.other_convention(&tables, args.look_up.access())?;
    let mut answers = Vec::with_capacity(texts.len());
    for text in &texts {
        let answer = PositionAnswer::new(&tables, text)?;
        let other = other
            .as_ref()
            .map(|tables| PositionAnswer::new(tables, text));
        let other = other.transpose()?;
        answers.push(match format {
            Format::Text => answer.describe(other.as_ref()),
            Format::Tsv => answer.tsv(),
            Format::Json => crate::output::json(&QueryDocument::new(&answer, other.as_ref()))?,
        });
    }
    let between = if format == Format::Text { "\n" } else { "" };
    Ok(answers.join(between))
}

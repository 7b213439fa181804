//! `granero line`: the best line from a position, or one for each bound.

mod played;
mod text;

use std::path::Path;

use granero::line::Line;
use granero::{Position, Tables};

use crate::answer::{BestLines, FoundLines, reach, why_unknown};
use crate::db::{Db, LookUp};
use crate::document::LineDocument;
use crate::failure::Failure;
use crate::meter::Meter;
use crate::{hint, position_arg};

/// Show the best line from a position, to the end of the game or into a cycle
///
/// Both players play best moves. Of several best moves, the winner chooses the one that leads
/// soonest to a capture or the end, and the loser the one that delays it longest.
///
/// With endless play by own-side, the line shows what the player to move gets at least; a
/// second one shows what this player gets at most, if that is more.
#[derive(Debug, clap::Args)]
#[command(after_help = position_arg::notations_and("\
Examples:
  granero line 1 1 0 2 4 0 1 1 1 0 0 0
  granero line 0-0-0-0-0-5-1-0-0-0-0-0-20-22-N
  granero line \"0 0 0 1 1 1 / 1 1 0 2 4 0\" --format ogn > line.ogn"))]
pub(crate) struct Args {
    #[arg(required = true, allow_negative_numbers = true, help = position_arg::HELP)]
    position: Vec<String>,

    #[command(flatten)]
    db: Db,

    #[command(flatten)]
    look_up: LookUp,

    /// How to write the line; a game has stores: if the position is written without them, the
    /// seeds that are not on the board are shared
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Print JSON, see docs/cli.md: the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    /// A table with the running score
    Text,
    /// The position and its moves as one game in Aalina's notation; where there are two lines, the
    /// one that shows what is guaranteed
    Moves,
    /// A game record in OGN, of the same line
    Ogn,
    /// A JSON document on one line, see docs/cli.md
    Json,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let text = position_arg::parse(&args.position)?;
    let tables = args.db.ask(&args.look_up)?;
    let meter = Meter::of_search();
    let found = FoundLines::find(&tables, &text.position(), Line::LIMIT, &mut |positions| {
        meter.reach(positions as u64);
    });
    drop(meter);
    let found = found?.ok_or_else(|| out_of_reach(&tables, &text.position(), args.db.path()))?;
    let best = BestLines::new(&tables, &text, found)?;
    let format = if args.json { Format::Json } else { args.format };
    match format {
        Format::Text => Ok(best.describe()),
        Format::Moves => Ok(best.moves() + "\n"),
        Format::Ogn => Ok(best.ogn()?),
        Format::Json => crate::output::json(&LineDocument::from(&best)),
    }
}

fn out_of_reach(tables: &Tables, position: &Position, db: &Path) -> Failure {
    let seeds = position.seeds();
    if let Ok(Some(clamped)) = tables.clamped_worth(position) {
        return Failure::Data {
            message: format!(
                "the position is worth {clamped}, and {}",
                why_unknown(tables, seeds)
            ),
            help: "ask for the moves that win it with `granero query`".into(),
        };
    }
    Failure::Data {
        message: format!("the position has {seeds} seeds, and {}", reach(tables)),
        help: hint::extend(tables, seeds, db),
    }
}

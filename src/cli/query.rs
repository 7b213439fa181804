//! `granero query`: what a position and its moves are worth.

use std::path::PathBuf;

use granero::notation::{PositionText, board};
use granero::table::{AssessedMove, Assessment, Tables};
use granero::{Side, Value};
use serde::Serialize;

use super::failure::Failure;
use super::style::{self, paint};
use super::{options, position_arg};

/// Say what a position is worth, and each of its moves
///
/// The values come from tables that `granero build` has made.
#[derive(Debug, clap::Args)]
#[command(after_help = position_arg::notations_and("\
Examples:
  granero query 1 1 0 2 4 0 1 1 1 0 0 0
  granero query \"0 0 0 1 1 1 / 1 1 0 2 4 0\" --db granero-db
  granero query 0-0-0-0-0-5-1-0-0-0-0-0-20-22-N --json"))]
pub(super) struct Args {
    #[arg(required = true, allow_negative_numbers = true, help = position_arg::HELP)]
    position: Vec<String>,

    /// The directory of the tables
    #[arg(long, value_name = "DIR", default_value = options::DIRECTORY)]
    db: PathBuf,

    /// Print JSON, see docs/cli.md
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<String, Failure> {
    let text = position_arg::parse(&args.position)?;
    let tables = Tables::open(&args.db)?;
    let answer = Answer {
        assessment: tables.assess(&text.position())?,
        tables: &tables,
    };
    if args.json {
        super::json(&answer.json())
    } else {
        Ok(answer.describe(&text))
    }
}

/// What the tables say about a position.
struct Answer<'a> {
    tables: &'a Tables,
    assessment: Assessment,
}

impl Answer<'_> {
    fn describe(&self, text: &PositionText) -> String {
        let side = text
            .situation()
            .map_or(Side::South, |situation| situation.to_move());
        let Answer { tables, assessment } = self;
        let mut output = String::new();
        for line in board::write(&assessment.position, side).lines() {
            output += &format!("  {line}\n");
        }
        let (rules, cycles) = (tables.rules(), tables.cycles());
        output += &format!("\nRules {rules}, endless play by {cycles}; {side} to move.\n");
        output += &match assessment.value {
            None => {
                let seeds = assessment.position.seeds();
                format!("Value unknown: {}, and here are {seeds}.\n", reach(tables))
            }
            Some(value) => {
                let seeds = value.seeds().unsigned_abs();
                let words = match value.seeds().signum() {
                    1 => format!(
                        "{side} wins {seeds} of these seeds more than {}",
                        side.other()
                    ),
                    -1 => format!("{side} loses by {seeds} of these seeds"),
                    _ => "both get the same number of these seeds".into(),
                };
                let value = paint(style::HEADING, format_args!("Value {value}"));
                format!("{value}: with best play {words}.\n")
            }
        };
        if let Some(over) = assessment.over {
            return output + &format!("There is no move: {}.\n", over.reason);
        }
        output += &(paint(style::HEADING, "\nmove  captures  value") + "\n");
        for AssessedMove { play, value, best } in &assessment.moves {
            let house = play.house.letter(side);
            let shown = value.map_or_else(|| "?".into(), |value| value.to_string());
            let line = format!("{house:4}  {:8}  {shown:>5}", play.captured);
            output += &if *best {
                paint(style::GAIN, line + "  best") + "\n"
            } else {
                line + "\n"
            };
        }
        output
    }

    fn json(&self) -> Document {
        let Answer { tables, assessment } = self;
        let value = assessment.value.map(Value::seeds);
        Document {
            rules: tables.rules().name(),
            cycles: tables.cycles().name(),
            position: assessment.position.houses(),
            seeds: assessment.position.seeds(),
            value,
            reason: value.is_none().then(|| reach(tables)),
            moves: assessment
                .moves
                .iter()
                .map(|AssessedMove { play, value, best }| MoveJson {
                    house: play.house.to_string(),
                    captured: play.captured,
                    value: value.map(Value::seeds),
                    best: *best,
                    position: play.position.houses(),
                })
                .collect(),
        }
    }
}

/// How far the tables reach.
pub(super) fn reach(tables: &Tables) -> String {
    match tables.max_seeds() {
        Some(seeds) => format!("the tables reach up to {seeds} seeds"),
        None => "the tables are empty".into(),
    }
}

#[derive(Serialize)]
struct Document {
    rules: &'static str,
    cycles: &'static str,
    position: [u8; 12],
    seeds: u8,
    value: Option<i8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    moves: Vec<MoveJson>,
}

#[derive(Serialize)]
struct MoveJson {
    house: String,
    captured: u8,
    value: Option<i8>,
    best: bool,
    position: [u8; 12],
}

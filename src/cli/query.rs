//! `granero query`: what a position and its moves are worth.

use std::cmp::Reverse;
use std::path::PathBuf;

use granero::notation::{PositionText, board};
use granero::table::{TableDir, TableError};
use granero::{Move, Position, Ruleset, Side, Turn, Value};
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
    let tables = TableDir::open(&args.db)?;
    let answer = Answer::find(&tables, &text.position())?;
    if args.json {
        super::json(&answer.json(&tables))
    } else {
        Ok(answer.describe(&text, &tables))
    }
}

/// What the tables say about a position.
struct Answer {
    position: Position,
    /// `None` if it has more seeds than the tables.
    value: Option<Value>,
    /// The legal moves and their values, the best first.
    moves: Vec<(Move, Option<Value>)>,
    /// Why there are no moves.
    over: Option<&'static str>,
}

impl Answer {
    fn find(tables: &TableDir, position: &Position) -> Result<Answer, TableError> {
        let ruleset: Ruleset = tables.manifest().rules;
        let mut moves = Vec::new();
        let mut over = None;
        match ruleset.turn(position) {
            Turn::Over(end) => over = Some(end.reason.name()),
            Turn::Play(plays) => {
                for play in plays {
                    let child = tables.value(&play.position)?;
                    moves.push((play, child.map(|child| play.value(child))));
                }
            }
        }
        moves.sort_by_key(|&(_, value)| Reverse(value));
        Ok(Answer {
            position: *position,
            value: tables.value(position)?,
            moves,
            over,
        })
    }

    fn is_best(&self, value: Option<Value>) -> bool {
        value.is_some() && value == self.value
    }

    fn describe(&self, text: &PositionText, tables: &TableDir) -> String {
        let side = text
            .situation()
            .map_or(Side::South, |situation| situation.to_move());
        let manifest = tables.manifest();
        let mut output = String::new();
        for line in board::write(&self.position, side).lines() {
            output += &format!("  {line}\n");
        }
        let (rules, cycles) = (manifest.rules, manifest.cycles);
        output += &format!("\nRules {rules}, endless play by {cycles}; {side} to move.\n");
        output += &match self.value {
            None => {
                let seeds = self.position.seeds();
                let most = manifest.finished() - 1;
                format!("The tables reach up to {most} seeds, and here are {seeds}.\n")
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
        if let Some(reason) = self.over {
            return output + &format!("There is no move ({reason}).\n");
        }
        output += &(paint(style::HEADING, "\nmove  captures  value") + "\n");
        for (play, value) in &self.moves {
            let house = play.house.letter(side);
            let shown = value.map_or_else(|| "?".into(), |value| value.to_string());
            let line = format!("{house:4}  {:8}  {shown:>5}", play.captured);
            output += &if self.is_best(*value) {
                paint(style::GAIN, line + "  best") + "\n"
            } else {
                line + "\n"
            };
        }
        output
    }

    fn json(&self, tables: &TableDir) -> Document {
        let manifest = tables.manifest();
        let beyond = format!("the tables reach up to {} seeds", manifest.finished() - 1);
        Document {
            rules: manifest.rules.name(),
            cycles: manifest.cycles.name(),
            position: self.position.houses(),
            seeds: self.position.seeds(),
            value: self.value.map(Value::seeds),
            reason: self.value.is_none().then_some(beyond),
            moves: self
                .moves
                .iter()
                .map(|&(play, value)| MoveJson {
                    house: play.house.to_string(),
                    captured: play.captured,
                    value: value.map(Value::seeds),
                    best: self.is_best(value),
                    position: play.position.houses(),
                })
                .collect(),
        }
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

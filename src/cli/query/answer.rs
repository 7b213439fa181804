//! What the tables say about one position, in all formats.

use granero::notation::{PositionText, board};
use granero::rules::GameOver;
use granero::table::{AssessedMove, Assessment, TableError, Tables};
use granero::{FinalScore, Position, Ruleset, Side, Value};
use serde::Serialize;
use serde_json::Number;

use super::reach;
use crate::cli::style::{self, paint};

/// What the tables say about a position.
pub(in crate::cli) struct Answer<'a> {
    tables: &'a Tables,
    text: &'a PositionText,
    assessment: Assessment,
}

impl<'a> Answer<'a> {
    pub(in crate::cli) fn new(
        tables: &'a Tables,
        text: &'a PositionText,
    ) -> Result<Self, TableError> {
        Ok(Answer {
            tables,
            text,
            assessment: tables.assess(&text.position())?,
        })
    }

    /// The same from what is in memory, if all of it is.
    pub(in crate::cli) fn at_hand(
        tables: &'a Tables,
        text: &'a PositionText,
    ) -> Result<Option<Self>, TableError> {
        let assessment = tables.assess_at_hand(&text.position())?;
        Ok(assessment.map(|assessment| Answer {
            tables,
            text,
            assessment,
        }))
    }

    /// The rules by which it is answered.
    pub(in crate::cli) fn rules(&self) -> Ruleset {
        self.tables.rules()
    }

    /// Why there is no move, if there is none.
    pub(in crate::cli) fn over(&self) -> Option<GameOver> {
        self.assessment.over
    }

    /// The side to move: South, unless it is written.
    fn side(&self) -> Side {
        let situation = self.text.situation();
        situation.map_or(Side::South, |situation| situation.to_move())
    }

    /// How the game ends, if stores are written and the value is known.
    fn score(&self) -> Option<FinalScore> {
        let situation = self.text.situation()?;
        Some(FinalScore::new(&situation, self.assessment.value?))
    }

    /// All for people: the board, the value, and a table of moves.
    pub(super) fn describe(&self) -> String {
        let side = self.side();
        let Answer {
            tables, assessment, ..
        } = self;
        let mut output = String::new();
        for line in board::write(&assessment.position, side).lines() {
            output += &format!("  {line}\n");
        }
        let (rules, cycles) = (tables.rules(), tables.cycles());
        output += &format!("\nRules {rules}, endless play by {cycles}; {side} to move.\n");
        if let Some(situation) = self.text.situation() {
            output += &format!(
                "Captured so far: South {}, North {}.\n",
                situation.store(Side::South),
                situation.store(Side::North)
            );
        }
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
        if let Some(score) = self.score() {
            let heading = paint(style::HEADING, "Final score");
            output += &format!("{heading}: {score}.\n");
        }
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

    /// The same in a line: the position, its value, the best moves, and the final score.
    pub(super) fn line(&self) -> String {
        let Answer {
            tables, assessment, ..
        } = self;
        let position = assessment.position;
        let Some(value) = assessment.value else {
            return format!("{position}: unknown, {}\n", reach(tables));
        };
        let side = self.side();
        let how = match assessment.over {
            Some(over) => format!("the game is over: {}", over.reason),
            None => {
                let best = assessment.best();
                let letters = best.map(|best| best.play.house.letter(side).to_string());
                format!("with {}", letters.collect::<Vec<_>>().join(" or "))
            }
        };
        let score = self.score().map(|score| format!("; {score}"));
        format!("{position}: {value}, {how}{}\n", score.unwrap_or_default())
    }

    /// The twelve houses, a tab, and the value.
    pub(super) fn tsv(&self) -> String {
        let mut line = Vec::new();
        write_tsv(&self.assessment.position, self.assessment.value, &mut line);
        String::from_utf8_lossy(&line).into_owned()
    }

    pub(in crate::cli) fn json(&self) -> Document {
        let Answer {
            tables, assessment, ..
        } = self;
        let value = assessment.value.map(Value::seeds);
        Document {
            rules: tables.rules().name(),
            cycles: tables.cycles().name(),
            position: assessment.position.houses(),
            seeds: assessment.position.seeds(),
            value,
            reason: value.is_none().then(|| reach(tables)),
            r#final: self.score().map(ScoreJson::from),
            moves: assessment
                .moves
                .iter()
                .map(|AssessedMove { play, value, best }| MoveJson {
                    house: play.house.to_string(),
                    captured: play.captured,
                    conceded: play.ends_game.then_some(play.conceded),
                    value: value.map(Value::seeds),
                    best: *best,
                    position: play.position.houses(),
                })
                .collect(),
        }
    }
}

/// Writes the twelve houses, a tab, the value, and the end of the line.
///
/// Batches have millions of these; with the formatting of the standard library one takes
/// twice as long, see `docs/performance.md`.
pub(super) fn write_tsv(position: &Position, value: Option<Value>, line: &mut Vec<u8>) {
    for (index, seeds) in position.houses().into_iter().enumerate() {
        if index > 0 {
            line.push(b' ');
        }
        write_number(seeds, line);
    }
    line.push(b'\t');
    match value.map(Value::seeds) {
        None => line.push(b'-'),
        Some(value) => {
            if value < 0 {
                line.push(b'-');
            }
            write_number(value.unsigned_abs(), line);
        }
    }
    line.push(b'\n');
}

/// Writes a number below 100.
fn write_number(number: u8, line: &mut Vec<u8>) {
    if number >= 10 {
        line.push(b'0' + number / 10);
    }
    line.push(b'0' + number % 10);
}

#[derive(Serialize)]
pub(in crate::cli) struct Document {
    rules: &'static str,
    cycles: &'static str,
    position: [u8; 12],
    seeds: u8,
    value: Option<i8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#final: Option<ScoreJson>,
    moves: Vec<MoveJson>,
}

#[derive(Serialize)]
struct ScoreJson {
    south: Number,
    north: Number,
    winner: Option<&'static str>,
}

impl From<FinalScore> for ScoreJson {
    fn from(score: FinalScore) -> ScoreJson {
        // Half seeds are rare: whole numbers are written as such.
        let number = |side| {
            let seeds = score.seeds(side);
            match Number::from_f64(seeds) {
                Some(number) if seeds.fract() != 0.0 => number,
                _ => Number::from(seeds as u8),
            }
        };
        ScoreJson {
            south: number(Side::South),
            north: number(Side::North),
            winner: score.winner().map(|side| match side {
                Side::South => "south",
                Side::North => "north",
            }),
        }
    }
}

#[derive(Serialize)]
struct MoveJson {
    house: String,
    captured: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    conceded: Option<u8>,
    value: Option<i8>,
    best: bool,
    position: [u8; 12],
}

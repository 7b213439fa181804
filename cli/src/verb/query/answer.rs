//! What the tables say about one position, in all formats.

use granero::notation::{PositionText, board};
use granero::rules::GameOver;
use granero::table::{AssessedMove, Assessment, TableError, Tables};
use granero::{Bounds, Cycles, FinalScore, Move, Position, Ruleset, Side, Value};
use serde::Serialize;
use serde_json::Number;

use super::reach;
use crate::style::{self, paint};
use crate::verb::moves::OverJson;

/// What the tables say about a position.
pub(crate) struct Answer<'a> {
    tables: &'a Tables,
    text: &'a PositionText,
    assessment: Assessment,
}

impl<'a> Answer<'a> {
    pub(crate) fn new(tables: &'a Tables, text: &'a PositionText) -> Result<Self, TableError> {
        Ok(Answer {
            tables,
            text,
            assessment: tables.assess(&text.position())?,
        })
    }

    /// The same from what is in memory, if all of it is.
    pub(crate) fn at_hand(
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
    pub(crate) fn rules(&self) -> Ruleset {
        self.tables.rules()
    }

    /// Why there is no move, if there is none.
    pub(crate) fn over(&self) -> Option<GameOver> {
        self.assessment.over
    }

    /// The side to move: South, unless it is written.
    fn side(&self) -> Side {
        let situation = self.text.situation();
        situation.map_or(Side::South, |situation| situation.to_move())
    }

    /// How the game ends, if stores are written and the worth is known: at least, and at most.
    fn scores(&self) -> Option<[FinalScore; 2]> {
        let situation = self.text.situation()?;
        let bounds = self.assessment.bounds?;
        Some([bounds.low(), bounds.high()].map(|value| FinalScore::new(&situation, value)))
    }

    /// All for people: the board, what it is worth, and a table of moves. `beside` is what the
    /// tables of the other convention for endless play say.
    pub(crate) fn describe(&self, beside: Option<&Answer<'_>>) -> String {
        let side = self.side();
        let Answer {
            tables, assessment, ..
        } = self;
        let mut output = String::new();
        for line in board::write(&assessment.position, side).lines() {
            output += &format!("  {line}\n");
        }
        let conventions = match beside {
            None => tables.cycles().to_string(),
            Some(beside) => format!("{} and by {}", tables.cycles(), beside.tables.cycles()),
        };
        let rules = tables.rules();
        output += &format!("\nRules {rules}, endless play by {conventions}; {side} to move.\n");
        if let Some(situation) = self.text.situation() {
            output += &format!(
                "Captured so far: South {}, North {}.\n",
                situation.store(Side::South),
                situation.store(Side::North)
            );
        }
        if let Some(over) = assessment.over {
            let heading = paint(style::HEADING, "The game is over");
            output += &format!("{heading}: {}.\n", over.reason);
        }
        output += &self.worth();
        if let Some(beside) = beside.filter(|_| assessment.over.is_none()) {
            output += &format!("Where an endless cycle gives {}\n", OWN_SIDE);
            output += &beside.worth();
        }
        if assessment.over.is_some() {
            return output;
        }
        output + &self.table(beside)
    }

    /// What the position is worth, in words.
    fn worth(&self) -> String {
        let Answer {
            tables, assessment, ..
        } = self;
        let Some(bounds) = assessment.bounds else {
            let seeds = assessment.position.seeds();
            return format!("Value unknown: {}, and here are {seeds}.\n", reach(tables));
        };
        let side = self.side();
        let with = match assessment.over {
            Some(_) => "",
            None => "with best play ",
        };
        let mut output = match bounds.exact() {
            Some(value) => {
                let heading = paint(style::HEADING, format_args!("Value {value}"));
                let whatever = match tables.cycles() {
                    Cycles::OwnSide if assessment.over.is_none() => {
                        ",\nwhichever position of an endless cycle counts"
                    }
                    _ => "",
                };
                format!("{heading}: {with}{}{whatever}.\n", outcome(value, side))
            }
            None => {
                let (low, high) = (bounds.low(), bounds.high());
                let heading = format!("Between {low} and {high}");
                format!(
                    "{}, depending on which position of an endless cycle counts:\n\
                     at least {};\nat most {}.\n",
                    paint(style::HEADING, heading),
                    outcome(low, side),
                    outcome(high, side)
                )
            }
        };
        if let Some([low, high]) = self.scores() {
            let heading = paint(style::HEADING, "Final score");
            output += &if low == high {
                format!("{heading}: {low}.\n")
            } else {
                format!("{heading}, at least for {side}: {low}; at most: {high}.\n")
            };
        }
        output
    }

    /// The moves, the best first.
    fn table(&self, beside: Option<&Answer<'_>>) -> String {
        let side = self.side();
        let Answer {
            tables, assessment, ..
        } = self;
        let (name, width) = match tables.cycles() {
            Cycles::Split => ("value", 5),
            _ => ("bounds", 8),
        };
        let mut heading = format!("move  captures  {name:>width$}");
        if beside.is_some() {
            heading += "  own-side";
        }
        let mut output = "\n".to_string() + &paint(style::HEADING, heading) + "\n";
        let text = |bounds: Option<Bounds>| {
            bounds.map_or_else(|| "?".into(), |bounds: Bounds| bounds.to_string())
        };
        for AssessedMove { play, bounds, best } in &assessment.moves {
            let house = play.house.letter(side);
            let shown = text(*bounds);
            let mut line = format!("{house:4}  {:8}  {shown:>width$}", play.captured);
            if let Some(beside) = beside {
                line += &format!("  {:>8}", text(beside.bounds_of(play)));
            }
            output += &if *best {
                paint(style::GAIN, line + "  best") + "\n"
            } else {
                line + "\n"
            };
        }
        output
    }

    /// The bounds of a move.
    fn bounds_of(&self, wanted: &Move) -> Option<Bounds> {
        let mut moves = self.assessment.moves.iter();
        moves.find(|found| found.play.house == wanted.house)?.bounds
    }

    /// The same in a line: the position, its value, the best moves, and the final score.
    pub(crate) fn line(&self) -> String {
        let Answer {
            tables, assessment, ..
        } = self;
        let position = assessment.position;
        let Some(bounds) = assessment.bounds else {
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
        let score = self.scores().map(|[low, high]| match low == high {
            true => format!("; {low}"),
            false => format!("; {low} to {high}"),
        });
        format!("{position}: {bounds}, {how}{}\n", score.unwrap_or_default())
    }

    /// The twelve houses, a tab, and the value, or the two bounds with a tab between them.
    pub(crate) fn tsv(&self) -> String {
        let mut line = Vec::new();
        let Assessment {
            position, bounds, ..
        } = self.assessment;
        write_tsv(&position, self.tables.cycles(), bounds, &mut line);
        String::from_utf8_lossy(&line).into_owned()
    }

    /// `beside` is what the tables of the other convention for endless play say.
    pub(crate) fn json(&self, beside: Option<&Answer<'_>>) -> Document {
        let Answer {
            tables, assessment, ..
        } = self;
        let position = &assessment.position;
        Document {
            rules: tables.rules().name(),
            cycles: tables.cycles().name(),
            position: position.houses(),
            seeds: position.seeds(),
            worth: WorthJson::of(tables.cycles(), assessment.bounds, |bounds| {
                bounds.nominal(position)
            }),
            reason: assessment.bounds.is_none().then(|| reach(tables)),
            over: assessment.over.as_ref().map(OverJson::from),
            r#final: self.scores().map(|scores| match tables.cycles() {
                Cycles::Split => ScoresJson::Exact(scores[0].into()),
                _ => ScoresJson::Bounds {
                    low: scores[0].into(),
                    high: scores[1].into(),
                },
            }),
            moves: assessment
                .moves
                .iter()
                .map(|AssessedMove { play, bounds, best }| MoveJson {
                    house: play.house.to_string(),
                    captured: play.captured,
                    conceded: play.ends_game.then_some(play.conceded),
                    worth: WorthJson::of(tables.cycles(), *bounds, |bounds| {
                        // What the move leaves is what it captures minus what it is worth.
                        play.value(play.bounds(bounds).nominal(&play.position))
                    }),
                    best: *best,
                    position: play.position.houses(),
                })
                .collect(),
            own_side: beside.map(|beside| Box::new(beside.json(None))),
        }
    }
}

/// What each player gets of an endless cycle, in the other convention.
const OWN_SIDE: &str = "each player the seeds on the own side:";

/// What a result means to the player to move.
fn outcome(value: Value, side: Side) -> String {
    let seeds = value.seeds().unsigned_abs();
    match value.seeds().signum() {
        1 => format!(
            "{side} wins {seeds} of these seeds more than {}",
            side.other()
        ),
        -1 => format!("{side} loses by {seeds} of these seeds"),
        _ => "both get the same number of these seeds".into(),
    }
}

/// Writes the twelve houses, a tab, the value or the bounds, and the end of the line.
///
/// Batches have millions of these; with the formatting of the standard library one takes
/// twice as long, see `docs/performance.md`.
pub(crate) fn write_tsv(
    position: &Position,
    cycles: Cycles,
    bounds: Option<Bounds>,
    line: &mut Vec<u8>,
) {
    for (index, seeds) in position.houses().into_iter().enumerate() {
        if index > 0 {
            line.push(b' ');
        }
        write_number(seeds, line);
    }
    write_value(bounds.map(Bounds::low), line);
    if cycles != Cycles::Split {
        write_value(bounds.map(Bounds::high), line);
    }
    line.push(b'\n');
}

/// Writes a tab and a value.
fn write_value(value: Option<Value>, line: &mut Vec<u8>) {
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
}

/// Writes a number below 100.
fn write_number(number: u8, line: &mut Vec<u8>) {
    if number >= 10 {
        line.push(b'0' + number / 10);
    }
    line.push(b'0' + number % 10);
}

#[derive(Serialize)]
pub(crate) struct Document {
    rules: &'static str,
    cycles: &'static str,
    position: [u8; 12],
    seeds: u8,
    #[serde(flatten)]
    worth: WorthJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) over: Option<OverJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#final: Option<ScoresJson>,
    moves: Vec<MoveJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    own_side: Option<Box<Document>>,
}

/// What a position or a move is worth, by the convention for endless play.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum WorthJson {
    Value {
        value: Option<i8>,
    },
    Bounds {
        low: Option<i8>,
        high: Option<i8>,
        nominal: Option<i8>,
    },
}

impl WorthJson {
    /// Where the tables do not reach so far.
    pub(crate) fn unknown(cycles: Cycles) -> WorthJson {
        WorthJson::of(cycles, None, Bounds::low)
    }

    pub(crate) fn of(
        cycles: Cycles,
        bounds: Option<Bounds>,
        nominal: impl FnOnce(Bounds) -> Value,
    ) -> WorthJson {
        let low = bounds.map(|bounds| bounds.low().seeds());
        match cycles {
            Cycles::Split => WorthJson::Value { value: low },
            _ => WorthJson::Bounds {
                low,
                high: bounds.map(|bounds| bounds.high().seeds()),
                nominal: bounds.map(|bounds| nominal(bounds).seeds()),
            },
        }
    }
}

/// How the game ends: by the value, or at least and at most for the player to move.
#[derive(Serialize)]
#[serde(untagged)]
enum ScoresJson {
    Exact(ScoreJson),
    Bounds { low: ScoreJson, high: ScoreJson },
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
    #[serde(flatten)]
    worth: WorthJson,
    best: bool,
    position: [u8; 12],
}

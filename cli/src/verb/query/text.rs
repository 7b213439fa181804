//! What the tables say about one position, for people and as tab-separated values.

use granero::notation::board;
use granero::{AssessedMove, Assessment, Clamped, Cycles, Measured, Move, Position, Side, Value};

use crate::answer::{PositionAnswer, reach};
use crate::style::{self, paint};

impl PositionAnswer<'_> {
    /// The answer for people: the board, what it is worth, and a table of moves. `other` is what the
    /// tables of the other convention for endless play say.
    pub(super) fn describe(&self, other: Option<&PositionAnswer<'_>>) -> String {
        let side = self.side();
        let PositionAnswer {
            tables, assessment, ..
        } = self;
        let mut output = String::new();
        for line in board::write(&assessment.position, side).lines() {
            output += &format!("  {line}\n");
        }
        let conventions = match other {
            None => tables.cycles().to_string(),
            Some(other) => format!("{} and by {}", tables.cycles(), other.tables.cycles()),
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
        if let Some(other) = other.filter(|_| assessment.over.is_none()) {
            output += &format!("Where an endless cycle gives {}\n", OWN_SIDE);
            output += &other.worth();
        }
        if assessment.over.is_some() {
            return output;
        }
        output + &self.table(other)
    }

    /// What the position is worth, in words.
    fn worth(&self) -> String {
        let PositionAnswer {
            tables, assessment, ..
        } = self;
        let Some(worth) = assessment.worth else {
            if let Some(clamped) = assessment.clamped {
                return self.cut_off(clamped);
            }
            let seeds = assessment.position.seeds();
            return format!("Value unknown: {}, and here are {seeds}.\n", reach(tables));
        };
        let side = self.side();
        let with = match assessment.over {
            Some(_) => "",
            None => "with best play ",
        };
        let mut output = match worth.exact() {
            Some(value) => {
                let heading = paint(style::HEADING, format_args!("Value {value}"));
                let whatever = match (tables.cycles(), assessment.over) {
                    (Cycles::Split, _) | (Cycles::OwnSide, Some(_)) => "",
                    (Cycles::OwnSide, None) => ",\nwhichever position of an endless cycle counts",
                };
                format!("{heading}: {with}{}{whatever}.\n", outcome(value, side))
            }
            None => {
                let (low, high) = (worth.low(), worth.high());
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
        if let Some(scores) = self.scores() {
            let (low, high) = (scores.low(), scores.high());
            let heading = paint(style::HEADING, "Final score");
            output += &if low == high {
                format!("{heading}: {low}.\n")
            } else {
                format!("{heading}, at least for {side}: {low}; at most: {high}.\n")
            };
        }
        output
    }

    /// What deciding tables say of a position whose worth they have cut off, in words.
    fn cut_off(&self, clamped: Measured<Clamped>) -> String {
        let side = self.side();
        let game = self.tables.extent().max_seeds();
        let numbers = clamped.numbers();
        let decides = match (clamped.low(), clamped.high()) {
            (Clamped::AtLeast(_), _) => format!("{side} wins a game of {game} seeds"),
            (_, Clamped::AtMost(_)) => format!("{side} loses a game of {game} seeds"),
            _ => "it depends on which position of an endless cycle counts".into(),
        };
        let what = match numbers.value() {
            Some(_) => "Value",
            None => "Bounds",
        };
        let heading = paint(style::HEADING, format_args!("{what} {clamped}"));
        format!("{heading}: {decides}.\n")
    }

    /// The moves, the best first.
    fn table(&self, other: Option<&PositionAnswer<'_>>) -> String {
        let side = self.side();
        let PositionAnswer {
            tables, assessment, ..
        } = self;
        let (name, width) = match (tables.cycles(), tables.extent().is_full()) {
            (Cycles::Split, true) => ("value", 5),
            (Cycles::Split, false) => ("value", 11),
            (Cycles::OwnSide, true) => ("bounds", 8),
            (Cycles::OwnSide, false) => ("bounds", 15),
        };
        let mut heading = format!("move  captures  {name:>width$}");
        if other.is_some() {
            heading += "  own-side";
        }
        let mut output = "\n".to_string() + &paint(style::HEADING, heading) + "\n";
        let text = |worth: Option<Measured<Clamped>>| {
            worth.map_or_else(|| "?".into(), |worth| worth.to_string())
        };
        for AssessedMove {
            play,
            clamped,
            best,
            ..
        } in &assessment.moves
        {
            let house = play.house.letter(side);
            let shown = text(*clamped);
            let mut line = format!("{house:4}  {:8}  {shown:>width$}", play.captured);
            if let Some(other) = other {
                line += &format!("  {:>8}", text(other.worth_of(play)));
            }
            output += &if *best {
                paint(style::GAIN, line + "  best") + "\n"
            } else {
                line + "\n"
            };
        }
        output
    }

    /// What a move is worth.
    fn worth_of(&self, wanted: &Move) -> Option<Measured<Clamped>> {
        let mut moves = self.assessment.moves.iter();
        let found = moves.find(|found| found.play.house == wanted.house)?;
        found.clamped
    }

    /// The same in one line: the position, its value, the best moves, and the final score.
    pub(super) fn line(&self) -> String {
        let PositionAnswer {
            tables, assessment, ..
        } = self;
        let position = assessment.position;
        let Some(worth) = assessment.clamped else {
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
        let score = self
            .scores()
            .map(|scores| match (scores.low(), scores.high()) {
                (low, high) if low == high => format!("; {low}"),
                (low, high) => format!("; {low} to {high}"),
            });
        format!("{position}: {worth}, {how}{}\n", score.unwrap_or_default())
    }

    /// The twelve houses, a tab, and the value, or the two bounds with a tab between them.
    pub(super) fn tsv(&self) -> String {
        let mut line = Vec::new();
        let Assessment {
            position, clamped, ..
        } = self.assessment;
        write_tsv(&position, self.tables.cycles(), clamped, &mut line);
        String::from_utf8_lossy(&line).into_owned()
    }
}

/// What each player gets of an endless cycle, in the other convention.
const OWN_SIDE: &str = "each player the seeds on their own side:";

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

/// Writes the twelve houses, a tab, the value or the bounds, and a line break. What deciding tables
/// have cut off is `>=9` or `<=-9`.
///
/// Batches have millions of these; with the formatting of the standard library one takes
/// twice as long, see `docs/performance.md`.
pub(super) fn write_tsv(
    position: &Position,
    cycles: Cycles,
    worth: Option<Measured<Clamped>>,
    line: &mut Vec<u8>,
) {
    for (index, seeds) in position.houses().into_iter().enumerate() {
        if index > 0 {
            line.push(b' ');
        }
        write_number(seeds, line);
    }
    for (measure, _) in cycles.measures() {
        let value = worth.map(|worth| *worth.get(measure.bound()));
        write_value(value, line);
    }
    line.push(b'\n');
}

/// Writes a tab and a value.
fn write_value(value: Option<Clamped>, line: &mut Vec<u8>) {
    line.push(b'\t');
    line.extend_from_slice(match value {
        Some(Clamped::AtLeast(_)) => b">=",
        Some(Clamped::AtMost(_)) => b"<=",
        Some(Clamped::Exactly(_)) | None => b"",
    });
    match value.map(|value| value.number().seeds()) {
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

//! The best lines of a position, in all formats.

use granero::line::Line;
use granero::notation::{PositionText, aalina, board};
use granero::table::{TableError, Tables};
use granero::{Bound, Cycles, Measure, Measured, Position, ReplayError, Side, Value};

use super::json::{BoundJson, Document};
use super::played::Played;
use crate::document::WorthJson;
use crate::style::{self, paint};

/// The best lines of a position, and what it is worth.
pub(crate) struct Lines {
    worth: Measured<Value>,
    /// The line of the value, or of the low bound.
    first: Line,
    /// That of the high bound, if it is another one.
    high: Option<Line>,
}

impl Lines {
    /// Finds them by looking at about `limit` positions at a time; `None` if the tables do not
    /// reach so far.
    pub(crate) fn find(
        tables: &Tables,
        position: &Position,
        limit: usize,
        watch: &mut dyn FnMut(usize),
    ) -> Result<Option<Lines>, TableError> {
        let Some(worth) = tables.assess(position)?.worth else {
            return Ok(None);
        };
        let mut line = |bound| Line::best_within(tables, position, bound, limit, watch);
        let Some(first) = line(Bound::Low)? else {
            return Ok(None);
        };
        let high = match worth.exact() {
            Some(_) => None,
            None => line(Bound::High)?,
        };
        Ok(Some(Lines { worth, first, high }))
    }
}

/// The best lines of a position, played through.
pub(crate) struct Answer<'a> {
    tables: &'a Tables,
    text: &'a PositionText,
    worth: Measured<Value>,
    first: Played<'a>,
    high: Option<Played<'a>>,
}

impl<'a> Answer<'a> {
    pub(crate) fn new(
        tables: &'a Tables,
        text: &'a PositionText,
        lines: Lines,
    ) -> Result<Self, ReplayError> {
        let played = |line| Played::new(tables, text, line);
        Ok(Answer {
            tables,
            text,
            worth: lines.worth,
            first: played(lines.first)?,
            high: lines.high.map(played).transpose()?,
        })
    }

    /// The side to move: South, unless it is written.
    fn side(&self) -> Side {
        self.first.game.start.to_move()
    }

    /// The lines, the guaranteed one first.
    fn lines(&self) -> impl Iterator<Item = &Played<'a>> {
        [&self.first].into_iter().chain(&self.high)
    }

    pub(crate) fn describe(&self) -> String {
        let side = self.side();
        let mut output = String::new();
        for line in board::write(&self.text.position(), side).lines() {
            output += &format!("  {line}\n");
        }
        let (rules, cycles) = (self.tables.rules(), self.tables.cycles());
        output += &format!("\nRules {rules}, endless play by {cycles}; {side} to move.\n");
        output += &self.worth();
        for played in self.lines() {
            if self.high.is_some() {
                output += &self.heading(played);
            }
            output += &played.describe();
        }
        output
    }

    fn worth(&self) -> String {
        let side = self.side();
        match self.worth.exact() {
            Some(value) => {
                let value = paint(style::HEADING, format_args!("Value {value}"));
                let whatever = match self.tables.cycles() {
                    Cycles::Split => "",
                    Cycles::OwnSide => ", whichever position of an endless cycle counts",
                };
                format!("{value} for {side}{whatever}.\n")
            }
            None => {
                let (low, high) = (self.worth.low(), self.worth.high());
                let between = paint(
                    style::HEADING,
                    format_args!("Between {low} and {high} for {side}"),
                );
                format!("{between}: it depends on which position of an endless cycle counts.\n")
            }
        }
    }

    /// What one of two lines shows.
    fn heading(&self, played: &Played<'_>) -> String {
        let (bound, position) = match played.line.measure {
            Measure::High => ("At most", "best"),
            Measure::Value | Measure::Low => ("At least", "worst"),
        };
        let side = self.side();
        let bound = paint(
            style::HEADING,
            format_args!("{bound} {}", played.line.value),
        );
        format!("\n{bound}, if of a cycle the position counts that is {position} for {side}:\n")
    }

    /// The first line as a game in Aalina's notation.
    pub(crate) fn moves(&self) -> String {
        aalina::write_game(&self.first.game)
    }

    /// The first line as a game record.
    pub(crate) fn ogn(&self) -> Result<String, ReplayError> {
        self.first.ogn()
    }

    pub(crate) fn json(&self) -> Document {
        let position = self.text.position();
        let cycles = self.tables.cycles();
        let lines = self.lines().map(|played| BoundJson {
            bound: played.line.measure.name(),
            value: played.line.value.seeds(),
            line: played.json(),
        });
        Document {
            rules: self.tables.rules().name(),
            cycles: cycles.name(),
            position: position.houses(),
            seeds: position.seeds(),
            worth: WorthJson::of(cycles, Some(self.worth), |worth| worth.nominal(&position)),
            line: self.first.json(),
            lines: (cycles != Cycles::Split).then(|| lines.collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_that_is_not_proven_says_so() {
        let text: PositionText = "1 1 0 0 0 0 1 1 0 0 0 0".parse().unwrap();
        for (limit, proven) in [(1, false), (Line::LIMIT, true)] {
            let tables = Tables::sample();
            let lines = Lines::find(tables, &text.position(), limit, &mut |_| {});
            let answer = Answer::new(tables, &text, lines.unwrap().unwrap()).unwrap();
            let caveat = "the cycle need not be all there is";
            assert_eq!(!answer.describe().contains(caveat), proven);
            assert_eq!(!answer.ogn().unwrap().contains("need not be all"), proven);
            let end = answer.json().line.end;
            assert_eq!((end.reason, end.proven), ("cycle", Some(proven)));
        }
    }
}

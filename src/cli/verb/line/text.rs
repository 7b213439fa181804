//! The best lines of a position, for people and as games.

use granero::notation::{aalina, board};
use granero::{Cycles, Measure, ReplayError};

use super::played::Write;
use crate::verb::text::Text;
use granero_answer::{BestLines, PlayedLine, capitalised};
use granero_console::{paint, style};

impl Text<'_, BestLines<'_>> {
    pub(super) fn describe(&self) -> String {
        let side = self.side();
        let mut output = String::new();
        for line in board::write(&self.text.position(), side).lines() {
            output += &format!("  {line}\n");
        }
        let (rules, cycles) = (self.tables.rules(), self.tables.cycles());
        output += &format!("\nRules {rules}, endless play by {cycles}; {side} to move.\n");
        output += &self.value();
        for played in self.lines() {
            if self.value.is_some_and(|value| value.exact().is_none()) {
                output += &self.heading(played);
            }
            output += &Text(played).describe();
        }
        output
    }

    fn value(&self) -> String {
        let side = self.side();
        let proven = match &self.proven {
            Some(proven) => format!(", proven {}", proven.effort),
            None => String::new(),
        };
        let Some(value) = self.value else {
            if let Some(kept) = self.kept {
                let (what, kept) = match self.first.line.measure {
                    Measure::Value => ("Value", kept.low()),
                    Measure::Low => ("Low bound", kept.low()),
                    Measure::High => ("High bound", kept.high()),
                };
                let kept = paint(style::HEADING, format_args!("{what} {kept}"));
                return format!(
                    "{kept} for {side}: each move keeps that. Deciding tables do not say which one is \
                     best.\n"
                );
            }
            let range = self.proven.as_ref().map(|proven| proven.position.range);
            let words = range.and_then(|range| range.in_words(self.text.position().seeds()));
            return match words {
                Some(words) => {
                    let words = paint(style::HEADING, capitalised(&words));
                    format!("{words} for {side}{proven}.\n")
                }
                None => "Value unknown.\n".into(),
            };
        };
        match value.exact() {
            Some(value) => {
                let value = paint(style::HEADING, format_args!("Value {value}"));
                let whatever = match self.tables.cycles() {
                    Cycles::Split => "",
                    Cycles::OwnSide => ", whichever position of an endless cycle counts",
                };
                format!("{value} for {side}{proven}{whatever}.\n")
            }
            None => {
                let (low, high) = (value.low(), value.high());
                let between = paint(
                    style::HEADING,
                    format_args!("Between {low} and {high} for {side}"),
                );
                format!(
                    "{between}{proven}: it depends on which position of an endless cycle counts.\n"
                )
            }
        }
    }

    fn heading(&self, played: &PlayedLine<'_>) -> String {
        let (bound, position) = match played.line.measure {
            Measure::High => ("At most", "best"),
            Measure::Value | Measure::Low => ("At least", "worst"),
        };
        let side = self.side();
        let bound = paint(
            style::HEADING,
            format_args!("{bound} {}", played.line.value),
        );
        format!("\n{bound}, if the position of a cycle that is {position} for {side} counts:\n")
    }

    /// Formats the first line as a game in Aalina's notation.
    pub(super) fn moves(&self) -> String {
        aalina::write_game(&self.first.game)
    }

    /// Formats the first line as a game record with `write`.
    pub(super) fn record(&self, write: Write) -> Result<String, ReplayError> {
        Text(&self.first).record(write)
    }
}

#[cfg(test)]
mod tests {
    use granero::Tables;
    use granero::line::Line;
    use granero::notation::{PositionText, ogn};

    use super::*;
    use granero_answer::document::LineJson;

    #[test]
    fn a_cycle_that_is_not_proven_says_so() {
        let text: PositionText = "1 1 0 0 0 0 1 1 0 0 0 0".parse().unwrap();
        for (limit, proven) in [(1, false), (Line::LIMIT, true)] {
            let tables = Tables::sample();
            let best = BestLines::find(tables, &text, limit, &mut |_| {});
            let best = best.unwrap().unwrap();
            let caveat = "there may be more than the cycle";
            assert_eq!(!Text(&best).describe().contains(caveat), proven);
            assert_eq!(
                !Text(&best)
                    .record(ogn::write)
                    .unwrap()
                    .contains("may be more"),
                proven
            );
            let document =
                serde_json::to_value(LineJson::new(best.tables, best.text, Some(&best))).unwrap();
            let end = &document["end"];
            assert_eq!(end["reason"], "cycle");
            assert_eq!(end["proven"], proven);
        }
    }
}

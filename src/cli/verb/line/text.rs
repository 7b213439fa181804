//! The best lines of a position, for people and as game records.

use granero::line::{Line, LineEnd, Unproven};
use granero::notation::ogn::{self, Dialect};
use granero::notation::{PositionText, board};
use granero::{Measure, ReplayError, Side, seeds_text, signed};

use crate::system::interruption;
use crate::verb::{Text, indented};
use granero_answer::{BestLines, PlayedLine, PositionAnswer, grouped, why_halves};
use granero_console::{paint, style};

impl Text<'_, BestLines<'_>> {
    /// Describes the lines of the position of an answer.
    pub(super) fn describe(&self, answer: &PositionAnswer<'_>) -> String {
        let side = self.side();
        let mut output = indented(&board::write(&self.text.position(), side));
        let (rules, cycles) = (self.tables.rules(), self.tables.cycles());
        output += &format!("\nRules {rules}, endless play by {cycles}; {side} to move.\n");
        output += &Text(answer).value();
        if self.kept.is_some() {
            let what = match self.first.line.measure {
                Measure::Value => "value",
                Measure::Low => "low bound",
                Measure::High => "high bound",
            };
            output += &format!(
                "Each move keeps the {what}. Deciding tables do not say which one is best.\n"
            );
        }
        for played in self.lines() {
            if self.value.is_some_and(|value| value.exact().is_none()) {
                output += &self.heading(played);
            }
            output += &Text(played).describe();
        }
        output
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
}

impl Text<'_, PlayedLine<'_>> {
    /// Returns a side's share of the seeds on the board in a cycle.
    fn share(&self, side: Side) -> f64 {
        let mover_ahead = self.own_side_cycle.as_ref().map_or(0, |cycle| cycle.counts);
        let is_mover = side == self.game.start.to_move();
        let ahead = if is_mover { mover_ahead } else { -mover_ahead };
        (f64::from(self.score().left) + f64::from(ahead)) / 2.0
    }

    /// Describes the moves and their end.
    fn describe(&self) -> String {
        let mut output = String::new();
        if !self.plies.is_empty() {
            output += &self.table();
        }
        output.push('\n');
        output + &self.ending() + &self.result()
    }

    fn table(&self) -> String {
        let mut heading = "\nmove     captures  South  North  on the board".to_string();
        if self.own_side_cycle.is_some() {
            heading += "  difference";
        }
        let mut output = paint(style::HEADING, heading) + "\n";
        for (number, ply) in (1..).zip(&self.plies) {
            let house = ply.play.house.letter(ply.before.to_move());
            let captures = match ply.play.captured {
                0 => format!("{:8}", 0),
                captured => paint(style::GAIN, format_args!("{captured:8}")),
            };
            output += &format!(
                "{number:3}. {house}   {captures}  {:5}  {:5}  {:12}{}\n",
                self.captured(&ply.after, Side::South),
                self.captured(&ply.after, Side::North),
                ply.after.position().seeds(),
                self.difference(number),
            );
        }
        output
    }

    /// Formats the last column of the table: the difference after a move, if that position is part of the cycle.
    fn difference(&self, moves: usize) -> String {
        let (Some(cycle), LineEnd::Cycle { from, .. }) = (&self.own_side_cycle, self.line.end)
        else {
            return String::new();
        };
        // The last move leads back to the first position.
        let place = moves.checked_sub(from).filter(|&place| place > 0);
        place.map_or_else(String::new, |place| {
            let difference = cycle.differences[place % cycle.differences.len()];
            let number = signed(difference);
            let mark = if difference == cycle.counts { " *" } else { "" };
            format!("  {number:>10}{mark}")
        })
    }

    fn ending(&self) -> String {
        match self.line.end {
            LineEnd::Over(over) => {
                let [south, north] = [Side::South, Side::North].map(|side| self.taken(side));
                let takes = match (south, north) {
                    (0, 0) => String::new(),
                    (0, _) => format!(" North takes {north}."),
                    (_, 0) => format!(" South takes {south}."),
                    _ => format!(" South takes {south}, North {north}."),
                };
                format!("The game is over: {}.{takes}\n", over.reason)
            }
            LineEnd::GrandSlam => {
                let conceded = self.plies.last().map_or(0, |ply| ply.play.conceded);
                let to = self.last().to_move();
                format!("The grand slam ends the game; {conceded} go to {to}.\n")
            }
            LineEnd::Cycle { .. } => {
                let cycle = self.cycle().unwrap_or_default();
                match self.own_side_cycle {
                    Some(_) => {
                        let mover = self.game.start.to_move();
                        format!(
                            "\"Difference\" is the seeds on {mover}'s side minus the opponent's, in each \
                             position\nof the cycle; * marks those that count here.\n\
                             {cycle}\n"
                        )
                    }
                    None => format!("{cycle}\n"),
                }
            }
            LineEnd::Unproven(why) => self.unproven(why) + "\n",
            LineEnd::Unexplored => format!(
                "The line goes on, but finding its moves would take more than {} positions in memory.\n",
                grouped(Line::LIMIT as u64)
            ),
        }
    }

    /// Says why the line stops beyond the tables.
    fn unproven(&self, why: Unproven) -> String {
        let side = self.last().to_move();
        let why = match why {
            Unproven::NoMove if interruption::came() => "the search was stopped".into(),
            Unproven::NoMove => format!("no move of {side}'s is proven to be best"),
            Unproven::NoProgress => "the proven best moves make no progress from there".into(),
        };
        format!("The line stops here: {why}. A longer search may prove more, see --prove.")
    }

    /// Describes the cycle that the line runs into.
    fn cycle(&self) -> Option<String> {
        let LineEnd::Cycle { from, proven } = self.line.end else {
            return None;
        };
        let cycle = format!(
            "Endless play: move {} leads back to the position before move {}.",
            self.plies.len(),
            from + 1,
        );
        let seeds = self.score().left;
        if self.own_side_cycle.is_some() {
            let mover = self.game.start.to_move();
            let which = match self.line.measure {
                Measure::High => "best",
                Measure::Value | Measure::Low => "worst",
            };
            let [south, north] =
                [Side::South, Side::North].map(|side| seeds_text(self.share(side)));
            return Some(format!(
                "{cycle} Each player takes the seeds on their own side: of the {seeds} on the board \
                 South {south} and North {north}, if the position that is {which} for {mover} \
                 counts."
            ));
        }
        let cycle = format!("{cycle} The {seeds} seeds on the board are shared equally.");
        Some(if proven {
            cycle
        } else {
            let limit = grouped(Line::LIMIT as u64);
            cycle
                + " The value is exact, but there may be more than the cycle: other best moves might \
                   lead to a capture or to the end. Finding out would take more than "
                + &format!("{limit} positions in memory.")
        })
    }

    fn result(&self) -> String {
        if let LineEnd::Unexplored | LineEnd::Unproven(_) = self.line.end {
            return String::new();
        }
        let score = self.score();
        let south = f64::from(score.south) + self.share(Side::South);
        let north = f64::from(score.north) + self.share(Side::North);
        let [souths, norths] = [south, north].map(seeds_text);
        let result = match self.text {
            PositionText::Bare(position) => {
                let seeds = position.seeds();
                format!("Of the {seeds} seeds South gets {souths} and North {norths}.")
            }
            PositionText::Full(_) if south > north => format!("South wins, {souths} to {norths}."),
            PositionText::Full(_) if north > south => format!("North wins, {norths} to {souths}."),
            PositionText::Full(_) => format!("A draw, {souths} to {norths}."),
        };
        let why = why_halves(&result);
        paint(style::HEADING, result) + "\n" + why
    }

    pub(super) fn record(&self, dialect: Dialect) -> Result<String, ReplayError> {
        let mut game = self.game.clone();
        match (self.text, self.line.end) {
            (PositionText::Full(_), LineEnd::Over(_) | LineEnd::GrandSlam) => {
                let score = self.score();
                let result = format!("{}-{}", score.south, score.north);
                game.tags.push(("Result".into(), result));
            }
            (_, LineEnd::Unproven(why)) => {
                let why = self.unproven(why);
                game.comments.add(game.moves.len(), &why);
            }
            _ => {
                if let Some(cycle) = self.cycle() {
                    game.comments.add(game.moves.len(), &cycle);
                }
            }
        }
        ogn::write(&game, self.rules, dialect)
    }
}

#[cfg(test)]
mod tests {
    use granero::Tables;
    use granero::line::Line;
    use granero::notation::PositionText;

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
            let answer = PositionAnswer::new(tables, &text).unwrap();
            assert_eq!(!Text(&best).describe(&answer).contains(caveat), proven);
            let record = Text(&best.first).record(Dialect::Ogn).unwrap();
            assert_eq!(!record.contains("may be more"), proven);
            let document =
                serde_json::to_value(LineJson::new(best.tables, best.text, Some(&best))).unwrap();
            let end = &document["end"];
            assert_eq!(end["reason"], "cycle");
            assert_eq!(end["proven"], proven);
        }
    }
}

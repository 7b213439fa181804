//! The best lines of a position, for people and as game records.

use granero::line::{Line, LineEnd, Unproven};
use granero::notation::ogn::{self, Dialect};
use granero::notation::{PositionText, board};
use granero::{Measure, ReplayError, Side, seeds_text, signed};

use crate::output::text::indented;
use crate::system::interruption;
use crate::verb::query;
use granero_answer::{BestLines, PlayedLine, PositionAnswer, grouped, why_halves};
use granero_console::{paint, style};

/// Describes the lines of the position of an answer.
pub(super) fn describe(best: &BestLines<'_>, answer: &PositionAnswer<'_>) -> String {
    let side = best.side();
    let mut output = indented(&board::write(&best.text.position(), side));
    let (rules, cycles) = (best.tables.rules(), best.tables.cycles());
    output += &format!("\nRules {rules}, endless play by {cycles}; {side} to move.\n");
    output += &query::text::value(answer);
    if best.kept.is_some() {
        let what = match best.first.line.measure {
            Measure::Value => "value",
            Measure::Low => "low bound",
            Measure::High => "high bound",
        };
        output +=
            &format!("Each move keeps the {what}. Deciding tables do not say which one is best.\n");
    }
    for played in best.lines() {
        if best.value.is_some_and(|value| value.exact().is_none()) {
            output += &heading(best, played);
        }
        output += &moves(played);
    }
    output
}

fn heading(best: &BestLines<'_>, played: &PlayedLine<'_>) -> String {
    let (bound, position) = match played.line.measure {
        Measure::High => ("At most", "best"),
        Measure::Value | Measure::Low => ("At least", "worst"),
    };
    let side = best.side();
    let bound = paint(
        style::HEADING,
        format_args!("{bound} {}", played.line.value),
    );
    format!("\n{bound}, if the position of a cycle that is {position} for {side} counts:\n")
}

/// Returns a side's share of the seeds on the board in a cycle.
fn share(line: &PlayedLine<'_>, side: Side) -> f64 {
    let mover_ahead = line.own_side_cycle.as_ref().map_or(0, |cycle| cycle.counts);
    let is_mover = side == line.game.start.to_move();
    let ahead = if is_mover { mover_ahead } else { -mover_ahead };
    (f64::from(line.score().left) + f64::from(ahead)) / 2.0
}

/// Describes the moves and their end.
fn moves(line: &PlayedLine<'_>) -> String {
    let mut output = String::new();
    if !line.plies.is_empty() {
        output += &table(line);
    }
    output.push('\n');
    output + &ending(line) + &result(line)
}

fn table(line: &PlayedLine<'_>) -> String {
    let mut heading = "\nmove     captures  South  North  on the board".to_string();
    if line.own_side_cycle.is_some() {
        heading += "  difference";
    }
    let mut output = paint(style::HEADING, heading) + "\n";
    for (number, ply) in (1..).zip(&line.plies) {
        let house = ply.play.house.letter(ply.before.to_move());
        let captures = match ply.play.captured {
            0 => format!("{:8}", 0),
            captured => paint(style::GAIN, format_args!("{captured:8}")),
        };
        output += &format!(
            "{number:3}. {house}   {captures}  {:5}  {:5}  {:12}{}\n",
            line.captured(&ply.after, Side::South),
            line.captured(&ply.after, Side::North),
            ply.after.position().seeds(),
            difference(line, number),
        );
    }
    output
}

/// Formats the last column of the table: the difference after a move, if that position is part of the cycle.
fn difference(line: &PlayedLine<'_>, moves: usize) -> String {
    let (Some(cycle), LineEnd::Cycle { from, .. }) = (&line.own_side_cycle, line.line.end) else {
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

fn ending(line: &PlayedLine<'_>) -> String {
    match line.line.end {
        LineEnd::Over(over) => {
            let [south, north] = [Side::South, Side::North].map(|side| line.taken(side));
            let takes = match (south, north) {
                (0, 0) => String::new(),
                (0, _) => format!(" North takes {north}."),
                (_, 0) => format!(" South takes {south}."),
                _ => format!(" South takes {south}, North {north}."),
            };
            format!("The game is over: {}.{takes}\n", over.reason)
        }
        LineEnd::GrandSlam => {
            let conceded = line.plies.last().map_or(0, |ply| ply.play.conceded);
            let to = line.last().to_move();
            format!("The grand slam ends the game; {conceded} go to {to}.\n")
        }
        LineEnd::Cycle { from, proven } => {
            let mover = line.game.start.to_move();
            let difference = line.own_side_cycle.as_ref().map(|_| {
                format!(
                    "\"Difference\" is the seeds on {mover}'s side minus the opponent's, in each \
                     position\nof the cycle; * marks those that count here.\n"
                )
            });
            difference.unwrap_or_default() + &cycle(line, from, proven) + "\n"
        }
        LineEnd::Unproven(why) => unproven(line, why) + "\n",
        LineEnd::Unexplored => format!(
            "The line goes on, but finding its moves would take more than {} positions in memory.\n",
            grouped(Line::LIMIT as u64)
        ),
    }
}

/// Says why the line stops beyond the tables.
fn unproven(line: &PlayedLine<'_>, why: Unproven) -> String {
    let side = line.last().to_move();
    let why = match why {
        Unproven::NoMove if interruption::came() => "the search was stopped".into(),
        Unproven::NoMove => format!("no move of {side}'s is proven to be best"),
        Unproven::NoProgress => "the proven best moves make no progress from there".into(),
    };
    format!("The line stops here: {why}. A longer search may prove more, see --prove.")
}

/// Describes the cycle that the line runs into.
fn cycle(line: &PlayedLine<'_>, from: usize, proven: bool) -> String {
    let cycle = format!(
        "Endless play: move {} leads back to the position before move {}.",
        line.plies.len(),
        from + 1,
    );
    let seeds = line.score().left;
    if line.own_side_cycle.is_some() {
        let mover = line.game.start.to_move();
        let which = match line.line.measure {
            Measure::High => "best",
            Measure::Value | Measure::Low => "worst",
        };
        let [south, north] = [Side::South, Side::North].map(|side| seeds_text(share(line, side)));
        return format!(
            "{cycle} Each player takes the seeds on their own side: of the {seeds} on the board \
             South {south} and North {north}, if the position that is {which} for {mover} \
             counts."
        );
    }
    let cycle = format!("{cycle} The {seeds} seeds on the board are shared equally.");
    if proven {
        return cycle;
    }
    let limit = grouped(Line::LIMIT as u64);
    format!(
        "{cycle} The value is exact, but there may be more than the cycle: other best moves might \
         lead to a capture or to the end. Finding out would take more than {limit} positions in memory."
    )
}

fn result(line: &PlayedLine<'_>) -> String {
    if let LineEnd::Unexplored | LineEnd::Unproven(_) = line.line.end {
        return String::new();
    }
    let score = line.score();
    let south = f64::from(score.south) + share(line, Side::South);
    let north = f64::from(score.north) + share(line, Side::North);
    let [souths, norths] = [south, north].map(seeds_text);
    let result = match line.text {
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

pub(super) fn record(line: &PlayedLine<'_>, dialect: Dialect) -> Result<String, ReplayError> {
    let mut game = line.game.clone();
    let moves = game.moves.len();
    match (line.text, line.line.end) {
        (PositionText::Full(_), LineEnd::Over(_) | LineEnd::GrandSlam) => {
            let score = line.score();
            let result = format!("{}-{}", score.south, score.north);
            game.tags.push(("Result".into(), result));
        }
        (_, LineEnd::Unproven(why)) => game.comments.add(moves, &unproven(line, why)),
        (_, LineEnd::Cycle { from, proven }) => {
            game.comments.add(moves, &cycle(line, from, proven))
        }
        _ => {}
    }
    ogn::write(&game, line.rules, dialect)
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
            assert_eq!(!describe(&best, &answer).contains(caveat), proven);
            let record = record(&best.first, Dialect::Ogn).unwrap();
            assert_eq!(!record.contains("may be more"), proven);
            let document =
                serde_json::to_value(LineJson::new(best.tables, best.text, Some(&best))).unwrap();
            let end = &document["end"];
            assert_eq!(end["reason"], "cycle");
            assert_eq!(end["proven"], proven);
        }
    }
}

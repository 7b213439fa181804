//! The answer about one position, for people and as tab-separated values.

use granero::line::Distance;
use granero::prove::{Ended, Proof};
use granero::{AssessedMove, Clamped, Cycles, FinalScore, Measured, Move, Side, Value};

use crate::output::text::{captured_so_far, indented, listed};
use granero_answer::batch::write_tsv;
use granero_answer::{
    Outcome, PositionAnswer, Range, about, best_known, between, capitalised, counted, effort,
    ending, larger_game, reach, why_halves,
};
use granero_console::{paint, style};

/// Formats the answer for people: the position as `shown`, its value, and a table of moves. `other` is the
/// answer under the other convention for endless play.
pub(super) fn describe(
    answer: &PositionAnswer<'_>,
    other: Option<&PositionAnswer<'_>>,
    shown: &str,
) -> String {
    let side = answer.side();
    let (tables, assessment) = (&answer.tables, &answer.assessment);
    let mut output = indented(shown);
    let conventions = match other {
        None => tables.cycles().to_string(),
        Some(other) => format!("{} and by {}", tables.cycles(), other.tables.cycles()),
    };
    let rules = tables.rules();
    output += &format!("\nRules {rules}, endless play by {conventions}; {side} to move.\n");
    if let Some(situation) = answer.text.situation() {
        output += &captured_so_far(&situation);
    }
    if let Some(over) = assessment.over {
        let heading = paint(style::HEADING, "The game is over");
        output += &format!("{heading}: {}.\n", over.reason);
    }
    output += &(value(answer) + &final_score(answer));
    if let Some(estimate) = answer.estimated() {
        let estimate = paint(
            style::ESTIMATE,
            format_args!("Estimate {}", about(estimate)),
        );
        output += &format!("{estimate}: by a search, not proven.\n");
    }
    if let Some(Distance::Moves(moves @ 1..)) = answer.distance {
        let moves = counted(moves as u64, "move");
        output += &format!("With best play the next capture or the end is {moves} away.\n");
    } else if answer.distance == Some(Distance::Endless) {
        output += "With best play there are no more captures: play is endless.\n";
    }
    if let Some(other) = other.filter(|_| assessment.over.is_none()) {
        output += "If an endless cycle gives each player the seeds on their own side:\n";
        output += &(value(other) + &final_score(other));
    }
    output += why_halves(&output);
    if assessment.over.is_some() {
        return output;
    }
    output + &table(answer, other)
}

/// Says what the position is worth, as far as it is known.
pub(crate) fn value(answer: &PositionAnswer<'_>) -> String {
    let (side, assessment) = (answer.side(), &answer.assessment);
    let (seeds, is_over) = (assessment.position.seeds(), assessment.over.is_some());
    let whatever = match answer.tables.cycles() {
        Cycles::OwnSide if !is_over => ",\nwhichever position of an endless cycle counts",
        _ => "",
    };
    let (heading, rest) = if let Some(value) = assessment.value {
        let (low, high) = (value.low(), value.high());
        if let Some(value) = value.exact() {
            let proven = answer.proven.as_ref();
            let proven = proven.map(|proof| format!(", proven {}", effort(proof)));
            let with = if is_over { "" } else { "with best play " };
            let outcome = format!("{with}{}{whatever}", outcome(value, side));
            let rest = format!("{}: {outcome}", proven.unwrap_or_default());
            (format!("Value {value}"), rest)
        } else {
            let what = "depending on which position of an endless cycle counts";
            let rest = format!(", {what}:\n{}", gets(answer, Some(low), Some(high)));
            (format!("Between {low} and {high}"), rest)
        }
    } else if let Some(clamped) = assessment.clamped {
        let what = match answer.tables.cycles() {
            Cycles::Split => "Value",
            Cycles::OwnSide => "Bounds",
        };
        (
            format!("{what} {clamped}"),
            format!(": {}", decides(answer)),
        )
    } else {
        let reach = reach(answer.tables);
        let unknown = format!("Value unknown: {reach}, and this position has {seeds}.\n");
        let Some(proof) = &answer.proven else {
            return unknown;
        };
        let effort = format!("proven {}{}", effort(proof), why(proof));
        let Some(words) = Range::from(proof).in_words(seeds) else {
            return format!("{unknown}Hardly anything is {effort}.\n");
        };
        let (low, high) = Range::from(proof).ends(seeds);
        let rest = format!("; {effort}:\n{}{whatever}", gets(answer, low, high));
        (capitalised(&words), rest)
    };
    format!("{}{rest}.\n", paint(style::HEADING, heading))
}

fn final_score(answer: &PositionAnswer<'_>) -> String {
    let scores = answer
        .scores()
        .filter(|scores| scores.low() == scores.high());
    scores.map_or_else(String::new, |scores| {
        let score = scores.low();
        format!("{}: {score}.\n", paint(style::HEADING, "Final score"))
    })
}

/// Says what deciding tables know of a position whose value is cut off.
fn decides(answer: &PositionAnswer<'_>) -> String {
    let side = answer.side();
    let decided = answer.tables.extent().max_seeds();
    let situation = answer.text.situation();
    let game = situation.map_or(decided, |situation| situation.game());
    match (answer.winner(), larger_game(answer.tables, answer.text)) {
        (Some(winner), _) if winner == side => format!("{side} wins a game of {game} seeds"),
        (Some(_), _) => format!("{side} loses a game of {game} seeds"),
        (None, Some(_)) => {
            format!("these tables decide a game of {decided} seeds, not one of {game}")
        }
        (None, None) => "it depends on which position of an endless cycle counts".into(),
    }
}

/// Says how many seeds the player to move gets, between two values.
fn gets(answer: &PositionAnswer<'_>, low: Option<Value>, high: Option<Value>) -> String {
    let side = answer.side();
    let on_board = answer.assessment.position.seeds();
    let situation = answer.text.situation();
    let (gets, of_what) = match situation {
        Some(_) => ("ends with", "seeds"),
        None => ("gets", "of these seeds"),
    };
    let seeds = |value: Value| match &situation {
        Some(situation) => FinalScore::new(situation, value).seeds(side),
        None => (f64::from(on_board) + f64::from(value.seeds())) / 2.0,
    };
    let number = between(low.map(seeds), high.map(seeds)).unwrap_or("any number".into());
    format!("{side} {gets} {number} {of_what}")
}

/// Formats the moves, the best first.
fn table(answer: &PositionAnswer<'_>, other: Option<&PositionAnswer<'_>>) -> String {
    let side = answer.side();
    let (tables, assessment) = (&answer.tables, &answer.assessment);
    let mut moves = assessment.moves.iter();
    let has_values = moves.all(|assessed| assessed.value.is_some());
    let is_full = tables.extent().is_full();
    let (name, width) = match (tables.cycles(), &answer.proven) {
        (Cycles::Split, Some(_)) if !has_values => ("bounds", 8),
        (Cycles::Split, _) if is_full => ("value", 5),
        (Cycles::Split, _) => ("value", 11),
        (Cycles::OwnSide, _) if is_full => ("bounds", 8),
        (Cycles::OwnSide, _) => ("bounds", 15),
    };
    let widest = |answer: &PositionAnswer<'_>, least: usize| {
        let shown = answer.moves();
        let shown = shown.map(|(found, _)| value_of(answer, &found.play));
        let widths = shown.map(|shown| shown.chars().count());
        widths.fold(least, usize::max)
    };
    let width = widest(answer, width);
    let other_width = other.map_or(0, |other| widest(other, "own-side".len()));
    let mut heading = format!("move  captures  {name:>width$}");
    let outcomes = answer
        .moves()
        .map(|(found, proven)| answer.outcome(found, proven));
    let outcomes = outcomes.map(|outcome| outcome.map_or("", Outcome::name));
    let outcomes: Vec<&str> = outcomes.collect();
    let has_outcomes = outcomes.iter().any(|outcome| !outcome.is_empty());
    if has_outcomes {
        heading += "  outcome";
    }
    if other.is_some() {
        heading += &format!("  {:>other_width$}", "own-side");
    }
    let mut output = "\n".to_string() + &paint(style::HEADING, heading) + "\n";
    let seeds = assessment.position.seeds();
    let proof = answer.proven.as_ref();
    let proof = proof.filter(|&proof| Range::from(proof).in_words(seeds).is_some());
    let best_known = proof.map_or(Vec::new(), |proof| best_known(proof, side));
    for ((found, proven), outcome) in answer.moves().zip(outcomes) {
        let AssessedMove { play, best, .. } = found;
        let house = play.house.letter(side);
        let mut shown = format!("{:>width$}", value_of(answer, play));
        if answer.estimate_of(found, proven).is_some() {
            shown = paint(style::ESTIMATE, shown);
        }
        let mut line = format!("{house:4}  {:8}  {shown}", play.captured);
        if has_outcomes {
            line += &format!("  {outcome:7}");
        }
        if let Some(other) = other {
            line += &format!("  {:>other_width$}", value_of(other, play));
        }
        output += &if *best {
            paint(style::GAIN, line + "  best") + "\n"
        } else if best_known.contains(&house) {
            line + "  best known\n"
        } else {
            line.trim_end().to_string() + "\n"
        };
    }
    let mut moves = answer.moves();
    if moves.any(|(found, proven)| answer.estimate_of(found, proven).is_some()) {
        output += &(paint(style::ESTIMATE, "~ is an estimate by a search, not proven.") + "\n");
    }
    output
}

/// Formats what a move is worth, or what is known or proven about it.
fn value_of(answer: &PositionAnswer<'_>, wanted: &Move) -> String {
    let mut moves = answer.moves();
    let Some((found, proven)) = moves.find(|(found, _)| found.play.house == wanted.house) else {
        return "-".into();
    };
    if let Some(estimate) = answer.estimate_of(found, proven) {
        return about(estimate);
    }
    match (found.value, found.clamped, proven) {
        (Some(value), _, _) => value.to_string(),
        (None, Some(clamped), _) => clamped.to_string(),
        (None, None, Some(proven)) => Range::from(proven).brief(answer.assessment.position.seeds()),
        (None, None, None) => "-".into(),
    }
}

/// Formats the answer in one line: the position, its value, the best moves, and the final score.
pub(crate) fn line(answer: &PositionAnswer<'_>) -> String {
    let position = answer.assessment.position;
    let either = |moves: Vec<char>| listed(&moves, " or ");
    let effort = answer
        .proven
        .as_ref()
        .map(|proof| format!("proven {}", effort(proof)));
    let effort = effort.unwrap_or_default();
    let Some(value) = answer.known() else {
        let reach = reach(answer.tables);
        let Some(proof) = &answer.proven else {
            return format!("{position}: unknown, {reach}\n");
        };
        let Some(known) = Range::from(proof).in_words(position.seeds()) else {
            return format!("{position}: unknown, {reach}; hardly anything is {effort}\n");
        };
        let best = match either(best_known(proof, answer.side())) {
            best if best.is_empty() => best,
            best => format!("best known {best}; "),
        };
        return format!("{position}: {known}; {best}{effort}\n");
    };
    let how = match answer.assessment.over {
        Some(over) => format!("the game is over: {}", over.reason),
        None => format!("with {}", either(answer.best())),
    };
    let score = answer.text.situation().zip(answer.scores());
    let score = score.map(|(situation, scores)| ending(&situation, scores));
    let score = score.or_else(|| answer.winner().map(|winner| format!("{winner} wins")));
    let ends = [score.unwrap_or_default(), effort].into_iter();
    let ends = ends
        .filter(|end| !end.is_empty())
        .map(|end| format!("; {end}"));
    format!("{position}: {value}, {how}{}\n", ends.collect::<String>())
}

/// Formats the twelve houses, a tab, and the value, or the two bounds with a tab between them.
pub(crate) fn tsv(answer: &PositionAnswer<'_>) -> String {
    let mut line = Vec::new();
    let assessment = &answer.assessment;
    let range = answer.proven.as_ref().map(Range::from);
    // Proofs may say more than the tables.
    let exactly = |value: Measured<Value>| value.map(Clamped::Exactly);
    let value = assessment.value.map(exactly).or(assessment.clamped);
    let (position, cycles) = (&assessment.position, answer.tables.cycles());
    write_tsv(position, cycles, value, range, &mut line);
    String::from_utf8_lossy(&line).into_owned()
}

/// Says why a search ended early, if it was not at its limit.
fn why(proof: &Proof) -> &'static str {
    match proof.ended {
        Ended::Settled => ", and a longer search proves no more",
        Ended::Memory => ", when the memory was full",
        Ended::Stopped => ", when it was stopped",
        _ => "",
    }
}

/// Says what a result means for the player to move.
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

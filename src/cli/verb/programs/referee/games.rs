//! The report on games against perfect defence.

use crate::referee::{End, Fault, GameReport, PlayedGame};

use super::document;
use super::summary::{self, Judged, row};
use granero::{Situation, seeds_text};
use granero_console::{Failure, paint, style};

pub(crate) fn output(judged: &Judged<'_>, report: &GameReport) -> Result<String, Failure> {
    let places: Vec<_> = report
        .faults()
        .map(|(game, fault)| (&game.start, fault))
        .collect();
    let faults: Vec<&Fault> = places.iter().map(|(_, fault)| *fault).collect();
    let text = if judged.args.json {
        crate::output::json(&document::of_games(judged, report, &faults))?
    } else {
        describe(judged, report, &places, &faults)
    };
    judged.outcome(text, &report.unjudged, &faults)
}

fn describe(
    judged: &Judged<'_>,
    report: &GameReport,
    places: &[(&Situation, &Fault)],
    faults: &[&Fault],
) -> String {
    let losses = report.losses();

    let mut text = judged.heading();
    text += &judged.unjudged(&report.unjudged);
    text += &row(
        "games played",
        report.games.len(),
        "against perfect defence",
    );
    text += &row(
        "value kept",
        report.kept(),
        "the result is at least what the position was worth",
    );
    text += &row(
        "seeds given away",
        seeds_text(report.difference_lost() as f64 / 2.0),
        "in all games together",
    );
    for (name, end, remark) in [
        ("played to the end", End::Over, ""),
        (
            "ended by majority",
            End::Majority,
            "a player had more than 24 seeds, and the engine stopped",
        ),
        (
            "endless",
            End::Repetition,
            "a position came again; the seeds left are shared",
        ),
        (
            "too long",
            End::TooLong,
            "shared as well, after the most moves allowed",
        ),
    ] {
        text += &row(name, report.ended(&end), remark);
    }
    text += &summary::fault_rows(faults);
    if !losses.is_empty() {
        let heading = "\ngiven away  worth  result  moves  end         position";
        text += &(paint(style::HEADING, heading) + "\n");
        for loss in losses.iter().take(summary::SHOWN) {
            text += &loss_line(loss);
        }
        text += &summary::more(losses.len());
    }
    text += &summary::fault_list(places);
    let worst = losses.first().map(|loss| &loss.start);
    text + &judged.look_at(worst.or(places.first().map(|(situation, _)| *situation)))
}

fn loss_line(loss: &PlayedGame) -> String {
    let (Some(given), Some(result)) = (loss.difference_lost(), loss.result) else {
        return String::new();
    };
    format!(
        "{:>10}  {:>5}  {result:>6}  {:5}  {:10}  {}\n",
        seeds_text(f64::from(given) / 2.0),
        loss.value,
        loss.moves.len(),
        loss.end.name(),
        loss.start,
    )
}

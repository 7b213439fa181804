//! The report on games against perfect defence.

use crate::referee::{End, GameReport, PlayedGame};

use super::summary::{self, Judged, row};
use granero::seeds_text;
use granero_console::{paint, style};

pub(crate) fn describe(judged: &Judged<'_>, report: &GameReport) -> String {
    let losses = report.losses();

    let mut text = judged.heading();
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
    text += &judged.fault_rows();
    if !losses.is_empty() {
        let heading = "\ngiven away  value  result  moves  end         position";
        text += &(paint(style::HEADING, heading) + "\n");
        for loss in losses.iter().take(summary::SHOWN) {
            text += &loss_line(loss);
        }
        text += &summary::more(losses.len());
    }
    text + &judged.ending(losses.first().map(|loss| &loss.start))
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

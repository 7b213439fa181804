//! The report on single moves.

use crate::referee::{Report, Verdict};

use super::summary::{self, Judged, row};
use granero::seeds_text;
use granero_console::{paint, style};

pub(crate) fn describe(judged: &Judged<'_>, report: &Report) -> String {
    let blunders = report.blunders();

    let mut text = judged.heading();
    text += &row("asked for a move", report.verdicts.len(), "");
    text += &row(
        "with a choice",
        report.with_choice().count(),
        "some moves were worth more than others",
    );
    let accuracy = report.accuracy();
    text += &row(
        "best move played",
        report.best_moves(),
        accuracy.map_or(String::new(), |share| {
            format!("{:.1} % of those with a choice", share * 100.0)
        }),
    );
    let per_move = report.given_away_per_move();
    text += &row(
        "seeds given away",
        seeds_text(report.difference_lost() as f64 / 2.0),
        per_move.map_or(String::new(), |seeds| {
            format!("{seeds:.2} for each move with a choice")
        }),
    );
    text += &judged.fault_rows();
    if !blunders.is_empty() {
        let heading = "\ngiven away  played  value    best  value  position";
        text += &(paint(style::HEADING, heading) + "\n");
        for blunder in blunders.iter().take(summary::SHOWN) {
            text += &blunder_line(blunder);
        }
        text += &summary::more(blunders.len());
    }
    text + &judged.ending(blunders.first().map(|blunder| &blunder.situation))
}

fn blunder_line(blunder: &Verdict) -> String {
    let (Ok((house, value)), Some(given)) = (&blunder.played, blunder.difference_lost()) else {
        return String::new();
    };
    let side = blunder.situation.to_move();
    let best = blunder.best.iter().map(|house| house.letter(side));
    format!(
        "{:>10}  {:>6}  {value:>5}  {:>6}  {:>5}  {}\n",
        seeds_text(f64::from(given) / 2.0),
        house.letter(side),
        best.collect::<String>(),
        blunder.value,
        blunder.situation,
    )
}

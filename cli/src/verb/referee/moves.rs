//! The report on single moves.

use crate::referee::{Fault, Report, Verdict};
use granero::Value;
use serde::Serialize;

use super::summary::{self, FaultJson, Judged, JudgedJson, row};
use crate::failure::Failure;
use crate::style::{self, paint};

/// The report, and whether the finding is negative.
pub(crate) fn output(judged: &Judged<'_>, report: &Report) -> Result<(String, bool), Failure> {
    let faults: Vec<_> = report.faults().collect();
    let negative = !faults.is_empty() || report.unjudged.unasked > 0;
    let text = if judged.args.json {
        crate::output::json(&document(judged, report))?
    } else {
        describe(judged, report)
    };
    Ok((text, negative))
}

fn describe(judged: &Judged<'_>, report: &Report) -> String {
    let places: Vec<_> = report.faults().collect();
    let faults: Vec<&Fault> = places.iter().map(|(_, fault)| *fault).collect();
    let blunders = report.blunders();

    let mut text = judged.heading();
    text += &judged.unjudged(&report.unjudged);
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
        report.given_away(),
        per_move.map_or(String::new(), |seeds| {
            format!("{seeds:.2} for each move with a choice")
        }),
    );
    text += &summary::fault_rows(&faults);
    if !blunders.is_empty() {
        let heading = "\ngiven away  played  worth    best  worth  position";
        text += &(paint(style::HEADING, heading) + "\n");
        for blunder in blunders.iter().take(summary::SHOWN) {
            text += &blunder_line(blunder);
        }
        text += &summary::more(blunders.len());
    }
    text += &summary::fault_list(&places);
    let worst = blunders.first().map(|blunder| &blunder.situation);
    text + &judged.look_at(worst.or(places.first().map(|(situation, _)| *situation)))
}

fn blunder_line(blunder: &Verdict) -> String {
    let (Ok((house, worth)), Some(given)) = (&blunder.played, blunder.given_away()) else {
        return String::new();
    };
    let side = blunder.situation.to_move();
    format!(
        "{given:10}  {:>6}  {worth:>5}  {:>6}  {:>5}  {}\n",
        house.letter(side),
        summary::letters(&blunder.best, side),
        blunder.value,
        blunder.situation,
    )
}

fn document(judged: &Judged<'_>, report: &Report) -> Document {
    let faults: Vec<&Fault> = report.faults().map(|(_, fault)| fault).collect();
    let worst = report.blunders().into_iter().take(summary::SHOWN);
    Document {
        about: judged.json(&report.unjudged, &faults),
        asked: report.verdicts.len(),
        with_choice: report.with_choice().count(),
        best_moves: report.best_moves(),
        accuracy: report.accuracy(),
        given_away: report.given_away(),
        given_away_per_move: report.given_away_per_move(),
        worst: worst.map(VerdictJson::from).collect(),
        moves: report.verdicts.iter().map(VerdictJson::from).collect(),
    }
}

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    about: JudgedJson,
    asked: usize,
    with_choice: usize,
    best_moves: usize,
    accuracy: Option<f64>,
    given_away: u64,
    given_away_per_move: Option<f64>,
    worst: Vec<VerdictJson>,
    moves: Vec<VerdictJson>,
}

#[derive(Serialize)]
struct VerdictJson {
    position: String,
    value: i8,
    best: String,
    choice: bool,
    played: Option<char>,
    played_value: Option<i8>,
    given_away: Option<u8>,
    fault: Option<FaultJson>,
}

impl From<&Verdict> for VerdictJson {
    fn from(verdict: &Verdict) -> VerdictJson {
        let side = verdict.situation.to_move();
        let played = verdict.played.as_ref().ok();
        VerdictJson {
            position: verdict.situation.to_string(),
            value: verdict.value.seeds(),
            best: summary::letters(&verdict.best, side),
            choice: verdict.choice,
            played: played.map(|(house, _)| house.letter(side)),
            played_value: played.map(|(_, value)| Value::seeds(*value)),
            given_away: verdict.given_away(),
            fault: verdict.played.as_ref().err().map(FaultJson::from),
        }
    }
}

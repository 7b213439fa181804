//! The documents of `granero referee --json`.

use granero::notation::moves;
use granero::{House, Situation, Value};
use serde::{Serialize, Serializer};

use super::summary::{Judged, SHOWN};
use crate::referee::{End, FaultKind, GameReport, PlayedGame, Report, Verdict};
use granero_answer::document::RulesAndCycles;
use granero_answer::object;

/// The report on single moves.
pub(crate) fn of_moves(judged: &Judged<'_>, report: &Report) -> impl Serialize {
    let worst = report.blunders().into_iter().take(SHOWN);
    object! {
        ..about: about(judged),
        asked: report.verdicts.len(),
        with_choice: report.with_choice().count(),
        best_moves: report.best_moves(),
        accuracy: report.accuracy(),
        given_away: report.difference_lost() as f64 / 2.0,
        given_away_per_move: report.given_away_per_move(),
        difference_lost: report.difference_lost(),
        worst: worst.map(verdict).collect::<Vec<_>>(),
        moves: report.verdicts.iter().map(verdict).collect::<Vec<_>>(),
    }
}

/// The report on games, with `--play`.
pub(crate) fn of_games(judged: &Judged<'_>, report: &GameReport) -> impl Serialize {
    let ends = [End::Over, End::Majority, End::Repetition, End::TooLong];
    let ends = ends.map(|end| (end.name(), report.ended(&end)));
    let faulty = ("fault", report.faults().count());
    object! {
        ..about: about(judged),
        kept: report.kept(),
        given_away: report.difference_lost() as f64 / 2.0,
        difference_lost: report.difference_lost(),
        ends: Counts(ends.into_iter().chain([faulty]).collect()),
        games: report.games.iter().map(game).collect::<Vec<_>>(),
    }
}

/// The engine and the conditions, with which both documents begin.
fn about(judged: &Judged<'_>) -> impl Serialize {
    let args = judged.args;
    let faults = FaultKind::ALL.map(|kind| (kind, judged.count(kind)));
    object! {
        engine: &judged.engine,
        ..tables: RulesAndCycles::from(judged.tables),
        movetime_ms: args.movetime,
        // If the positions were random.
        seed: args.positions.is_none().then_some(args.seed),
        positions: judged.positions,
        ..unjudged: judged.unjudged,
        restarts: judged.restarts,
        faults: Counts(faults.into()),
    }
}

/// Counts by name.
struct Counts<N>(Vec<(N, usize)>);

impl<N: Serialize + Copy> Serialize for Counts<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

fn verdict(verdict: &Verdict) -> impl Serialize {
    let side = verdict.situation.to_move();
    let letter = |house: &House| house.letter(side);
    let played = verdict.played.as_ref().ok();
    object! {
        ..start: start(&verdict.situation),
        value: verdict.value.seeds(),
        best: verdict.best.iter().map(letter).collect::<Vec<_>>(),
        choice: verdict.choice,
        played: played.map(|(house, _)| letter(house)),
        played_value: played.map(|(_, value)| Value::seeds(*value)),
        given_away: verdict.difference_lost().map(|lost| f64::from(lost) / 2.0),
        difference_lost: verdict.difference_lost(),
        fault: verdict.played.as_ref().err(),
    }
}

/// The position that the engine was told, also with stores and side to move.
fn start(situation: &Situation) -> impl Serialize + use<> {
    object! {
        position: situation.position().houses(),
        notation: situation.to_string(),
    }
}

fn game(game: &PlayedGame) -> impl Serialize {
    object! {
        ..start: start(&game.start),
        value: game.value.seeds(),
        result: game.result.map(Value::seeds),
        given_away: game.difference_lost().map(|lost| f64::from(lost) / 2.0),
        difference_lost: game.difference_lost(),
        moves: moves::write_all(&game.moves),
        end: game.end.name(),
        fault: match &game.end {
            End::Fault(fault) => Some(fault),
            End::Over | End::Majority | End::Repetition | End::TooLong => None,
        },
    }
}

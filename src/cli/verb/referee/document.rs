//! The reports on moves and on games as JSON.

use std::fmt::Display;

use granero::notation::moves;
use granero::{House, Situation, Tables, Value, seeds_text};

use super::Args;
use crate::referee::{End, Judged, Report, Unjudged};
use crate::uci::{Fault, FaultKind};
use granero_answer::document::RulesAndCycles;
use granero_answer::documents;

/// The number of worst moves or games that are shown, and of faults.
pub(super) const SHOWN: usize = 10;

/// The engine that was judged, and the conditions.
pub(crate) struct Conditions<'a> {
    pub(super) args: &'a Args,
    pub(super) tables: &'a Tables,
    pub(super) engine: String,
    pub(super) restarts: u32,
    pub(super) positions: usize,
}

documents! {
    /// The output of `granero referee --json`.
    pub(crate) struct MoveReportJson(of: &Conditions<'_>, report: &Report) {
        let shown = report.worst().into_iter().take(SHOWN);
        let with_choice = report.judged.iter().filter(|judged| judged.choice);
        let choices = with_choice.clone().count();
        // A fault counts as not best.
        let best = with_choice.clone().filter(|judged| judged.difference_lost() == Some(0)).count();
        let legal = with_choice.filter(|judged| judged.result.is_ok()).count();
        let seeds = report.difference_lost() as f64 / 2.0;
        ..about: About = About::new(of, report),
        /// Positions in which the engine was asked for a move.
        asked: usize = report.judged.len(),
        /// Positions in which some legal move is worth less than another.
        with_choice: usize = choices,
        /// Best moves among these.
        best_moves: usize = best,
        /// `best_moves` divided by `with_choice`, or `null`.
        accuracy: Option<f64> = (choices > 0).then(|| best as f64 / choices as f64),
        /// Seeds given away by legal moves.
        given_away: f64 = seeds,
        /// Seeds given away for each move with a choice, or `null`.
        given_away_per_move: Option<f64> = (legal > 0).then(|| seeds / legal as f64),
        /// Twice `given_away`.
        difference_lost: i64 = report.difference_lost(),
        /// The ten costliest moves, the worst first.
        worst: Vec<EngineMove> = shown.map(EngineMove::new).collect(),
        /// All answers, in the order of the positions.
        moves: Vec<EngineMove> = report.judged.iter().map(EngineMove::new).collect(),
    }

    /// The output of `granero referee --play --json`.
    pub(crate) struct GameReportJson(of: &Conditions<'_>, report: &Report) {
        ..about: About = About::new(of, report),
        /// Games in which the engine got at least the value of the position.
        kept: usize = report.kept(),
        /// Seeds given away in all games.
        given_away: f64 = report.difference_lost() as f64 / 2.0,
        /// Twice `given_away`.
        difference_lost: i64 = report.difference_lost(),
        /// Games by their end.
        ends: EndCounts = EndCounts::new(report),
        /// In the order of the positions.
        games: Vec<EngineGame> = report.judged.iter().map(EngineGame::new).collect(),
    }

    /// The engine and the conditions, with which both documents begin.
    struct About(of: &Conditions<'_>, report: &Report) {
        let args = of.args;
        /// The engine's name, or its program.
        engine: String = of.engine.clone(),
        ..tables: RulesAndCycles = of.tables.into(),
        /// The time for a move.
        movetime_ms: u64 = args.asking.movetime,
        /// The seed of the random positions; `null` if they come from a file.
        seed: Option<u64> = args.positions.is_none().then_some(args.seed),
        positions: usize = of.positions,
        ..unjudged: Unjudged = report.unjudged,
        /// How often the engine was started again.
        restarts: u32 = of.restarts,
        /// Answers that were no legal moves.
        faults: FaultCounts = FaultCounts::new(report),
    }

    /// Answers that were no legal moves.
    #[serde(rename_all = "kebab-case")]
    struct FaultCounts(report: &Report) {
        illegal: usize = report.count(FaultKind::Illegal),
        /// The engine answered `0000`.
        no_move: usize = report.count(FaultKind::NoMove),
        nonsense: usize = report.count(FaultKind::Nonsense),
        timeout: usize = report.count(FaultKind::Timeout),
        /// The engine ended, or closed its output.
        ended: usize = report.count(FaultKind::Ended),
    }

    /// Games by their end.
    #[serde(rename_all = "kebab-case")]
    struct EndCounts(report: &Report) {
        over: usize = report.ended(&End::Over),
        /// A player had more than half of all seeds, and the engine answered `0000`; the tables decide the rest.
        majority: usize = report.ended(&End::Majority),
        /// A position came again; the seeds left are shared.
        repetition: usize = report.ended(&End::Repetition),
        /// After `--max-moves`; the seeds left are shared.
        too_long: usize = report.ended(&End::TooLong),
        fault: usize = report.faults().count(),
    }

    /// The position that the engine was told.
    struct Start(situation: &Situation, value: Value) {
        position: [u8; 12] = situation.position().houses(),
        /// With stores and side to move, in Aalina's notation.
        notation: String = situation.to_string(),
        /// The value of the position to the player to move.
        value: i8 = value.seeds(),
    }

    /// An answer.
    struct EngineMove(verdict: &Judged) {
        let side = verdict.start.to_move();
        let letter = |house: &House| house.letter(side);
        let legal = verdict.result.as_ref().ok();
        let lost = verdict.difference_lost();
        ..start: Start = Start::new(&verdict.start, verdict.value),
        /// The best moves.
        best: Vec<char> = verdict.best.iter().map(letter).collect(),
        /// Some legal move is worth less than another.
        choice: bool = verdict.choice,
        /// The move, or `null`.
        played: Option<char> = verdict.moves.first().map(|sown| letter(&sown.house)),
        /// Its value.
        played_value: Option<i8> = legal.map(|value| value.seeds()),
        /// Half of `difference_lost`.
        given_away: Option<f64> = lost.map(|lost| f64::from(lost) / 2.0),
        /// `value` minus `played_value`.
        difference_lost: Option<i32> = lost,
        /// Why the answer is no legal move, or `null`.
        fault: Option<Fault> = verdict.result.clone().err(),
    }

    /// A game.
    struct EngineGame(game: &Judged) {
        let lost = game.difference_lost();
        ..start: Start = Start::new(&game.start, game.value),
        /// What the engine got, minus the defence; `null` after a fault.
        result: Option<i8> = game.result.as_ref().ok().map(|result| result.seeds()),
        /// Half of `difference_lost`.
        given_away: Option<f64> = lost.map(|lost| f64::from(lost) / 2.0),
        /// `value` minus `result`.
        difference_lost: Option<i32> = lost,
        /// The moves of both, run together.
        moves: String = moves::write_all(&game.moves),
        /// A name from `ends`.
        end: Option<&'static str> = game.end.as_ref().map(End::name),
        /// Why the answer is no legal move, or `null`.
        fault: Option<Fault> = game.result.clone().err(),
    }
}

/// Formats a number with its name before it and a remark after it.
pub(super) fn row(name: &str, number: impl Display, remark: impl Display) -> String {
    let line = format!("{name:20} {number:>8}  {remark}");
    line.trim_end().to_string() + "\n"
}

impl MoveReportJson {
    /// Formats the first rows of the report for people.
    pub(super) fn rows(&self) -> String {
        let accuracy = self.accuracy.map_or(String::new(), |share| {
            format!("{:.1} % of those with a choice", share * 100.0)
        });
        let per_move = self.given_away_per_move.map_or(String::new(), |seeds| {
            format!("{seeds:.2} for each move with a choice")
        });
        let choice = "some moves were worth more than others";
        row("asked for a move", self.asked, "")
            + &row("with a choice", self.with_choice, choice)
            + &row("best move played", self.best_moves, accuracy)
            + &row("seeds given away", seeds_text(self.given_away), per_move)
    }
}

impl GameReportJson {
    /// Formats the first rows of the report for people.
    pub(super) fn rows(&self) -> String {
        let kept = "the result is at least what the position was worth";
        let majority = "a player had more than 24 seeds, and the engine stopped";
        let repetition = "a position came again; the seeds left are shared";
        let too_long = "shared as well, after the most moves allowed";
        let (given_away, ends) = (seeds_text(self.given_away), &self.ends);
        row("games played", self.games.len(), "against perfect defence")
            + &row("value kept", self.kept, kept)
            + &row("seeds given away", given_away, "in all games together")
            + &row("played to the end", ends.over, "")
            + &row("ended by majority", ends.majority, majority)
            + &row("endless", ends.repetition, repetition)
            + &row("too long", ends.too_long, too_long)
    }
}

//! Judged games.

use granero::Game;
use granero::judge::Class;
use granero::prove::Prover;
use pyo3::prelude::*;

use crate::assessment::{Assessment, Range, range_of};
use crate::errors;
use crate::proof::{self, Signals};
use crate::situation::{Situation, side};

/// The moves of a recorded game, judged with tables.
#[pyclass(frozen, eq, module = "granero")]
#[derive(Clone, PartialEq)]
pub(crate) struct Judgement(pub(crate) granero::judge::Judgement);

impl Judgement {
    /// Judges a game, with a search for a proof of each position beyond the tables for some seconds, or of
    /// some positions.
    pub(crate) fn of(
        py: Python<'_>,
        tables: &granero::Tables,
        game: &Game,
        seconds: Option<f64>,
        positions: Option<u64>,
    ) -> PyResult<Judgement> {
        let budget = proof::budget(seconds, positions)?;
        let mut signals = Signals::new();
        let judge = || {
            granero::judge::Judgement::with_proofs(tables, game, |position| {
                let Some(budget) = budget.filter(|_| signals.raised.is_ok()) else {
                    return Ok(None);
                };
                let watch = |_: &_| signals.check();
                let proof = Prover::new(tables).prove_unless_hopeless(position, budget, watch);
                proof.map(Some)
            })
        };
        let judgement = py.detach(judge).map_err(errors::of_tables)?;
        signals.raised.map(|()| Judgement(judgement))
    }
}

#[pymethods]
impl Judgement {
    /// The judged moves, in the order of the game: those within the tables, and with a search those beyond.
    #[getter]
    fn moves(&self) -> Vec<JudgedMove> {
        self.0.moves.iter().cloned().map(JudgedMove).collect()
    }

    /// The number of moves with too many seeds for the tables.
    #[getter]
    fn beyond(&self) -> usize {
        self.0.beyond
    }

    /// The number of moves whose worth deciding tables have cut off. No summary counts them, either.
    #[getter]
    fn cut_off(&self) -> usize {
        self.0.cut_off
    }

    /// The reason why the game is judged only up to some move; None if it is judged to its end.
    #[getter]
    fn error(&self) -> Option<String> {
        self.0.error.as_ref().map(ToString::to_string)
    }

    /// Sums up the judged moves of a player, "South" or "North".
    #[pyo3(name = "player")]
    fn of_player(&self, side: &str) -> PyResult<PlayerSummary> {
        let summary = self.0.player(self::side(side)?);
        let [changed, gave_away, harmless] = summary.wrong.map(|count| count.least);
        Ok(PlayerSummary {
            judged: summary.judged,
            best: summary.best,
            given_away: summary.lost.least as f64 / 2.0,
            given_away_at_most: summary.lost.most as f64 / 2.0,
            given_up: summary.given_up.least as f64 / 2.0,
            changed_winner: changed,
            gave_away,
            harmless,
            worst: summary.worst.cloned().map(JudgedMove),
        })
    }

    fn __repr__(&self) -> String {
        let beyond = self
            .0
            .moves
            .iter()
            .filter(|judged| judged.proof().is_some());
        let judged = self.0.moves.len();
        let all = judged + self.0.beyond - beyond.count() + self.0.cut_off;
        format!("<Judgement of {judged} of {all} moves>")
    }
}

/// A move that was played, compared with the best ones.
#[pyclass(frozen, eq, module = "granero")]
#[derive(Clone, PartialEq)]
pub(crate) struct JudgedMove(granero::judge::JudgedMove);

#[pymethods]
impl JudgedMove {
    /// The number of the move, counted from 1 for each player's move.
    #[getter]
    fn number(&self) -> usize {
        self.0.number
    }

    /// The player who moved: "South" or "North".
    #[getter]
    fn side(&self) -> String {
        self.0.side().to_string()
    }

    /// The house that was sown: "A" to "F" for South, "a" to "f" for North.
    #[getter]
    fn house(&self) -> char {
        self.0.ply.play.house.letter(self.0.side())
    }

    /// The situation before the move.
    #[getter]
    fn before(&self) -> Situation {
        Situation(self.0.ply.before)
    }

    /// The situation after the move.
    #[getter]
    fn after(&self) -> Situation {
        Situation(self.0.ply.after)
    }

    /// The worth of the position before it, and of each of its moves; None beyond the tables.
    #[getter]
    fn assessment(&self) -> Option<Assessment> {
        match &self.0.source {
            granero::judge::Source::Tables(assessment) => Some(Assessment(assessment.clone())),
            granero::judge::Source::Proof(_) => None,
        }
    }

    /// True if proofs judge the move, because it lies beyond the tables.
    #[getter]
    fn proven(&self) -> bool {
        self.0.proof().is_some()
    }

    /// The least and the most that the position was worth to the player who moved.
    #[getter]
    fn range(&self) -> Range {
        range_of(self.0.worth)
    }

    /// The least and the most that the move was worth to that player.
    #[getter]
    fn played(&self) -> Range {
        range_of(self.0.played)
    }

    /// The guaranteed seeds that the move gave away; beyond the tables, at least.
    #[getter]
    fn given_away(&self) -> f64 {
        f64::from(self.0.lost_at_least()) / 2.0
    }

    /// The most seeds that it may have given away.
    #[getter]
    fn given_away_at_most(&self) -> f64 {
        f64::from(self.0.lost_at_most()) / 2.0
    }

    /// The attainable seeds that the move gave up, if it gave nothing away; None if it is not proven.
    #[getter]
    fn given_up(&self) -> Option<f64> {
        self.0.given_up().map(|lost| f64::from(lost) / 2.0)
    }

    /// True if the move was certainly one of the best.
    #[getter]
    fn best(&self) -> bool {
        self.0.is_best()
    }

    /// The houses of the moves that are certainly best; if none is, of the best known ones.
    #[getter]
    fn best_known(&self) -> Vec<char> {
        let moves = self.0.best_known();
        moves
            .iter()
            .map(|play| play.house.letter(self.0.side()))
            .collect()
    }

    /// "best", "harmless", "gave-away" or "changed-winner"; None if a proof leaves it open.
    #[getter]
    fn category(&self) -> Option<&'static str> {
        self.0.class().map(Class::name)
    }

    fn __repr__(&self) -> String {
        let (number, house) = (self.0.number, self.house());
        let given_away = self.given_away();
        format!("<JudgedMove {number}. {house}, gave away {given_away} seeds>")
    }
}

/// A summary of the judged moves of one player.
#[pyclass(frozen, eq, get_all, module = "granero")]
#[derive(Clone, PartialEq)]
pub(crate) struct PlayerSummary {
    /// The number of judged moves.
    judged: usize,
    /// The number of these that were best.
    best: usize,
    /// The guaranteed seeds that they certainly gave away in total.
    given_away: f64,
    /// The most that they may have given away.
    given_away_at_most: f64,
    /// The attainable seeds that they certainly gave up in total.
    given_up: f64,
    /// The number of moves that certainly are of each category.
    changed_winner: usize,
    gave_away: usize,
    harmless: usize,
    /// The move that gave away most; None if all were best.
    worst: Option<JudgedMove>,
}

#[pymethods]
impl PlayerSummary {
    fn __repr__(&self) -> String {
        let (best, judged) = (self.best, self.judged);
        let given_away = self.given_away;
        format!(
            "<PlayerSummary: {best} of {judged} judged moves best, {given_away} seeds given away>"
        )
    }
}

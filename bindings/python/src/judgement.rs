//! Judged games.

use pyo3::prelude::*;

use crate::assessment::{Assessment, Range, range_of};
use crate::situation::{Situation, side};

/// The moves of a recorded game, judged with tables.
#[pyclass(frozen, eq, module = "granero")]
#[derive(Clone, PartialEq)]
pub(crate) struct Judgement(pub(crate) granero::judge::Judgement);

#[pymethods]
impl Judgement {
    /// The moves within reach of the tables, in the order of the game.
    #[getter]
    fn moves(&self) -> Vec<JudgedMove> {
        self.0.moves.iter().cloned().map(JudgedMove).collect()
    }

    /// The number of moves before them, with too many seeds for the tables. They are not judged, and
    /// no summary counts them.
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
        Ok(PlayerSummary {
            judged: summary.judged,
            best: summary.best,
            given_away: summary.given_away,
            given_up: summary.given_up,
            worst: summary.worst.cloned().map(JudgedMove),
        })
    }

    fn __repr__(&self) -> String {
        let judged = self.0.moves.len();
        let all = judged + self.0.beyond + self.0.cut_off;
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

    /// The worth of the position before it, and of each of its moves.
    #[getter]
    fn assessment(&self) -> Assessment {
        Assessment(self.0.assessment.clone())
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

    /// The guaranteed seeds that the move gave away.
    #[getter]
    fn given_away(&self) -> u8 {
        self.0.given_away()
    }

    /// The attainable seeds that the move gave up, if it gave nothing away.
    #[getter]
    fn given_up(&self) -> u8 {
        self.0.given_up()
    }

    /// True if the move was one of the best.
    #[getter]
    fn best(&self) -> bool {
        self.0.is_best()
    }

    fn __repr__(&self) -> String {
        let (number, house) = (self.0.number, self.house());
        let given_away = self.0.given_away();
        format!("<JudgedMove {number}. {house}, gave away {given_away}>")
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
    /// The guaranteed seeds that they gave away in total.
    given_away: u32,
    /// The attainable seeds that they gave up in total.
    given_up: u32,
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

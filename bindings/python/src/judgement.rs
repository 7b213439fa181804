//! Judged games.

use granero::judge::{Class, PlayerSummary as Summary, Source};
use granero::{Game, Side};
use pyo3::prelude::*;

use crate::assessment::{Assessment, Range, range_of};
use crate::document;
use crate::proof::{self, Watcher};
use crate::situation::{Situation, side};

/// The moves of a recorded game, judged with tables.
#[pyclass(frozen, eq, module = "granero")]
#[derive(Clone, PartialEq)]
pub(crate) struct Judgement {
    /// The judged moves, in the order of the game: those within the tables, and with a search those beyond.
    #[pyo3(get)]
    moves: Vec<JudgedMove>,
    /// The number of moves with too many seeds for the tables.
    #[pyo3(get)]
    beyond: usize,
    /// The number of moves whose value deciding tables have cut off. No summary counts them, either.
    #[pyo3(get)]
    cut_off: usize,
    /// The reason why the game is judged only up to some move; None if it is judged to its end.
    #[pyo3(get)]
    error: Option<String>,
    players: [PlayerSummary; 2],
    document: String,
}

impl Judgement {
    /// Judges a game, with a search for a proof of each position beyond the tables for some seconds, or of
    /// some positions.
    pub(crate) fn of(
        py: Python<'_>,
        tables: &granero::Tables,
        game: &Game,
        (seconds, positions): (Option<f64>, Option<u64>),
        watch: Option<Py<PyAny>>,
    ) -> PyResult<Judgement> {
        let budget = proof::budget(seconds, positions)?;
        let judge = |watch: Watcher<'_>| {
            granero::judge::Judgement::with_search(tables, game, budget, watch)
        };
        let judged = proof::search(py, watch, judge)?;
        let player = |side| PlayerSummary::from(judged.player(side));
        Ok(Judgement {
            moves: judged.moves.iter().map(JudgedMove::from).collect(),
            beyond: judged.beyond,
            cut_off: judged.cut_off,
            error: judged.error.as_ref().map(ToString::to_string),
            players: [Side::South, Side::North].map(player),
            document: document::text(&granero_answer::document::JudgementJson::new(
                tables, game, &judged,
            ))?,
        })
    }
}

#[pymethods]
impl Judgement {
    /// Sums up the judged moves of a player.
    #[pyo3(name = "player")]
    fn of_player(&self, side: &str) -> PyResult<PlayerSummary> {
        let [south, north] = &self.players;
        Ok(match self::side(side)? {
            Side::South => south.clone(),
            Side::North => north.clone(),
        })
    }

    /// The document of `granero judge --json` without its version and estimates, as docs/json.md
    /// describes it.
    #[pyo3(name = "document")]
    fn as_document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        document::read(py, &self.document)
    }

    fn __repr__(&self) -> String {
        let beyond = self.moves.iter().filter(|judged| judged.proven);
        let judged = self.moves.len();
        let all = judged + self.beyond - beyond.count() + self.cut_off;
        format!("<Judgement of {judged} of {all} moves>")
    }
}

/// A move that was played, compared with the best ones.
#[pyclass(frozen, eq, get_all, module = "granero")]
#[derive(Clone, PartialEq)]
pub(crate) struct JudgedMove {
    /// The number of the move, counted from 1 for each player's move.
    number: usize,
    /// The player who moved: "South" or "North".
    side: String,
    /// The house that was sown: "A" to "F" for South, "a" to "f" for North.
    house: char,
    /// The situation before the move.
    before: Situation,
    /// The situation after the move.
    after: Situation,
    /// The value of the position before it, and of each of its moves; None beyond the tables.
    assessment: Option<Assessment>,
    /// True if proofs judge the move, because it lies beyond the tables.
    proven: bool,
    /// The least and the most that the position was worth to the player who moved.
    range: Range,
    /// The least and the most that the move was worth to that player.
    played: Range,
    /// The guaranteed seeds that the move gave away; beyond the tables, at least.
    given_away: f64,
    /// The most seeds that it may have given away.
    given_away_at_most: f64,
    /// The attainable seeds that the move gave up, if it gave nothing away; None if it is not proven.
    given_up: Option<f64>,
    /// True if the move was certainly one of the best.
    best: bool,
    /// The houses of the moves that are certainly best; if none is, of the best known ones.
    best_known: Vec<char>,
    /// How the move changed the result of the game: "best", "harmless", "gave-away" or "changed-winner"; None
    /// if a proof leaves it open.
    category: Option<&'static str>,
}

impl From<&granero::judge::JudgedMove> for JudgedMove {
    fn from(judged: &granero::judge::JudgedMove) -> JudgedMove {
        let letter = |play: &granero::Move| play.house.letter(judged.side());
        JudgedMove {
            number: judged.number,
            side: judged.side().to_string(),
            house: letter(&judged.ply.play),
            before: Situation(judged.ply.before),
            after: Situation(judged.ply.after),
            assessment: match &judged.source {
                Source::Tables(assessment) => Some(assessment.clone().into()),
                Source::Proof(_) => None,
            },
            proven: judged.proof().is_some(),
            range: range_of(judged.value),
            played: range_of(judged.played),
            given_away: f64::from(judged.lost_at_least()) / 2.0,
            given_away_at_most: f64::from(judged.lost_at_most()) / 2.0,
            given_up: judged.given_up().map(|lost| f64::from(lost) / 2.0),
            best: judged.is_best(),
            best_known: judged.best_known().iter().map(letter).collect(),
            category: judged.class().map(Class::name),
        }
    }
}

shown!(JudgedMove, it => "<JudgedMove {}. {}, gave away {} seeds>", it.number, it.house, it.given_away);

/// A summary of the judged moves of one player.
#[pyclass(frozen, eq, get_all, module = "granero")]
#[derive(Clone, PartialEq)]
pub(crate) struct PlayerSummary {
    /// The number of moves that are certainly best, or certainly not.
    judged: usize,
    /// The number of these that were best.
    best: usize,
    /// The guaranteed seeds that they certainly gave away in total.
    given_away: f64,
    /// The most that they may have given away.
    given_away_at_most: f64,
    /// The attainable seeds that they certainly gave up in total.
    given_up: f64,
    /// The number of moves that certainly changed who wins.
    changed_winner: usize,
    /// The number of moves that certainly gave seeds away, and did not change who wins.
    gave_away: usize,
    /// The number of moves that lost seeds in a decided game.
    harmless: usize,
    /// The move that certainly gave away most; None if no move certainly was wrong.
    worst: Option<JudgedMove>,
}

impl From<Summary<'_>> for PlayerSummary {
    fn from(summary: Summary<'_>) -> PlayerSummary {
        let [changed_winner, gave_away, harmless] = summary.wrong.map(|count| count.least);
        PlayerSummary {
            judged: summary.judged,
            best: summary.best,
            given_away: summary.lost.least as f64 / 2.0,
            given_away_at_most: summary.lost.most as f64 / 2.0,
            given_up: summary.given_up.least as f64 / 2.0,
            changed_winner,
            gave_away,
            harmless,
            worst: summary.worst.map(JudgedMove::from),
        }
    }
}

shown!(PlayerSummary, it => "<PlayerSummary: {} of {} judged moves best, {} seeds given away>", it.best, it.judged, it.given_away);

//! The documents of `granero referee --json`.

use granero::notation::moves;
use granero::{House, Situation, Value};
use serde::{Serialize, Serializer};

use crate::referee::{End, Fault, GameReport, PlayedGame, Report, Unjudged, Verdict};
use granero_answer::document::RulesAndCycles;

/// The report on single moves.
#[derive(Serialize)]
pub(crate) struct MovesRefereeDocument {
    #[serde(flatten)]
    about: MatchJson,
    asked: usize,
    with_choice: usize,
    best_moves: usize,
    accuracy: Option<f64>,
    given_away: f64,
    given_away_per_move: Option<f64>,
    difference_lost: u64,
    worst: Vec<VerdictJson>,
    moves: Vec<VerdictJson>,
}

/// The report on games, with `--play`.
#[derive(Serialize)]
pub(crate) struct GamesRefereeDocument {
    #[serde(flatten)]
    about: MatchJson,
    kept: usize,
    given_away: f64,
    difference_lost: i64,
    #[serde(serialize_with = "as_map")]
    ends: Counts,
    games: Vec<GameJson>,
}

/// The engine and the conditions, with which both documents begin.
#[derive(Serialize)]
pub(crate) struct MatchJson {
    pub(crate) engine: String,
    #[serde(flatten)]
    pub(crate) tables: RulesAndCycles,
    pub(crate) movetime_ms: u64,
    /// `None` if the positions were not random.
    pub(crate) seed: Option<u64>,
    pub(crate) positions: usize,
    #[serde(flatten)]
    pub(crate) unjudged: Unjudged,
    pub(crate) restarts: u32,
    #[serde(serialize_with = "as_map")]
    pub(crate) faults: Counts,
}

pub(crate) type Counts = Vec<(&'static str, usize)>;

fn as_map<S: Serializer>(counts: &Counts, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(counts.iter().copied())
}

#[derive(Serialize)]
struct VerdictJson {
    #[serde(flatten)]
    start: StartJson,
    value: i8,
    best: Vec<char>,
    choice: bool,
    played: Option<char>,
    played_value: Option<i8>,
    given_away: Option<f64>,
    difference_lost: Option<u8>,
    fault: Option<Fault>,
}

/// The position that the engine was told.
#[derive(Serialize)]
struct StartJson {
    position: [u8; 12],
    /// With stores and side to move.
    notation: String,
}

#[derive(Serialize)]
struct GameJson {
    #[serde(flatten)]
    start: StartJson,
    value: i8,
    result: Option<i8>,
    given_away: Option<f64>,
    difference_lost: Option<i32>,
    moves: String,
    end: &'static str,
    fault: Option<Fault>,
}

impl MovesRefereeDocument {
    /// Makes a document that lists at most `shown` moves as the worst.
    pub(crate) fn new(about: MatchJson, report: &Report, shown: usize) -> MovesRefereeDocument {
        let worst = report.blunders().into_iter().take(shown);
        MovesRefereeDocument {
            about,
            asked: report.verdicts.len(),
            with_choice: report.with_choice().count(),
            best_moves: report.best_moves(),
            accuracy: report.accuracy(),
            given_away: report.difference_lost() as f64 / 2.0,
            given_away_per_move: report.given_away_per_move(),
            difference_lost: report.difference_lost(),
            worst: worst.map(VerdictJson::from).collect(),
            moves: report.verdicts.iter().map(VerdictJson::from).collect(),
        }
    }
}

impl GamesRefereeDocument {
    pub(crate) fn new(about: MatchJson, report: &GameReport) -> GamesRefereeDocument {
        let ends = [End::Over, End::Majority, End::Repetition, End::TooLong];
        let ends = ends.map(|end| (end.name(), report.ended(&end)));
        let faults = ("fault", report.faults().count());
        GamesRefereeDocument {
            about,
            kept: report.kept(),
            given_away: report.difference_lost() as f64 / 2.0,
            difference_lost: report.difference_lost(),
            ends: ends.into_iter().chain([faults]).collect(),
            games: report.games.iter().map(GameJson::from).collect(),
        }
    }
}

impl From<&Verdict> for VerdictJson {
    fn from(verdict: &Verdict) -> VerdictJson {
        let side = verdict.situation.to_move();
        let letter = |house: &House| house.letter(side);
        let played = verdict.played.as_ref().ok();
        VerdictJson {
            start: StartJson::from(&verdict.situation),
            value: verdict.value.seeds(),
            best: verdict.best.iter().map(letter).collect(),
            choice: verdict.choice,
            played: played.map(|(house, _)| letter(house)),
            played_value: played.map(|(_, value)| Value::seeds(*value)),
            given_away: verdict.difference_lost().map(|lost| f64::from(lost) / 2.0),
            difference_lost: verdict.difference_lost(),
            fault: verdict.played.as_ref().err().cloned(),
        }
    }
}

impl From<&Situation> for StartJson {
    fn from(situation: &Situation) -> StartJson {
        StartJson {
            position: situation.position().houses(),
            notation: situation.to_string(),
        }
    }
}

impl From<&PlayedGame> for GameJson {
    fn from(game: &PlayedGame) -> GameJson {
        GameJson {
            start: StartJson::from(&game.start),
            value: game.value.seeds(),
            result: game.result.map(Value::seeds),
            given_away: game.difference_lost().map(|lost| f64::from(lost) / 2.0),
            difference_lost: game.difference_lost(),
            moves: moves::write_all(&game.moves),
            end: game.end.name(),
            fault: match &game.end {
                End::Fault(fault) => Some(fault.clone()),
                End::Over | End::Majority | End::Repetition | End::TooLong => None,
            },
        }
    }
}

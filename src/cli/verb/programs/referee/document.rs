//! The documents of `granero referee --json`.

use granero::notation::moves;
use granero::{House, Situation, Value};
use serde::Serialize;

use crate::referee::{End, Fault, FaultKind, GameReport, PlayedGame, Report, Unjudged, Verdict};
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
    ends: EndsJson,
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
    pub(crate) unjudged: UnjudgedJson,
    pub(crate) restarts: u32,
    pub(crate) faults: FaultsJson,
}

/// The numbers of positions that were not judged, by reason.
#[derive(Serialize)]
pub(crate) struct UnjudgedJson {
    over: usize,
    beyond: usize,
    unasked: usize,
}

/// The numbers of faults by kind.
#[derive(Serialize)]
pub(crate) struct FaultsJson {
    illegal: usize,
    #[serde(rename = "no-move")]
    no_move: usize,
    nonsense: usize,
    timeout: usize,
    ended: usize,
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
    fault: Option<FaultJson>,
}

/// The position that the engine was told.
#[derive(Serialize)]
struct StartJson {
    position: [u8; 12],
    /// With stores and side to move.
    notation: String,
}

/// The numbers of games by end.
#[derive(Serialize)]
struct EndsJson {
    over: usize,
    majority: usize,
    repetition: usize,
    #[serde(rename = "too-long")]
    too_long: usize,
    fault: usize,
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
    fault: Option<FaultJson>,
}

#[derive(Serialize)]
struct FaultJson {
    kind: &'static str,
    what: String,
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
        GamesRefereeDocument {
            about,
            kept: report.kept(),
            given_away: report.difference_lost() as f64 / 2.0,
            difference_lost: report.difference_lost(),
            ends: EndsJson {
                over: report.ended(&End::Over),
                majority: report.ended(&End::Majority),
                repetition: report.ended(&End::Repetition),
                too_long: report.ended(&End::TooLong),
                fault: report.faults().count(),
            },
            games: report.games.iter().map(GameJson::from).collect(),
        }
    }
}

impl From<&Unjudged> for UnjudgedJson {
    fn from(unjudged: &Unjudged) -> UnjudgedJson {
        let Unjudged {
            over,
            beyond,
            unasked,
        } = *unjudged;
        UnjudgedJson {
            over,
            beyond,
            unasked,
        }
    }
}

impl From<&[&Fault]> for FaultsJson {
    fn from(faults: &[&Fault]) -> FaultsJson {
        let count = |kind: FaultKind| kind.count(faults);
        FaultsJson {
            illegal: count(FaultKind::Illegal),
            no_move: count(FaultKind::NoMove),
            nonsense: count(FaultKind::Nonsense),
            timeout: count(FaultKind::Timeout),
            ended: count(FaultKind::Ended),
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
            fault: verdict.played.as_ref().err().map(FaultJson::from),
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
                End::Fault(fault) => Some(FaultJson::from(fault)),
                End::Over | End::Majority | End::Repetition | End::TooLong => None,
            },
        }
    }
}

impl From<&Fault> for FaultJson {
    fn from(fault: &Fault) -> FaultJson {
        FaultJson {
            kind: fault.kind.name(),
            what: fault.what.clone(),
        }
    }
}

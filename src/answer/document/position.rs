//! What the tables say about positions.

use granero::line::Distance;
use granero::{Clamped, Measured, Position, Tables, Value};
use serde::Serialize;
use serde::ser::Serializer;

use super::UNIT;
use super::error::ErrorJson;
use super::moves::{AssessedMoveJson, IllegalMoveJson};
use super::over::{OverJson, ServedOverJson};
use super::proven::{ProvenJson, RangeJson};
use super::rules_and_cycles::RulesAndCycles;
use super::score::FinalScoreJson;
use super::situation::SituationJson;
use super::worth::WorthJson;
use crate::{PositionAnswer, Proven, why_unknown};

/// A position, and what it is worth.
#[derive(Serialize)]
pub struct PositionJson {
    position: [u8; 12],
    seeds: u8,
    #[serde(flatten)]
    worth: WorthJson,
    /// The range that it lies in, if deciding tables have cut it off.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<RangeJson>,
    /// Why the worth is unknown, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// What is proven of it beyond the tables, if a search was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<ProvenJson>,
}

impl PositionJson {
    pub(super) fn new(
        tables: &Tables,
        position: &Position,
        worth: Option<Measured<Value>>,
    ) -> PositionJson {
        PositionJson {
            position: position.houses(),
            seeds: position.seeds(),
            worth: WorthJson::of_position(tables.cycles(), worth, position),
            range: None,
            reason: worth
                .is_none()
                .then(|| why_unknown(tables, position.seeds())),
            proven: None,
        }
    }

    /// The same with what deciding tables say.
    pub(super) fn with_clamped(self, clamped: Option<Measured<Clamped>>) -> PositionJson {
        PositionJson {
            range: RangeJson::of(clamped, self.seeds),
            ..self
        }
    }

    /// The same with what is proven of the position.
    pub(super) fn with_proof(self, proven: Option<&Proven>) -> PositionJson {
        PositionJson {
            proven: proven.map(ProvenJson::from),
            ..self
        }
    }
}

impl From<&PositionAnswer<'_>> for PositionJson {
    fn from(answer: &PositionAnswer<'_>) -> PositionJson {
        let assessment = &answer.assessment;
        PositionJson::new(answer.tables, &assessment.position, assessment.worth)
            .with_clamped(assessment.clamped)
            .with_proof(answer.proven.as_ref())
    }
}

/// How the game goes on when both play their best.
#[derive(Serialize)]
struct BestPlayJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    r#final: Option<Measured<FinalScoreJson>>,
    moves: Vec<AssessedMoveJson>,
}

impl From<&PositionAnswer<'_>> for BestPlayJson {
    fn from(answer: &PositionAnswer<'_>) -> BestPlayJson {
        let cycles = answer.tables.cycles();
        let scores = answer.scores();
        let moves = answer.moves().map(|(assessed, proven)| {
            let range = proven.map(|proven| proven.range);
            AssessedMoveJson::of(cycles, assessed, range)
        });
        BestPlayJson {
            r#final: scores.map(|scores| scores.map(FinalScoreJson::from)),
            moves: moves.collect(),
        }
    }
}

/// What `granero query --json` prints for each position.
#[derive(Serialize)]
pub struct QueryDocument {
    #[serde(flatten)]
    tables: RulesAndCycles,
    #[serde(flatten)]
    position: PositionJson,
    over: Option<OverJson>,
    /// The moves to the next capture; only if that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<Option<usize>>,
    #[serde(flatten)]
    play: BestPlayJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    own_side: Option<Box<QueryDocument>>,
}

impl QueryDocument {
    /// `other` is what the tables of the other convention for endless play say.
    pub fn new(answer: &PositionAnswer<'_>, other: Option<&PositionAnswer<'_>>) -> QueryDocument {
        QueryDocument {
            tables: RulesAndCycles::from(answer.tables),
            position: PositionJson::from(answer),
            over: answer.assessment.over.as_ref().map(OverJson::from),
            distance: answer.distance.map(Distance::moves),
            play: BestPlayJson::from(answer),
            own_side: other.map(|other| Box::new(QueryDocument::new(other, None))),
        }
    }
}

/// What the server answers about one position: the same, and what a page needs to show it.
#[derive(Serialize)]
pub struct PositionDocument {
    #[serde(flatten)]
    tables: RulesAndCycles,
    #[serde(flatten)]
    position: PositionJson,
    #[serde(flatten)]
    play: BestPlayJson,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    situation: Option<SituationJson>,
    over: Option<ServedOverJson>,
    illegal: Vec<IllegalMoveJson>,
}

impl From<&PositionAnswer<'_>> for PositionDocument {
    fn from(answer: &PositionAnswer<'_>) -> PositionDocument {
        let position = &answer.assessment.position;
        let over = answer.assessment.over.as_ref();
        PositionDocument {
            tables: RulesAndCycles::from(answer.tables),
            position: PositionJson::from(answer),
            play: BestPlayJson::from(answer),
            unit: UNIT,
            situation: answer.text.situation().map(SituationJson::from),
            over: over.map(|over| ServedOverJson::new(over, position)),
            illegal: IllegalMoveJson::all_of(answer.tables.rules(), position),
        }
    }
}

/// What the server answers about many positions.
#[derive(Serialize)]
pub struct BatchDocument<'a> {
    #[serde(flatten)]
    tables: RulesAndCycles,
    unit: &'static str,
    answers: Answers<'a>,
}

/// The answers, each made when it is written.
struct Answers<'a> {
    tables: &'a Tables,
    entries: &'a [Result<Position, Box<ErrorJson>>],
    worths: &'a [Option<Measured<Clamped>>],
}

#[derive(Serialize)]
#[serde(untagged)]
enum AnswerJson<'a> {
    Position(PositionJson),
    Error { error: &'a ErrorJson },
}

impl<'a> BatchDocument<'a> {
    /// `entries` are positions or errors, and `worths` what the positions are worth.
    pub fn new(
        tables: &'a Tables,
        entries: &'a [Result<Position, Box<ErrorJson>>],
        worths: &'a [Option<Measured<Clamped>>],
    ) -> BatchDocument<'a> {
        BatchDocument {
            tables: RulesAndCycles::from(tables),
            unit: UNIT,
            answers: Answers {
                tables,
                entries,
                worths,
            },
        }
    }
}

impl Serialize for Answers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut worths = self.worths.iter();
        serializer.collect_seq(self.entries.iter().map(|entry| match entry {
            Err(error) => AnswerJson::Error { error },
            Ok(position) => {
                let clamped = worths.next().copied().flatten();
                let worth = clamped.and_then(Measured::exactly);
                let answer = PositionJson::new(self.tables, position, worth);
                AnswerJson::Position(answer.with_clamped(clamped))
            }
        }))
    }
}

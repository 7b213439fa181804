//! Positions with their worth and their moves.

use granero::line::Distance;
use granero::{Clamped, Measured, Position, Tables, Value};
use serde::Serialize;
use serde::ser::Serializer;

use super::UNIT;
use super::error::ErrorJson;
use super::moves::{AssessedMoveJson, IllegalMoveJson};
use super::parts::over::{OverJson, ServedOverJson};
use super::parts::proven::ProvenJson;
use super::parts::rules_and_cycles::RulesAndCycles;
use super::parts::score::FinalScoreJson;
use super::parts::situation::{SituationJson, side};
use super::parts::worth::WorthJson;
use crate::words::range::Range;
use crate::words::reach::why_unknown;
use crate::{PositionAnswer, Proven};

#[derive(Serialize)]
pub struct PositionJson {
    position: [u8; 12],
    seeds: u8,
    #[serde(flatten)]
    worth: WorthJson,
    /// The range that it lies in, if deciding tables have cut it off.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
    /// Why the worth is unknown, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Its proven range beyond the tables, if a search was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<ProvenJson>,
}

impl PositionJson {
    /// `clamped` is the worth by deciding tables, and `proven` the result of a search, if one was made.
    pub(super) fn new(
        tables: &Tables,
        position: &Position,
        worth: Option<Measured<Value>>,
        clamped: Option<Measured<Clamped>>,
        proven: Option<&Proven>,
    ) -> PositionJson {
        let seeds = position.seeds();
        PositionJson {
            position: position.houses(),
            seeds,
            worth: WorthJson::of_position(tables.cycles(), worth, position),
            range: Range::of_cut_off(clamped, seeds),
            reason: worth.is_none().then(|| why_unknown(tables, seeds)),
            proven: proven.map(ProvenJson::from),
        }
    }
}

impl From<&PositionAnswer<'_>> for PositionJson {
    fn from(answer: &PositionAnswer<'_>) -> PositionJson {
        let assessment = &answer.assessment;
        PositionJson::new(
            answer.tables,
            &assessment.position,
            assessment.worth,
            assessment.clamped,
            answer.proven.as_ref(),
        )
    }
}

/// The moves of a position, and the end of the game when both play their best.
#[derive(Serialize)]
struct BestPlayJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    r#final: Option<Measured<FinalScoreJson>>,
    /// The winner, if stores are written and the worth is cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<&'static str>,
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
            winner: answer.text.situation().and(answer.winner()).map(side),
            moves: moves.collect(),
        }
    }
}

/// The output of `granero query --json` for each position.
#[derive(Serialize)]
pub struct QueryDocument {
    #[serde(flatten)]
    tables: RulesAndCycles,
    #[serde(flatten)]
    position: PositionJson,
    over: Option<OverJson>,
    /// The number of moves to the next capture, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<Option<usize>>,
    #[serde(flatten)]
    play: BestPlayJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    own_side: Option<Box<QueryDocument>>,
}

impl QueryDocument {
    /// `other` is the answer of the tables with the other convention for endless play.
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

/// The server's answer about one position: with what a page needs to show it.
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

/// The server's answer about many positions.
#[derive(Serialize)]
pub struct BatchDocument<'a> {
    #[serde(flatten)]
    tables: RulesAndCycles,
    unit: &'static str,
    answers: AnswerSequence<'a>,
}

/// Answers that are each made when they are written: the tables, positions or errors, and the worth of each
/// position.
struct AnswerSequence<'a>(
    &'a Tables,
    &'a [Result<Position, Box<ErrorJson>>],
    &'a [Option<Measured<Clamped>>],
);

#[derive(Serialize)]
#[serde(untagged)]
enum AnswerJson<'a> {
    Position(PositionJson),
    Error { error: &'a ErrorJson },
}

impl<'a> BatchDocument<'a> {
    /// `entries` are positions or errors, and `worths` the worth of each position.
    pub fn new(
        tables: &'a Tables,
        entries: &'a [Result<Position, Box<ErrorJson>>],
        worths: &'a [Option<Measured<Clamped>>],
    ) -> BatchDocument<'a> {
        BatchDocument {
            tables: RulesAndCycles::from(tables),
            unit: UNIT,
            answers: AnswerSequence(tables, entries, worths),
        }
    }
}

impl Serialize for AnswerSequence<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let AnswerSequence(tables, entries, worths) = self;
        let mut worths = worths.iter();
        serializer.collect_seq(entries.iter().map(|entry| match entry {
            Err(error) => AnswerJson::Error { error },
            Ok(position) => {
                let clamped = worths.next().copied().flatten();
                let worth = clamped.and_then(Measured::exactly);
                AnswerJson::Position(PositionJson::new(tables, position, worth, clamped, None))
            }
        }))
    }
}

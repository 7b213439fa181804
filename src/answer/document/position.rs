//! Positions with their worth and their moves.

use granero::line::Distance;
use granero::{Clamped, Measured, Position, Side, Tables, Value};
use serde::Serialize;
use serde::ser::Serializer;

use super::UNIT;
use super::error::ErrorJson;
use super::moves::{assessed_move, illegal_moves};
use super::parts::{
    RulesAndCycles, final_score, over, served_over, side, situation, worth_of_position,
};
use crate::words::range::Range;
use crate::words::reach::why_unknown;
use crate::{PositionAnswer, Proven, object};

/// A position and its worth. `clamped` is the worth by deciding tables, and `proven` the result of a search, if
/// one was made.
pub(super) fn position_fields(
    tables: &Tables,
    position: &Position,
    worth: Option<Measured<Value>>,
    clamped: Option<Measured<Clamped>>,
    proven: Option<&Proven>,
) -> impl Serialize + use<> {
    let seeds = position.seeds();
    object! {
        position: position.houses(),
        seeds: seeds,
        ..worth: worth_of_position(tables.cycles(), worth, position),
        range?: Range::of_cut_off(clamped, seeds),
        reason?: worth.is_none().then(|| why_unknown(tables, seeds)),
        proven?: proven.map(|proven| object! {
            ..range: proven.range,
            best_known: proven.best_known(Side::South),
            ..effort: proven.effort,
            ended: proven.ended.name(),
        }),
    }
}

/// The position of an answer.
pub fn answered_position(answer: &PositionAnswer<'_>) -> impl Serialize + use<> {
    let assessment = &answer.assessment;
    position_fields(
        answer.tables,
        &assessment.position,
        assessment.worth,
        assessment.clamped,
        answer.proven.as_ref(),
    )
}

/// The moves of a position, and the end of the game when both play their best.
fn best_play(answer: &PositionAnswer<'_>) -> impl Serialize + use<> {
    let scores = answer.scores();
    let moves = answer.moves();
    let moves = moves.map(|(assessed, proven)| assessed_move(answer, assessed, proven));
    object! {
        r#final?: scores.map(|scores| scores.map(final_score)),
        // If stores are written and the worth is cut off.
        winner?: answer.text.situation().and(answer.winner()).map(side),
        moves: moves.collect::<Vec<_>>(),
    }
}

/// The output of `granero query --json` for each position. `other` is the answer of the tables with the other
/// convention for endless play.
pub fn query(
    answer: &PositionAnswer<'_>,
    other: Option<&PositionAnswer<'_>>,
) -> impl Serialize + use<> {
    query_with(answer, other.map(|other| query_with(other, None::<()>)))
}

fn query_with<T: Serialize>(
    answer: &PositionAnswer<'_>,
    own_side: Option<T>,
) -> impl Serialize + use<T> {
    object! {
        ..tables: RulesAndCycles::from(answer.tables),
        ..position: answered_position(answer),
        over: answer.assessment.over.as_ref().map(over),
        // The number of moves to the next capture, if it was asked for.
        distance?: answer.distance.map(Distance::moves),
        estimate?: answer.estimated(),
        ..play: best_play(answer),
        own_side?: own_side,
    }
}

/// The server's answer about one position: with what a page needs to show it.
pub fn position(answer: &PositionAnswer<'_>) -> impl Serialize + use<> {
    let position = &answer.assessment.position;
    let over = answer.assessment.over.as_ref();
    object! {
        ..tables: RulesAndCycles::from(answer.tables),
        ..position: answered_position(answer),
        ..play: best_play(answer),
        unit: UNIT,
        situation?: answer.text.situation().map(situation),
        over: over.map(|over| served_over(over, position)),
        illegal: illegal_moves(answer.tables.rules(), position),
    }
}

/// The server's answer about many positions: `entries` are positions or errors, and `worths` the worth of each
/// position.
pub fn batch<'a>(
    tables: &'a Tables,
    entries: &'a [Result<Position, Box<ErrorJson>>],
    worths: &'a [Option<Measured<Clamped>>],
) -> impl Serialize + 'a {
    object! {
        ..tables: RulesAndCycles::from(tables),
        unit: UNIT,
        answers: AnswerSequence(tables, entries, worths),
    }
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
enum AnswerJson<'a, P> {
    Position(P),
    Error { error: &'a ErrorJson },
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
                AnswerJson::Position(position_fields(tables, position, worth, clamped, None))
            }
        }))
    }
}

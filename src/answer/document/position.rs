//! Positions with their value and their moves.

use granero::line::Distance;
use granero::prove::Proof;
use granero::{Clamped, House, Measured, Position, Side, Tables, Value};
use schemars::JsonSchema;
use serde::Serialize;

use super::error::ErrorJson;
use super::moves::{IllegalMove, RatedMove};
use super::parts::{Houses, Over, Player, RulesAndCycles, Score, Served, ValueJson, ValueOrBounds};
use crate::proven::best_known;
use crate::words::{Range, reach};
use crate::{PositionAnswer, documents};

documents! {
    /// A position and its value. `clamped` is the value by deciding tables, and `proof` the result of a search, if one
    /// was made.
    pub struct RatedPosition(
        tables: &Tables, at: &Position, value: Option<Measured<Value>>, clamped: Option<Measured<Clamped>>,
        proof: Option<&Proof>
    ) {
        /// The twelve houses, the player to move first.
        position: Houses = at.houses(),
        /// Seeds on the board.
        seeds: u8 = at.seeds(),
        ..value: ValueJson = ValueJson::new(tables.cycles(), value, value.map(|value| value.nominal(at))),
        /// Only if deciding tables cut the value off: what it can be.
        range?: Range = Range::of_cut_off(clamped, at.seeds()),
        /// Only if the value is unknown: why, for people.
        reason?: String = value.is_none().then(|| match tables.max_seeds() {
            most if most < Some(at.seeds()) => reach(tables),
            _ => "the tables hold only what decides the game".into(),
        }),
        /// Only after a search: what it has proven.
        proven?: ProvenJson = proof.map(ProvenJson::new),
    }

    /// What a search has proven of a position.
    #[schemars(rename = "Proven")]
    struct ProvenJson(proof: &Proof) {
        ..range: Range = proof.into(),
        /// The moves with the highest `proven.low`, then the highest `proven.high`; empty if nothing tells moves apart.
        best_known: Vec<char> = best_known(proof, Side::South),
        ..search: Search = Search::new(proof),
    }

    /// A search from a position.
    pub(super) struct Search(proof: &Proof) {
        /// Positions that were searched.
        positions: u64 = proof.nodes,
        /// Its time.
        seconds: f64 = proof.time.as_secs_f64(),
        /// Why the search ended: `settled` (no search proves more), `time`, `positions`, `memory` or `stopped`.
        ended: &'static str = proof.ended.name(),
    }

    /// The output of `granero query --json` for each position, and the server's answer about one. `other` is the answer
    /// of the tables with the other convention for endless play.
    #[schemars(rename = "Position")]
    pub struct PositionJson(answer: &PositionAnswer<'_>, other: Option<&PositionAnswer<'_>>) {
        let over = answer.assessment.over.as_ref();
        let moves = answer.moves();
        ..tables: RulesAndCycles = answer.tables.into(),
        ..position: RatedPosition = RatedPosition::of(answer),
        /// Why the game is over, or `null`.
        over: Option<Over> = over.map(|over| Over::new(over, &answer.assessment.position)),
        /// Moves of best play to the next capture or the end; `null` if endless, unknown, or if bounds differ. Not in
        /// batches, nor from the server.
        distance?: Option<usize> = answer.distance.map(Distance::moves),
        /// Only if nothing is known or proven: an estimate by a search of 100,000 positions.
        estimate?: f64 = answer.estimated(),
        /// Only with stores, if the value is known: the final score with best play; with `own-side` one for each bound.
        r#final?: ValueOrBounds<Score> = answer.scores().map(|ends| ends.map(Score::new).into()),
        /// Only with stores, if deciding tables cut the value off but tell who wins.
        winner?: Player = answer.text.situation().and(answer.winner()).map(Player::from),
        /// The legal moves, the best first; empty if the game is over.
        moves: Vec<RatedMove> = moves.map(|(assessed, proven)| RatedMove::new(answer, assessed, proven)).collect(),
        /// Only from the verb, with tables of both conventions: the same by `own-side`. Not in batches.
        own_side?: Box<PositionJson> = other.map(|other| Box::new(PositionJson::new(other, None))),
        ..served: Option<ServedPosition> = None,
    }

    /// What only the server says of a position.
    struct ServedPosition(answer: &PositionAnswer<'_>) {
        let (rules, position) = (answer.tables.rules(), &answer.assessment.position);
        let refused = House::ALL.into_iter().filter_map(|house| rules.play(position, house).err());
        ..served: Served = Served::new(answer.text.situation()),
        /// From the server: the houses that the player to move cannot play.
        illegal: Vec<IllegalMove> = refused.map(|illegal| IllegalMove::new(illegal.house, illegal.refusal)).collect(),
    }

    /// The server's answer about many positions. `entries` are positions or errors, and `values` the value of each
    /// position.
    pub struct Batch<'a>(
        tables: &Tables, entries: &'a [Result<Position, Box<ErrorJson>>], values: &[Option<Measured<Clamped>>]
    ) {
        let mut values = values.iter();
        ..tables: RulesAndCycles = tables.into(),
        unit: &'static str = super::UNIT,
        /// One for each position; for an invalid one an error.
        answers: Vec<BatchAnswer<'a>> = entries.iter().map(|entry| match entry {
            Err(error) => BatchAnswer::Error { error },
            Ok(position) => {
                let clamped = values.next().copied().flatten();
                let value = clamped.and_then(Measured::exactly);
                BatchAnswer::Position(RatedPosition::new(tables, position, value, clamped, None))
            }
        }).collect(),
    }
}

impl RatedPosition {
    /// The position of an answer.
    pub fn of(answer: &PositionAnswer<'_>) -> RatedPosition {
        let found = &answer.assessment;
        let proven = answer.proven.as_ref();
        RatedPosition::new(
            answer.tables,
            &found.position,
            found.value,
            found.clamped,
            proven,
        )
    }
}

impl PositionJson {
    /// The server's answer: with what a page needs to show the position.
    pub fn served(answer: &PositionAnswer<'_>) -> PositionJson {
        PositionJson {
            served: Some(ServedPosition::new(answer)),
            ..PositionJson::new(answer, None)
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum BatchAnswer<'a> {
    Position(RatedPosition),
    Error { error: &'a ErrorJson },
}

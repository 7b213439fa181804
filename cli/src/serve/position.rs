//! `GET /api/v1/{rules}/position`: what a position and each of its moves is worth.

use std::sync::Arc;

use granero::notation::{PositionText, aalina};
use granero::rules::GameOver;
use granero::table::TableError;
use granero::{House, Position, Ruleset, Side, Situation};
use serde::Serialize;

use super::gate::Gate;
use super::guests::Guest;
use super::problem::Problem;
use super::reply::Reply;
use super::shelf::Volume;
use crate::verb::query;

/// Answers from what is in memory at once, and else from the files when it is its turn.
pub(super) async fn answer(
    volume: &Arc<Volume>,
    text: PositionText,
    files: &Gate,
    guest: &Guest,
) -> Result<Reply, Problem> {
    let at_hand = query::Answer::at_hand(&volume.tables, &text)?;
    let reply = match at_hand.map(|answer| reply(&answer, &text)) {
        Some(reply) => reply,
        None => {
            let volume = Arc::clone(volume);
            let work = move || -> Result<Reply, TableError> {
                let answer = query::Answer::new(&volume.tables, &text)?;
                Ok(reply(&answer, &text))
            };
            files.work(guest.counted(), work).await??
        }
    };
    let keep = volume.keep(text.position().seeds());
    Ok(reply.kept(keep, volume.etag.clone()))
}

fn reply(answer: &query::Answer<'_>, text: &PositionText) -> Reply {
    let position = text.position();
    let mut document = answer.json(None);
    // Here it says more.
    document.over = None;
    Reply::json(&Document {
        answer: document,
        unit: super::UNIT,
        situation: text.situation().map(SituationJson::from),
        over: answer.over().map(|over| OverJson::new(&over, &position)),
        illegal: illegal(answer.rules(), &position),
    })
}

/// The own houses that cannot be played.
fn illegal(rules: Ruleset, position: &Position) -> Vec<IllegalJson> {
    let refused = House::ALL
        .into_iter()
        .filter_map(|house| rules.play(position, house).err());
    refused
        .map(|illegal| IllegalJson {
            house: illegal.house.letter(Side::South),
            reason: illegal.refusal.name(),
            text: illegal.refusal.to_string(),
        })
        .collect()
}

/// What `granero query --json` says, and what a page wants to know beside.
#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    answer: query::Document,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    situation: Option<SituationJson>,
    over: Option<OverJson>,
    illegal: Vec<IllegalJson>,
}

#[derive(Serialize)]
pub(super) struct SituationJson {
    notation: String,
    to_move: &'static str,
    south: u8,
    north: u8,
}

#[derive(Serialize)]
struct OverJson {
    reason: &'static str,
    text: String,
    value: i8,
    mover: u8,
    opponent: u8,
}

#[derive(Serialize)]
struct IllegalJson {
    house: char,
    reason: &'static str,
    text: String,
}

impl From<Situation> for SituationJson {
    fn from(situation: Situation) -> SituationJson {
        SituationJson {
            notation: aalina::write(&situation),
            to_move: match situation.to_move() {
                Side::South => "south",
                Side::North => "north",
            },
            south: situation.store(Side::South),
            north: situation.store(Side::North),
        }
    }
}

impl OverJson {
    fn new(over: &GameOver, position: &Position) -> OverJson {
        OverJson {
            reason: over.reason.name(),
            text: over.reason.to_string(),
            value: over.value.seeds(),
            // In every ruleset, whoever has seeds left takes them from the own side.
            mover: position.own_seeds(),
            opponent: position.opponents_seeds(),
        }
    }
}

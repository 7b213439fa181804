//! `GET /api/v1/{rules}/line`: the best line from a position.

use std::sync::Arc;

use granero::Cycles;
use granero::Situation;
use granero::notation::{PositionText, aalina};
use granero::table::Tables;
use serde::Serialize;

use super::gate::Gate;
use super::guests::Guest;
use super::limits::LARGE_ANSWER;
use super::position::SituationJson;
use super::problem::Problem;
use super::reply::Reply;
use super::shares::Shares;
use super::shelf::Volume;
use crate::document::WorthJson;
use crate::verb::line;
use crate::verb::query;

/// About how many positions are looked at to find a way: a second's work, and 50 MB while
/// it lasts. Few lines take a tenth of it.
const LIMIT: usize = 200_000;

pub(super) async fn answer(
    volume: &Arc<Volume>,
    text: PositionText,
    work: &Gate,
    guest: &Guest,
    answers: &Arc<Shares>,
) -> Result<Reply, Problem> {
    let keep = volume.keep(text.position().seeds());
    let etag = volume.etag.clone();
    let volume = Arc::clone(volume);
    let find = move || reply(&volume.tables, &text);
    let reply = work.work(guest.counted(), find).await??;
    let reply = reply.kept(keep, etag);
    if reply.length() <= LARGE_ANSWER {
        return Ok(reply);
    }
    let place = answers.take(guest.counted());
    Ok(reply.keeping(place.ok_or_else(Problem::overloaded)?))
}

fn reply(tables: &Tables, text: &PositionText) -> Result<Reply, Problem> {
    let found = line::Lines::find(tables, &text.position(), LIMIT, &mut |_| {})?;
    let line = match found {
        // All moves of a line are legal: it can be played.
        Some(lines) => {
            let answer = line::Answer::new(tables, text, lines);
            LineJson::Known(answer.map_err(|_| Problem::internal())?.json())
        }
        None => LineJson::Unknown(Unknown::new(tables, text)),
    };
    Ok(Reply::json(&Document {
        line,
        unit: super::UNIT,
        situation: text.situation().map(SituationJson::from),
    }))
}

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    line: LineJson,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    situation: Option<SituationJson>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum LineJson {
    /// What `granero line --json` says.
    Known(line::Document),
    /// The tables do not reach so far.
    Unknown(Unknown),
}

#[derive(Serialize)]
struct Unknown {
    rules: &'static str,
    cycles: &'static str,
    position: [u8; 12],
    seeds: u8,
    #[serde(flatten)]
    worth: WorthJson,
    reason: String,
    game: String,
    moves: [(); 0],
    end: Option<()>,
    score: Option<()>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<[(); 0]>,
}

impl Unknown {
    fn new(tables: &Tables, text: &PositionText) -> Unknown {
        let position = text.position();
        let situation = text.situation();
        Unknown {
            rules: tables.rules().name(),
            cycles: tables.cycles().name(),
            position: position.houses(),
            seeds: position.seeds(),
            worth: WorthJson::unknown(tables.cycles()),
            reason: query::reach(tables),
            game: aalina::write(&situation.unwrap_or_else(|| Situation::open(position))),
            moves: [],
            end: None,
            score: None,
            lines: (tables.cycles() != Cycles::Split).then_some([]),
        }
    }
}

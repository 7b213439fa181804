//! `GET /api/v1/{rules}/line`: the best line from a position.

use std::sync::Arc;

use granero::Tables;
use granero::notation::PositionText;

use super::gate::Gate;
use super::guests::Guest;
use super::limits::LARGE_ANSWER;
use super::problem::Problem;
use super::reply::Reply;
use super::shares::Shares;
use super::shelf::Volume;
use crate::answer::{BestLines, FoundLines, SERVED_LIMIT};
use crate::document::{LineDocument, ServedLineDocument};

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
    let found = FoundLines::find(tables, &text.position(), SERVED_LIMIT, &mut |_| {})?;
    let line = match found {
        None => LineDocument::unknown(tables, text),
        Some(found) => {
            // All moves of a line are legal: it can be played.
            let best = BestLines::new(tables, text, found);
            LineDocument::from(&best.map_err(|_| Problem::internal())?)
        }
    };
    Ok(Reply::json(&ServedLineDocument::new(line, text)))
}

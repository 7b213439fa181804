//! `GET /api/v1/{rules}/line`: the best line from a position.

use std::sync::Arc;
use std::time::Duration;

use granero::Tables;
use granero::notation::PositionText;

use crate::gate::Gate;
use crate::guests::Guest;
use crate::limits::LARGE_ANSWER;
use crate::problem::Problem;
use crate::reply::Reply;
use crate::searches::Searches;
use crate::shares::Shares;
use crate::shelf::Volume;
use granero_answer::document::{LineDocument, ServedLineDocument};
use granero_answer::{BestLines, FoundLines, SERVED_LIMIT};

/// The memory of a position that a search for a line visits.
const POSITION: u64 = 256;

/// Whether the tables do not reach a position.
pub(super) fn is_beyond(volume: &Volume, text: &PositionText) -> bool {
    volume.tables.max_seeds() < Some(text.position().seeds())
}

/// Finds the line by the tables alone.
pub(super) async fn find(
    volume: &Arc<Volume>,
    text: PositionText,
    work: &Gate,
    guest: &Guest,
) -> Result<Reply, Problem> {
    let keep = volume.keep(text.position().seeds());
    let etag = volume.etag.clone();
    let volume = Arc::clone(volume);
    let find = move || {
        let tables = &volume.tables;
        let found = FoundLines::find(tables, &text.position(), SERVED_LIMIT, &mut |_| {})?;
        reply(tables, &text, found)
    };
    let reply = work.work(guest.counted(), find).await??;
    Ok(reply.kept(keep, etag))
}

/// Follows moves that are proven to be best down into the tables. All searches for proofs together
/// take the time of one.
pub(super) async fn prove(
    volume: &Arc<Volume>,
    text: PositionText,
    time: Duration,
    searches: &Searches,
    guest: &Guest,
) -> Result<Reply, Problem> {
    let volume = Arc::clone(volume);
    let work = searches.work(guest, time, move |search| {
        let (tables, position) = (&volume.tables, text.position());
        // Searches for proofs have given their memory back when the line goes on in the tables.
        let limit = SERVED_LIMIT.min((search.memory() / POSITION) as usize);
        // The game may be over.
        let found = match FoundLines::find(tables, &position, limit, &mut |_| {})? {
            Some(found) => found,
            None => FoundLines::prove(tables, &position, limit, &mut |_| {}, |position| {
                search.prove_next(tables, position)
            })?,
        };
        reply(tables, &text, Some(found))
    });
    work.await?
}

/// Finds a place for an answer that is large.
pub(super) fn held(reply: Reply, guest: &Guest, answers: &Arc<Shares>) -> Result<Reply, Problem> {
    if reply.length() <= LARGE_ANSWER {
        return Ok(reply);
    }
    let place = answers.take(guest.counted());
    Ok(reply.keeping(place.ok_or_else(Problem::overloaded)?))
}

fn reply(
    tables: &Tables,
    text: &PositionText,
    found: Option<FoundLines>,
) -> Result<Reply, Problem> {
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

//! `GET /api/v1/{rules}/line`: finds the best line from a position.

use std::sync::Arc;
use std::time::Duration;

use granero::Tables;
use granero::notation::PositionText;

use crate::connection::Connection;
use crate::limits::{Gate, Searches};
use crate::reply::{Problem, Reply};
use crate::tables::TableSet;
use granero_answer::document::{line, served_line, unknown_line};
use granero_answer::{BestLines, FoundLines, SERVED_LIMIT};

/// The memory for each position that a search for a line visits.
const POSITION: u64 = 256;

/// Returns true if the tables do not reach a position.
pub(crate) fn is_beyond(set: &TableSet, text: &PositionText) -> bool {
    set.tables.max_seeds() < Some(text.position().seeds())
}

/// Finds the line with the tables alone.
pub(crate) async fn find(
    set: &Arc<TableSet>,
    text: PositionText,
    work: &Gate,
    connection: &Connection,
) -> Result<Reply, Problem> {
    let keep = set.keep(text.position().seeds());
    let etag = set.etag.clone();
    let set = Arc::clone(set);
    let find = move || {
        let tables = &set.tables;
        let found = FoundLines::find(tables, &text.position(), SERVED_LIMIT, &mut |_| {})?;
        reply(tables, &text, found)
    };
    let reply = work.work(connection.counted_peer(), find).await??;
    Ok(reply.kept(keep, etag))
}

/// Follows moves that are proven best down into the tables. All proofs share the time of one search.
pub(crate) async fn prove(
    set: &Arc<TableSet>,
    text: PositionText,
    time: Duration,
    searches: &Searches,
    connection: &Connection,
) -> Result<Reply, Problem> {
    let set = Arc::clone(set);
    let work = searches.work(connection, time, move |search| {
        let (tables, position) = (&set.tables, text.position());
        // The proofs have released their memory before the line goes on in the tables.
        let limit = SERVED_LIMIT.min((search.memory / POSITION) as usize);
        // The line is known without a proof if the game is over.
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

fn reply(
    tables: &Tables,
    text: &PositionText,
    found: Option<FoundLines>,
) -> Result<Reply, Problem> {
    let Some(found) = found else {
        return Ok(Reply::json(&served_line(unknown_line(tables, text), text)));
    };
    // Every move of a line is legal, so it can be played.
    let best = BestLines::new(tables, text, found).map_err(|_| Problem::internal())?;
    Ok(Reply::json(&served_line(line(&best), text)))
}

//! `GET /api/v1/{rules}/position`: answers a position and each of its moves.

use std::sync::Arc;

use granero::TableError;
use granero::notation::PositionText;

use crate::connection::Connection;
use crate::limits::Gate;
use crate::reply::{Problem, Reply};
use crate::tables::TableSet;
use granero_answer::PositionAnswer;
use granero_answer::document;

/// Answers at once if memory has all that it takes, else from the files when its turn comes.
pub(crate) async fn answer(
    set: &Arc<TableSet>,
    text: PositionText,
    files: &Gate,
    connection: &Connection,
) -> Result<Reply, Problem> {
    let reply = |answer: &PositionAnswer<'_>| Reply::json(&document::position(answer));
    let reply = match PositionAnswer::cached(&set.tables, &text)? {
        Some(answer) => reply(&answer),
        None => {
            let set = Arc::clone(set);
            let work = move || -> Result<Reply, TableError> {
                let answer = PositionAnswer::new(&set.tables, &text)?;
                Ok(reply(&answer))
            };
            files.work(connection.counted_peer(), work).await??
        }
    };
    let keep = set.keep(text.position().seeds());
    Ok(reply.kept(keep, set.etag.clone()))
}

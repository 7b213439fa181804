//! `GET /api/v1/{rules}/prove`: answers a position beyond the tables, as far
//! as a search can prove it.

use std::sync::Arc;
use std::time::Duration;

use granero::TableError;
use granero::notation::PositionText;

use crate::connection::Connection;
use crate::endpoint::position;
use crate::limits::{Gate, Searches};
use crate::reply::{Problem, Reply};
use crate::tables::TableSet;
use granero_answer::PositionAnswer;
use granero_answer::document;

/// Answers from the tables if they have the position, else searches.
pub(crate) async fn answer(
    set: &Arc<TableSet>,
    text: PositionText,
    time: Option<Duration>,
    searches: &Searches,
    files: &Gate,
    connection: &Connection,
) -> Result<Reply, Problem> {
    let time = searches.time(time)?;
    let is_known = match PositionAnswer::cached(&set.tables, &text)? {
        Some(answer) => !answer.is_beyond(),
        None => Some(text.position().seeds()) <= set.tables.max_seeds(),
    };
    let Some(search_time) = time.filter(|_| !is_known) else {
        return position::answer(set, text, files, connection).await;
    };
    let set = Arc::clone(set);
    let work = searches.work(
        connection,
        search_time,
        move |search| -> Result<Reply, TableError> {
            let mut answer = PositionAnswer::new(&set.tables, &text)?;
            // It may not be: all moves may lead into the tables.
            if answer.is_beyond() {
                answer.prove(&search.prove(&set.tables, &text.position())?);
            }
            Ok(Reply::json(&document::position(&answer)))
        },
    );
    Ok(work.await??)
}

//! `POST /api/v1/{rules}/batch`: answers many positions.

use std::sync::Arc;

use granero::{Position, Tables};

use crate::connection::Connection;
use crate::limits::{BATCH_POSITIONS, Gate, Permits};
use crate::reply::{self, Problem, Reply};
use crate::request::{BatchEntry, Body, position_list};
use crate::tables::TableSet;
use granero_answer::document;
use granero_answer::worths;

/// Answers a batch. Also returns the number of positions.
pub(crate) async fn answer(
    set: &Arc<TableSet>,
    connection: &Connection,
    body: Body,
    work: &Gate,
    answers: &Arc<Permits>,
) -> Result<(Reply, usize), Problem> {
    let permit = answers.take(connection.counted_peer())?;
    let set = Arc::clone(set);
    let look_up = move || -> Result<(Vec<u8>, usize), Problem> {
        let entries = position_list::parse(&body.bytes, BATCH_POSITIONS)?;
        drop(body);
        let answer = document(&set.tables, &entries)?;
        Ok((answer, entries.len()))
    };
    let (answer, positions) = work.work(connection.counted_peer(), look_up).await??;
    let reply = Reply::new(reply::JSON, answer).with_permit(|| Ok(permit))?;
    Ok((reply, positions))
}

/// Looks up the positions of a batch, and writes the document.
fn document(tables: &Tables, entries: &[BatchEntry]) -> Result<Vec<u8>, Problem> {
    let positions: Vec<Position> = entries.iter().flatten().copied().collect();
    let worths = worths(tables, &positions)?;
    let batch = document::batch(tables, entries, &worths);
    let mut answer = serde_json::to_vec(&batch).expect("numbers and names are JSON");
    answer.shrink_to_fit();
    Ok(answer)
}

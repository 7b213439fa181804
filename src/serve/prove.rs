//! `GET /api/v1/{rules}/prove`: what a position is worth, as far as a search can prove it.

use std::sync::Arc;
use std::time::Duration;

use granero::TableError;
use granero::notation::PositionText;

use crate::gate::Gate;
use crate::guests::Guest;
use crate::position;
use crate::problem::Problem;
use crate::reply::Reply;
use crate::searches::Searches;
use crate::shelf::Volume;
use granero_answer::PositionAnswer;
use granero_answer::document::PositionDocument;

/// Answers from the tables if they say what the position is worth, and else searches.
pub(super) async fn answer(
    volume: &Arc<Volume>,
    text: PositionText,
    time: Option<Duration>,
    searches: &Searches,
    files: &Gate,
    guest: &Guest,
) -> Result<Reply, Problem> {
    let time = searches.time(time)?;
    let cached = PositionAnswer::cached(&volume.tables, &text)?;
    let is_known = match cached {
        Some(answer) => !answer.is_beyond(),
        None => Some(text.position().seeds()) <= volume.tables.max_seeds(),
    };
    let Some(time) = time.filter(|_| !is_known) else {
        return position::answer(volume, text, files, guest).await;
    };
    let volume = Arc::clone(volume);
    let work = searches.work(guest, time, move |search| -> Result<Reply, TableError> {
        let mut answer = PositionAnswer::new(&volume.tables, &text)?;
        // All moves may lead into the tables.
        if answer.is_beyond() {
            answer.prove(&search.prove(&volume.tables, &text.position())?);
        }
        Ok(Reply::json(&PositionDocument::from(&answer)))
    });
    Ok(work.await??)
}

//! `GET /api/v1/{rules}/position`: what a position and each of its moves is worth.

use std::sync::Arc;

use granero::TableError;
use granero::notation::PositionText;

use crate::gate::Gate;
use crate::guests::Guest;
use crate::problem::Problem;
use crate::reply::Reply;
use crate::shelf::Volume;
use granero_answer::PositionAnswer;
use granero_answer::document::PositionDocument;

/// Answers from what is in memory at once, and else from the files when it is its turn.
pub(super) async fn answer(
    volume: &Arc<Volume>,
    text: PositionText,
    files: &Gate,
    guest: &Guest,
) -> Result<Reply, Problem> {
    let cached = PositionAnswer::cached(&volume.tables, &text)?;
    let reply = |answer: &PositionAnswer<'_>| Reply::json(&PositionDocument::from(answer));
    let reply = match cached {
        Some(answer) => reply(&answer),
        None => {
            let volume = Arc::clone(volume);
            let work = move || -> Result<Reply, TableError> {
                let answer = PositionAnswer::new(&volume.tables, &text)?;
                Ok(reply(&answer))
            };
            files.work(guest.counted(), work).await??
        }
    };
    let keep = volume.keep(text.position().seeds());
    Ok(reply.kept(keep, volume.etag.clone()))
}

//! `POST /api/v1/{rules}/judge`: what the moves of a game were worth.

use std::sync::Arc;

use granero::Tables;
use granero::judge::Judgement;
use serde::Deserialize;

use crate::batch::Body;
use crate::gate::Gate;
use crate::guests::Guest;
use crate::limits::LARGE_ANSWER;
use crate::problem::Problem;
use crate::reply::Reply;
use crate::shares::Shares;
use crate::shelf::Volume;
use granero_answer::ChosenGame;
use granero_answer::document::ServedJudgeDocument;

/// The body of a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    /// Games in any notation.
    text: String,
    /// Which of them is judged, counted from 1.
    #[serde(default = "first")]
    game: usize,
}

fn first() -> usize {
    1
}

pub(super) async fn answer(
    volume: &Arc<Volume>,
    guest: &Guest,
    body: Body,
    work: &Gate,
    answers: &Arc<Shares>,
) -> Result<Reply, Problem> {
    let place = answers.take(guest.counted());
    let place = place.ok_or_else(Problem::overloaded)?;
    let volume = Arc::clone(volume);
    let judge = move || -> Result<Reply, Problem> {
        let chosen = read(body.bytes())?;
        drop(body);
        reply(&volume.tables, chosen)
    };
    let reply = work.work(guest.counted(), judge).await??;
    Ok(match reply.length() {
        ..=LARGE_ANSWER => reply,
        _ => reply.keeping(place),
    })
}

/// The game that is asked for.
fn read(body: &[u8]) -> Result<ChosenGame, Problem> {
    let question: Question = serde_json::from_slice(body).map_err(|error| {
        // An error about the data would repeat it.
        let what = match error.is_data() {
            true => "it is JSON, but no object with a text".into(),
            false => error.to_string(),
        };
        Problem::bad_question(format!("the body is not the question for a game: {what}"))
    })?;
    ChosenGame::of(&question.text, question.game).map_err(Problem::no_game)
}

fn reply(tables: &Tables, ChosenGame { game, games }: ChosenGame) -> Result<Reply, Problem> {
    let judgement = Judgement::new(tables, &game)?;
    Ok(Reply::json(&ServedJudgeDocument::new(
        tables, game, &judgement, games,
    )))
}

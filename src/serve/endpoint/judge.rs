//! `POST /api/v1/{rules}/judge`: judges the moves of a game.

use std::sync::Arc;

use granero::Tables;
use granero::judge::Judgement;
use serde::Deserialize;

use crate::connection::register::Connection;
use crate::limits::gate::Gate;
use crate::limits::permits::Permits;
use crate::reply::Reply;
use crate::reply::problem::Problem;
use crate::request::body::Body;
use crate::tables::catalogue::TableSet;
use granero_answer::ChosenGame;
use granero_answer::document::ServedJudgeDocument;

/// The body of a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    /// Games in any notation.
    text: String,
    /// The number of the game to judge, from 1.
    #[serde(default = "first")]
    game: usize,
}

fn first() -> usize {
    1
}

pub(crate) async fn answer(
    set: &Arc<TableSet>,
    connection: &Connection,
    body: Body,
    work: &Gate,
    answers: &Arc<Permits>,
) -> Result<Reply, Problem> {
    let permit = answers.take(connection.counted_peer())?;
    let set = Arc::clone(set);
    let judge = move || -> Result<Reply, Problem> {
        let chosen = read(&body.bytes)?;
        drop(body);
        reply(&set.tables, chosen)
    };
    let reply = work.work(connection.counted_peer(), judge).await??;
    reply.with_permit(|| Ok(permit))
}

/// Reads the game that is asked for.
fn read(body: &[u8]) -> Result<ChosenGame, Problem> {
    let question: Question = serde_json::from_slice(body).map_err(|error| {
        let what = if error.is_data() {
            // Its own text would repeat the data.
            "it is JSON, but not an object with a text".into()
        } else {
            error.to_string()
        };
        Problem::bad_question(format!("the body does not ask about a game: {what}"))
    })?;
    ChosenGame::of(&question.text, question.game).map_err(Problem::no_game)
}

fn reply(tables: &Tables, ChosenGame { game, games }: ChosenGame) -> Result<Reply, Problem> {
    let judgement = Judgement::new(tables, &game)?;
    Ok(Reply::json(&ServedJudgeDocument::new(
        tables, game, &judgement, games,
    )))
}

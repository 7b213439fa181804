//! `POST /api/v1/{rules}/judge`: what the moves of a game were worth.

use std::sync::Arc;

use granero::judge::Judgement;
use granero::{Game, Tables, notation};
use serde::Deserialize;

use super::batch::Body;
use super::gate::Gate;
use super::guests::Guest;
use super::limits::{GAME_MOVES, LARGE_ANSWER};
use super::problem::Problem;
use super::reply::Reply;
use super::shares::Shares;
use super::shelf::Volume;
use crate::document::ServedJudgeDocument;

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
        let (game, games) = read(body.bytes())?;
        drop(body);
        reply(&volume.tables, game, games)
    };
    let reply = work.work(guest.counted(), judge).await??;
    Ok(match reply.length() {
        ..=LARGE_ANSWER => reply,
        _ => reply.keeping(place),
    })
}

/// The game that is asked for, and how many there are.
fn read(body: &[u8]) -> Result<(Game, usize), Problem> {
    let question: Question = serde_json::from_slice(body).map_err(|error| {
        // An error about the data would repeat it.
        let what = match error.is_data() {
            true => "it is JSON, but no object with a text".into(),
            false => error.to_string(),
        };
        Problem::bad_question(format!("the body is not the question for a game: {what}"))
    })?;
    let mut chosen = None;
    let mut games = 0;
    for game in notation::games(&question.text) {
        let game = game.map_err(|error| Problem::bad_game(&error, &question.text))?;
        games += 1;
        if games == question.game {
            chosen = Some(game);
        }
    }
    let game = chosen.ok_or_else(|| Problem::no_such_game(question.game, games))?;
    if game.moves.len() > GAME_MOVES {
        return Err(Problem::too_many_moves(GAME_MOVES));
    }
    Ok((game, games))
}

fn reply(tables: &Tables, game: Game, games: usize) -> Result<Reply, Problem> {
    let judgement = Judgement::new(tables, &game)?;
    Ok(Reply::json(&ServedJudgeDocument::new(
        tables, game, &judgement, games,
    )))
}

//! `POST /api/v1/{rules}/judge`: judges the moves of a game.

use granero::judge::{self, Judgement};
use granero::prove::{Budget, Ended};
use granero::{Position, TableError};
use granero_answer::chosen_game;
use granero_answer::document::ServedJudgement;
use serde::Deserialize;

use crate::limits::{GAME_BYTES, take};
use crate::problem::Problem;
use crate::reply::{Answer, JSON, Reply};
use crate::searches::{DEFAULT, SearchTurn};
use crate::site::Asked;
use crate::tables::TableSet;

/// The body of a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    /// Games in any notation.
    text: String,
    /// The number of the game to judge; without it, the first.
    game: Option<usize>,
}

/// Judges a game by the tables and by all that is proven. With a time, searches for more proofs.
pub(crate) async fn answer(mut asked: Asked) -> Answer {
    if asked.body_type()? != JSON {
        return Err(Problem::unsupported_media_type());
    }
    let (rules, parameters) = asked.parameters(&["cycles", "time"])?;
    let time = asked.site.searches.time(parameters.time)?;
    let body = asked.read(GAME_BYTES, "games").await?;
    let site = asked.site;
    let set = site.served.set(rules, parameters.cycles);
    let permit = take(&site.answers)?;
    let searches = site.searches.longest.is_some();
    let judge = move |search: Option<SearchTurn>| -> Answer {
        let hint = "send a JSON object like {\"text\": \"1. F f 2. B e\"}";
        let question = serde_json::from_slice::<Question>(&body.0);
        let question = question.map_err(|error| Problem::bad_json("a game", &error, hint))?;
        drop(body);
        let (game, games) = chosen_game(&question.text, question.game.unwrap_or(1))?;
        let tables = &set.tables;
        let beyond = if searches {
            judge::beyond(tables, &game)
        } else {
            Vec::new()
        };
        if let Some(search) = search {
            prove(&set, &beyond, &search)?;
        }
        let proof = |position: &_| Ok(set.proof(position));
        let judgement = Judgement::with_proofs(tables, &game, proof)?;
        let open = beyond
            .iter()
            .filter(|position| next(&set, position).is_some())
            .count();
        let counts = [beyond.len() - open, open];
        let judged = ServedJudgement::new(tables, &game, &judgement, games, counts);
        Ok(Reply::json(&judged))
    };
    let reply = match time {
        None => site.work.work(|| judge(None)).await??,
        Some(time) => {
            let search = |search| judge(Some(search));
            site.searches.work(time, search).await??
        }
    };
    reply.with_permit(|| Ok(permit))
}

/// Returns the next search from a position that has not had its time yet.
fn next(set: &TableSet, position: &Position) -> Option<Budget> {
    Budget::time(DEFAULT).next(set.proof(position).as_ref(), position.seeds())
}

/// Searches from these positions as long as the time lasts, in turn: first those that had least.
fn prove(set: &TableSet, beyond: &[Position], search: &SearchTurn) -> Result<(), TableError> {
    for number in 0.. {
        let open = beyond
            .iter()
            .filter_map(|position| Some((position, next(set, position)?)));
        let had = |(position, _): &(&Position, Budget)| set.proof(position).map(|proof| proof.time);
        let Some((position, next)) = open.min_by_key(had) else {
            break;
        };
        let (time, left) = (next.time.unwrap_or_default(), search.left());
        // A search that is cut short proves less than a whole one.
        if left < time && number > 0 {
            break;
        }
        let mut proof = search.prove(time.min(left), &set.tables, position)?;
        if proof.ended == Ended::Stopped {
            break;
        }
        if let Some(known) = set.proof(position) {
            proof = proof.joined(&known);
        }
        set.keep_proof(*position, proof);
    }
    Ok(())
}

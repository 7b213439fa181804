//! `POST /api/v1/{rules}/judge`: judges the moves of a game.

use granero::judge::{self, Judgement};
use granero::prove::{Budget, Ended};
use granero::{Game, Position, TableError};
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
    // The limit of the searches from each position, if there are searches.
    let budget = site.searches.longest.map(|_| Budget::time(DEFAULT));
    let judge = move |search: Option<SearchTurn>| -> Answer {
        let (game, games) = read(&body.0)?;
        drop(body);
        if let (Some(search), Some(budget)) = (search, budget) {
            prove(&set, &game, budget, &search)?;
        }
        reply(&set, &game, games, budget)
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

/// Returns the positions of a game that have not had their time yet.
fn open_positions(set: &TableSet, game: &Game, budget: Option<Budget>) -> Vec<Position> {
    let Some(budget) = budget else {
        return Vec::new();
    };
    let mut positions = judge::beyond(&set.tables, game);
    let next = |position: &Position| budget.next(set.proof(position).as_ref(), position.seeds());
    positions.retain(|position| next(position).is_some());
    positions
}

/// Searches from the positions of a game as long as the time lasts, in turn: first those that had least.
fn prove(
    set: &TableSet,
    game: &Game,
    budget: Budget,
    search: &SearchTurn,
) -> Result<(), TableError> {
    for number in 0.. {
        let time = |position: &Position| set.proof(position).map(|proof| proof.time);
        let open = open_positions(set, game, Some(budget)).into_iter();
        let Some(position) = open.min_by_key(time) else {
            break;
        };
        let known = set.proof(&position);
        let next = budget.next(known.as_ref(), position.seeds());
        let next = next.and_then(|next| next.time).unwrap_or_default();
        let left = search.left();
        // A search that is cut short proves less than a whole one.
        if left < next && number > 0 {
            break;
        }
        let mut proof = search.prove(next.min(left), &set.tables, &position)?;
        if proof.ended == Ended::Stopped {
            break;
        }
        if let Some(known) = known {
            proof = proof.joined(&known);
        }
        set.keep_proof(position, proof);
    }
    Ok(())
}

fn read(body: &[u8]) -> Result<(Game, usize), Problem> {
    let hint = "send a JSON object like {\"text\": \"1. F f 2. B e\"}";
    let question = serde_json::from_slice::<Question>(body);
    let question = question.map_err(|error| Problem::bad_json("a game", &error, hint))?;
    Ok(chosen_game(&question.text, question.game.unwrap_or(1))?)
}

/// Judges a game by the tables and by the proofs that are there.
fn reply(set: &TableSet, game: &Game, games: usize, budget: Option<Budget>) -> Answer {
    let tables = &set.tables;
    let judgement = Judgement::with_proofs(tables, game, |position| Ok(set.proof(position)))?;
    let open = open_positions(set, game, budget).len();
    let all = budget.map_or(0, |_| judge::beyond(tables, game).len());
    let counts = [all - open, open];
    let judged = ServedJudgement::new(tables, game, &judgement, games, counts);
    Ok(Reply::json(&judged))
}

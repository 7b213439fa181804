//! The moves of a recorded game, judged.

use std::iter;

use granero::judge::{Class, Count, JudgedMove, Judgement, decided};
use granero::player::Player;
use granero::{
    Cycles, FinalScore, Game, Measured, Move, ReplayError, ReplayErrorReason, Side, Situation,
    Tables, Value,
};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::UNIT;
use super::parts::{Fields, RulesAndCycles, final_score, number, side as player_name};
use crate::object;
use crate::proven::Effort;

/// The depth of the search for an estimate, in moves.
const DEPTH: u8 = 6;

/// The output of `granero judge --json`.
pub fn judge(tables: &Tables, game: &Game, judgement: &Judgement) -> impl Serialize + use<> {
    let favours = match tables.cycles() {
        Cycles::Split => None,
        Cycles::OwnSide => game.favours(),
    };
    // Decided endless play leaves each move one value.
    let cycles = match favours {
        None => tables.cycles(),
        Some(_) => Cycles::Split,
    };
    let player = |side| {
        let summary = judgement.player(side);
        let [changed_winner, gave_away, harmless] = summary.wrong;
        object! {
            name?: game.player(side).map(String::from),
            judged: summary.judged,
            best: summary.best,
            ..errors: errors(cycles, summary.lost, summary.given_up),
            // The number of moves of each class.
            ..changed_winner: CountJson("changed_winner", changed_winner, 1.0),
            ..gave_away: CountJson("gave_away", gave_away, 1.0),
            ..harmless: CountJson("harmless", harmless, 1.0),
            worst: summary.worst.map(|worst| worst.number),
        }
    };
    let moves = judgement.moves.iter();
    object! {
        ..tables: RulesAndCycles::from(tables),
        variant: game.tag("Variant").map(String::from),
        favours?: favours.map(player_name),
        length: game.moves.len(),
        beyond: judgement.beyond,
        cut_off?: (!tables.extent().is_full()).then_some(judgement.cut_off),
        moves: moves.map(|judged| judged_move(cycles, game, judged)).collect::<Vec<_>>(),
        south: player(Side::South),
        north: player(Side::North),
        error: judgement.error.as_ref().map(|error| replay_error(game, error)),
    }
}

/// The server's answer: the verb's document, and what a page needs to show it. `searched` and `to_search` count
/// the positions beyond the tables from which the search is done, and from which it is not; `games` counts the
/// games in the text.
pub fn served_judge(
    tables: &Tables,
    mut game: Game,
    judgement: &Judgement,
    games: usize,
    [searched, to_search]: [usize; 2],
) -> impl Serialize + use<> {
    let document = judge(tables, &game, judgement);
    if let Some(error) = &judgement.error {
        game.moves.truncate(error.number - 1);
    }
    let moves = game.moves.iter().map(|played| played.sown.letter());
    object! {
        ..judgement: document,
        unit: UNIT,
        // The first position and the moves up to the first that is impossible.
        game: format!("{} {}", game.start, moves.collect::<String>()),
        // The number of the first move; `second` is true if it is the second of a round.
        first: game.numbering.first,
        second: game.numbering.second,
        games: games,
        searched: searched,
        to_search: to_search,
        estimates: estimates(tables, &game),
    }
}

/// South's seeds at the end, as a player expects them, before the first move and after each; `None` within the
/// tables and when the game is over.
fn estimates(tables: &Tables, game: &Game) -> Vec<Option<u8>> {
    let player = Player::without_tables(tables.rules());
    let plies = game.plies(tables.rules()).map_while(Result::ok);
    let situations = iter::once(game.start).chain(plies.map(|ply| ply.after));
    let estimate = |situation: Situation| {
        let position = situation.position();
        if tables.max_seeds() >= Some(position.seeds()) {
            return None;
        }
        let choice = player.choose(&position, DEPTH, || false).ok()??;
        let end = FinalScore::new(&situation, choice.value);
        Some(end.seeds(Side::South).round() as u8)
    };
    situations.map(estimate).collect()
}

/// The seeds that a move costs, or all moves of a player, and the difference between the players. With
/// bounds a move can be wrong in two ways.
fn errors(cycles: Cycles, lost: Count, given_up: Count) -> impl Serialize {
    let is_proven = given_up.least == given_up.most;
    object! {
        ..given_away: CountJson("given_away", lost, 2.0),
        ..lost: CountJson("difference_lost", lost, 1.0),
        // `null` if it is not proven.
        given_up?: (cycles == Cycles::OwnSide)
            .then(|| is_proven.then(|| number(given_up.least as f64 / 2.0))),
    }
}

/// A count divided by a number: one field if it is settled, else the least and the most.
struct CountJson(&'static str, Count, f64);

impl Serialize for CountJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let &CountJson(name, Count { least, most }, divisor) = self;
        let of = |count: usize| number(count as f64 / divisor);
        let mut map = serializer.serialize_map(None)?;
        if least == most {
            map.serialize_entry(name, &of(least))?;
        } else {
            map.serialize_entry(&format!("{name}_at_least"), &of(least))?;
            map.serialize_entry(&format!("{name}_at_most"), &of(most))?;
        }
        map.end()
    }
}

fn judged_move(cycles: Cycles, game: &Game, judged: &JudgedMove) -> impl Serialize + use<> {
    let (before, side) = (&judged.ply.before, judged.side());
    let letters =
        |moves: Vec<Move>| -> Vec<_> { moves.iter().map(|play| play.house.letter(side)).collect() };
    let position = before.position();
    let letter = judged.ply.play.house.letter(side);
    // Beyond the tables, one number if it is settled.
    let shown = |worth: Measured<Value>| match (cycles, worth.exact()) {
        (Cycles::Split, Some(value)) => Measured::Value(value),
        _ => worth,
    };
    let [worth, played] = [judged.worth, judged.played].map(shown);
    let ends =
        |worth: Measured<Value>| worth.map(|value| final_score(FinalScore::new(before, value)));
    let count = |least: u8, most: u8| Count {
        least: least.into(),
        most: most.into(),
    };
    let lost = count(judged.lost_at_least(), judged.lost_at_most());
    let given_up = judged.given_up();
    let given_up = count(given_up.unwrap_or(0), given_up.unwrap_or(1));
    object! {
        number: judged.number,
        label: label(game, judged.number, letter),
        r#move: letter,
        position: position.houses(),
        seeds: position.seeds(),
        // The seeds that both players had captured before the move.
        stores: object! {
            south: before.store(Side::South),
            north: before.store(Side::North),
        },
        // The worth of the position to the player who moved.
        ..worth: Fields::of_worth(worth.map(Value::seeds)),
        // The moves that are certainly best.
        best: letters(judged.best()),
        best_known: letters(judged.best_known()),
        ..played: Fields::named("played", ["played_low", "played_high"], played.map(Value::seeds)),
        ..errors: errors(cycles, lost, given_up),
        // `null` if the proof does not settle it.
        class: judged.class().map(Class::name),
        class_at_least: judged.class_at_least().name(),
        // True if hardly anything is proven.
        unknown: judged.is_unknown(),
        // True if a player had captured more than half of all seeds before the move.
        decided: decided(before).is_some(),
        // The end of the game with best play from before the move, and after it.
        ..promised: Fields::named("final", ["final_low", "final_high"], ends(worth)),
        ..left: Fields::named(
            "final_played",
            ["final_played_low", "final_played_high"],
            ends(played),
        ),
        // Beyond the tables.
        search?: judged.proof().map(|proof| object! {
            ..effort: Effort::from(proof),
            ended: proof.ended.name(),
        }),
    }
}

/// The number of a move in the record, and its house: `35… a`.
fn label(game: &Game, number: usize, letter: char) -> String {
    format!("{} {letter}", game.numbering.of(number - 1))
}

/// The first move that cannot have been played.
fn replay_error(game: &Game, error: &ReplayError) -> impl Serialize + use<> {
    let legal = match &error.reason {
        ReplayErrorReason::Illegal { side, legal, .. }
        | ReplayErrorReason::NotTheMover { side, legal } => Some(
            legal
                .iter()
                .map(|house| house.letter(*side))
                .collect::<Vec<_>>(),
        ),
        _ => None,
    };
    object! {
        number: error.number,
        label: label(game, error.number, error.sown.letter()),
        r#move: error.sown.letter(),
        reason: error.reason.to_string(),
        legal?: legal,
    }
}

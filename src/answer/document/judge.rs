//! The moves of a recorded game, judged.

use std::iter;

use granero::judge::{self, Class, Count, JudgedMove, Judgement};
use granero::player::Player;
use granero::{
    Cycles, FinalScore, Game, Measured, Move, ReplayError, ReplayErrorReason, Side, Situation,
    Tables, Value,
};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Number;

use super::UNIT;
use super::parts::fields::Fields;
use super::parts::rules_and_cycles::RulesAndCycles;
use super::parts::score::{FinalScoreJson, number};
use super::parts::situation::side as player_name;
use crate::proven::Effort;

/// The output of `granero judge --json`.
#[derive(Serialize)]
pub struct JudgeDocument {
    #[serde(flatten)]
    tables: RulesAndCycles,
    variant: Option<String>,
    /// Set with endless play by own-side, if it is decided for a player.
    #[serde(skip_serializing_if = "Option::is_none")]
    favours: Option<&'static str>,
    length: usize,
    beyond: usize,
    /// Set with deciding tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut_off: Option<usize>,
    moves: Vec<JudgedMoveJson>,
    south: PlayerJson,
    north: PlayerJson,
    error: Option<ReplayErrorJson>,
}

/// The server's answer: the verb's document, and what a page needs to show it.
#[derive(Serialize)]
pub struct ServedJudgeDocument {
    #[serde(flatten)]
    judgement: JudgeDocument,
    unit: &'static str,
    /// The first position and the moves up to the first that is impossible.
    game: String,
    /// The number of the first move; `second` is true if it is the second of a round.
    first: u32,
    second: bool,
    /// The number of games in the text.
    games: usize,
    /// The number of positions from which the search is done, and of those from which it is not.
    searched: usize,
    to_search: usize,
    /// South's seeds at the end, as a player expects them, before the first move and after each; `None` within
    /// the tables and when the game is over.
    estimates: Vec<Option<u8>>,
}

/// The depth of the search for an estimate, in moves.
const DEPTH: u8 = 6;

#[derive(Serialize)]
struct JudgedMoveJson {
    number: usize,
    /// The number in the record, and the move: `35… a`.
    label: String,
    r#move: char,
    position: [u8; 12],
    seeds: u8,
    /// The seeds that both players had captured before the move.
    stores: StoresJson,
    /// The worth of the position to the player who moved.
    #[serde(flatten)]
    worth: Fields<i8>,
    /// The moves that are certainly best.
    best: Vec<char>,
    best_known: Vec<char>,
    /// The worth of the move that was played.
    #[serde(flatten)]
    played: Fields<i8>,
    #[serde(flatten)]
    errors: Errors,
    /// `None` if the proof does not settle it.
    class: Option<&'static str>,
    /// The mildest class that the move may have.
    class_at_least: &'static str,
    /// True if hardly anything is proven.
    unknown: bool,
    /// True if a player had captured more than half of all seeds before the move.
    decided: bool,
    /// The end of the game with best play from before the move, and after it.
    #[serde(flatten)]
    promised: Fields<FinalScoreJson>,
    #[serde(flatten)]
    left: Fields<FinalScoreJson>,
    /// The search, beyond the tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<SearchJson>,
}

#[derive(Serialize)]
struct StoresJson {
    south: u8,
    north: u8,
}

#[derive(Serialize)]
struct SearchJson {
    #[serde(flatten)]
    effort: Effort,
    ended: &'static str,
}

/// The seeds that a move costs, or all moves of a player, and the difference between the players. With
/// bounds a move can be wrong in two ways.
#[derive(Serialize)]
struct Errors {
    #[serde(flatten)]
    given_away: CountJson,
    #[serde(flatten)]
    lost: CountJson,
    /// `None` if positions have values, `null` if it is not proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    given_up: Option<Option<Number>>,
}

struct CountJson(&'static str, Count, f64);

#[derive(Serialize)]
struct PlayerJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    judged: usize,
    best: usize,
    #[serde(flatten)]
    errors: Errors,
    /// The number of moves of each class.
    #[serde(flatten)]
    changed_winner: CountJson,
    #[serde(flatten)]
    gave_away: CountJson,
    #[serde(flatten)]
    harmless: CountJson,
    worst: Option<usize>,
}

/// The first move that cannot have been played.
#[derive(Serialize)]
struct ReplayErrorJson {
    number: usize,
    label: String,
    r#move: char,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    legal: Option<Vec<char>>,
}

impl JudgeDocument {
    pub fn new(tables: &Tables, game: &Game, judgement: &Judgement) -> JudgeDocument {
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
            PlayerJson {
                name: game.player(side).map(String::from),
                judged: summary.judged,
                best: summary.best,
                errors: Errors::new(cycles, summary.lost, summary.given_up),
                changed_winner: CountJson("changed_winner", changed_winner, 1.0),
                gave_away: CountJson("gave_away", gave_away, 1.0),
                harmless: CountJson("harmless", harmless, 1.0),
                worst: summary.worst.map(|worst| worst.number),
            }
        };
        let moves = judgement.moves.iter();
        JudgeDocument {
            tables: RulesAndCycles::from(tables),
            variant: game.tag("Variant").map(String::from),
            favours: favours.map(player_name),
            length: game.moves.len(),
            beyond: judgement.beyond,
            cut_off: (!tables.extent().is_full()).then_some(judgement.cut_off),
            moves: moves
                .map(|judged| JudgedMoveJson::of(cycles, game, judged))
                .collect(),
            south: player(Side::South),
            north: player(Side::North),
            error: judgement
                .error
                .as_ref()
                .map(|error| ReplayErrorJson::of(game, error)),
        }
    }
}

impl ServedJudgeDocument {
    /// `searched` and `to_search` count positions beyond the tables.
    pub fn new(
        tables: &Tables,
        mut game: Game,
        judgement: &Judgement,
        games: usize,
        [searched, to_search]: [usize; 2],
    ) -> ServedJudgeDocument {
        let document = JudgeDocument::new(tables, &game, judgement);
        if let Some(error) = &judgement.error {
            game.moves.truncate(error.number - 1);
        }
        let estimates = estimates(tables, &game);
        let moves = game.moves.iter().map(|played| played.sown.letter());
        ServedJudgeDocument {
            judgement: document,
            unit: UNIT,
            game: format!("{} {}", game.start, moves.collect::<String>()),
            first: game.numbering.first,
            second: game.numbering.second,
            games,
            searched,
            to_search,
            estimates,
        }
    }
}

/// Estimates how a game ends, before its first move and after each, where the tables do not say it.
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

impl Errors {
    fn new(cycles: Cycles, lost: Count, given_up: Count) -> Errors {
        let is_proven = given_up.least == given_up.most;
        Errors {
            given_away: CountJson("given_away", lost, 2.0),
            lost: CountJson("difference_lost", lost, 1.0),
            given_up: (cycles == Cycles::OwnSide)
                .then(|| is_proven.then(|| number(given_up.least as f64 / 2.0))),
        }
    }
}

/// A count divided by a number: one field if it is settled, else the least and the most.
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

impl JudgedMoveJson {
    fn of(cycles: Cycles, game: &Game, judged: &JudgedMove) -> JudgedMoveJson {
        let (before, side) = (&judged.ply.before, judged.side());
        let letters = |moves: Vec<Move>| moves.iter().map(|play| play.house.letter(side)).collect();
        let position = before.position();
        let letter = judged.ply.play.house.letter(side);
        // Beyond the tables, one number if it is settled.
        let shown = |worth: Measured<Value>| match (cycles, worth.exact()) {
            (Cycles::Split, Some(value)) => Measured::Value(value),
            _ => worth,
        };
        let [worth, played] = [judged.worth, judged.played].map(shown);
        let ends = |worth: Measured<Value>| {
            worth.map(|value| FinalScoreJson::from(FinalScore::new(before, value)))
        };
        let count = |least: u8, most: u8| Count {
            least: least.into(),
            most: most.into(),
        };
        let given_up = judged.given_up();
        JudgedMoveJson {
            number: judged.number,
            label: label(game, judged.number, letter),
            r#move: letter,
            position: position.houses(),
            seeds: position.seeds(),
            stores: StoresJson {
                south: before.store(Side::South),
                north: before.store(Side::North),
            },
            worth: Fields::of_worth(worth.map(Value::seeds)),
            best: letters(judged.best()),
            best_known: letters(judged.best_known()),
            played: Fields::named(
                "played",
                ["played_low", "played_high"],
                played.map(Value::seeds),
            ),
            errors: Errors::new(
                cycles,
                count(judged.lost_at_least(), judged.lost_at_most()),
                count(given_up.unwrap_or(0), given_up.unwrap_or(1)),
            ),
            class: judged.class().map(Class::name),
            class_at_least: judged.class_at_least().name(),
            unknown: judged.is_unknown(),
            decided: judge::decided(before).is_some(),
            promised: Fields::named("final", ["final_low", "final_high"], ends(worth)),
            left: Fields::named(
                "final_played",
                ["final_played_low", "final_played_high"],
                ends(played),
            ),
            search: judged.proof().map(|proof| SearchJson {
                effort: proof.into(),
                ended: proof.ended.name(),
            }),
        }
    }
}

/// The number of a move in the record, and its house.
fn label(game: &Game, number: usize, letter: char) -> String {
    format!("{} {letter}", game.numbering.of(number - 1))
}

impl ReplayErrorJson {
    fn of(game: &Game, error: &ReplayError) -> ReplayErrorJson {
        let legal = match &error.reason {
            ReplayErrorReason::Illegal { side, legal, .. }
            | ReplayErrorReason::NotTheMover { side, legal } => {
                Some(legal.iter().map(|house| house.letter(*side)).collect())
            }
            _ => None,
        };
        ReplayErrorJson {
            number: error.number,
            label: label(game, error.number, error.sown.letter()),
            r#move: error.sown.letter(),
            reason: error.reason.to_string(),
            legal,
        }
    }
}

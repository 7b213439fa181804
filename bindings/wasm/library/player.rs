//! Questions that need no tables: legal moves, and the player, who chooses moves, estimates them, and tells how easily
//! one errs.

use std::collections::BTreeMap;
use std::time::Duration;

use granero::notation::PositionText;
use granero::player::{Difficulty, Player};
use granero::{House, Ruleset, Side};
use granero_answer::document::{ErrorCode, ErrorDocument, ErrorJson, LegalMoves};
use granero_answer::{Estimates, POSITIONS};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;
use web_time::Instant;

use crate::{Question, json};

/// The positions that are searched between two looks at the clock.
const PATIENCE: u32 = 1024;

#[derive(Serialize)]
struct ChoiceJson {
    /// `null` if the game is over.
    house: Option<char>,
}

#[derive(Serialize)]
struct EstimatesJson {
    /// The value of the best move; `null` if the game is over.
    estimate: Option<f64>,
    moves: BTreeMap<char, f64>,
}

#[derive(Serialize)]
struct DifficultyJson {
    depth: u8,
    keeping: u8,
    moves: u8,
    easy_to_miss: bool,
}

/// Answers a question that needs no tables, or says what is wrong with it: JSON for JSON.
#[wasm_bindgen]
pub fn ask(question: &str) -> String {
    answer(question).unwrap_or_else(|error| json(&ErrorDocument { error }))
}

fn answer(question: &str) -> Result<String, ErrorJson> {
    let asked = Question::read(question)?;
    let rules = asked.rules.parse::<Ruleset>().map_err(|error| {
        let (code, hint) = (ErrorCode::UnknownRuleset, "rulesets() lists the rulesets");
        ErrorJson::new(code, error.to_string(), hint)
    })?;
    let position = asked.position.parse::<PositionText>()?.position();
    Ok(match &asked.what[..] {
        "moves" => json(&LegalMoves::new(&position, rules)),
        "choose" => {
            let player = Player::without_tables(rules);
            let among = houses(&asked.houses);
            let player = if among.is_empty() {
                player
            } else {
                player.among(&among)
            };
            let level = if asked.level == 0 { 8 } else { asked.level };
            let stop = clock(asked.time());
            let chosen = player.choose_at_level(level, &position, asked.luck.to_bits(), stop);
            let house = chosen.expect(NO_TABLES).map(|play| letter(play.house));
            json(&ChoiceJson { house })
        }
        "estimate" => {
            let found = Estimates::by(Player::without_tables(rules), &position, POSITIONS)
                .expect(NO_TABLES);
            let moves = found.all().iter();
            json(&EstimatesJson {
                estimate: found.best().map(|(_, seeds)| seeds),
                moves: moves
                    .map(|&(house, seeds)| (letter(house), seeds))
                    .collect(),
            })
        }
        "difficulty" => {
            let found = Difficulty::with_best(rules, &position, &houses(&asked.houses));
            json(&DifficultyJson {
                depth: found.depth,
                keeping: found.keeping,
                moves: found.moves,
                easy_to_miss: found.is_easy_to_miss(),
            })
        }
        _ => return Err(asked.unknown()),
    })
}

/// Why a search without tables does not fail.
const NO_TABLES: &str = "a search without tables reads none";

/// Returns true once a time is over.
fn clock(time: Option<Duration>) -> impl FnMut() -> bool {
    let begun = Instant::now();
    let mut positions = 0_u32;
    move || {
        positions = positions.wrapping_add(1);
        positions.is_multiple_of(PATIENCE) && time.is_some_and(|time| begun.elapsed() > time)
    }
}

fn letter(house: House) -> char {
    house.letter(Side::South)
}

/// The houses with these letters.
fn houses(letters: &str) -> Vec<House> {
    let has_letter = |house: &House| letters.contains(letter(*house));
    House::ALL.into_iter().filter(has_letter).collect()
}

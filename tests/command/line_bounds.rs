//! `granero line` where endless play gives each player the seeds on their own side: a line for
//! each bound.

use granero::Ruleset;
use granero::notation::{aalina, ogn};
use serde_json::Value as Json;

use crate::program::{json, printed};
use crate::support::command::shows;
use crate::support::tables::build_bounds;

const ENDLESS: &str = "0 0 0 0 1 1 / 1 1 0 0 0 0";

/// Runs `granero line` on tables with 4 seeds.
fn shown(position: &str, more: &[&str]) -> String {
    let place = build_bounds(Ruleset::Abapa, 4);
    printed(&[&["line", position], more].concat(), place.path())
}

#[test]
fn the_command_shows_both_lines_as_text() {
    let text = shown(ENDLESS, &[]);
    let parts = [
        "Rules abapa, endless play by own-side; South to move.\n\
         Between -4 and 0 for South: it depends on which position of an endless cycle counts.\n\
         \n\
         At least -4, if the position of a cycle that is worst for South counts:\n\
         \n\
         move     captures  South  North  on the board  difference\n",
        " 10. e          0      0      0             4           0\n \
         11. F          0      0      0             4          -4 *\n",
        "\"Difference\" is the seeds on South's side minus the opponent's, in each position\n\
         of the cycle; * marks those that count here.\n\
         Endless play: move 12 leads back to the position before move 1. Each player takes the \
         seeds on their own side: of the 4 on the board South 0 and North 4, if the position that \
         is worst for South counts.\n\
         Of the 4 seeds South gets 0 and North 4.\n\
         \n\
         At most 0, if the position of a cycle that is best for South counts:\n",
        "Of the 4 seeds South gets 2 and North 2.\n",
    ];
    let mut rest = text.as_str();
    for part in parts {
        let (_, after) = rest.split_once(part).expect(&text);
        rest = after;
    }
    assert_eq!(rest, "");
}

#[test]
fn the_document_has_both_lines_and_their_cycles() {
    let document: Json = serde_json::from_str(&shown(ENDLESS, &["--json"])).unwrap();
    assert_eq!(document["cycles"], "own-side");
    assert_eq!(document.get("value"), None);
    let lines = document["lines"].as_array().unwrap();
    let bounds: Vec<&Json> = lines.iter().map(|line| &line["bound"]).collect();
    assert_eq!(bounds, ["low", "high"]);
    for field in ["game", "moves", "end", "score"] {
        assert_eq!(document[field], lines[0][field]);
    }
    for line in lines {
        let bound = line["bound"].as_str().unwrap();
        assert_eq!(line["value"], document[bound]);
        let end = &line["end"];
        assert_eq!(end["reason"], "cycle");
        assert_eq!(end.get("proven"), None);
        let differences = end["differences"].as_array().unwrap();
        let moves = line["moves"].as_array().unwrap().len();
        assert_eq!(
            differences.len(),
            moves - end["from"].as_u64().unwrap() as usize
        );
        let differences = differences.iter().map(|difference| difference.as_i64());
        let counts = match bound {
            "low" => differences.min(),
            _ => differences.max(),
        };
        assert_eq!(counts.unwrap(), end["counts"].as_i64());
        assert_eq!(end["counts"], line["value"]);
    }
}

/// A game is the line of the low bound.
#[test]
fn a_game_is_the_line_of_what_is_guaranteed() {
    let document: Json = serde_json::from_str(&shown(ENDLESS, &["--json"])).unwrap();
    let moves = shown(ENDLESS, &["--format", "moves"]);
    assert_eq!(moves.trim_end(), document["lines"][0]["game"]);
    let game = ogn::parse(&shown(ENDLESS, &["--format", "ogn"])).unwrap();
    assert_eq!(aalina::write_game(&game), moves.trim_end());
    let comment = game.comments.after(game.moves.len()).unwrap();
    shows(comment, "that is worst for South");
}

/// Each line keeps the bound that it shows, and says so in its record: `judge` finds no fault.
#[test]
fn what_a_line_plays_is_best_for_the_bound_that_it_shows() {
    let place = build_bounds(Ruleset::Abapa, 6);
    for (bound, favours, value) in [("low", "North", -6), ("high", "South", 0)] {
        let position = "1 0 1 1 0 0 1 1 1 0 0 0";
        let line = ["line", position, "--bound", bound, "--format", "ogn"];
        let record = printed(&line, place.path());
        shows(&record, &format!("[Favours \"{favours}\"]"));
        let file = place.path().join(bound);
        std::fs::write(&file, record).unwrap();
        let judge = ["judge", file.to_str().unwrap(), "--json"];
        let judged = |more: &[&str]| json(&[&judge[..], more].concat(), place.path());
        let document = judged(&[]);
        assert_eq!(document["favours"], favours.to_lowercase());
        assert_eq!(document["moves"][0]["value"], value);
        for player in ["south", "north"] {
            assert!(document[player]["worst"].is_null(), "{document}");
        }
        let by_both_bounds = judged(&["--favours", "neither"]);
        assert!(by_both_bounds["favours"].is_null());
        assert_eq!(by_both_bounds["moves"][0]["low"], -6);
    }
}

//! `granero line`: a best line as text, moves, OGN and JSON.

use granero::Ruleset;
use granero::notation::{aalina, ogn};
use serde_json::{Value as Json, json};

use crate::program;
use crate::support::command::{code, shows, stderr, tells};
use crate::support::tables::build;

#[test]
fn the_command_shows_a_line_as_text_moves_ogn_and_json() {
    let place = build(Ruleset::Abapa, 6);
    let line = |position: &str, more: &[&str]| {
        program::printed(&[&["line", position], more].concat(), place.path())
    };

    let position = "0-0-0-0-0-5-1-0-0-0-0-0-20-22-N";
    let text = line(position, &[]);
    shows(&text, "Value +6 for North.");
    assert!(
        text.ends_with("North takes 6.\nNorth wins, 28 to 20.\n"),
        "{text}"
    );
    assert_eq!(
        line(position, &["--format", "moves"]),
        format!("{position} aF\n")
    );
    let game = ogn::parse(&line(position, &["--format", "ogn"])).unwrap();
    assert_eq!(game.tag("Result"), Some("20-28"));
    assert_eq!(aalina::write_game(&game), format!("{position} aF"));
    let json = line(position, &["--json"]);
    assert_eq!(line(position, &["--format", "json"]), json);
    let document: Json = serde_json::from_str(&json).unwrap();
    let expected = json!({
        "version": 1,
        "rules": "abapa",
        "cycles": "split",
        "position": [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5],
        "seeds": 6,
        "value": 6,
        "distance": 2,
        "game": format!("{position} aF"),
        "moves": [
            {
                "move": "a",
                "captured": 0,
                "position": [0, 0, 0, 0, 0, 5, 0, 1, 0, 0, 0, 0],
                "south": 20,
                "north": 22,
            },
            {
                "move": "F",
                "captured": 0,
                "position": [1, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0],
                "south": 20,
                "north": 22,
            },
        ],
        "end": {"reason": "cannot-feed"},
        "score": {"south": 20, "north": 28, "left": 0},
    });
    assert_eq!(document, expected);

    let endless = "1 1 0 0 0 0 1 1 0 0 0 0";
    assert!(line(endless, &[]).ends_with(
        "Endless play: move 20 leads back to the position before move 1. \
         The 4 seeds on the board are shared equally.\n\
         Of the 4 seeds South gets 2 and North 2.\n"
    ));
    let document: Json = serde_json::from_str(&line(endless, &["--json"])).unwrap();
    assert_eq!(
        document["end"],
        json!({"reason": "cycle", "from": 0, "proven": true})
    );
    assert_eq!(
        document["score"],
        json!({"south": 0, "north": 0, "left": 4})
    );
    let game = ogn::parse(&line(endless, &["--format", "ogn"])).unwrap();
    assert!(game.comments.after(game.moves.len()).is_some());
}

#[test]
fn what_the_tables_do_not_reach_exits_with_3_and_says_what_to_build() {
    let place = build(Ruleset::Italian, 3);
    let line =
        |arguments: &[&str]| program::granero(&[&["line"], arguments].concat(), place.path());
    let output = line(&["1 1 1 0 0 0 1 1 1 0 0 0", "--prove", "off"]);
    tells(&output, 3, "granero build --seeds 6 --rules italian");
    assert!(output.stdout.is_empty());
    let reach = "the position has 6 seeds, and the tables reach up to 3 seeds";
    shows(stderr(&output), reach);
    let output = line(&["4 4 4 4 4 4 4 4 4 4 4 4", "--prove", "50ms"]);
    assert_eq!(code(&output), 3);
    assert_eq!(code(&line(&["4 4"])), 2);
}

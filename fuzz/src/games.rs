//! Any text as a game, and as a file of games: games that are read and can be played can be written, and
//! read again.

use granero::notation::ogn::{self, Dialect};
use granero::notation::{ParseError, aalina, games};
use granero::{Comments, Game, PlayerHouse, Ruleset};

/// Panics if a game is read in two ways.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match (
        text.parse::<Game>(),
        games(&text).collect::<Result<Vec<Game>, _>>(),
    ) {
        (Ok(game), games) => assert_eq!(games, Ok(vec![game])),
        (Err(_), Ok(games)) => assert!(games.len() > 1),
        (Err(error), Err(_)) => has_place_in(&error, &text),
    }
    let mut games = ogn::games(&text)
        .collect::<Result<Vec<_>, _>>()
        .unwrap_or_default();
    match ogn::parse(&text) {
        Ok(game) => {
            // An empty text is an empty game, but a file without games.
            let is_nothing = game == Game::default() && games.is_empty();
            assert!(is_nothing || games == [game]);
        }
        Err(error) => has_place_in(&error, &text),
    }
    match aalina::parse_game(&text) {
        Ok(game) => {
            let again = aalina::parse_game(&aalina::write_game(&game)).unwrap();
            assert_eq!((again.start, sown(&again)), (game.start, sown(&game)));
            games.push(game);
        }
        Err(error) => has_place_in(&error, &text),
    }
    for game in games {
        for ruleset in [Ruleset::Abapa, Ruleset::SlamEnds, Ruleset::Awari] {
            let Ok(written) = ogn::write(&game, ruleset, Dialect::Ogn) else {
                continue;
            };
            let again = ogn::parse(&written).unwrap_or_else(|error| panic!("{error}: {written}"));
            assert_eq!((again.start, sown(&again)), (game.start, sown(&game)));
            assert_eq!(again.comments, as_written(&game));
            assert_eq!(again.symbols, game.symbols);
            assert_eq!(again.variations, game.variations);
            assert_eq!(ogn::write(&again, ruleset, Dialect::Ogn), Ok(written));
            // The houses of the last seeds depend on the rules, which the record must name.
            if game.ruleset() == Ok(Some(ruleset)) {
                let written = ogn::write(&game, ruleset, Dialect::PlayStrategy).unwrap();
                let again = ogn::parse(&written).unwrap();
                assert_eq!((again.start, sown(&again)), (game.start, sown(&game)));
            }
        }
    }
}

/// Panics if the place of an error is outside the text.
fn has_place_in(error: &ParseError, text: &str) {
    assert!(error.at <= text.chars().count(), "{error}");
    let (line, column) = error.line_and_column(text);
    let shown = text.split('\n').nth(line - 1).unwrap_or_default();
    assert!(column <= shown.chars().count() + 1, "{error}");
}

fn sown(game: &Game) -> Vec<PlayerHouse> {
    game.moves.iter().map(|played| played.sown).collect()
}

/// The comments as they are written, without braces that would end them early.
fn as_written(game: &Game) -> Comments {
    let mut comments = Comments::default();
    for moves in 0..=game.moves.len() {
        let comment = game.comments.after(moves).unwrap_or_default();
        comments.add(moves, &comment.replace('}', ")"));
    }
    comments
}

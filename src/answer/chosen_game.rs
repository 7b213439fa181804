//! The game of a text to judge, for the server and for the page without one.
use granero::Game;
use granero::notation;

use crate::document::ErrorJson;

const MOST_MOVES: usize = 1000;

/// A game of a text.
#[derive(Clone)]
pub struct ChosenGame {
    pub game: Game,
    /// The number of games in the text.
    pub games: usize,
}

impl ChosenGame {
    /// Reads a text of games in any notation, and takes the game with a number, counted from 1.
    pub fn of(text: &str, asked: usize) -> Result<ChosenGame, ErrorJson> {
        let mut chosen = None;
        let mut games = 0;
        for game in notation::games(text) {
            let game = game.map_err(|error| {
                let (line, column) = error.line_and_column(text);
                let (expected, found) = (error.expected, error.found);
                ErrorJson {
                    code: "bad-game",
                    message: format!(
                        "not a game: line {line}, column {column}: expected {expected}, found {found}"
                    ),
                    hint: "moves like FfBeBc, or a record in OGN or of PlayStrategy".into(),
                    at: Some(error.at),
                }
            })?;
            games += 1;
            if games == asked {
                chosen = Some(game);
            }
        }
        let game = chosen.ok_or_else(|| ErrorJson {
            code: "bad-game",
            message: format!("there is no game {asked} in the text, which has {games}"),
            hint: "games are counted from 1".into(),
            at: None,
        })?;
        match game.moves.len() {
            ..=MOST_MOVES => Ok(ChosenGame { game, games }),
            _ => Err(ErrorJson {
                code: ErrorJson::TOO_MANY_MOVES,
                message: format!("the game has more than {MOST_MOVES} moves"),
                hint: "send a part of it, with the position that it begins from".into(),
                at: None,
            }),
        }
    }
}

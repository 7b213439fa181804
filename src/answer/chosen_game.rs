//! The game of a text to judge, for the server and for the page without one.
use granero::Game;
use granero::notation;

use crate::document::{ErrorCode, ErrorJson};

const MOST_MOVES: usize = 1000;

/// Reads a text of games in any notation, and takes the game with a number, counted from 1. Returns it with the number
/// of games in the text.
pub fn chosen_game(text: &str, asked: usize) -> Result<(Game, usize), ErrorJson> {
    let mut chosen = None;
    let mut games = 0;
    for game in notation::games(text) {
        let game = game.map_err(|error| {
            let (line, column) = error.line_and_column(text);
            let (expected, found) = (error.expected, error.found);
            let message = format!(
                "not a game: line {line}, column {column}: expected {expected}, found {found}"
            );
            let hint = "moves like FfBeBc, or a record in OGN or of PlayStrategy";
            ErrorJson {
                at: Some(error.at),
                ..ErrorJson::new(ErrorCode::BadGame, message, hint)
            }
        })?;
        games += 1;
        if games == asked {
            chosen = Some(game);
        }
    }
    let game = chosen.ok_or_else(|| {
        let message = format!("there is no game {asked} in the text, which has {games}");
        ErrorJson::new(ErrorCode::BadGame, message, "games are counted from 1")
    })?;
    if game.moves.len() > MOST_MOVES {
        let message = format!("the game has more than {MOST_MOVES} moves");
        let hint = "send a part of it, with the position that it begins from";
        return Err(ErrorJson::new(ErrorCode::TooManyMoves, message, hint));
    }
    Ok((game, games))
}

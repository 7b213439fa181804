//! The game of a text to judge, for the server and for the page without one.

use granero::Game;
use granero::notation::{self, ParseError};

/// The most moves of a game to judge.
const MOST_MOVES: usize = 1000;

/// A game of a text.
#[derive(Clone)]
pub struct ChosenGame {
    pub game: Game,
    /// The number of games in the text.
    pub games: usize,
}

/// Why there is no game to judge.
#[derive(Debug)]
pub enum NoGame {
    /// The text is not a game from this place on, counted from 1.
    NotAGame {
        error: ParseError,
        line: usize,
        column: usize,
    },
    /// The text has fewer games.
    NoSuchGame { asked: usize, games: usize },
    /// The game is too long.
    TooManyMoves { most: usize },
}

impl ChosenGame {
    /// Reads a text of games in any notation, and takes the game with a number, counted from 1.
    pub fn of(text: &str, asked: usize) -> Result<ChosenGame, NoGame> {
        let mut chosen = None;
        let mut games = 0;
        for game in notation::games(text) {
            let game = game.map_err(|error| {
                let (line, column) = error.line_and_column(text);
                NoGame::NotAGame {
                    error,
                    line,
                    column,
                }
            })?;
            games += 1;
            if games == asked {
                chosen = Some(game);
            }
        }
        let game = chosen.ok_or(NoGame::NoSuchGame { asked, games })?;
        match game.moves.len() {
            ..=MOST_MOVES => Ok(ChosenGame { game, games }),
            _ => Err(NoGame::TooManyMoves { most: MOST_MOVES }),
        }
    }
}

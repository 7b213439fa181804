//! Reads a file of games.

use std::ffi::OsString;
use std::path::Path;

use granero::Game;
use granero::notation::{self};

use granero_answer::{counted, grouped};
use granero_console::{Failure, options};

/// The longest file, in MiB. A few hundred moves take some kilobytes, most of them comments.
const LONGEST: u64 = 1;

/// The most moves of a game, of both players together: ten times the longest games.
const MOST_MOVES: usize = 10_000;

const MOST_GAMES: usize = 5_000;

const MOST_MOVES_OF_ALL: usize = 100_000;

/// Returns the text of a file, or the moves that the words themselves are.
pub(super) fn read_or_take(words: &[OsString]) -> Result<String, Failure> {
    let text: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let text = text.join(" ");
    match words {
        [file] if file == "-" || Path::new(file).exists() => read(file.as_ref()),
        _ if notation::games(&text).all(|game| game.is_ok()) => Ok(text),
        [file] => Err(Failure::data(
            format!(
                "cannot read {}: it is neither a file nor moves",
                Path::new(file).display()
            ),
            "name a file with a game, or - for the standard input, or give moves like FfBeBc",
        )),
        _ => Ok(text),
    }
}

pub(in crate::verb) fn read(file: &Path) -> Result<String, Failure> {
    let help = "name a file with a game, or - for the standard input";
    let bytes = options::read_file(file, LONGEST, help)?;
    String::from_utf8(bytes).map_err(|_| {
        Failure::not_possible(
            format!("{} is not text in UTF-8", file.display()),
            "games are letters and digits; is this the right file?",
        )
    })
}

/// Reads games, at least one and not too many.
pub(in crate::verb) fn parse(text: &str) -> Result<Vec<Game>, Failure> {
    let mut games = Vec::new();
    let mut moves = 0;
    for game in notation::games(text) {
        let game = game.map_err(|error| {
            Failure::bad_text(
                "a game",
                text,
                &error,
                "a game is moves like FfBeBc, or a record in OGN; docs/rules.md shows both",
            )
        })?;
        if game.moves.len() > MOST_MOVES {
            return Err(Failure::not_possible(
                format!(
                    "the game has {}, more than {}",
                    counted(game.moves.len() as u64, "move"),
                    grouped(MOST_MOVES as u64)
                ),
                "shorten the game, or give a part of it with the position it starts from",
            ));
        }
        moves += game.moves.len();
        games.push(game);
        if games.len() > MOST_GAMES || moves > MOST_MOVES_OF_ALL {
            return Err(Failure::not_possible(
                format!(
                    "the file has more than {} games or more than {} moves",
                    grouped(MOST_GAMES as u64),
                    grouped(MOST_MOVES_OF_ALL as u64)
                ),
                "split the file",
            ));
        }
    }
    Ok(games)
}

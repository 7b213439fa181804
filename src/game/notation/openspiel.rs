//! The text of a state of OpenSpiel's game `oware`, as `str(state)` returns it:
//!
//! ```text
//! Player 1 score = 0
//!   f  e  d  c  b  a
//!   4  4  4  4  4  4
//!   4  4  4  4  4  4
//!   A  B  C  D  E  F
//! Player 0 score = 0 [PLAYING]
//! ```
//!
//! Player 0 is South. The string of an observation is one line with the player to move, both scores,
//! South's houses and North's houses: `0 | 0 0 | 4 4 4 4 4 4 4 4 4 4 4 4`.

use super::error::{ParseError, offset_in};
use super::{board, scan};
use crate::house::Side;
use crate::position::Position;
use crate::situation::Situation;

/// Tells if a text begins as a state does, whatever else it contains.
pub(super) fn looks_like_a_state(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("Player ") || text.starts_with(FINISHED)
}

/// Tells if a text has the sign of an observation, whatever else it contains.
pub(super) fn looks_like_an_observation(text: &str) -> bool {
    text.contains('|')
}

const FINISHED: &str = "[FINISHED]";
const PLAYING: &str = "[PLAYING]";

/// Reads a state in either of its texts.
///
/// # Errors
///
/// When the text is neither, the game is over, or houses and scores do not add up to 12, 24, 36 or 48 seeds.
///
/// ```
/// use granero::notation::openspiel;
///
/// let state = openspiel::parse("1 | 0 0 | 4 4 0 5 5 5 5 4 4 4 4 4")?;
/// assert_eq!(openspiel::parse(&openspiel::write(&state)), Ok(state));
/// assert_eq!(state.to_string(), "4-4-0-5-5-5-5-4-4-4-4-4-0-0-N");
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
pub fn parse(text: &str) -> Result<Situation, ParseError> {
    let (south_first, to_move, scores) = if looks_like_an_observation(text) {
        observation(text)?
    } else {
        state(text)?
    };
    scan::situation(
        (text, text.len() - text.trim_start().len()),
        south_first,
        to_move,
        scores,
        "scores",
    )
}

/// The position as South sees it, the side to move, and South's and North's scores.
type Parts = (Position, Side, [u8; 2]);

fn observation(text: &str) -> Result<Parts, ParseError> {
    let mut parts = text.split('|');
    let end = &text[text.trim_end().len()..][..0];
    let mut next = || parts.next().unwrap_or(end);
    let player = next().trim();
    let to_move = match player {
        "0" => Side::South,
        "1" => Side::North,
        _ => {
            let expected = "the player to move, `0` or `1`";
            return Err(ParseError::at_piece(text, player, expected));
        }
    };
    let [scores, houses] = [next(), next()];
    let pieces = |part| scan::pieces(part, char::is_whitespace);
    let stores = scan::all_seeds(text, scores, pieces(scores), "score")?;
    let houses = scan::all_seeds(text, houses, pieces(houses), "house")?;
    scan::ends(text, parts.next(), "the houses")?;
    Ok((scan::position(text, houses)?, to_move, stores))
}

fn state(text: &str) -> Result<Parts, ParseError> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let end = &text[text.trim_end().len()..][..0];
    let first = lines.next().unwrap_or(end).trim();
    if first == FINISHED {
        let expected = "a state in which a player is to move";
        return Err(ParseError::at_piece(text, first, expected));
    }
    let (north, norths_turn) = score(text, first, "Player 1 score = ")?;
    let rows: Vec<&str> = lines.by_ref().take(4).collect();
    let last = lines.next().unwrap_or(end).trim();
    let (south, souths_turn) = score(text, last, "Player 0 score = ")?;
    scan::ends(text, lines.next().map(str::trim), "the score of player 0")?;
    let to_move = match (souths_turn, norths_turn) {
        (true, false) => Side::South,
        (false, true) => Side::North,
        _ => {
            let expected = format!("`{PLAYING}` behind one of the scores");
            return Err(ParseError::at_piece(text, last, expected));
        }
    };
    // Four lines, with the names of the houses.
    let start = rows.first().map_or(text.len(), |row| offset_in(text, row));
    let rows = &text[start..offset_in(text, last)];
    let south_first = board::parse(rows).map_err(|error| error.within(text, rows))?;
    Ok((south_first, to_move, [south, north]))
}

/// A player's score, and true if that player is to move.
fn score(text: &str, line: &str, label: &str) -> Result<(u8, bool), ParseError> {
    let Some(rest) = line.strip_prefix(label) else {
        return Err(ParseError::at_piece(text, line, format!("`{label}`")));
    };
    let (seeds, is_playing) = match rest.strip_suffix(PLAYING) {
        Some(seeds) => (seeds, true),
        None => (rest, false),
    };
    Ok((scan::seeds(text, seeds.trim())?, is_playing))
}

/// Writes a state as `str(state)` does.
pub fn write(situation: &Situation) -> String {
    let player = |number: u8, side| {
        let playing = if situation.to_move() == side {
            format!(" {PLAYING}")
        } else {
            String::new()
        };
        let score = situation.store(side);
        format!("Player {number} score = {score}{playing}\n")
    };
    let mut text = player(1, Side::North);
    let (south_first, _) = scan::south_first(situation);
    for line in board::write(&south_first, Side::South).lines() {
        text += &format!(" {line}\n");
    }
    text + &player(0, Side::South)
}

/// Writes a state on one line, as the string of an observation does.
pub fn write_observation(situation: &Situation) -> String {
    let player = match situation.to_move() {
        Side::South => 0,
        Side::North => 1,
    };
    let (south_first, [south, north]) = scan::south_first(situation);
    format!("{player} | {south} {north} | {south_first}")
}

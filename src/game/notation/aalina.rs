//! The notation of the engine Aalina and its board Aualé: the houses `A` to `F` and `a` to `f`, South's
//! store, North's store and the side to move: `4-4-4-4-4-4-4-4-4-4-4-4-0-0-S`.
//!
//! A game is such a position, then the moves run together:
//! `4-4-4-4-4-4-4-4-4-4-4-4-0-0-S FfBeBc`. A game from the usual start needs no position.

use std::iter;

use super::error::{ParseError, offset_in};
use super::{moves, scan};
use crate::record::Game;
use crate::situation::Situation;

/// Tells if a text is one word in which a hyphen follows a digit.
pub(super) fn looks_like(text: &str) -> bool {
    let word = text.trim();
    let hyphens = word.as_bytes().windows(2);
    !word.contains(|c: char| c.is_whitespace() || c == '/')
        && hyphens
            .into_iter()
            .any(|pair| pair[0].is_ascii_digit() && pair[1] == b'-')
}

/// Reads a position with its stores and the side to move.
///
/// # Errors
///
/// When there are not twelve houses, two stores and the letter `S` or `N`, or the fourteen
/// numbers do not add up to 12, 24, 36 or 48 seeds.
///
/// ```
/// use granero::Side;
/// use granero::notation::aalina;
///
/// let situation = aalina::parse("0-0-0-0-0-5-1-0-0-0-0-0-20-22-N")?;
/// assert_eq!(situation.to_move(), Side::North);
/// assert_eq!(situation.position().houses(), [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5]);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
pub fn parse(text: &str) -> Result<Situation, ParseError> {
    let trimmed = text.trim();
    let mut fields = trimmed.split('-');
    let numbers = fields.by_ref().take(14);
    let [houses @ .., south, north] =
        scan::all_seeds::<14>(text, trimmed, numbers, "house or store")?;
    let end = &trimmed[trimmed.len()..];
    let side = fields.next().unwrap_or(end);
    let to_move = scan::side(text, side)?;
    scan::ends(text, fields.next(), "the side to move")?;
    let south_first = scan::position(text, houses)?;
    scan::situation(
        (text, offset_in(text, trimmed)),
        south_first,
        to_move,
        [south, north],
        "stores",
    )
}

/// Writes a position with its stores and the side to move.
pub fn write(situation: &Situation) -> String {
    let (south_first, [south, north]) = scan::south_first(situation);
    let houses = south_first.houses().map(|seeds| seeds.to_string());
    // The first letter of the side.
    format!(
        "{}-{south}-{north}-{:.1}",
        houses.join("-"),
        situation.to_move()
    )
}

/// Reads a game: its first position, which is optional, and its moves run together.
///
/// # Errors
///
/// When the position or a move cannot be read. [`Game::replay`] checks whether the moves are legal.
///
/// ```
/// use granero::notation::aalina;
///
/// assert_eq!(aalina::parse_game("FfBeBc")?.moves.len(), 6);
/// assert_eq!(aalina::parse_game("0-0-0-0-0-5-1-0-0-0-0-0-20-22-N aF")?.moves.len(), 2);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
pub fn parse_game(text: &str) -> Result<Game, ParseError> {
    let trimmed = text.trim();
    let end = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
    let (position, moves_text) = trimmed.split_at(end);
    let (start, moves_text) = if looks_like(position) {
        let start = parse(position).map_err(|error| error.within(text, position))?;
        (start, moves_text.trim_start())
    } else {
        (Situation::START, trimmed)
    };
    let houses = moves::parse_all(moves_text).map_err(|error| error.within(text, moves_text))?;
    Ok(Game::of(start, houses))
}

/// Reads games one by one; each but the first begins with a line that starts with its position.
pub(super) fn games(text: &str) -> impl Iterator<Item = Result<Game, ParseError>> {
    let mut rest = Some(text);
    iter::from_fn(move || {
        let now = rest?;
        let mut end = 0;
        for line in now.split_inclusive('\n') {
            let first = line.split_whitespace().next().unwrap_or_default();
            if looks_like(first) && !now[..end].trim().is_empty() {
                break;
            }
            end += line.len();
        }
        let (game, after) = now.split_at(end);
        rest = (!after.is_empty()).then_some(after);
        Some(parse_game(game).map_err(|error| error.within(text, game)))
    })
}

/// Writes a game: its first position, unless that is the usual start, and its moves run together.
/// The notation has no comments or tags.
///
/// ```
/// use granero::notation::aalina;
///
/// let game = aalina::parse_game("FfBeBc")?;
/// assert_eq!(aalina::write_game(&game), "FfBeBc");
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
pub fn write_game(game: &Game) -> String {
    let moves: String = game
        .moves
        .iter()
        .map(|played| played.sown.letter())
        .collect();
    if game.start == Situation::START {
        moves
    } else if moves.is_empty() {
        write(&game.start)
    } else {
        format!("{} {moves}", write(&game.start))
    }
}

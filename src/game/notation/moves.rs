//! Moves as letters: `A` to `F` for South's houses, `a` to `f` for North's, alone
//! or run together, as in `FfBeBc`.

use std::str::FromStr;

use super::error::ParseError;
use crate::house::PlayerHouse;

const A_HOUSE: &str = "a house, `A` to `F` or `a` to `f`";

impl FromStr for PlayerHouse {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<PlayerHouse, ParseError> {
        let mut letters = text.chars();
        match (
            letters.next().and_then(PlayerHouse::from_letter),
            letters.next(),
        ) {
            (Some(house), None) => Ok(house),
            _ => Err(ParseError::at_piece(text, text, A_HOUSE)),
        }
    }
}

/// Reads moves run together, with or without white space between them.
/// [`Game::replay`](crate::record::Game::replay) checks whose turn it is.
///
/// # Errors
///
/// When there is anything other than letters of houses.
///
/// ```
/// use granero::notation::moves;
///
/// let houses = moves::parse_all("FfBeBc")?;
/// assert_eq!(houses.len(), 6);
/// assert_eq!(moves::write_all(&houses), "FfBeBc");
///
/// let error = moves::parse_all("FfB?").unwrap_err();
/// assert_eq!(error.at, 3);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
pub fn parse_all(text: &str) -> Result<Vec<PlayerHouse>, ParseError> {
    let mut houses = Vec::new();
    for (offset, letter) in text.char_indices() {
        if letter.is_whitespace() {
            continue;
        }
        let piece = &text[offset..offset + letter.len_utf8()];
        let house = PlayerHouse::from_letter(letter)
            .ok_or_else(|| ParseError::at_piece(text, piece, A_HOUSE))?;
        houses.push(house);
    }
    Ok(houses)
}

/// Writes moves run together.
pub fn write_all(houses: &[PlayerHouse]) -> String {
    houses.iter().map(|house| house.letter()).collect()
}

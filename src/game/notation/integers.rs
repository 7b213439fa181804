//! Twelve integers, the mover's houses first, in sowing order, as in the Awari score
//! database: `1 1 1 1 1 2 4 2 3 0 0 0`.

use super::error::ParseError;
use super::scan;
use crate::position::Position;

/// Reads twelve integers, separated by white space or commas.
///
/// # Errors
///
/// When there are not exactly twelve numbers of seeds, at most 48 together.
///
/// ```
/// use granero::notation::integers;
///
/// let spaced = integers::parse("1 1 1 1 1 2 4 2 3 0 0 0")?;
/// assert_eq!(spaced, integers::parse("1,1,1,1,1,2,4,2,3,0,0,0")?);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
pub fn parse(text: &str) -> Result<Position, ParseError> {
    let pieces = scan::pieces(text, scan::is_separator);
    let houses = scan::all_seeds(text, text, pieces, "house")?;
    scan::position(text, houses)
}

/// Reads the most common form fast: twelve numbers of one or two digits, one separator between each
/// two, and nothing else. Returns `None` for any other text, even if it is a position.
///
/// Batches have millions of these.
pub(super) fn plain(text: &str) -> Option<Position> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| byte - b'0');
    let mut rest = text.as_bytes();
    let mut houses = [0; 12];
    for (index, house) in houses.iter_mut().enumerate() {
        if index > 0 {
            let (b' ' | b',' | b'\t', after) = rest.split_first()? else {
                return None;
            };
            rest = after;
        }
        *house = digit(rest.first()?)?;
        rest = &rest[1..];
        if let Some(second) = rest.first().and_then(digit) {
            *house = 10 * *house + second;
            rest = &rest[1..];
        }
    }
    if !rest.is_empty() {
        return None;
    }
    Position::new(houses).ok()
}

/// Writes the twelve integers with single spaces between them.
pub fn write(position: &Position) -> String {
    position.houses().map(|seeds| seeds.to_string()).join(" ")
}

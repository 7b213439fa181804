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

/// Writes the twelve integers with single spaces between them.
pub fn write(position: &Position) -> String {
    position.houses().map(|seeds| seeds.to_string()).join(" ")
}

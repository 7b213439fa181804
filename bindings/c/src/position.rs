//! Positions as twelve bytes.

use std::ffi::c_char;

use granero::notation::PositionText;
use granero::{MAX_SEEDS, Position};

use crate::border;
use crate::status::{Failure, GRANERO_ERROR_NOTATION, GRANERO_OK, GraneroStatus};

/// The number of houses, and so the length of a position: the seeds in the houses A to F of the player
/// to move, then in those of the opponent.
pub const GRANERO_HOUSES: usize = 12;

/// The most seeds on a board.
pub const GRANERO_MAX_SEEDS: usize = 48;
const _: () = assert!(GRANERO_MAX_SEEDS == MAX_SEEDS as usize);

/// A position of the caller's.
pub(crate) fn of(position: *const u8) -> Result<Position, Failure> {
    let houses = border::read(position.cast::<[u8; GRANERO_HOUSES]>(), "the position")?;
    Ok(Position::new(*houses)?)
}

/// Reads a position in any notation: twelve numbers, a board of two rows, or Aalina's. Stores are
/// left out.
///
/// `text`: text in UTF-8 that ends with a zero.
/// `position`: room for GRANERO_HOUSES bytes.
#[unsafe(no_mangle)]
pub extern "C" fn granero_parse_position(text: *const c_char, position: *mut u8) -> GraneroStatus {
    border::guard(|| {
        let text = border::text(text, "the text")?;
        let read = text.parse::<PositionText>();
        let read = read.map_err(|error| Failure::of(GRANERO_ERROR_NOTATION, &error))?;
        let houses = read.position().houses();
        border::write_many(position, &houses, "the position")?;
        Ok(GRANERO_OK)
    })
}

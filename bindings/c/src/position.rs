//! Positions as twelve bytes.

use std::ffi::c_char;
use std::slice;

use granero::notation::PositionText;
use granero::{MAX_SEEDS, Position};

use crate::border;
use crate::status::{Failure, GRANERO_ERROR_NOTATION, GRANERO_OK, GraneroStatus};

/// The number of houses, and so the length of a position: the seeds in the houses A to F of the player
/// to move, then in A to F of the opponent.
pub const GRANERO_HOUSES: usize = 12;

/// The most seeds on a board.
pub const GRANERO_MAX_SEEDS: usize = 48;
const _: () = assert!(GRANERO_MAX_SEEDS == MAX_SEEDS as usize);

/// A position of the caller.
pub(crate) fn of<'a>(position: *const u8) -> Result<&'a Position, Failure> {
    let houses = border::read(position.cast::<[u8; GRANERO_HOUSES]>(), "the position")?;
    let positions = border::positions(slice::from_ref(houses));
    let positions = positions.map_err(|(_, error)| Failure::from(error))?;
    Ok(&positions[0])
}

/// Many positions of the caller.
pub(crate) fn many<'a>(positions: *const u8, count: usize) -> Result<&'a [Position], Failure> {
    let houses = positions.cast::<[u8; GRANERO_HOUSES]>();
    let houses = border::read_many(houses, count, "positions")?;
    let too_many = |(row, error)| Failure::argument(format!("position {row}: {error}"));
    border::positions(houses).map_err(too_many)
}

/// Reads a position in any notation, such as twelve numbers or a board of two rows. Leaves out stores.
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

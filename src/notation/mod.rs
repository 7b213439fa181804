//! Positions, moves and games as text.
//!
//! | what | looks like | where |
//! |---|---|---|
//! | twelve integers, mover first | `4 0 0 1 3 1 2 1 2 0 0 6` | [`integers`] |
//! | a board of two rows, the mover's below | `6 0 0 2 1 2 / 4 0 0 1 3 1` | [`board`] |
//! | Aalina's position, with stores and side to move | `4-0-0-1-3-1-2-1-2-0-0-6-14-14-S` | [`aalina`] |
//! | a move, or several in a row | `F`, `FfBeBc` | [`moves`] |
//! | a game record in OGN | `1. F f 2. B+5 …` | [`ogn`] |
//!
//! [`str::parse`] reads a [`Position`] or a [`Situation`] in any of the first three
//! notations, and finds out which one it is:
//!
//! ```
//! use granero::Position;
//!
//! let integers: Position = "4 0 0 1 3 1 2 1 2 0 0 6".parse()?;
//! let board: Position = "6 0 0 2 1 2 / 4 0 0 1 3 1".parse()?;
//! let aalina: Position = "4-0-0-1-3-1-2-1-2-0-0-6-14-14-S".parse()?;
//! assert_eq!(integers, board);
//! assert_eq!(integers, aalina);
//!
//! let error = "4 0 0 one".parse::<Position>().unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "at character 7: expected a number of seeds, found `one`"
//! );
//! # Ok::<(), granero::notation::ParseError>(())
//! ```

pub mod aalina;
pub mod board;
mod error;
pub mod integers;
pub mod moves;
pub mod ogn;
mod scan;

use std::fmt;
use std::str::FromStr;

pub use error::ParseError;
pub use error::quote;

use crate::game::Game;
use crate::house::Side;
use crate::position::Position;
use crate::situation::Situation;

/// A position as it was written: alone, or with stores and the side to move.
///
/// ```
/// use granero::notation::PositionText;
///
/// let text: PositionText = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S".parse()?;
/// assert!(text.situation().is_some());
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionText {
    /// Written as twelve integers or as a board: no stores.
    Bare(Position),
    /// Written in Aalina's notation.
    Full(Situation),
}

impl PositionText {
    /// The position, seen from the player to move.
    pub fn position(&self) -> Position {
        match self {
            PositionText::Bare(position) => *position,
            PositionText::Full(situation) => situation.position(),
        }
    }

    /// The stores and the side to move, if they were written.
    pub fn situation(&self) -> Option<Situation> {
        match self {
            PositionText::Bare(_) => None,
            PositionText::Full(situation) => Some(*situation),
        }
    }
}

impl FromStr for PositionText {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<PositionText, ParseError> {
        if aalina::looks_like(text) {
            aalina::parse(text).map(PositionText::Full)
        } else if board::looks_like(text) {
            board::parse(text).map(PositionText::Bare)
        } else {
            integers::parse(text).map(PositionText::Bare)
        }
    }
}

/// Reads any of the notations for positions; ignores stores.
impl FromStr for Position {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Position, ParseError> {
        Ok(text.parse::<PositionText>()?.position())
    }
}

/// Twelve integers, mover first; with `{:#}` the board of two rows.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            f.write_str(&board::write(self, Side::South))
        } else {
            f.pad(&integers::write(self))
        }
    }
}

/// Reads any of the notations for positions. Without stores, South is to move and the
/// seeds that are not on the board are shared, see [`Situation::open`].
impl FromStr for Situation {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Situation, ParseError> {
        Ok(match text.parse()? {
            PositionText::Bare(position) => Situation::open(position),
            PositionText::Full(situation) => situation,
        })
    }
}

/// Aalina's notation.
impl fmt::Display for Situation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&aalina::write(self))
    }
}

/// Reads a game: letters alone, with or without a position before them, are Aalina's
/// notation; anything else is OGN.
///
/// ```
/// use granero::Game;
///
/// let aalina: Game = "FfBeBc".parse()?;
/// let ogn: Game = "1. F f 2. B e 3. B c".parse()?;
/// assert_eq!(aalina, ogn);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
impl FromStr for Game {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Game, ParseError> {
        let first = text.split_whitespace().next().unwrap_or_default();
        let is_letter = |c: char| c.is_alphabetic() || c.is_whitespace();
        if aalina::looks_like(first) || text.chars().all(is_letter) {
            aalina::parse_game(text)
        } else {
            ogn::parse(text)
        }
    }
}

//! Positions, moves and games as text.
//!
//! | text | example | module |
//! |---|---|---|
//! | twelve integers, mover first | `4 0 0 1 3 1 2 1 2 0 0 6` | [`integers`] |
//! | a board of two rows, the mover's below | `6 0 0 2 1 2 / 4 0 0 1 3 1` | [`board`] |
//! | Aalina's position, with stores and side to move | `4-0-0-1-3-1-2-1-2-0-0-6-14-14-S` | [`aalina`] |
//! | PlayStrategy's position | `4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S 1` | [`playstrategy`] |
//! | OpenSpiel's state | `0 \| 0 0 \| 4 4 4 4 4 4 4 4 4 4 4 4` | [`openspiel`] |
//! | the start of the game, as in UCI | `startpos` | |
//! | a move, or several in a row | `F`, `FfBeBc` | [`moves`] |
//! | a game record in OGN | `1. F f 2. B+5 …` | [`ogn`] |
//!
//! [`str::parse`] recognises the notations of a position and reads a [`Position`] or a [`Situation`]:
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
mod list;
pub mod moves;
pub mod ogn;
pub mod openspiel;
pub mod playstrategy;
mod scan;

use std::fmt;
use std::iter;
use std::str::FromStr;

pub use error::{ParseError, quote};
pub use list::{NOTATIONS, Notation};

use crate::house::Side;
use crate::position::Position;
use crate::record::Game;
use crate::situation::Situation;
pub use crate::visible::{is_hidden, visible};

/// The word for the start of the game, as engines know it.
const START: &str = "startpos";

/// A position from a text: alone, or with stores and the side to move.
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
    /// Written in Aalina's notation, PlayStrategy's or OpenSpiel's.
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

    /// The side to move: South, unless it is written.
    pub fn to_move(&self) -> Side {
        let situation = self.situation();
        situation.map_or(Side::South, |situation| situation.to_move())
    }

    /// The situation; without stores and the side to move as [`Situation::open`] says.
    ///
    /// ```
    /// use granero::notation::PositionText;
    ///
    /// let text: PositionText = "0 0 0 0 0 5 1 0 0 0 0 0".parse()?;
    /// assert_eq!(text.or_open().position(), text.position());
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    pub fn or_open(&self) -> Situation {
        let situation = self.situation();
        situation.unwrap_or_else(|| Situation::open(self.position()))
    }

    /// The situation, if the text has the stores and the side to move.
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
        if let Some(position) = integers::plain(text) {
            return Ok(PositionText::Bare(position));
        }
        if text.trim() == START {
            return Ok(PositionText::Full(Situation::START));
        }
        let mut last_first = NOTATIONS.iter().rev();
        let notation = last_first.find(|notation| (notation.claims)(text));
        let notation = notation.expect("integers claim any text");
        notation.parse(text)
    }
}

/// Reads any notation for positions; ignores stores.
impl FromStr for Position {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Position, ParseError> {
        Ok(text.parse::<PositionText>()?.position())
    }
}

/// Writes twelve integers, mover first; with `{:#}` the board of two rows.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            f.write_str(&board::write(self, Side::South))
        } else {
            f.pad(&integers::write(self))
        }
    }
}

/// Reads any notation for positions. A text without stores is read as [`Situation::open`] says.
impl FromStr for Situation {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Situation, ParseError> {
        Ok(text.parse::<PositionText>()?.or_open())
    }
}

/// Writes Aalina's notation.
impl fmt::Display for Situation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&aalina::write(self))
    }
}

/// Tells if games are in Aalina's notation: only letters, with or without a position before them.
fn is_aalinas(text: &str) -> bool {
    let begins = |text: &str| {
        let first = text.split_whitespace().next();
        aalina::looks_like(first.unwrap_or_default())
    };
    let is_letter = |c: char| c.is_alphabetic() || c.is_whitespace();
    let mut lines = text.lines();
    begins(text) || lines.all(|line| begins(line) || line.chars().all(is_letter))
}

/// Returns an error if a text is blank.
fn not_blank(text: &str) -> Result<(), ParseError> {
    match text.trim_start_matches('\u{feff}').trim() {
        "" => Err(ParseError::new(text, text.len(), "a game", error::END)),
        _ => Ok(()),
    }
}

/// Reads the games of a text, at least one, one at a time. Each game after the first begins with its tags in OGN, and
/// in Aalina's notation with a line that begins with its position. A text without a game is an error.
///
/// ```
/// use granero::notation;
///
/// let many = "[Round \"1\"] 1. F f * ".repeat(1000);
/// assert_eq!(notation::games(&many).take(10).filter(Result::is_ok).count(), 10);
/// let lines = "0-0-0-0-0-5-1-0-0-0-0-0-20-22-N aF\n0-0-0-0-0-5-1-0-0-0-0-0-22-20-S F\n";
/// assert_eq!(notation::games(lines).count(), 2);
/// assert!(notation::games("\n").all(|game| game.is_err()));
/// ```
pub fn games(text: &str) -> impl Iterator<Item = Result<Game, ParseError>> {
    let games: Box<dyn Iterator<Item = _>> = match not_blank(text) {
        Err(blank) => Box::new(iter::once(Err(blank))),
        Ok(()) if is_aalinas(text) => Box::new(aalina::games(text)),
        Ok(()) => Box::new(ogn::games(text)),
    };
    games
}

/// Reads a game: Aalina's notation if there are only letters, with or without a position before them,
/// otherwise OGN.
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
        not_blank(text)?;
        if is_aalinas(text) {
            aalina::parse_game(text)
        } else {
            ogn::parse(text)
        }
    }
}

//! Common parts of the notations for positions: a number of seeds for each house, and not too many
//! seeds in all.

use super::error::{END, ParseError, offset_in};
use crate::house::Side;
use crate::position::{MAX_SEEDS, Position};
use crate::situation::{GAMES, Situation};

/// The pieces of a text between separators. Several separators in a row count as one, and separators
/// at the ends do not count, because people align numbers.
pub(super) fn pieces(text: &str, separator: fn(char) -> bool) -> impl Iterator<Item = &str> {
    text.split(separator).filter(|piece| !piece.is_empty())
}

/// White space or a comma.
pub(super) fn is_separator(c: char) -> bool {
    c.is_whitespace() || c == ','
}

/// The side to move, as one letter.
pub(super) fn side(text: &str, piece: &str) -> Result<Side, ParseError> {
    match piece {
        "S" => Ok(Side::South),
        "N" => Ok(Side::North),
        _ => {
            let expected = "the side to move, `S` or `N`";
            Err(ParseError::at_piece(text, piece, expected))
        }
    }
}

/// Returns an error if there is a piece after the last one.
pub(super) fn ends(text: &str, extra: Option<&str>, last: &str) -> Result<(), ParseError> {
    extra.map_or(Ok(()), |extra| {
        Err(ParseError::at_piece(
            text,
            extra,
            format!("nothing after {last}"),
        ))
    })
}

/// A number of seeds that fits on a board.
pub(super) fn seeds(text: &str, piece: &str) -> Result<u8, ParseError> {
    if piece.is_empty() || !piece.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ParseError::at_piece(text, piece, "a number of seeds"));
    }
    match piece.parse() {
        Ok(seeds) if seeds <= MAX_SEEDS => Ok(seeds),
        _ => {
            let expected = format!("at most {MAX_SEEDS} seeds");
            Err(ParseError::at_piece(text, piece, expected).impossible())
        }
    }
}

/// The houses of a board.
const HOUSES: usize = 12;

/// Reads exactly `N` numbers of seeds. Errors call each of them `name` ("house"); the error for a
/// missing one is at the end of `line`.
pub(super) fn all_seeds<'a, const N: usize>(
    text: &'a str,
    line: &'a str,
    mut pieces: impl Iterator<Item = &'a str>,
    name: &str,
) -> Result<[u8; N], ParseError> {
    let mut numbers = [0; N];
    // All seeds so far, and the number that makes them too many.
    let (mut all, mut over) = (0u32, None);
    for (index, number) in numbers.iter_mut().enumerate() {
        let Some(piece) = pieces.next() else {
            let end = offset_in(text, line) + line.trim_end().len();
            let found = if end == text.trim_end().len() {
                END
            } else {
                "the end of the row"
            };
            let expected = format!("a number of seeds for {name} {} of {N}", index + 1);
            return Err(ParseError::new(text, end, expected, found));
        };
        *number = seeds(text, piece)?;
        all += u32::from(*number);
        // With stores, there must be as many as in a game.
        if N == HOUSES && all > u32::from(MAX_SEEDS) {
            over.get_or_insert(piece);
        }
    }
    ends(text, pieces.next(), &format!("{name} {N} of {N}"))?;
    match over {
        None => Ok(numbers),
        Some(piece) => Err(too_many(text, offset_in(text, piece), all)),
    }
}

/// Turns a position that the side to move sees into the one that South sees, and the other way round.
pub(super) fn from_south(position: Position, to_move: Side) -> Position {
    match to_move {
        Side::South => position,
        Side::North => position.turned(),
    }
}

/// The houses of a situation, South's first, and South's and North's store.
pub(super) fn south_first(situation: &Situation) -> (Position, [u8; 2]) {
    let stores = [Side::South, Side::North].map(|side| situation.store(side));
    let south_first = from_south(situation.position(), situation.to_move());
    (south_first, stores)
}

/// The situation with these houses, South's first, unless the seeds are not those of a game. `place` is the text and
/// the offset for errors; `captured` is the notation's word for captured seeds.
pub(super) fn situation(
    place: (&str, usize),
    south_first: Position,
    to_move: Side,
    [south, north]: [u8; 2],
    captured: &str,
) -> Result<Situation, ParseError> {
    Situation::new(from_south(south_first, to_move), to_move, south, north).map_err(|error| {
        let (text, offset) = place;
        let expected = format!("{GAMES} seeds in houses and {captured} together");
        ParseError::new(text, offset, expected, format!("{} seeds", error.seeds)).impossible()
    })
}

/// The position with these houses, unless they hold too many seeds together.
pub(super) fn position(text: &str, houses: [u8; 12]) -> Result<Position, ParseError> {
    Position::new(houses).map_err(|error| too_many(text, text.trim_end().len(), error.seeds))
}

fn too_many(text: &str, at: usize, seeds: u32) -> ParseError {
    let expected = format!("at most {MAX_SEEDS} seeds together");
    ParseError::new(text, at, expected, format!("{seeds} seeds")).impossible()
}

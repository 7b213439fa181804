//! The notation of PlayStrategy, where people play Oware online. A position has North's houses from
//! `f` to `a`, South's from `A` to `F`, South's and North's score, the side to move, and the number
//! of the move: `4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S 1`.
//!
//! `3S` is a house with three seeds, a bare `3` stands for three empty houses. Web addresses have `_`
//! in place of spaces. An older form has a letter for each house that is not empty, `A` to `Z` for 1 to
//! 26 seeds, and `a` for 27 and so on: `DDDDDD/DDDDDD 0 0 S`.
//!
//! A move names the house that is sown and the house of the last seed, by columns `a` to `f`, from left to
//! right as South sees them, and rows 1 (South's) and 2 (North's): `c1f2` sows South's `C`, and the last seed
//! falls into North's `a`. The module [`ogn`](super::ogn) reads games, which are records with such moves.

use super::error::{ParseError, offset_in};
use super::scan;
use crate::house::{House, PlayerHouse, Side};
use crate::position::{MAX_SEEDS, join};
use crate::situation::Situation;

/// The fields of a position.
fn fields(text: &str) -> impl Iterator<Item = &str> {
    scan::pieces(text, |c| c.is_whitespace() || c == '_')
}

/// Tells if a text has the rows and the side of this notation, whatever else it contains.
pub(super) fn looks_like(text: &str) -> bool {
    let mut fields = fields(text);
    let houses = fields.next().unwrap_or_default();
    let pairs = houses.as_bytes().windows(2);
    let has_seeds = pairs
        .into_iter()
        .any(|pair| pair[0].is_ascii_digit() && matches!(pair[1], b'S' | b's'));
    let side = fields.nth(2).unwrap_or_default();
    // A board may also have letters, but in rows of their own.
    let has_two_rows = text.matches('/').count() == 1 && !text.trim().contains('\n');
    let has_side = has_two_rows && side.starts_with(|c: char| c.is_ascii_alphabetic());
    houses.contains('/') && (has_seeds || has_side)
}

/// Reads a position with its scores and the side to move. The number of the move is optional.
///
/// After the end of a game, PlayStrategy adds the seeds on the board to the scores; this function
/// subtracts them again.
///
/// # Errors
///
/// When the text is not in this notation, or houses and scores do not add up to 12, 24, 36 or 48 seeds.
///
/// ```
/// use granero::notation::playstrategy;
///
/// let read = playstrategy::parse("3,2S,1S,2S/1S,3,2S,3S 20 17 S 50")?;
/// assert_eq!(read.to_string(), "1-0-0-0-2-3-2-1-2-0-0-0-20-17-S");
/// assert_eq!(read, playstrategy::parse("3BAB/A3BC_20_17_S")?);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
pub fn parse(text: &str) -> Result<Situation, ParseError> {
    let mut fields = fields(text);
    let end = &text[text.trim_end().len()..][..0];
    let mut next = || fields.next().unwrap_or(end);
    let houses = next();
    let Some((upper, lower)) = houses.split_once('/') else {
        let expected = "North's houses, a slash and South's houses";
        return Err(ParseError::at_piece(text, houses, expected));
    };
    let mut norths = row(text, upper, "North")?;
    norths.reverse();
    let souths = row(text, lower, "South")?;
    let [mut south, mut north] = [score(text, next())?, score(text, next())?];
    let to_move = scan::side(text, next())?;
    let number = next();
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ParseError::at_piece(text, number, "the number of the move"));
    }
    scan::ends(text, fields.next(), "the number of the move")?;
    let south_first = scan::position(text, join(souths, norths))?;
    let on_board = [south_first.own_seeds(), south_first.opponents_seeds()];
    if south + north == MAX_SEEDS && on_board[0] <= south && on_board[1] <= north {
        south -= on_board[0];
        north -= on_board[1];
    }
    scan::situation(
        (text, offset_in(text, houses)),
        south_first,
        to_move,
        [south, north],
        "scores",
    )
}

/// A row of six houses, from left to right.
fn row(text: &str, row: &str, whose: &str) -> Result<[u8; 6], ParseError> {
    let mut houses = Vec::with_capacity(6);
    let pieces: Vec<&str> = if row.contains(',') {
        row.split(',').collect()
    } else {
        let letters = row.char_indices();
        letters
            .map(|(start, c)| &row[start..start + c.len_utf8()])
            .collect()
    };
    for piece in pieces {
        match piece.as_bytes() {
            // A bare digit stands for so many empty houses.
            [digit @ b'1'..=b'6'] => houses.extend(vec![0; usize::from(digit - b'0')]),
            _ if row.contains(',') => {
                let Some(seeds) = piece.strip_suffix(['S', 's']) else {
                    let expected = "a house like `4S`, or a number of empty houses";
                    return Err(ParseError::at_piece(text, piece, expected));
                };
                houses.push(scan::seeds(text, seeds)?);
            }
            _ => houses.push(letter(piece).ok_or_else(|| {
                let expected = "a letter for the seeds of a house, or a number of empty houses";
                ParseError::at_piece(text, piece, expected)
            })?),
        }
    }
    let found = houses.len();
    houses.try_into().map_err(|_| {
        let expected = format!("six houses of {whose}'s");
        ParseError::new(text, offset_in(text, row), expected, format!("{found}"))
    })
}

/// The number that a letter stands for in the older form.
fn letter(piece: &str) -> Option<u8> {
    match piece.as_bytes() {
        [letter @ b'A'..=b'Z'] => Some(letter - b'A' + 1),
        [letter @ b'a'..=b'v'] => Some(letter - b'a' + 27),
        _ => None,
    }
}

fn score(text: &str, piece: &str) -> Result<u8, ParseError> {
    letter(piece).map_or_else(|| scan::seeds(text, piece), Ok)
}

/// Writes a position in PlayStrategy's present form. `number` is the number of the move, 1 at the start.
pub fn write(situation: &Situation, number: u32) -> String {
    let (south_first, [south, north]) = scan::south_first(situation);
    let mut norths = south_first.opponents();
    norths.reverse();
    let [upper, lower] = [norths, south_first.own()].map(written_row);
    // The first letter of the side.
    format!(
        "{upper}/{lower} {south} {north} {:.1} {number}",
        situation.to_move()
    )
}

fn written_row(houses: [u8; 6]) -> String {
    let mut pieces = Vec::new();
    for run in houses.chunk_by(|left, right| *left == 0 && *right == 0) {
        pieces.push(match run {
            [0, ..] => run.len().to_string(),
            _ => format!("{}S", run[0]),
        });
    }
    pieces.join(",")
}

/// Reads a move like `c1f2`: the house that is sown, and the house of the last seed.
///
/// # Errors
///
/// When the text is anything else.
///
/// ```
/// use granero::notation::playstrategy;
///
/// let [from, to] = playstrategy::parse_move("c1f2")?;
/// assert_eq!([from.letter(), to.letter()], ['C', 'a']);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
pub fn parse_move(text: &str) -> Result<[PlayerHouse; 2], ParseError> {
    if let &[from, from_row, to, to_row] = text.as_bytes()
        && let (Some(from), Some(to)) = (house(from, from_row), house(to, to_row))
    {
        return Ok([from, to]);
    }
    Err(ParseError::at_piece(text, text, "a move like `c1f2`"))
}

fn house(column: u8, row: u8) -> Option<PlayerHouse> {
    let column = usize::from(column.checked_sub(b'a')?);
    let (side, index) = match row {
        b'1' => (Side::South, column),
        b'2' => (Side::North, 5usize.checked_sub(column)?),
        _ => return None,
    };
    let house = House::new(index)?;
    Some(PlayerHouse { side, house })
}

/// The house of the last seed if the side to move sows `house`.
pub(super) fn last_house(situation: &Situation, house: House) -> PlayerHouse {
    let (_, place) = situation.position().sown(house);
    let side = if place < 6 {
        situation.to_move()
    } else {
        situation.to_move().other()
    };
    PlayerHouse {
        side,
        house: House::ALL[usize::from(place % 6)],
    }
}

/// Writes a move in a situation, legal or not.
///
/// ```
/// use granero::notation::playstrategy;
/// use granero::{House, Situation};
///
/// assert_eq!(playstrategy::write_move(&Situation::START, House::C), "c1f2");
/// ```
pub fn write_move(situation: &Situation, house: House) -> String {
    let from = PlayerHouse {
        side: situation.to_move(),
        house,
    };
    [from, last_house(situation, house)].map(square).concat()
}

fn square(house: PlayerHouse) -> String {
    let column = |index: usize| char::from(b'a' + index as u8);
    match house.side {
        Side::South => format!("{}1", column(house.house.index())),
        Side::North => format!("{}2", column(5 - house.house.index())),
    }
}

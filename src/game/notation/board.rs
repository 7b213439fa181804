//! A board of two rows, as rulebooks print it: the opponent's houses above, from right
//! to left, the mover's below.
//!
//! ```text
//! f  e  d  c  b  a
//! 6  0  0  2  1  2
//! 4  0  0  1  3  1
//! A  B  C  D  E  F
//! ```
//!
//! On one line, a slash separates the rows: `6 0 0 2 1 2 / 4 0 0 1 3 1`. The lines of letters are optional.

use super::error::ParseError;
use super::scan;
use crate::house::{House, Side};
use crate::position::{Position, join};

/// Tells if a text has several rows, whatever they contain.
pub(super) fn looks_like(text: &str) -> bool {
    text.trim().contains(['/', '\n'])
}

/// Reads a board. White space or commas separate the numbers of a row; the names of the
/// houses, `f` to `a` above and `A` to `F` below, are optional.
///
/// # Errors
///
/// When there are not exactly two rows of six numbers of seeds, at most 48 together.
///
/// ```
/// use granero::notation::board;
///
/// let position = board::parse("6 0 0 2 1 2\n4 0 0 1 3 1\n")?;
/// assert_eq!(position.houses(), [4, 0, 0, 1, 3, 1, 2, 1, 2, 0, 0, 6]);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
pub fn parse(text: &str) -> Result<Position, ParseError> {
    let mut rows: Vec<&str> = text
        .split(['/', '\n'])
        .filter(|row| !row.chars().all(scan::is_separator))
        .collect();
    // The names of the houses may stand above and below, in the order of the rows.
    if rows.first().is_some_and(|row| is_spelled(row, "FEDCBA")) {
        rows.remove(0);
    }
    if rows.get(2).is_some_and(|row| is_spelled(row, "ABCDEF")) {
        rows.remove(2);
    }
    let mut rows = rows.into_iter();
    let mut next_row = |name: &str| -> Result<[u8; 6], ParseError> {
        let row = rows.next().ok_or_else(|| {
            let end = text.trim_end().len();
            ParseError::at_piece(text, &text[end..end], format!("the {name} row"))
        })?;
        let pieces = scan::pieces(row, scan::is_separator);
        scan::all_seeds(text, row, pieces, &format!("{name} house"))
    };
    let mut opponents = next_row("upper")?;
    let own = next_row("lower")?;
    scan::ends(text, rows.next().map(str::trim), "the lower row")?;
    opponents.reverse();
    scan::position(text, join(own, opponents))
}

/// Tells if a line is made of these letters, capital or small.
fn is_spelled(row: &str, letters: &str) -> bool {
    let row: String = row.split_whitespace().collect();
    row.eq_ignore_ascii_case(letters)
}

/// Writes a board of four lines, with the letters of the houses. `mover` is the side with the lower row.
///
/// ```
/// use granero::Side;
/// use granero::notation::board;
///
/// let position = board::parse("0 0 0 8 2 0 / 6 1 7 0 14 8")?;
/// assert_eq!(
///     board::write(&position, Side::South),
///     " f  e  d  c  b  a\n 0  0  0  8  2  0\n 6  1  7  0 14  8\n A  B  C  D  E  F\n"
/// );
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
pub fn write(position: &Position, mover: Side) -> String {
    let mut opponents = position.opponents();
    opponents.reverse();
    let mut names = House::ALL.map(|house| house.letter(mover.other()));
    names.reverse();
    let mut board = row(names);
    board += &row(opponents);
    board += &row(position.own());
    board += &row(House::ALL.map(|house| house.letter(mover)));
    board
}

fn row<T: ToString>(cells: [T; 6]) -> String {
    let cells = cells.map(|cell| format!("{:>2}", cell.to_string()));
    cells.join(" ") + "\n"
}

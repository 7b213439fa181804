//! A board of two rows, as rule texts print it: the opponent's houses above, from
//! right to left, the mover's below.
//!
//! ```text
//! f  e  d  c  b  a
//! 6  0  0  2  1  2
//! 4  0  0  1  3  1
//! A  B  C  D  E  F
//! ```
//!
//! In one line the rows are divided by a slash: `6 0 0 2 1 2 / 4 0 0 1 3 1`. The
//! lines of letters may be left out.

use super::error::ParseError;
use super::scan;
use crate::house::{House, Side};
use crate::position::Position;

/// Whether a text is divided into rows, whatever they contain.
pub(super) fn looks_like(text: &str) -> bool {
    text.trim().contains(['/', '\n'])
}

/// Reads a board. Numbers in a row are separated by white space or commas; lines
/// without numbers of seeds that name the houses are skipped.
///
/// # Errors
///
/// When there are not exactly two rows of six numbers of seeds, at most 48
/// together.
///
/// ```
/// use granero::notation::board;
///
/// let position = board::parse("6 0 0 2 1 2\n4 0 0 1 3 1\n")?;
/// assert_eq!(position.houses(), [4, 0, 0, 1, 3, 1, 2, 1, 2, 0, 0, 6]);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
pub fn parse(text: &str) -> Result<Position, ParseError> {
    let mut rows = text
        .split(['/', '\n'])
        .filter(|row| !is_blank(row) && !names_houses(row));
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
    if let Some(extra) = rows.next() {
        let expected = "nothing after the lower row";
        return Err(ParseError::at_piece(text, extra.trim(), expected));
    }
    opponents.reverse();
    let [a, b, c, d, e, f] = own;
    let [g, h, i, j, k, l] = opponents;
    scan::position(text, [a, b, c, d, e, f, g, h, i, j, k, l])
}

fn is_blank(row: &str) -> bool {
    row.chars().all(scan::is_separator)
}

/// Whether a line is `A B C D E F`, or the same from right to left, in capital or
/// small letters.
fn names_houses(row: &str) -> bool {
    let letters: String = row.split_whitespace().collect();
    ["ABCDEF", "FEDCBA"]
        .iter()
        .any(|names| letters.eq_ignore_ascii_case(names))
}

/// Writes a board of four lines, with the letters of the houses. The mover, who
/// has the lower row, is the given side.
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

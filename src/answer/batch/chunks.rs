//! Lines: the most that are answered together, and their pieces for threads.

use std::iter;

use memchr::{memchr, memchr_iter};

/// The longest line, in bytes, that may be a position: several times what a position needs.
pub const LONGEST: usize = 1000;

/// The most bytes of a chunk, whose lines are looked up together.
pub const CHUNK: usize = 1 << 25;

/// The most lines of a chunk. Even an empty line takes memory.
pub(crate) const LINES: usize = 1 << 20;

/// The number of bytes that a thread answers at a time: enough to be worth the switch.
pub const PIECE: usize = 1 << 14;

/// The most lines of a piece. A short line takes as long to answer as a long one.
const PIECE_LINES: usize = 1 << 11;

/// The first lines of a text with whole lines, at most `most`.
pub(super) fn first_lines(text: &[u8], most: usize) -> &[u8] {
    if memchr_iter(b'\n', text).count() <= most {
        return text;
    }
    let end = memchr_iter(b'\n', text).nth(most - 1);
    &text[..end.map_or(text.len(), |end| end + 1)]
}

/// Splits whole lines into pieces of this size, or a line more, or of the most lines of a piece.
pub fn pieces(mut chunk: &[u8], size: usize) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    while !chunk.is_empty() {
        let (piece, rest) = chunk.split_at(end_of_piece(chunk, size));
        pieces.push(piece);
        chunk = rest;
    }
    pieces
}

pub fn end_of_piece(chunk: &[u8], size: usize) -> usize {
    let from = size.min(chunk.len());
    let end = memchr(b'\n', &chunk[from..]);
    let end = end.map_or(chunk.len(), |end| from + end + 1);
    first_lines(&chunk[..end], PIECE_LINES).len()
}

/// The lines of a piece, without their ends.
pub fn lines(piece: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(piece.strip_suffix(b"\n").unwrap_or(piece));
    iter::from_fn(move || {
        let text = rest?;
        let (line, after) = match memchr(b'\n', text) {
            Some(end) => (&text[..end], Some(&text[end + 1..])),
            None => (text, None),
        };
        rest = after;
        Some(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_bounded_in_lines_and_bytes() {
        let text = [b"\n".repeat(PIECE_LINES + 7), b"1234567\n".repeat(500)].concat();
        let found = pieces(&text, 1000);
        assert_eq!(found.concat(), text);
        let many = [&found[..], &pieces(&text, PIECE)].concat();
        assert!(many.iter().all(|piece| lines(piece).count() <= PIECE_LINES));
        assert!(found.iter().all(|piece| piece.len() <= 1008));
        assert_eq!(pieces(&text, PIECE)[0].len(), PIECE_LINES);
    }
}

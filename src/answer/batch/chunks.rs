//! The lines of an input: many at a time if they are there, without waiting for more.

use std::io::{self, Read};
use std::iter;

use memchr::{memchr, memchr_iter, memrchr};

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

/// Reads lines as they arrive: typed lines get answers at once, and files are read in large chunks.
pub struct Chunks<R> {
    input: R,
    /// The most lines that are handed out at a time.
    lines: usize,
    buffer: Vec<u8>,
    /// The number of bytes in the buffer that were read.
    filled: usize,
    /// The number of these that were handed out.
    given: usize,
}

impl<R: Read> Chunks<R> {
    /// Reads with a buffer of `bytes` bytes, which must be more than `LONGEST + 1`.
    pub fn with_buffer(input: R, bytes: usize) -> Chunks<R> {
        Chunks {
            input,
            lines: LINES,
            buffer: vec![0; bytes],
            filled: 0,
            given: 0,
        }
    }

    /// Reads the next lines, each with its end, which the last line may lack. `None` at the end.
    ///
    /// A line longer than [`LONGEST`] may be cut, but never to [`LONGEST`] or less, so it can be
    /// recognised.
    pub fn next_chunk(&mut self) -> io::Result<Option<&[u8]>> {
        self.buffer.copy_within(self.given..self.filled, 0);
        self.filled -= self.given;
        // Whole lines may be left that were too many for the last chunk.
        let left = &self.buffer[..self.filled];
        let last = memrchr(b'\n', left);
        self.given = last.map_or(0, |last| last + 1);
        while self.given == 0 {
            // There is room: the rest is one line without its end.
            self.filled = self.filled.min(LONGEST + 1);
            let read = match self.input.read(&mut self.buffer[self.filled..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            let before = self.filled;
            self.filled += read;
            let new = &self.buffer[before..self.filled];
            match memrchr(b'\n', new) {
                Some(last) => self.given = before + last + 1,
                None if read > 0 => {}
                None if self.filled == 0 => return Ok(None),
                None => self.given = self.filled,
            }
        }
        self.given = first_lines(&self.buffer[..self.given], self.lines).len();
        Ok(Some(&self.buffer[..self.given]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUFFER: usize = 1 << 20;

    /// Gives a few bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = self.1.min(buffer.len());
            (&mut self.0).take(most as u64).read(buffer)
        }
    }

    fn read(text: &[u8], at_a_time: usize) -> Vec<Vec<u8>> {
        let mut chunks = Chunks::with_buffer(Slow(text, at_a_time), BUFFER);
        let mut all = Vec::new();
        while let Some(chunk) = chunks.next_chunk().unwrap() {
            all.push(chunk.to_vec());
        }
        all
    }

    #[test]
    fn lines_are_given_as_soon_as_they_are_there() {
        let text = b"one\n\ntwo\r\nthree";
        for at_a_time in 1..=text.len() {
            let chunks = read(text, at_a_time);
            assert_eq!(chunks.concat(), text);
            let (last, others) = chunks.split_last().unwrap();
            assert_eq!(last, b"three");
            assert!(others.iter().all(|chunk| chunk.ends_with(b"\n")));
        }
        assert_eq!(read(text, 1).len(), 4);
        assert_eq!(read(text, 100).len(), 2);
        assert_eq!(read(b"", 1), [[0; 0]; 0]);
        assert_eq!(read(b"\n", 1), [b"\n"]);
    }

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

    #[test]
    fn lines_are_bounded_in_number() {
        let text = b"a\n\n\nb\n\n\n\nc";
        for at_a_time in 1..=text.len() {
            let mut chunks = Chunks::with_buffer(Slow(text, at_a_time), BUFFER);
            chunks.lines = 2;
            let mut all = Vec::new();
            while let Some(chunk) = chunks.next_chunk().unwrap() {
                assert!(lines(chunk).count() <= 2);
                all.extend_from_slice(chunk);
            }
            assert_eq!(all, text);
        }
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let mut text = vec![b'1'; 3 * BUFFER];
        text.extend_from_slice(b"\nnext\n");
        for at_a_time in [7, 1000, BUFFER - 1, 4 * BUFFER] {
            let chunks = read(&text, at_a_time).concat();
            let lines: Vec<&[u8]> = chunks.split(|&byte| byte == b'\n').collect();
            assert_eq!(lines.len(), 3);
            assert!(lines[0].len() > LONGEST);
            assert_eq!(lines[1..], [b"next", &b""[..]]);
        }
        let longest = vec![b'1'; LONGEST];
        assert_eq!(read(&longest, 7), [longest]);
    }
}

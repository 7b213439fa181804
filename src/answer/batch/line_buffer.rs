//! Lines that arrive in parts of any size, kept until there are enough for a chunk.

use memchr::{memchr_iter, memrchr};

use super::LONGEST;

/// The most lines of a chunk. Even an empty line takes memory.
const LINES: usize = 1 << 20;

/// The most bytes of a line: beyond this the input is taken to have no lines.
pub const ENDLESS: usize = 1 << 20;

#[derive(Default)]
pub struct LineBuffer {
    text: Vec<u8>,
    /// The bytes of all whole lines, and the number of these lines.
    whole: usize,
    lines: usize,
    /// The bytes of the line that has not ended, including bytes that were cut off.
    open: usize,
}

impl LineBuffer {
    /// Adds bytes. A line longer than [`LONGEST`] may be cut, but never to [`LONGEST`] or less, so it
    /// can be recognised.
    pub fn push(&mut self, bytes: &[u8]) {
        let before = self.text.len();
        self.text.extend_from_slice(bytes);
        self.lines += memchr_iter(b'\n', bytes).count();
        self.open += bytes.len();
        if let Some(last) = memrchr(b'\n', bytes) {
            self.whole = before + last + 1;
            self.open = bytes.len() - last - 1;
        }
        self.text.truncate(self.whole + LONGEST + 1);
    }

    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Returns true if a line is far too long to be a position.
    pub fn is_endless(&self) -> bool {
        self.open > ENDLESS
    }

    pub fn has_line(&self) -> bool {
        self.lines > 0
    }

    /// Returns true if there is enough for a chunk of this many bytes.
    pub fn is_full(&self, bytes: usize) -> bool {
        self.text.len() >= bytes || self.lines >= LINES
    }

    /// Takes whole lines; at the end of the input also a last line without its end.
    pub fn take(&mut self, is_end: bool) -> Vec<u8> {
        let whole = if is_end { self.text.len() } else { self.whole };
        let mut ends = memchr_iter(b'\n', &self.text[..whole]);
        let bytes = ends.nth(LINES - 1).map_or(whole, |end| end + 1);
        let (rest, open) = (self.text.split_off(bytes), self.open);
        let mut taken = std::mem::take(self).text;
        taken.shrink_to_fit();
        self.push(&rest);
        self.open = open;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::CHUNK;

    #[test]
    fn chunks_are_bounded() {
        let text = [b"\n".repeat(LINES), b"x\n".repeat(LINES + 7)].concat();
        let mut coming = LineBuffer::default();
        let mut chunks = Vec::new();
        for part in text.chunks(1 << 16) {
            coming.push(part);
            if coming.is_full(CHUNK) {
                chunks.push(coming.take(false));
            }
        }
        chunks.push(coming.take(true));
        let lines = |chunk: &Vec<u8>| chunk.iter().filter(|&&byte| byte == b'\n').count();
        let counts: Vec<usize> = chunks.iter().map(lines).collect();
        assert_eq!(counts, [LINES, LINES, 7]);
        assert!(chunks.concat() == text);
    }

    #[test]
    fn a_line_does_not_go_on_for_ever() {
        let mut coming = LineBuffer::default();
        for piece in [&b"4\n"[..], &[b'1'; ENDLESS], b"\n", &[b'1'; ENDLESS]] {
            coming.push(piece);
            coming.take(false);
            assert!(!coming.is_endless());
        }
        coming.push(b"1");
        assert!(coming.is_endless());
    }
}

//! Lines that arrive in parts of any size, kept until there are enough for a chunk.

use memchr::{memchr_iter, memrchr};

use super::chunks::{CHUNK, LINES, LONGEST, first_lines};

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

    /// Returns true if there is enough for a chunk.
    pub fn is_full(&self) -> bool {
        self.text.len() >= CHUNK || self.lines >= LINES
    }

    /// Takes whole lines; at the end of the input also a last line without its end.
    pub fn take(&mut self, is_end: bool) -> Vec<u8> {
        let whole = if is_end { self.text.len() } else { self.whole };
        let bytes = first_lines(&self.text[..whole], LINES).len();
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

    fn taken(text: &[u8], at_a_time: usize) -> Vec<Vec<u8>> {
        let mut coming = LineBuffer::default();
        let mut all = Vec::new();
        for part in text.chunks(at_a_time) {
            coming.push(part);
            if coming.is_full() {
                all.push(coming.take(false));
            }
        }
        while coming.bytes() > 0 {
            all.push(coming.take(true));
        }
        all
    }

    #[test]
    fn nothing_is_lost() {
        let text = b"one\n\ntwo\r\nthree";
        for at_a_time in 1..=text.len() {
            assert_eq!(taken(text, at_a_time), [text]);
            let mut coming = LineBuffer::default();
            let parts = text.chunks(at_a_time).map(|part| {
                coming.push(part);
                coming.take(false)
            });
            let parts: Vec<Vec<u8>> = parts.collect();
            assert!(
                parts
                    .iter()
                    .all(|part| part.is_empty() || part.ends_with(b"\n"))
            );
            assert_eq!([parts.concat(), coming.take(true)].concat(), text);
        }
    }

    #[test]
    fn chunks_are_bounded() {
        let text = [b"\n".repeat(LINES), b"x\n".repeat(LINES + 7)].concat();
        let chunks = taken(&text, 1 << 16);
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

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let text = [b"1".repeat(100_000), b"\nnext".to_vec()].concat();
        for at_a_time in [7, 999, 1000, 1001, 16_384, text.len()] {
            let [chunk] = &taken(&text, at_a_time)[..] else {
                panic!("one chunk");
            };
            let (long, next) = chunk.split_at(chunk.len() - 5);
            assert_eq!(next, b"\nnext");
            assert!(long.len() > LONGEST && long.len() <= LONGEST + 1 + at_a_time);
        }
        let longest = b"1".repeat(LONGEST);
        assert_eq!(taken(&longest, 7), [longest]);
    }
}

//! The loaded and the wanted bytes of files.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use granero::table::ByteSource;

/// The bytes of a piece, except the last of a file: as many as a header. A look-up needs three or four
/// consecutive pieces, so hardly more bytes are loaded than it needs.
pub(crate) const PIECE: u64 = 132;

/// The pieces of all files of some tables.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    there: HashMap<(u32, u64), Box<[u8]>>,
    wanted: BTreeSet<(u32, u64)>,
}

/// Pieces that several files share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared(Arc<Mutex<Pieces>>);

/// A file of which there are pieces.
#[derive(Debug)]
pub(crate) struct PiecedFile {
    pub(crate) number: u32,
    pub(crate) length: u64,
    pub(crate) pieces: Shared,
}

impl Shared {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Pieces> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pieces {
    /// Forgets everything if there are more bytes than these.
    pub(crate) fn bound(&mut self, bytes: u64) {
        if self.there.len() as u64 * PIECE > bytes {
            self.there = HashMap::new();
        }
    }

    /// Takes what is wanted: for each range a file, and the numbers of the first piece and of the one
    /// after the last.
    pub(crate) fn take_wanted(&mut self) -> Vec<(u32, Range<u64>)> {
        let mut ranges: Vec<(u32, Range<u64>)> = Vec::new();
        for (file, piece) in std::mem::take(&mut self.wanted) {
            match ranges.last_mut() {
                Some((last, range)) if *last == file && range.end == piece => range.end += 1,
                _ => ranges.push((file, piece..piece + 1)),
            }
        }
        ranges
    }

    pub(crate) fn is_wanting(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// Adds bytes of a file of some length that begin with a piece. A last piece that is not whole is
    /// left out.
    pub(crate) fn add(&mut self, file: u32, length: u64, first: u64, bytes: &[u8]) {
        for (number, piece) in (first..).zip(bytes.chunks(PIECE as usize)) {
            let end = number * PIECE + piece.len() as u64;
            if piece.len() as u64 == PIECE || end == length {
                self.there.insert((file, number), piece.into());
            }
        }
    }
}

impl ByteSource for PiecedFile {
    fn length(&self) -> u64 {
        self.length
    }

    fn bytes(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        if range.start > range.end || range.end > self.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut guard = self.pieces.lock();
        let Pieces { there, wanted } = &mut *guard;
        let numbers = range.start / PIECE..range.end.div_ceil(PIECE);
        let mut bytes = Vec::with_capacity((range.end - range.start) as usize);
        let mut complete = true;
        for number in numbers {
            let Some(piece) = there.get(&(self.number, number)) else {
                wanted.insert((self.number, number));
                complete = false;
                continue;
            };
            let start = number * PIECE;
            let from = range.start.saturating_sub(start);
            let to = (range.end - start).min(PIECE);
            bytes.extend_from_slice(&piece[from as usize..to as usize]);
        }
        if complete {
            Ok(Cow::Owned(bytes))
        } else {
            Err(io::ErrorKind::WouldBlock.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_wanted_until_they_come() {
        let whole: Vec<u8> = (0..5000_u32).map(|byte| byte as u8).collect();
        let pieces = Shared::default();
        let file = PiecedFile {
            number: 3,
            length: whole.len() as u64,
            pieces: pieces.clone(),
        };
        let kind = |found: io::Result<Cow<'_, [u8]>>| found.unwrap_err().kind();
        assert_eq!(kind(file.bytes(1000..2100)), io::ErrorKind::WouldBlock);
        assert_eq!(kind(file.bytes(4990..5000)), io::ErrorKind::WouldBlock);
        assert_eq!(kind(file.bytes(4990..5001)), io::ErrorKind::UnexpectedEof);
        let wanted = pieces.lock().take_wanted();
        assert_eq!(wanted, [(3, 7..16), (3, 37..38)]);
        assert!(!pieces.lock().is_wanting());
        for (number, range) in wanted {
            let start = (range.start * PIECE) as usize;
            let end = whole.len().min((range.end * PIECE) as usize);
            let bytes = &whole[start..end];
            pieces.lock().add(number, file.length, range.start, bytes);
        }
        for range in [1000..2100, 924..2112, 1000..1000, 4990..5000, 1056..1980] {
            let place = range.start as usize..range.end as usize;
            assert_eq!(*file.bytes(range).unwrap(), whole[place]);
        }
        // Pieces that are not whole are left out.
        pieces.lock().add(3, file.length, 20, &[1, 2]);
        assert_eq!(kind(file.bytes(2640..2642)), io::ErrorKind::WouldBlock);
        pieces.lock().bound(0);
        assert_eq!(kind(file.bytes(1000..2100)), io::ErrorKind::WouldBlock);
    }
}

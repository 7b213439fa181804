//! Temporary files of compressed pieces: smaller layers, and checkpoints. Table files have a codec of their own.
//!
//! ```text
//! pieces    each: a frame of zstd
//! ends      of each piece: where it ends (u64), and its CRC (u32)
//! label     u32
//! count     u32, the number of pieces
//! CRC       u32: of the label, the count, and the name of what the file holds
//! hash      32 bytes: of the ends and all that follows
//! ```
//!
//! No other program reads such a file.

use std::io;
use std::ops::Range;
use std::path::Path;

use granero_table::TableError;
use granero_table::bytes::source::{ByteSource, FileSource};
use granero_table::file::directory::error;
use granero_table::file::sha256::Sha256;
use granero_table::parallel;
use granero_table::write::durable::Target;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::compress_bound;

/// Higher levels take more time, and make the files a little smaller.
const LEVEL: i32 = 1;

/// The bytes for a piece before the label, and those from the label on.
const EACH: u64 = 12;
const LAST: u64 = 44;

/// Where the pieces of a file lie, and their CRCs.
#[derive(Debug, Default)]
pub(crate) struct Pieces(Vec<(Range<u64>, u32)>);

/// Reasons why pieces are not read.
#[derive(Debug)]
pub(crate) enum NotRead {
    Io(io::Error),
    Damaged,
}

impl From<io::Error> for NotRead {
    fn from(error: io::Error) -> NotRead {
        NotRead::Io(error)
    }
}

/// The CRC of a label, a number of pieces, and a name.
fn checked(label: u32, count: u32, name: &[u8]) -> u32 {
    crc32fast::hash(&[&label.to_le_bytes(), &count.to_le_bytes(), name].concat())
}

impl Pieces {
    /// The number of pieces.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Compresses bytes in pieces of some length, on all threads, and writes them behind the others.
    pub(crate) fn write(
        &mut self,
        file: &mut dyn Target,
        bytes: &[u8],
        length: usize,
    ) -> io::Result<()> {
        let compress = |piece| Compressor::new(LEVEL)?.compress(piece);
        for piece in parallel::try_map(bytes.chunks(length), compress)? {
            file.write_all(&piece)?;
            let start = self.0.last().map_or(0, |(place, _)| place.end);
            let place = start..start + piece.len() as u64;
            self.0.push((place, crc32fast::hash(&piece)));
        }
        Ok(())
    }

    /// Ends the file. `name` is that of what it holds, and all that the next build must know of it.
    pub(crate) fn end(&self, file: &mut dyn Target, label: u32, name: &[u8]) -> io::Result<()> {
        file.write_all(&self.trailer(label, name))
    }

    fn trailer(&self, label: u32, name: &[u8]) -> Vec<u8> {
        let mut trailer = Vec::new();
        for (place, checksum) in &self.0 {
            trailer.extend(place.end.to_le_bytes());
            trailer.extend(checksum.to_le_bytes());
        }
        let count = self.0.len() as u32;
        trailer.extend(
            [label, count, checked(label, count, name)]
                .map(u32::to_le_bytes)
                .concat(),
        );
        trailer.extend(Sha256::of(&trailer).as_bytes());
        trailer
    }

    /// The label and the pieces of a file that holds what has this name.
    pub(crate) fn of(file: &FileSource, name: &[u8]) -> Result<(u32, Pieces), NotRead> {
        let length = file.length();
        let last = |bytes: u64| length.checked_sub(bytes).ok_or(NotRead::Damaged);
        let numbers = file.bytes(last(LAST)?..length)?;
        let (numbers, _) = numbers.as_chunks();
        let [label, count, check] = [0, 1, 2].map(|at| u32::from_le_bytes(numbers[at]));
        // First, because the number of pieces takes memory.
        if check != checked(label, count, name) {
            return Err(NotRead::Damaged);
        }
        let begin = last(EACH * u64::from(count) + LAST)?;
        let trailer = file.bytes(begin..length)?;
        let (mut pieces, mut start) = (Pieces::default(), 0);
        let (each, _) = trailer.as_chunks::<{ EACH as usize }>();
        for each in &each[..count as usize] {
            let (end, checksum) = each.split_at(8);
            let end = u64::from_le_bytes(end.try_into().expect("8 bytes"));
            let checksum = u32::from_le_bytes(checksum.try_into().expect("4 bytes"));
            pieces.0.push((start..end, checksum));
            start = end;
        }
        let rise = pieces.0.iter().all(|(place, _)| place.start <= place.end);
        if *trailer != pieces.trailer(label, name) || !rise || start != begin {
            return Err(NotRead::Damaged);
        }
        Ok((label, pieces))
    }

    /// Reads the pieces from a number on into bytes of their lengths, on all threads.
    pub(crate) fn read<'b>(
        &self,
        file: &FileSource,
        first: usize,
        to: impl IntoIterator<Item = &'b mut [u8]>,
    ) -> Result<(), NotRead> {
        parallel::try_for_each((first..).zip(to), |(number, to)| {
            let (place, checksum) = self.0.get(number).ok_or(NotRead::Damaged)?;
            if place.end - place.start > compress_bound(to.len()) as u64 {
                return Err(NotRead::Damaged);
            }
            let piece = file.bytes(place.clone())?;
            let is_right = crc32fast::hash(&piece) == *checksum;
            let found = Decompressor::new()?.decompress_to_buffer(&piece, to);
            match found {
                Ok(length) if is_right && length == to.len() => Ok(()),
                _ => Err(NotRead::Damaged),
            }
        })
    }
}

impl NotRead {
    /// The error for a file.
    pub(crate) fn of(self, path: &Path) -> TableError {
        match self {
            NotRead::Io(found) => error("read", path)(found),
            NotRead::Damaged => TableError::damaged(path, "it is not what was written"),
        }
    }
}

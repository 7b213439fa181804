//! Changes on their way to other processes.
//!
//! ```text
//! column     u32    the first one of a tile
//! length     u32    the bytes that follow
//! row        u32    the first one with changes
//! lines             each: how many rows after the one before (u8), then the bytes that have changed
//! ```
//!
//! Bytes of a line that have changed: how many (u8), which ones, and these bytes. Fewer than 8 are numbers (u8), more are
//! bits (u64).

use super::movers::{Line, MOVERS};
use super::window::Window;

/// The lines that have changed, tile by tile, then in the order of rows. A tile has not more rows than a chunk.
#[derive(Debug, Default)]
pub(crate) struct ChangedLines {
    bytes: Vec<u8>,
    /// Where the last tile begins in `bytes`.
    begin: usize,
    /// The last row.
    row: u32,
}

/// The bytes before the lines of a tile.
const HEADER: usize = 12;

/// With so many changes, bits take less than numbers.
const MANY: u32 = 8;

/// The bytes that differ, as bits.
#[inline(always)]
fn different(before: &Line, after: &Line) -> u64 {
    let (before, _) = before.as_chunks::<8>();
    let (after, _) = after.as_chunks::<8>();
    let mut all = 0;
    for (at, (before, after)) in before.iter().zip(after).enumerate() {
        const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let found = u64::from_le_bytes(*before) ^ u64::from_le_bytes(*after);
        // The highest bit of each byte that is not 0, then one beside the other.
        let found = (((found & LOW) + LOW) | found) & !LOW;
        all |= ((found >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * at);
    }
    all
}

/// The places of the bits that are set.
fn places(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = bits.trailing_zeros() as usize;
        let found = bits != 0;
        bits &= bits.wrapping_sub(1);
        found.then_some(place)
    })
}

impl ChangedLines {
    /// Begins the next tile, given its first column.
    pub(crate) fn begin(&mut self, column: usize) {
        self.begin = self.bytes.len();
        self.bytes.extend((column as u32).to_le_bytes());
    }

    /// Adds a line that has changed.
    pub(crate) fn add(&mut self, row: u32, before: &Line, after: &Line) {
        if self.bytes.len() < self.begin + HEADER {
            self.bytes.extend([0; 4]);
            self.bytes.extend(row.to_le_bytes());
            self.row = row;
        }
        self.bytes.push((row - self.row) as u8);
        self.row = row;
        write_line(&mut self.bytes, before, after);
    }

    /// Ends the tile.
    pub(crate) fn end(&mut self) {
        let Some(lines) = self.bytes.len().checked_sub(self.begin + HEADER) else {
            self.bytes.truncate(self.begin);
            return;
        };
        let length = (lines + 4) as u32;
        self.bytes[self.begin + 4..][..4].copy_from_slice(&length.to_le_bytes());
    }

    /// Joins lines. What is joined already is given back at once, so that they hardly take more memory than before.
    pub(crate) fn join(all: Vec<ChangedLines>) -> ChangedLines {
        let length = all.iter().map(|lines| lines.bytes.len()).sum();
        let mut joined = ChangedLines::default();
        joined.bytes.reserve_exact(length);
        all.into_iter()
            .for_each(|lines| joined.bytes.extend(lines.bytes));
        joined
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Takes the next tile: its first column, and all of its bytes.
pub(super) fn next_tile<'b>(bytes: &mut &'b [u8]) -> Option<(usize, &'b [u8])> {
    let mut rest = *bytes;
    let column = number(&mut rest)? as usize;
    let length = number(&mut rest)? as usize;
    Some((column, bytes.split_off(..8usize.checked_add(length)?)?))
}

/// Makes the changes of these bytes. Returns `None` if these are not changes, or not of the window.
pub(super) fn make(mut bytes: &[u8], window: &mut Window) -> Option<()> {
    while !bytes.is_empty() {
        let (column, tile) = next_tile(&mut bytes)?;
        make_tile(column, &tile[8..], window)?;
    }
    Some(())
}

fn number(bytes: &mut &[u8]) -> Option<u32> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*number))
}

/// Makes changes in the lines from a column on.
fn make_tile(column: usize, mut bytes: &[u8], window: &mut Window) -> Option<()> {
    let mut row = number(&mut bytes)? as usize;
    while let Some(&after) = bytes.split_off_first() {
        row += usize::from(after);
        let line = window.row_from(row, column)?.first_chunk_mut()?;
        read_line(&mut bytes, line)?;
    }
    Some(())
}

/// Writes the bytes of a line that have changed.
fn write_line(to: &mut Vec<u8>, before: &Line, after: &Line) {
    let bits = different(before, after);
    let count = bits.count_ones();
    let (mut buffer, mut length) = ([0; MOVERS + 16], 1);
    buffer[0] = count as u8;
    if count >= MANY {
        buffer[1..9].copy_from_slice(&bits.to_le_bytes());
        length = 9;
    } else {
        for place in places(bits) {
            buffer[length] = place as u8;
            length += 1;
        }
    }
    for place in places(bits) {
        buffer[length] = after[place];
        length += 1;
    }
    to.extend_from_slice(&buffer[..length]);
}

/// Changes a line as [`write_line`] has written it.
fn read_line(bytes: &mut &[u8], line: &mut Line) -> Option<()> {
    let count = *bytes.split_off_first()?;
    if u32::from(count) < MANY {
        let numbers = bytes.split_off(..usize::from(count))?;
        let values = bytes.split_off(..usize::from(count))?;
        for (&place, &value) in numbers.iter().zip(values) {
            *line.get_mut(usize::from(place))? = value;
        }
        return Some(());
    }
    let (bits, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    let bits = u64::from_le_bytes(*bits);
    let values = bytes.split_off(..usize::from(count))?;
    if bits.count_ones() != u32::from(count) {
        return None;
    }
    for (place, &value) in places(bits).zip(values) {
        line[place] = value;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::grid::Grid;
    use super::*;

    #[test]
    fn changes_are_made_as_they_were_written_and_others_are_refused() {
        let before = [[7; 64]; 5];
        let mut after = before;
        after[0][63] = 8;
        after[1] = [255; 64];
        for place in (0..64).step_by(7) {
            after[4][place] ^= 0x80;
        }
        let mut lines = ChangedLines::default();
        for column in [128, 192] {
            lines.begin(column);
            for row in [0, 1, 4].into_iter().filter(|_| column == 192) {
                lines.add(10 + row as u32, &before[row], &after[row]);
            }
            lines.end();
        }
        let mut message = lines.bytes().to_vec();
        let window = |rows| Window::with(128..256, Grid::new(rows, 128, 7));
        let made = |message: &[u8], rows| {
            let mut window = window(rows);
            make(message, &mut window).map(|()| window)
        };
        let mut here = made(&message, 15).unwrap();
        for (row, after) in after.iter().enumerate() {
            assert_eq!(here.row_from(10 + row, 192).unwrap()[..64], after[..]);
            assert_eq!(here.row_from(10 + row, 128).unwrap()[..64], [7; 64]);
        }
        for length in 1..message.len() {
            assert!(made(&message[..length], 15).is_none());
        }
        // No such row, no such column, and no such place.
        assert!(made(&message, 14).is_none());
        let mut other = Window::with(256..384, Grid::new(15, 128, 7));
        assert!(make(&message, &mut other).is_none());
        message[14] = 64;
        assert!(made(&message, 15).is_none());
    }
}

//! The answers to the lines of a chunk, before they are written.

use std::ops::Range;
use std::str;

use granero::notation::{ParseError, PositionText};
use granero::{Clamped, Cycles, Measured, Position, TableError, Tables};
use rayon::prelude::*;

use super::chunks::{LONGEST, lines};
use super::tsv::write_tsv;
use crate::values;

/// The lines of some pieces, answered.
pub struct Answered {
    cycles: Cycles,
    pieces: Vec<ReadPiece>,
    /// The positions of all pieces, one after the other.
    positions: Vec<Position>,
    values: Vec<Option<Measured<Clamped>>>,
}

/// The lines of a piece, read.
struct ReadPiece {
    lines: u32,
    bad: Vec<BadLine>,
    /// The places of the positions on the other lines.
    positions: Range<usize>,
}

/// A line that is not a valid position: its number in its piece, and its place there.
type BadLine = (u32, Range<u32>);

impl Answered {
    /// Reads the lines of pieces, and looks up all positions together.
    pub fn new(tables: &Tables, pieces: &[&[u8]]) -> Result<Answered, TableError> {
        let read: Vec<_> = pieces.par_iter().map(|piece| read(piece)).collect();
        let count = read.iter().map(|(.., positions)| positions.len()).sum();
        let mut all = Vec::with_capacity(count);
        let placed = read.into_iter().map(|(lines, bad, positions)| {
            let first = all.len();
            all.extend(positions);
            ReadPiece {
                lines,
                bad,
                positions: first..all.len(),
            }
        });
        Ok(Answered {
            cycles: tables.cycles(),
            pieces: placed.collect(),
            values: values(tables, &all)?,
            positions: all,
        })
    }

    pub fn positions(&self) -> usize {
        self.positions.len()
    }

    /// Writes an answer to each line of a piece, in their order. Returns the number of lines, and the
    /// number of lines that are not valid positions.
    pub fn write(&self, number: usize, piece: &[u8], text: &mut Vec<u8>) -> [u64; 2] {
        let read = &self.pieces[number];
        let values = &self.values[read.positions.clone()];
        let positions = &self.positions[read.positions.clone()];
        let mut found = positions.iter().zip(values);
        let mut refused = read.bad.iter().peekable();
        for line in 0..read.lines {
            if let Some((_, bytes)) = refused.next_if(|(bad, _)| *bad == line) {
                let bytes = bytes.start as usize..bytes.end as usize;
                let reason = parse(&piece[bytes]).err().unwrap_or_default();
                text.extend_from_slice(format!("error\t{reason}\n").as_bytes());
            } else if let Some((position, value)) = found.next() {
                write_tsv(position, self.cycles, *value, None, text);
            }
        }
        [u64::from(read.lines), read.bad.len() as u64]
    }
}

/// Reads the lines of a piece: returns their number, the bad ones, and the positions on the others.
fn read(piece: &[u8]) -> (u32, Vec<BadLine>, Vec<Position>) {
    // A position has at least 24 bytes, with the end of its line.
    let mut positions = Vec::with_capacity(piece.len() / 24 + 1);
    let mut bad = Vec::new();
    let (mut count, mut start) = (0, 0);
    for line in lines(piece) {
        let end = start + line.len();
        match parse(line) {
            Ok(text) => positions.push(text.position()),
            Err(_) => bad.push((count, start as u32..end as u32)),
        }
        (count, start) = (count + 1, end + 1);
    }
    (count, bad, positions)
}

/// Reads a line; the error says why it is not a valid position.
pub fn parse(line: &[u8]) -> Result<PositionText, String> {
    if line.len() > LONGEST {
        return Err(format!("the line is longer than {LONGEST} bytes"));
    }
    let text = str::from_utf8(line).map_err(|_| "the line is not text in UTF-8".to_string())?;
    text.parse()
        .map_err(|error: ParseError| format!("not a position: {error}"))
}

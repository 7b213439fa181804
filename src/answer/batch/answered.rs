//! The answers to the lines of a chunk, before they are written.

use std::ops;
use std::str;

use granero::notation::{ParseError, PositionText};
use granero::{Clamped, Cycles, Measured, Position, TableError, Value};
use rayon::prelude::*;

use super::chunks::{LONGEST, lines};
use crate::words::range::Range;

/// The lines of some pieces, and what was found for each position on them.
pub struct Answered<T> {
    pieces: Vec<ReadPiece>,
    /// The positions of all pieces, one after the other.
    positions: Vec<Position>,
    found: Vec<T>,
}

/// The lines of a piece, read.
struct ReadPiece {
    /// The numbers of the lines that are not valid positions.
    bad: Vec<u32>,
    /// The places of the positions on the other lines.
    positions: ops::Range<usize>,
}

impl<T> Answered<T> {
    /// Reads the lines of pieces, and looks up all positions together.
    pub fn new(
        pieces: &[&[u8]],
        look_up: impl FnOnce(&[Position]) -> Result<Vec<T>, TableError>,
    ) -> Result<Answered<T>, TableError> {
        let read: Vec<_> = pieces.par_iter().map(|piece| read(piece)).collect();
        let count = read.iter().map(|(_, positions)| positions.len()).sum();
        let mut all = Vec::with_capacity(count);
        let placed = read.into_iter().map(|(bad, positions)| {
            let first = all.len();
            all.extend(positions);
            let positions = first..all.len();
            ReadPiece { bad, positions }
        });
        Ok(Answered {
            pieces: placed.collect(),
            found: look_up(&all)?,
            positions: all,
        })
    }

    pub fn positions(&self) -> usize {
        self.positions.len()
    }

    /// Answers each line of a piece, in their order, with what was found if it is a valid position. Returns the number
    /// of lines, and the number of lines that are not valid positions.
    pub fn each<'p>(
        &self,
        number: usize,
        piece: &'p [u8],
        mut answer: impl FnMut(&'p [u8], Option<(&Position, &T)>),
    ) -> [u64; 2] {
        let ReadPiece { bad, positions } = &self.pieces[number];
        let found = self.found[positions.clone()].iter();
        let mut found = self.positions[positions.clone()].iter().zip(found);
        let mut refused = bad.iter().peekable();
        let mut count = 0;
        for line in lines(piece) {
            let is_bad = refused.next_if(|&&bad| bad == count).is_some();
            answer(line, if is_bad { None } else { found.next() });
            count += 1;
        }
        [count.into(), bad.len() as u64]
    }
}

impl Answered<Option<Measured<Clamped>>> {
    /// Writes the value of each position of a piece, or the error of the line.
    pub fn write(
        &self,
        cycles: Cycles,
        number: usize,
        piece: &[u8],
        text: &mut Vec<u8>,
    ) -> [u64; 2] {
        self.each(number, piece, |line, found| match found {
            Some((position, value)) => write_tsv(position, cycles, *value, None, text),
            None => {
                let reason = parse(line).err().unwrap_or_default();
                text.extend_from_slice(format!("error\t{reason}\n").as_bytes());
            }
        })
    }
}

/// Reads the lines of a piece: returns the numbers of the bad ones, and the positions on the others.
fn read(piece: &[u8]) -> (Vec<u32>, Vec<Position>) {
    // A position has at least 24 bytes, with the end of its line.
    let mut positions = Vec::with_capacity(piece.len() / 24 + 1);
    let mut bad = Vec::new();
    for (number, line) in (0..).zip(lines(piece)) {
        match parse(line) {
            Ok(text) => positions.push(text.position()),
            Err(_) => bad.push(number),
        }
    }
    (bad, positions)
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

/// Writes the twelve houses, a tab, the value or the bounds, and a line break. `range` is the proven
/// range of a position of unknown value.
///
/// Batches have millions of these; with the formatting of the standard library one takes
/// twice as long.
pub fn write_tsv(
    position: &Position,
    cycles: Cycles,
    value: Option<Measured<Clamped>>,
    range: Option<Range>,
    line: &mut Vec<u8>,
) {
    for (index, seeds) in position.houses().into_iter().enumerate() {
        if index > 0 {
            line.push(b' ');
        }
        write_number(seeds, line);
    }
    let range = range.filter(|range| range.in_words(position.seeds()).is_some());
    for (measure, _) in cycles.measures() {
        line.push(b'\t');
        let ends = match (value, range) {
            (Some(value), _) => value.get(measure.bound()).range(position.seeds()),
            // Both bounds lie in the range.
            (None, Some(Range { low, high })) => [low, high],
            (None, None) => {
                line.push(b'-');
                continue;
            }
        };
        let [low, high] = ends;
        write_value(low, line);
        if value.is_none() || low != high {
            line.extend_from_slice(b"..");
            write_value(high, line);
        }
    }
    line.push(b'\n');
}

fn write_value(value: Value, line: &mut Vec<u8>) {
    if value.seeds() < 0 {
        line.push(b'-');
    }
    write_number(value.seeds().unsigned_abs(), line);
}

/// Writes a number below 100.
fn write_number(number: u8, line: &mut Vec<u8>) {
    if number >= 10 {
        line.push(b'0' + number / 10);
    }
    line.push(b'0' + number % 10);
}

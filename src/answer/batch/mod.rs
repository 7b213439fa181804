//! Batches: positions as lines of text, looked up a chunk at a time, on the command line and over HTTP.

mod line_buffer;

pub use line_buffer::{ENDLESS, LineBuffer};

use granero::notation::{ParseError, PositionText};
use granero::{Clamped, Cycles, Measured, Position, TableError, Value};
use rayon::prelude::*;

use crate::words::Range;

/// The longest line, in bytes, that may be a position: several times what a position needs.
pub const LONGEST: usize = 1000;

/// The most bytes of a chunk, whose lines are looked up together.
pub const CHUNK: usize = 1 << 25;

/// The lines of a text, without their ends.
pub fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text.split(|&byte| byte == b'\n')
}

/// Looks up the positions of all lines together. Lines that are not valid positions have none.
pub fn look_up<T>(
    lines: &[&[u8]],
    look_up: impl FnOnce(&[Position]) -> Result<Vec<T>, TableError>,
) -> Result<Vec<Option<(Position, T)>>, TableError> {
    let read = lines.par_iter().map(|line| parse(line).ok());
    let read = read.map(|text| text.map(|text| text.position()));
    let read: Vec<Option<Position>> = read.collect();
    let positions: Vec<Position> = read.iter().copied().flatten().collect();
    let mut found = look_up(&positions)?.into_iter();
    let found = read.into_iter().map(|read| Some((read?, found.next()?)));
    Ok(found.collect())
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

/// The value of the position on a line, if it is one.
pub type LineValue = Option<(Position, Option<Measured<Clamped>>)>;

/// Writes the value of the position on a line, or why it is not valid.
pub fn write_line(cycles: Cycles, line: &[u8], value: &LineValue, text: &mut Vec<u8>) {
    match value {
        Some((position, value)) => write_tsv(position, cycles, *value, None, text),
        None => {
            let reason = parse(line).err().unwrap_or_default();
            text.extend_from_slice(format!("error\t{reason}\n").as_bytes());
        }
    }
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

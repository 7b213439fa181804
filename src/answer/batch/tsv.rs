//! A position and its value as tab-separated values.

use granero::{Clamped, Cycles, Measured, Position, Value};

use crate::words::range::Range;

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

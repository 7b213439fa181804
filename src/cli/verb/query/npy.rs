//! Many positions as a NumPy array, answered by another array.

use std::io::{Read, Write};
use std::path::Path;

use granero::export::npy;
use granero::{Measure, Position, Tables};

use super::batch::{self, Input};
use granero_console::Failure;

/// The value of unknown positions: beyond the tables, or invalid.
const UNKNOWN: i8 = i8::MIN;

/// The number of positions that are looked up at a time.
const AT_A_TIME: usize = 1 << 20;

/// Answers an array of positions, twelve houses each, with an array of values, or of both bounds.
pub(super) fn run(
    tables: &Tables,
    input: Input,
    file: &Path,
    output: &mut impl Write,
) -> Result<(), Failure> {
    let mut bytes = input.bytes;
    let help = "name a file that numpy.save has written, or - for the standard input";
    let broken = |error| Failure::unreadable(file, &error, help);
    let mut begin = Vec::new();
    // The first ten bytes hold the length of the header.
    bytes
        .by_ref()
        .take(10)
        .read_to_end(&mut begin)
        .map_err(broken)?;
    let length = begin
        .get(8..10)
        .map_or(0, |two| usize::from(u16::from_le_bytes([two[0], two[1]])));
    let rest = bytes.by_ref().take(length as u64);
    { rest }.read_to_end(&mut begin).map_err(broken)?;
    let Some((_, count)) = npy::rows(&begin, 12) else {
        return Err(Failure::not_possible(
            format!("{} is not an array of positions", file.display()),
            "save an array of bytes with twelve columns, the houses of the player to move first: \
                   numpy.save(name, positions.astype(numpy.uint8))",
        ));
    };
    let measures = tables.cycles().measures();
    let columns = measures.iter().count();
    let shape = [count, columns as u64];
    let shape = if columns == 1 { &shape[..1] } else { &shape };
    output
        .write_all(&npy::header(shape))
        .map_err(Failure::output)?;
    let (mut left, mut bad) = (count, 0);
    while left > 0 {
        let now = left.min(AT_A_TIME as u64);
        left -= now;
        let mut rows = vec![0; now as usize * 12];
        bytes.read_exact(&mut rows).map_err(broken)?;
        let (rows, _) = rows.as_chunks();
        let positions: Vec<Option<Position>> = rows
            .iter()
            .map(|houses| Position::new(*houses).ok())
            .collect();
        bad += positions.iter().filter(|row| row.is_none()).count() as u64;
        let known: Vec<Position> = positions.iter().copied().flatten().collect();
        let mut found = tables.values(&known)?.into_iter();
        let mut values = Vec::with_capacity(now as usize * columns);
        for position in positions {
            let value = position.and_then(|_| found.next().flatten());
            let number = |measure: Measure| {
                value.map_or(UNKNOWN, |value| value.get(measure.bound()).seeds())
            };
            values.extend(measures.iter().map(|(measure, _)| number(measure) as u8));
        }
        output.write_all(&values).map_err(Failure::output)?;
    }
    output.flush().map_err(Failure::output)?;
    let help = "each bad row is -128 in the output, like an unknown position";
    batch::all_valid(bad, count, "row", help)
}

//! Rows of news in few bytes, for messages and for bands that wait.

use super::news::NewsRow;
use crate::graph::{HalfGraph, Number};
use crate::passes::{List, MOST_SERVED};
use granero_table::index::half;
use granero_table::rows::CrossingClass;

/// Writes a row of news: the mover's half-boards are ascending.
pub fn write_row(bytes: &mut Vec<u8>, row: NewsRow, own: &[Number]) {
    // Most numbers are short.
    bytes.reserve(5 + 2 * own.len());
    bytes.extend((row.number() as u32).to_le_bytes());
    bytes.push(own.len() as u8);
    let mut next = 0;
    for &own in own {
        write_number(bytes, own - next);
        next = own + 1;
    }
}

/// Reads a row of news of a layer: the mover's half-boards take the place of those in `own`. Returns
/// the row and the bytes behind it, or `None` if no such row was written.
pub fn read_row<'b>(
    bytes: &'b [u8],
    seeds: u8,
    graph: &HalfGraph,
    own: &mut Vec<Number>,
) -> Option<(NewsRow, &'b [u8])> {
    own.clear();
    let (number, bytes) = bytes.split_first_chunk()?;
    let row = NewsRow::of_number(u32::from_le_bytes(*number) as usize);
    if row.half.0 >= graph.numbering.opponents_halves(seeds) {
        return None;
    }
    let (opponents_seeds, _) = graph.numbering.seeds_and_number(row.half);
    let count = u64::from(half::count(seeds - opponents_seeds));
    let (&positions, mut bytes) = bytes.split_first()?;
    let mut next = 0;
    for _ in 0..positions {
        let (step, rest) = read_number(bytes)?;
        bytes = rest;
        next += u64::from(step);
        if next >= count {
            return None;
        }
        own.push(next as Number);
        next += 1;
    }
    let is_possible = (1..=MOST_SERVED).contains(&own.len());
    is_possible.then_some((row, bytes))
}

/// Writes a list of half-boards that news of a row concerns, by one class of moves. They are mostly ascending.
pub(crate) fn write_list(
    bytes: &mut Vec<u8>,
    row: NewsRow,
    class: CrossingClass,
    numbers: &[Number],
) {
    bytes.reserve(8 + 2 * numbers.len());
    bytes.extend((row.number() as u32).to_le_bytes());
    bytes.push(class.code());
    write_number(bytes, numbers.len() as u32);
    let mut last = 0;
    for &number in numbers {
        // Differences of either sign.
        let step = number.wrapping_sub(last) as i32;
        write_number(bytes, (step << 1 ^ step >> 31) as u32);
        last = number;
    }
}

/// Reads a list, and adds its half-boards to `numbers`. Returns the list and the bytes behind it, or `None` if
/// no such list was written.
#[inline(always)]
pub(crate) fn read_list<'b>(
    bytes: &'b [u8],
    numbers: &mut Vec<Number>,
) -> Option<(List, &'b [u8])> {
    let (row, bytes) = bytes.split_first_chunk()?;
    let row = NewsRow::of_number(u32::from_le_bytes(*row) as usize);
    let (&class, bytes) = bytes.split_first()?;
    let class = CrossingClass::of_code(class);
    let (count, mut bytes) = read_number(bytes)?;
    let mut last = 0u32;
    numbers.reserve((count as usize).min(bytes.len()));
    for _ in 0..count {
        let (step, rest) = read_number(bytes)?;
        bytes = rest;
        last = last.wrapping_add(step >> 1 ^ (step & 1).wrapping_neg());
        numbers.push(last);
    }
    Some((List { row, class, count }, bytes))
}

/// Writes a number with 7 bits a byte, low bits first.
#[inline(always)]
pub fn write_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a number; returns it and the bytes behind it.
#[inline(always)]
pub fn read_number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    match first {
        0..0x80 => Some((first.into(), rest)),
        _ => read_long_number(bytes),
    }
}

fn read_long_number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let mut number = 0;
    for (place, &byte) in bytes.iter().take(5).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            return Some((u32::try_from(number).ok()?, &bytes[place + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use granero_game::Cycles;
    use granero_game::rules::Ruleset;
    use granero_table::rows::RowMoves;

    const SEEDS: u8 = 7;

    /// All rows of a message with these bytes.
    fn rows(graph: &HalfGraph, mut bytes: &[u8]) -> Option<Vec<(usize, Vec<Number>)>> {
        let (mut rows, mut own) = (Vec::new(), Vec::new());
        while !bytes.is_empty() {
            let row;
            (row, bytes) = read_row(bytes, SEEDS, graph, &mut own)?;
            rows.push((row.number(), own.clone()));
        }
        Some(rows)
    }

    #[test]
    fn rows_of_news_are_read_as_they_were_written_and_others_are_refused() {
        let graph = HalfGraph::new(RowMoves::new((Ruleset::Abapa, Cycles::Split), SEEDS));
        let half = graph.numbering.opponents_half(1, 2);
        let row = NewsRow::of_number(2 * half.0 + 1);
        // The mover has six seeds: 462 half-boards.
        let lists: [&[Number]; 4] = [&[0], &[461], &[0, 1, 130, 461], &[127, 128, 129]];
        let mut bytes = Vec::new();
        for own in lists {
            write_row(&mut bytes, row, own);
        }
        let expected = lists.map(|own| (row.number(), own.to_vec()));
        assert_eq!(rows(&graph, &bytes), Some(expected.to_vec()));

        for length in 0..bytes.len() {
            if let Some(found) = rows(&graph, &bytes[..length]) {
                assert!(expected.starts_with(&found));
            }
        }
        for place in 0..bytes.len() {
            for bit in 0..8 {
                let mut bad = bytes.clone();
                bad[place] ^= 1 << bit;
                // Damaged bytes are refused, or read as news that is possible.
                for (row, own) in rows(&graph, &bad).unwrap_or_default() {
                    let half = NewsRow::of_number(row).half;
                    let (seeds, _) = graph.numbering.seeds_and_number(half);
                    assert!(own.is_sorted_by(|a, b| a < b));
                    assert!(own.iter().all(|&own| own < half::count(SEEDS - seeds)));
                }
            }
        }
        let beyond = NewsRow::of_number(2 * graph.numbering.opponents_halves(SEEDS));
        for (row, own) in [(beyond, &[0][..]), (row, &[462]), (row, &[])] {
            let mut bytes = Vec::new();
            write_row(&mut bytes, row, own);
            assert!(rows(&graph, &bytes).is_none());
        }
    }
}

//! The bands of a layer.
//!
//! A band has rows of several matrices. These follow each other in the order 0, n, 1, n-1, ... of the mover's
//! seeds: a move turns the board and sends few seeds across, so a position and its child are mostly in the
//! same band or in neighbours.

use std::ops::Range;

use crate::graph::layout::{Layout, ROWS_OF_A_WORD};
use crate::graph::numbering::Number;
use granero_table::index::{Layer, half};

/// A layer that is divided into bands of nearly the same size.
#[derive(Debug)]
pub(crate) struct Division {
    layer: Layer,
    /// By band, then by the mover's seeds: the rows.
    bands: Vec<Vec<Range<Number>>>,
    /// By the mover's seeds: the first row of each band that has any, and the band.
    firsts: Vec<Vec<(Number, usize)>>,
}

impl Division {
    /// Divides a layer into bands of at most `most` positions, unless [`ROWS_OF_A_WORD`] rows have more.
    pub(crate) fn new(layer: Layer, most: u64) -> Division {
        let seeds = layer.seeds();
        let count = layer.len().div_ceil(most.max(1));
        // All have as much.
        let most = layer.len().div_ceil(count);
        let mut bands = vec![vec![0..0; usize::from(seeds) + 1]];
        let mut firsts = vec![Vec::new(); usize::from(seeds) + 1];
        let mut room = most;
        for own_seeds in from_the_ends(seeds) {
            let rows = half::count(own_seeds);
            let row_len = u64::from(half::count(seeds - own_seeds));
            let mut first = 0;
            while first < rows {
                let word = ROWS_OF_A_WORD as u64;
                let mut fit = room / (row_len * word) * word;
                let is_empty = room == most;
                if fit == 0 && !is_empty && u64::from(rows - first) * row_len > room {
                    bands.push(vec![0..0; usize::from(seeds) + 1]);
                    room = most;
                    continue;
                }
                if u64::from(rows - first) * row_len <= room {
                    fit = (rows - first).into();
                }
                let end = rows.min(first + fit.max(word) as Number);
                let last = bands.len() - 1;
                bands[last][usize::from(own_seeds)] = first..end;
                firsts[usize::from(own_seeds)].push((first, last));
                room = room.saturating_sub(u64::from(end - first) * row_len);
                first = end;
            }
        }
        Division {
            layer,
            bands,
            firsts,
        }
    }

    /// The number of bands.
    pub(crate) fn len(&self) -> usize {
        self.bands.len()
    }

    /// The rows of a band where the mover has `own_seeds` seeds.
    pub(crate) fn rows(&self, band: usize, own_seeds: u8) -> Range<Number> {
        self.bands[band][usize::from(own_seeds)].clone()
    }

    /// By the mover's seeds: the rows of a band.
    pub(super) fn all_rows(&self, band: usize) -> &[Range<Number>] {
        &self.bands[band]
    }

    /// The layout of a band.
    pub(crate) fn layout(&self, band: usize) -> Layout {
        Layout::of_ranges(self.layer, |own_seeds| self.rows(band, own_seeds))
    }

    /// Calls `found` with each band that has some of these rows, which are ascending.
    #[inline(always)]
    pub(crate) fn each_band_of(
        &self,
        own_seeds: u8,
        mut rows: &[Number],
        mut found: impl FnMut(usize),
    ) {
        let mut firsts = &self.firsts[usize::from(own_seeds)][..];
        if let [(_, band)] = firsts {
            return found(*band);
        }
        while let Some(&row) = rows.first() {
            let here = firsts.partition_point(|&(first, _)| first <= row) - 1;
            found(firsts[here].1);
            firsts = &firsts[here + 1..];
            let Some(&(next, _)) = firsts.first() else {
                return;
            };
            rows = &rows[rows.partition_point(|&row| row < next)..];
        }
    }
}

/// The numbers of seeds in the order 0, n, 1, n-1, ...
fn from_the_ends(seeds: u8) -> impl Iterator<Item = u8> {
    (0..=seeds).map(move |place| match place % 2 {
        0 => place / 2,
        _ => seeds - place / 2,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_in_one_band() {
        for layer in Layer::all().take(16) {
            for most in [1, 1000, 50_000, u64::MAX] {
                let division = Division::new(layer, most);
                for own_seeds in 0..=layer.seeds() {
                    let mut all: Vec<_> = (0..division.len())
                        .map(|band| (division.rows(band, own_seeds), band))
                        .filter(|(rows, _)| !rows.is_empty())
                        .collect();
                    all.sort_by_key(|(rows, _)| rows.start);
                    let mut next = 0;
                    for (rows, band) in &all {
                        assert_eq!(rows.start, next);
                        assert!(rows.start.is_multiple_of(ROWS_OF_A_WORD as u32));
                        next = rows.end;
                        for row in [rows.start, rows.end - 1] {
                            let mut found = Vec::new();
                            division.each_band_of(own_seeds, &[row], |band| found.push(band));
                            assert_eq!(found, [*band]);
                        }
                    }
                    assert_eq!(next, half::count(own_seeds));
                    let rows: Vec<Number> = (0..next).collect();
                    let mut found = Vec::new();
                    division.each_band_of(own_seeds, &rows, |band| found.push(band));
                    assert!(found.into_iter().eq(all.into_iter().map(|(_, band)| band)));
                }
            }
        }
    }
}

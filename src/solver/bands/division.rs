//! The bands of a layer.
//!
//! A band has rows of several matrices. These follow each other in the order 0, n, 1, n-1, ... of the mover's
//! seeds: a move turns the board and sends few seeds across, so a position and its child are mostly in the
//! same band or in neighbours.

use std::ops::Range;

use crate::graph::{Layout, Number, ROWS_OF_A_WORD};
use granero_table::index::half;

const WORD: Number = ROWS_OF_A_WORD as Number;

/// A layer that is divided into bands of nearly the same size.
#[derive(Debug)]
pub(crate) struct Division {
    pub(super) whole: Layout,
    /// By band, then by the mover's seeds: the rows.
    bands: Vec<Vec<Range<Number>>>,
    /// By the mover's seeds: the first row of each band that has any, and the band.
    firsts: Vec<Vec<(Number, usize)>>,
}

impl Division {
    /// Divides a layer into at most `count` bands. None has more than its share of the bytes and another
    /// [`ROWS_OF_A_WORD`] rows.
    pub(crate) fn new(whole: Layout, count: u64) -> Division {
        let seeds = whole.seeds();
        let matrices = usize::from(seeds) + 1;
        let (mut bands, mut firsts) = (Vec::new(), vec![Vec::new(); matrices]);
        let mut band = vec![0..0; matrices];
        // The bytes before the next row, and the shares of the bands before the next one.
        let (mut done, mut shares) = (0, 1);
        for own_seeds in from_the_ends(seeds) {
            let rows = half::count(own_seeds);
            let row_len = whole.row_bytes(own_seeds) as u64;
            let mut first = 0;
            while first < rows {
                let room = (whole.plane_len() as u64 * shares / count).saturating_sub(done);
                let fit = (room / row_len).min(u64::from(rows - first)) as Number;
                let end = match first + fit {
                    end if end == rows => end,
                    end => end / WORD * WORD,
                };
                if end > first {
                    band[usize::from(own_seeds)] = first..end;
                    firsts[usize::from(own_seeds)].push((first, bands.len()));
                    done += u64::from(end - first) * row_len;
                    first = end;
                }
                if first < rows {
                    shares += 1;
                    if band.iter().any(|rows| !rows.is_empty()) {
                        bands.push(std::mem::replace(&mut band, vec![0..0; matrices]));
                    }
                }
            }
        }
        bands.push(band);
        Division {
            whole,
            bands,
            firsts,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.bands.len()
    }

    pub(crate) fn rows(&self, band: usize, own_seeds: u8) -> Range<Number> {
        self.bands[band][usize::from(own_seeds)].clone()
    }

    /// By the mover's seeds: the rows of a band.
    pub(super) fn all_rows(&self, band: usize) -> &[Range<Number>] {
        &self.bands[band]
    }

    pub(crate) fn layout(&self, band: usize) -> Layout {
        let rows = |own_seeds| self.rows(band, own_seeds);
        let layout = Layout::of_ranges(self.whole.layer(), rows);
        layout.like(&self.whole)
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
    use crate::graph::layout::Width;
    use granero_table::index::Layer;

    #[test]
    fn each_row_is_in_one_band() {
        let widths = [Width::Byte, Width::Half];
        for (layer, width) in (Layer::all().take(16)).zip(widths.into_iter().cycle()) {
            for count in [1, 2, 7, 40, 1 << 20] {
                let division = Division::new(Layout::new(layer).with_width(width), count);
                assert!((1..=count).contains(&(division.len() as u64)));
                let share = division.whole.plane_len().div_ceil(count as usize);
                let largest_row = half::count(layer.seeds()) as usize;
                for band in 0..division.len() {
                    let bytes = division.layout(band).plane_len();
                    assert!((1..=share + 64 * largest_row).contains(&bytes));
                }
                for own_seeds in 0..=layer.seeds() {
                    let mut all: Vec<_> = (0..division.len())
                        .map(|band| (division.rows(band, own_seeds), band))
                        .filter(|(rows, _)| !rows.is_empty())
                        .collect();
                    all.sort_by_key(|(rows, _)| rows.start);
                    let mut next = 0;
                    for (rows, band) in &all {
                        assert_eq!(rows.start, next);
                        assert!(rows.start.is_multiple_of(WORD));
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

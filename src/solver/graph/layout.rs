//! Where the planes and the news of a layer lie.

use std::ops::Range;

use super::by_seeds::BySeeds;
use super::numbering::{Number, count_of_opponent};
use crate::tuning::Tuning;
use granero_table::index::{Layer, half};
use granero_table::rows::Reach;

/// The memory layout of a layer.
///
/// A *plane* has a byte for each reachable position, or half a byte, in rows of whole bytes: a row for each
/// half-board of the mover, with all half-boards of the opponent that have an empty house. For
/// either kind of news there is a bit for each of these positions, in rows the other way round: a
/// row for each half-board of the opponent, with all of the mover.
#[derive(Clone, Debug)]
pub struct Layout {
    layer: Layer,
    /// By the mover's seeds: the first row of bytes, a multiple of [`ROWS_OF_A_WORD`], and the number of rows.
    first_rows: BySeeds,
    rows: BySeeds,
    /// By the mover's seeds: where the rows of bytes begin.
    row_starts: BySeeds,
    /// By the mover's seeds: where row 0 would begin, modulo 2^64.
    row_origins: BySeeds,
    /// By the mover's seeds: where the unreachable positions of these rows begin.
    unreachable_starts: BySeeds,
    /// By the opponent's seeds: where the rows of bits begin, in words, and where the word of row 0 would be in
    /// the first one, modulo 2^64.
    news_starts: BySeeds,
    news_origins: BySeeds,
    /// By seeds: the number of half-boards that the opponent can have, and of words with a bit for each
    /// half-board of the mover.
    count_of_opponent: BySeeds,
    words: BySeeds,
    /// The bytes of a band, see [`Tuning::band`].
    band: usize,
    width: Width,
}

/// The room for a position in a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    Byte,
    Half,
}

impl Width {
    fn bytes(self, positions: usize) -> usize {
        match self {
            Width::Byte => positions,
            Width::Half => positions.div_ceil(2),
        }
    }
}

/// Consecutive rows of a plane, with the same number of the mover's seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneBand {
    /// The mover's seeds.
    pub own_seeds: u8,
    /// The mover's half-board in the first row.
    pub first: Number,
    pub rows: u32,
    pub row_len: usize,
    pub row_bytes: usize,
}

/// The rows of bytes that have news in the same words. A band has all of these or none, so no two bands
/// have news in the same word.
pub(crate) const ROWS_OF_A_WORD: usize = u64::BITS as usize;

impl Layout {
    pub fn new(layer: Layer) -> Layout {
        Layout::of_rows(layer, half::count)
    }

    /// The layout of a part of the layer, given the number of rows by the mover's seeds.
    pub fn of_rows(layer: Layer, rows: impl Fn(u8) -> u32) -> Layout {
        Layout::of_ranges(layer, |own| 0..rows(own))
    }

    /// The layout of a part of the layer, given the rows by the mover's seeds. They begin at multiples of
    /// [`ROWS_OF_A_WORD`].
    pub fn of_ranges(layer: Layer, ranges: impl Fn(u8) -> Range<u32>) -> Layout {
        let seeds = layer.seeds();
        let rows = |own: u8| ranges(own).len();
        let first = |own: u8| ranges(own).start as usize;
        let row_len = |own: u8| count_of_opponent(seeds - own) as usize;
        let unreachable_len = |own: u8| half::count(seeds - own) as usize - row_len(own);
        let words = |own: u8| rows(own).div_ceil(64);
        let news = |opponents: u8| count_of_opponent(opponents) as usize * words(seeds - opponents);
        let news_starts = BySeeds::sums((0..=seeds).map(news));
        let news_origin = |opponents: u8| {
            let first_word = first(seeds - opponents) / ROWS_OF_A_WORD;
            news_starts.get(opponents).wrapping_sub(first_word)
        };
        let layout = Layout {
            layer,
            first_rows: BySeeds::of((0..=seeds).map(first)),
            rows: BySeeds::of((0..=seeds).map(rows)),
            news_origins: BySeeds::of((0..=seeds).map(news_origin)),
            unreachable_starts: BySeeds::sums(
                (0..=seeds).map(|own| rows(own) * unreachable_len(own)),
            ),
            row_starts: BySeeds::of([]),
            row_origins: BySeeds::of([]),
            news_starts,
            count_of_opponent: BySeeds::of(
                (0..=seeds).map(|seeds| count_of_opponent(seeds) as usize),
            ),
            words: BySeeds::of((0..=seeds).map(words)),
            band: Tuning::USUAL.band,
            width: Width::Byte,
        };
        layout.with_width(Width::Byte)
    }

    /// The layout with another room for each position of a plane.
    pub fn with_width(self, width: Width) -> Layout {
        let bytes = |own| width.bytes(self.row_len(own));
        let starts = BySeeds::sums((self.matrices()).map(|own| self.rows.get(own) * bytes(own)));
        let origin = |own| (starts.get(own)).wrapping_sub(self.first_rows.get(own) * bytes(own));
        Layout {
            row_origins: BySeeds::of(self.matrices().map(origin)),
            row_starts: starts,
            width,
            ..self
        }
    }

    /// The layout with the width of another, and bands of the same size.
    pub(crate) fn like(self, other: &Layout) -> Layout {
        let band = other.band;
        Layout {
            band,
            ..self.with_width(other.width)
        }
    }

    /// The room for each position of a plane.
    pub fn width(&self) -> Width {
        self.width
    }

    /// The layout with bands of other sizes.
    pub fn tuned(self, tuning: &Tuning) -> Layout {
        let band = tuning.band;
        Layout { band, ..self }
    }

    pub fn seeds(&self) -> u8 {
        self.layer.seeds()
    }

    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// The bytes of a plane.
    pub fn plane_len(&self) -> usize {
        self.row_starts.get(self.seeds() + 1)
    }

    pub fn reachable_len(&self) -> usize {
        let of_rows = |own| self.rows.get(own) * self.row_len(own);
        self.matrices().map(of_rows).sum()
    }

    /// The words of one kind of news.
    pub fn news_words(&self) -> usize {
        self.news_starts.get(self.seeds() + 1)
    }

    #[inline(always)]
    pub fn first_row(&self, own_seeds: u8) -> Number {
        self.first_rows.get(own_seeds) as Number
    }

    /// The number of rows where the mover has `own_seeds` seeds.
    pub fn rows(&self, own_seeds: u8) -> u32 {
        self.rows.get(own_seeds) as u32
    }

    /// The bytes of a row of a plane where the mover has `own_seeds` seeds.
    #[inline(always)]
    pub fn row_bytes(&self, own_seeds: u8) -> usize {
        self.width.bytes(self.row_len(own_seeds))
    }

    /// The positions in a row of a plane where the mover has `own_seeds` seeds.
    #[inline(always)]
    pub fn row_len(&self, own_seeds: u8) -> usize {
        self.count_of_opponent.get(self.seeds() - own_seeds)
    }

    /// Where the unreachable positions of a row begin, among those of all rows.
    pub fn unreachable_start(&self, own_seeds: u8, own: Number) -> usize {
        let row = (own - self.first_row(own_seeds)) as usize;
        self.unreachable_starts.get(own_seeds) + row * self.unreachable_row_len(own_seeds)
    }

    /// Where the row of bytes of a half-board of the mover begins.
    #[inline(always)]
    pub fn row_start(&self, own_seeds: u8, own: Number) -> usize {
        let row = own as usize * self.row_bytes(own_seeds);
        self.row_origins.get(own_seeds).wrapping_add(row)
    }

    /// The mover's seeds, the row and the place in the row of a byte, if positions have whole bytes.
    pub fn place(&self, place: usize) -> (u8, Number, usize) {
        let own_seeds = self.row_starts.last_at_most(place, self.seeds());
        let rest = place - self.row_starts.get(own_seeds);
        let row_len = self.row_len(own_seeds);
        let own = self.first_row(own_seeds) + (rest / row_len) as Number;
        (own_seeds, own, rest % row_len)
    }

    /// The words in a row of bits where the opponent has `opponents_seeds` seeds.
    #[inline(always)]
    pub fn news_len(&self, opponents_seeds: u8) -> usize {
        self.words.get(self.seeds() - opponents_seeds)
    }

    /// Where the row of bits of a half-board of the opponent begins.
    #[inline(always)]
    pub fn news_start(&self, opponents_seeds: u8, opponents: Number) -> usize {
        let start = self.news_starts.get(opponents_seeds);
        start + opponents as usize * self.news_len(opponents_seeds)
    }

    /// The word that holds the bit of a position in the row of bits of the opponent's half-board.
    #[inline(always)]
    pub fn news_word(&self, opponents_seeds: u8, opponents: Number, own: Number) -> usize {
        let row = opponents as usize * self.news_len(opponents_seeds);
        let word = row + own as usize / ROWS_OF_A_WORD;
        self.news_origins.get(opponents_seeds).wrapping_add(word)
    }

    /// The number of unreachable positions in some matrices, which no plane has.
    pub fn unreachable_len(&self, matrices: Range<u8>) -> usize {
        let [begin, end] =
            [matrices.start, matrices.end].map(|own| self.unreachable_starts.get(own));
        end - begin
    }

    /// All matrices in groups with up to `most` unreachable positions, or one matrix.
    pub fn unreachable_groups(&self, most: u64) -> impl Iterator<Item = Range<u8>> {
        let all = self.matrices().end;
        let mut next = 0;
        std::iter::from_fn(move || {
            let first = next;
            let fits = |&end: &u8| self.unreachable_len(first..end) as u64 <= most;
            next = (first + 1..=all)
                .take_while(fits)
                .last()
                .unwrap_or(first + 1);
            (first < all).then_some(first..next)
        })
    }

    /// All matrices, by the mover's seeds.
    pub fn matrices(&self) -> Range<u8> {
        0..self.seeds() + 1
    }

    /// The number of unreachable positions of a row: their opponent has no empty house.
    pub fn unreachable_row_len(&self, own_seeds: u8) -> usize {
        half::count(self.seeds() - own_seeds) as usize - self.row_len(own_seeds)
    }

    /// Splits a plane, or other data for each of its positions, into bands, in their order.
    pub fn bands<'b, T>(&self, plane: &'b mut [T]) -> Vec<(PlaneBand, &'b mut [T])> {
        self.bands_of(Reach::Reachable, self.matrices(), plane)
    }

    /// Splits data for each reachable or unreachable position of some matrices into bands, in their order.
    pub fn bands_of<'b, T>(
        &self,
        reach: Reach,
        matrices: Range<u8>,
        all: &'b mut [T],
    ) -> Vec<(PlaneBand, &'b mut [T])> {
        let parts = split(all, self.all_bands(reach, matrices), |band| band.row_bytes);
        parts.collect()
    }

    /// Splits data for the rows of a plane; `row_len` is the length for a row of a band.
    pub fn split<'b, T>(
        &self,
        all: &'b mut [T],
        row_len: impl Fn(&PlaneBand) -> usize,
    ) -> Vec<&'b mut [T]> {
        let bands = self.all_bands(Reach::Reachable, self.matrices());
        split(all, bands, row_len).map(|(_, part)| part).collect()
    }

    /// The bands of some matrices. Their rows have all reachable positions, or all unreachable ones.
    fn all_bands(&self, reach: Reach, matrices: Range<u8>) -> impl Iterator<Item = PlaneBand> {
        let mut bands = Vec::new();
        for own_seeds in matrices {
            let (row_len, width) = match reach {
                Reach::Reachable => (self.row_len(own_seeds), self.width),
                Reach::Unreachable => (self.unreachable_row_len(own_seeds), Width::Byte),
            };
            if row_len == 0 {
                continue;
            }
            let begin = self.first_row(own_seeds);
            let end = begin + self.rows(own_seeds);
            let at_once = (self.band / row_len)
                .max(1)
                .next_multiple_of(ROWS_OF_A_WORD);
            for first in (begin..end).step_by(at_once) {
                let band = PlaneBand {
                    own_seeds,
                    first,
                    rows: (end - first).min(at_once as u32),
                    row_len,
                    row_bytes: width.bytes(row_len),
                };
                bands.push(band);
            }
        }
        bands.into_iter()
    }
}

/// Splits data for the rows of bands.
fn split<T>(
    mut all: &mut [T],
    bands: impl Iterator<Item = PlaneBand>,
    row_len: impl Fn(&PlaneBand) -> usize,
) -> impl Iterator<Item = (PlaneBand, &mut [T])> {
    bands.map(move |band| {
        let len = band.rows as usize * row_len(&band);
        let (part, rest) = std::mem::take(&mut all).split_at_mut(len);
        all = rest;
        (band, part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_are_all_rows_in_order() {
        for (layer, width) in Layer::all()
            .take(13)
            .flat_map(|layer| [(layer, Width::Byte), (layer, Width::Half)])
        {
            let layout = Layout::new(layer).tuned(&Tuning::SMALL);
            let layout = layout.with_width(width);
            let mut plane: Vec<usize> = (0..layout.plane_len()).collect();
            let mut next = 0;
            for (band, part) in layout.bands(&mut plane) {
                for (number, row) in (band.first..).zip(part.chunks(band.row_bytes)) {
                    assert_eq!(layout.row_start(band.own_seeds, number), next);
                    assert_eq!(row[0], next);
                    if width == Width::Byte {
                        let last = row.len() - 1;
                        assert_eq!(layout.place(next), (band.own_seeds, number, 0));
                        assert_eq!(layout.place(next + last), (band.own_seeds, number, last));
                    }
                    next += row.len();
                }
            }
            assert_eq!(next, layout.plane_len());
        }
    }

    #[test]
    fn groups_of_unreachable_positions_are_all_matrices_in_order() {
        for layer in Layer::all().filter(|layer| [0, 5, 6, 13, 48].contains(&layer.seeds())) {
            let layout = Layout::new(layer);
            let all = layout.unreachable_len(layout.matrices()) as u64;
            let expected = layer.seeds().checked_sub(6).and_then(Layer::new);
            assert_eq!(all, expected.map_or(0, Layer::len));
            for most in [0, 1, all / 3, all, u64::MAX] {
                let mut next = 0;
                for group in layout.unreachable_groups(most) {
                    assert!(group.start == next && group.end > next);
                    let fits = |end| layout.unreachable_len(next..end) as u64 <= most;
                    assert!(fits(group.end) || group.len() == 1);
                    assert!(group.end > layer.seeds() || !fits(group.end + 1));
                    next = group.end;
                }
                assert_eq!(next, layer.seeds() + 1);
            }
        }
    }

    #[test]
    fn bands_of_unreachable_positions_are_their_rows_in_order() {
        let layout = Layout::new(Layer::new(12).unwrap()).tuned(&Tuning::SMALL);
        for matrices in [0..13, 0..5, 3..4, 4..13, 11..13] {
            let first = layout.unreachable_start(matrices.start, 0);
            let mut next = first;
            let mut all = vec![(); layout.unreachable_len(matrices.clone())];
            for (band, part) in layout.bands_of(Reach::Unreachable, matrices.clone(), &mut all) {
                assert!(matrices.contains(&band.own_seeds));
                assert_eq!(part.len(), band.rows as usize * band.row_len);
                assert_eq!(layout.unreachable_start(band.own_seeds, band.first), next);
                next += part.len();
            }
            assert_eq!(next - first, all.len());
        }
    }

    #[test]
    fn no_two_bands_have_news_in_the_same_word() {
        for layer in Layer::all().filter(|layer| [0, 9, 13, 30, 48].contains(&layer.seeds())) {
            // All rows, and a share of them.
            let share = Layout::of_rows(layer, |own_seeds| half::count(own_seeds) / 3);
            for layout in [Layout::new(layer), share].map(|layout| layout.tuned(&Tuning::SMALL)) {
                let mut last = None;
                for band in layout.all_bands(Reach::Reachable, layout.matrices()) {
                    let words = [band.first, band.first + band.rows - 1].map(|own| own / u64::BITS);
                    assert!(last < Some((band.own_seeds, words[0])));
                    last = Some((band.own_seeds, words[1]));
                }
            }
        }
    }
}

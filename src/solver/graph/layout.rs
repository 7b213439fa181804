//! Where the planes and the news of a layer lie.

use std::ops::Range;

use super::by_seeds::BySeeds;
use super::numbering::{Number, count_of_opponent};
use crate::tuning::Tuning;
use granero_table::index::{Layer, half};

/// The memory layout of a layer.
///
/// A *plane* has a byte for each reachable position, in rows: a row for each
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
}

/// Consecutive rows of a plane, with the same number of the mover's seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneBand {
    /// The mover's seeds.
    pub own_seeds: u8,
    /// The mover's half-board in the first row.
    pub first: Number,
    /// The number of rows.
    pub rows: u32,
    pub row_len: usize,
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
        let row_starts = BySeeds::sums((0..=seeds).map(|own| rows(own) * row_len(own)));
        let news_starts = BySeeds::sums((0..=seeds).map(news));
        let row_origin = |own| (row_starts.get(own)).wrapping_sub(first(own) * row_len(own));
        let news_origin = |opponents: u8| {
            let first_word = first(seeds - opponents) / ROWS_OF_A_WORD;
            news_starts.get(opponents).wrapping_sub(first_word)
        };
        Layout {
            layer,
            first_rows: BySeeds::of((0..=seeds).map(first)),
            rows: BySeeds::of((0..=seeds).map(rows)),
            row_origins: BySeeds::of((0..=seeds).map(row_origin)),
            news_origins: BySeeds::of((0..=seeds).map(news_origin)),
            unreachable_starts: BySeeds::sums(
                (0..=seeds).map(|own| rows(own) * unreachable_len(own)),
            ),
            row_starts,
            news_starts,
            count_of_opponent: BySeeds::of(
                (0..=seeds).map(|seeds| count_of_opponent(seeds) as usize),
            ),
            words: BySeeds::of((0..=seeds).map(words)),
            band: Tuning::USUAL.band,
        }
    }

    /// The layout with bands of other sizes.
    pub fn tuned(self, tuning: &Tuning) -> Layout {
        let band = tuning.band;
        Layout { band, ..self }
    }

    /// The seeds of the layer.
    pub fn seeds(&self) -> u8 {
        self.layer.seeds()
    }

    /// The layer.
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// The bytes of a plane.
    pub fn plane_len(&self) -> usize {
        self.row_starts.get(self.seeds() + 1)
    }

    /// The words of one kind of news.
    pub fn news_words(&self) -> usize {
        self.news_starts.get(self.seeds() + 1)
    }

    /// The first row where the mover has `own_seeds` seeds.
    #[inline(always)]
    pub fn first_row(&self, own_seeds: u8) -> Number {
        self.first_rows.get(own_seeds) as Number
    }

    /// The number of rows where the mover has `own_seeds` seeds.
    pub fn rows(&self, own_seeds: u8) -> u32 {
        self.rows.get(own_seeds) as u32
    }

    /// The length of the rows of bytes where the mover has `own_seeds` seeds.
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
        let row = own as usize * self.row_len(own_seeds);
        self.row_origins.get(own_seeds).wrapping_add(row)
    }

    /// The mover's seeds, the row and the place in the row of a byte.
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

    /// The number of unreachable positions, which no plane has.
    pub fn unreachable_len(&self) -> usize {
        self.unreachable_starts.get(self.seeds() + 1)
    }

    /// The number of unreachable positions of a row: their opponent has no empty house.
    pub fn unreachable_row_len(&self, own_seeds: u8) -> usize {
        half::count(self.seeds() - own_seeds) as usize - self.row_len(own_seeds)
    }

    /// Splits a plane, or other data for each of its positions, into bands, in their order.
    pub fn bands<'b, T>(&self, plane: &'b mut [T]) -> Vec<(PlaneBand, &'b mut [T])> {
        let row_len = |band: &PlaneBand| band.row_len;
        self.all_bands().zip(self.split(plane, row_len)).collect()
    }

    /// Splits the bytes of the unreachable positions, by the same bands.
    pub fn unreachable_bands<'b, T>(&self, unreachable: &'b mut [T]) -> Vec<&'b mut [T]> {
        self.split(unreachable, |band| self.unreachable_row_len(band.own_seeds))
    }

    /// Splits data for the rows of a plane; `row_len` is the length for a row of a band.
    pub fn split<'b, T>(
        &self,
        mut all: &'b mut [T],
        row_len: impl Fn(&PlaneBand) -> usize,
    ) -> Vec<&'b mut [T]> {
        let parts = self.all_bands().map(|band| {
            let len = band.rows as usize * row_len(&band);
            let (part, rest) = std::mem::take(&mut all).split_at_mut(len);
            all = rest;
            part
        });
        parts.collect()
    }

    fn all_bands(&self) -> impl Iterator<Item = PlaneBand> {
        let mut bands = Vec::new();
        for own_seeds in 0..=self.seeds() {
            let row_len = self.row_len(own_seeds);
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
                };
                bands.push(band);
            }
        }
        bands.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_are_all_rows_in_order() {
        for layer in Layer::all().take(13) {
            let layout = Layout::new(layer).tuned(&Tuning::SMALL);
            let mut plane: Vec<usize> = (0..layout.plane_len()).collect();
            let mut next = 0;
            for (band, part) in layout.bands(&mut plane) {
                for (number, row) in (band.first..).zip(part.chunks(band.row_len)) {
                    assert_eq!(layout.row_start(band.own_seeds, number), next);
                    assert_eq!(row[0], next);
                    let last = row.len() - 1;
                    assert_eq!(layout.place(next), (band.own_seeds, number, 0));
                    assert_eq!(layout.place(next + last), (band.own_seeds, number, last));
                    next += row.len();
                }
            }
            assert_eq!(next, layout.plane_len());
        }
    }

    #[test]
    fn no_two_bands_have_news_in_the_same_word() {
        for layer in Layer::all().filter(|layer| [0, 9, 13, 30, 48].contains(&layer.seeds())) {
            // All rows, and a share of them.
            let share = Layout::of_rows(layer, |own_seeds| half::count(own_seeds) / 3);
            for layout in [Layout::new(layer), share].map(|layout| layout.tuned(&Tuning::SMALL)) {
                let mut last = None;
                for band in layout.all_bands() {
                    let words = [band.first, band.first + band.rows - 1].map(|own| own / u64::BITS);
                    assert!(last < Some((band.own_seeds, words[0])));
                    last = Some((band.own_seeds, words[1]));
                }
            }
        }
    }
}

//! Positions with bounds between two decisions: the interval of a position, the result of its captures
//! there, and the number of its quiet moves that stay there.
//!
//! A *result* is here the number of seeds that the favoured side ends up with, from 0 to `n` in a layer of
//! `n` seeds. The other side gets the rest. A byte holds a result and the number of children, 0 to 6:
//!
//! ```text
//! (result - least result of the layer) * 7 + children
//! ```
//!
//! That is enough for layers whose largest value is up to 35 seeds. In larger ones, a byte counts
//! the children from 0 to 3 only, and an *extra bit* says whether there are four more.

use super::status::{PLANES, Plane};
use crate::graph::Layout;

/// The positions whose results lie in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) least: u8,
    pub(crate) greatest: u8,
}

impl Interval {
    /// All positions of a layer: results go up to `limit` either way.
    pub(crate) fn all(seeds: u8, limit: i8) -> Interval {
        Interval {
            least: result(seeds, -limit),
            greatest: result(seeds, limit),
        }
    }

    /// The thresholds in the range that are not decided yet.
    pub(crate) fn thresholds(self) -> u8 {
        self.greatest - self.least
    }

    /// The threshold that splits the range.
    pub(crate) fn threshold(self) -> u8 {
        (self.least + self.greatest).div_ceil(2)
    }

    /// The ranges below and from the threshold on.
    pub(crate) fn halves(self) -> [Interval; 2] {
        let (least, greatest) = (self.threshold(), self.threshold() - 1);
        [Interval { greatest, ..self }, Interval { least, ..self }]
    }

    pub(crate) fn list_to_bytes(list: &[Interval]) -> Vec<u8> {
        list.iter().flat_map(|it| [it.least, it.greatest]).collect()
    }

    /// `None` if these bytes are not of ascending parts of `all`.
    pub(crate) fn list_from_bytes(bytes: &[u8], all: Interval) -> Option<Vec<Interval>> {
        let (list, []) = bytes.as_chunks() else {
            return None;
        };
        let list = list.iter();
        let list = list.map(|&[least, greatest]| Interval { least, greatest });
        let list: Vec<Interval> = list.collect();
        let is_possible = |it: &Interval| {
            all.least <= it.least && it.least <= it.greatest && it.greatest <= all.greatest
        };
        let ascend = list.is_sorted_by(|a, b| a.greatest < b.least);
        let are_possible = ascend && list.iter().all(is_possible);
        are_possible.then_some(list)
    }
}

/// The number of a result, given the value for the favoured side.
fn result(seeds: u8, favoured: i8) -> u8 {
    let sum = seeds as i8 + favoured;
    debug_assert!(sum % 2 == 0, "every seed goes to one side");
    (sum / 2) as u8
}

/// The facts about a position of one plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownResult {
    /// The result of the best capture, but at least the least result of the position's interval if the
    /// favoured side is to move, and at most the greatest if the other side is: the position is worth
    /// that in any case.
    pub(crate) result: u8,
    /// The number of children in the interval.
    pub(crate) children: u8,
}

/// The possible numbers of children: 0 to 6.
const CHILDREN: u8 = 7;

/// The numbers of children that a byte tells apart in the largest layers.
const CHILDREN_BESIDE_BIT: u8 = 4;

/// The bytes of one layer.
#[derive(Clone)]
pub(crate) struct ResultCodes {
    all: Interval,
    /// The numbers of children that a byte tells apart.
    counts: u8,
    /// By byte: its meaning.
    known: [KnownResult; 256],
}

impl ResultCodes {
    /// The bytes of a layer with all these results. The children are not counted in them alone if
    /// values go beyond `most_counted`, even where there is room.
    pub(crate) fn new(all: Interval, most_counted: u8) -> ResultCodes {
        let has_room = ResultCodes::have_room(all.thresholds()) && all.thresholds() <= most_counted;
        let counts = if has_room {
            CHILDREN
        } else {
            CHILDREN_BESIDE_BIT
        };
        let known = |byte| KnownResult {
            result: all.least + byte as u8 / counts,
            children: byte as u8 % counts,
        };
        ResultCodes {
            all,
            counts,
            known: std::array::from_fn(known),
        }
    }

    /// Returns whether bytes alone count all children where values go up to `limit`.
    pub(crate) fn have_room(limit: u8) -> bool {
        (u32::from(limit) + 1) * u32::from(CHILDREN) <= 1 << u8::BITS
    }

    /// Returns whether these bytes alone count all children.
    pub(crate) fn count_all(&self) -> bool {
        self.counts == CHILDREN
    }

    /// The byte of a position by its moves alone, given the value of the best capture for the side to
    /// move.
    ///
    /// The result is the least that the favoured side gets if it is to move, and the most if the
    /// other side is.
    pub(crate) fn begin(&self, plane: Plane, seeds: u8, best: Option<i8>, children: u8) -> u8 {
        let result = match plane {
            Plane::Favoured => best.map_or(self.all.least, |best| result(seeds, best)),
            Plane::Other => best.map_or(self.all.greatest, |best| result(seeds, -best)),
        };
        self.byte(KnownResult { result, children })
    }

    /// The least and the greatest byte of an interval.
    pub(crate) fn of_interval(&self, interval: Interval) -> [u8; 2] {
        let Interval { least, greatest } = interval;
        [(least, 0), (greatest, self.counts - 1)]
            .map(|(result, children)| self.byte(KnownResult { result, children }))
    }

    #[inline(always)]
    fn byte(&self, KnownResult { result, children }: KnownResult) -> u8 {
        (result - self.all.least) * self.counts + children % self.counts
    }

    /// By byte: the high bound of a position in which the favoured side is to move.
    pub(crate) fn highs(&self, seeds: u8) -> [i8; 256] {
        self.known
            .map(|known| (2 * i32::from(known.result) - i32::from(seeds)) as i8)
    }

    /// By byte: the low bound of a position in which the other side is to move.
    pub(crate) fn lows(&self, seeds: u8) -> [i8; 256] {
        self.highs(seeds).map(i8::wrapping_neg)
    }

    /// The extra bits of a layer before anything is decided, given the number of children
    /// of each position.
    pub(crate) fn extra_bits(&self, layout: &Layout, children: &mut [u8]) -> Vec<u8> {
        if self.count_all() {
            return Vec::new();
        }
        let mut extra = vec![0; extra_len(layout)];
        let parts = layout.split(&mut extra, |band| extra_bytes(band.row_len));
        for ((band, children), extra) in layout.bands(children).into_iter().zip(parts) {
            let rows = children.chunks_exact(band.row_len);
            let rows = rows.zip(extra.chunks_exact_mut(extra_bytes(band.row_len)));
            for (children, extra) in rows {
                for (at, &children) in children.iter().enumerate() {
                    for plane in PLANES {
                        set_extra(extra, plane, at, children >= self.counts);
                    }
                }
            }
        }
        extra
    }

    /// The length of the extra bits of a row in bytes.
    pub(crate) fn extra_bytes(&self, row_len: usize) -> usize {
        if self.count_all() {
            0
        } else {
            extra_bytes(row_len)
        }
    }
}

/// The length in bytes of the extra bits of a layer whose bytes do not count all children: two for each
/// position.
pub(crate) fn extra_len(layout: &Layout) -> usize {
    let of_rows =
        |own_seeds| layout.rows(own_seeds) as usize * extra_bytes(layout.row_len(own_seeds));
    (0..=layout.seeds()).map(of_rows).sum()
}

fn extra_bytes(row_len: usize) -> usize {
    row_len.div_ceil(4)
}

/// Where the extra bit of a position is.
#[inline(always)]
fn extra_place(plane: Plane, at: usize) -> (usize, u32) {
    (at / 4, 2 * (at % 4) as u32 + plane as u32)
}

#[inline(always)]
fn set_extra(extra: &mut [u8], plane: Plane, at: usize, is_set: bool) {
    let (byte, bit) = extra_place(plane, at);
    if let Some(byte) = extra.get_mut(byte) {
        *byte = *byte & !(1 << bit) | u8::from(is_set) << bit;
    }
}

/// The facts about all positions of a layer.
#[derive(Clone, Debug)]
pub(crate) struct Results {
    /// By plane: the bytes.
    pub(crate) planes: [Vec<u8>; 2],
    /// The extra bits, for both planes.
    pub(crate) extra: Vec<u8>,
}

/// The facts about a row of positions of one plane.
pub(crate) struct ResultRow<'r> {
    pub(crate) codes: &'r ResultCodes,
    pub(crate) plane: Plane,
    pub(crate) bytes: &'r mut [u8],
    pub(crate) extra: &'r mut [u8],
    pub(crate) is_changed: bool,
}

impl ResultRow<'_> {
    #[inline(always)]
    pub(crate) fn get(&self, at: usize) -> KnownResult {
        let mut known = self.codes.known[usize::from(self.bytes[at])];
        let (byte, bit) = extra_place(self.plane, at);
        if let Some(extra) = self.extra.get(byte) {
            // Only a forged checkpoint has seven.
            let children = known.children + CHILDREN_BESIDE_BIT * (extra >> bit & 1);
            known.children = children.min(CHILDREN - 1);
        }
        known
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, at: usize, known: KnownResult) {
        self.bytes[at] = self.codes.byte(known);
        let more = known.children >= self.codes.counts;
        set_extra(self.extra, self.plane, at, more);
        self.is_changed = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::Tuning;
    use granero_game::{Cycles, Extent, MAX_SEEDS};
    use granero_table::index::Layer;

    #[test]
    fn bytes_say_what_was_put_there_in_all_layers() {
        for seeds in 0..=MAX_SEEDS {
            for extent in [Extent::FULL, Extent::DECIDING] {
                let limit = extent.limit(Cycles::OwnSide, seeds);
                let all = Interval::all(seeds, limit as i8);
                assert_eq!(all.thresholds(), limit);
                for most_counted in [0, u8::MAX] {
                    let codes = ResultCodes::new(all, most_counted);
                    let has_room = limit <= 35 && limit <= most_counted;
                    assert_eq!(codes.count_all(), has_room);
                    let len = codes.extra_bytes(9);
                    assert_eq!(len, if has_room { 0 } else { 3 });
                    // What lies beside a position stays as it is.
                    for beside in [0, 0xff] {
                        let (mut bytes, mut extra) = ([beside; 9], vec![beside; len]);
                        for at in 0..9 {
                            for plane in PLANES {
                                for result in all.least..=all.greatest {
                                    for children in 0..CHILDREN {
                                        let before = (bytes, extra.clone());
                                        let mut row = ResultRow {
                                            codes: &codes,
                                            plane,
                                            bytes: &mut bytes,
                                            extra: &mut extra,
                                            is_changed: false,
                                        };
                                        let known = KnownResult { result, children };
                                        row.set(at, known);
                                        assert_eq!(row.get(at), known);
                                        let value = codes.highs(seeds)[usize::from(row.bytes[at])];
                                        assert_eq!(value, (2 * result) as i8 - seeds as i8);
                                        let low = codes.lows(seeds)[usize::from(row.bytes[at])];
                                        assert_eq!(low, -value);
                                        row.bytes[at] = before.0[at];
                                        set_extra(row.extra, plane, at, beside != 0);
                                        assert_eq!((bytes, extra.clone()), before);
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn an_interval_is_a_range_of_bytes() {
        for most_counted in [0, u8::MAX] {
            let all = Interval::all(40, 20);
            let codes = ResultCodes::new(all, most_counted);
            for least in all.least..=all.greatest {
                for greatest in least..=all.greatest {
                    let [first, last] = codes.of_interval(Interval { least, greatest });
                    for result in all.least..=all.greatest {
                        for children in 0..CHILDREN {
                            let byte = codes.byte(KnownResult { result, children });
                            let is_within = (least..=greatest).contains(&result);
                            assert_eq!((first..=last).contains(&byte), is_within);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn extra_bits_are_there_for_all_positions_of_both_planes() {
        let layout = Layout::new(Layer::new(7).unwrap()).tuned(&Tuning::SMALL);
        let children = |place: usize| (place * place % 7) as u8;
        let mut all: Vec<u8> = (0..layout.plane_len()).map(children).collect();
        let codes = ResultCodes::new(Interval::all(7, 7), 0);
        let mut extra = codes.extra_bits(&layout, &mut all);
        assert_eq!(extra.len(), extra_len(&layout));
        let parts = layout.split(&mut extra, |band| extra_bytes(band.row_len));
        let mut place = 0;
        for ((band, _), extra) in layout.bands(&mut all.clone()).into_iter().zip(parts) {
            for extra in extra.chunks_exact_mut(extra_bytes(band.row_len)) {
                for at in 0..band.row_len {
                    for plane in PLANES {
                        let row = ResultRow {
                            codes: &codes,
                            plane,
                            bytes: &mut vec![all[place] % 4; band.row_len],
                            extra,
                            is_changed: false,
                        };
                        assert_eq!(row.get(at).children, all[place]);
                    }
                    place += 1;
                }
            }
        }
        assert_eq!(place, all.len());
        let codes = ResultCodes::new(Interval::all(7, 7), u8::MAX);
        assert!(codes.extra_bits(&layout, &mut all).is_empty());
    }
}

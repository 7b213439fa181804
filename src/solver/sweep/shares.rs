//! The shares of a layer.
//!
//! A share has the positions in which the opponent's half-board is in some interval, by the opponent's seeds. It is
//! swept alone: what it writes are some rows of each matrix, and what it reads is its **window**, some columns of each
//! matrix, because a move changes the opponent's half-board little.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::gather::LANES;
use super::grid::{Grid, RowNumbers};
use super::movers::MOVERS;
use granero_game::{Cycles, MAX_SEEDS};
use granero_table::index::{Crossing, Layer, half};

/// A layer that is divided into shares.
#[derive(Clone, Debug)]
pub(crate) struct Shares {
    pub(crate) seeds: u8,
    /// One for values, two for bounds.
    pub(crate) planes: usize,
    /// Where shares begin and end: the parts of all opponents in [`WHOLE`]ths.
    cuts: Arc<[usize]>,
    /// Set if the opponents with few seeds are in a share of their own, the last one. They are few, but their children
    /// are all over the layer.
    has_narrow: bool,
}

/// The most seeds of opponents in a share of their own.
const NARROW: u8 = 5;

/// The parts of a layer that shares consist of.
const WHOLE: usize = 256;

/// The rows of a share in a matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub(crate) share: usize,
    pub(crate) plane: usize,
    /// The mover's seeds.
    pub(crate) own: u8,
}

impl Shares {
    /// Shares of about the same size for processes.
    pub(crate) fn of_processes(layer: Layer, cycles: Cycles, count: usize) -> Shares {
        Shares {
            has_narrow: false,
            ..Shares::equal(layer, cycles, count)
        }
    }

    /// The groups of opponents for which a matrix that reads itself is copied, one after the other.
    pub(super) fn groups_of(&self, own: u8) -> Shares {
        // Some hundred each: so are those whose moves are found together.
        let count = (half::count(self.seeds - own) as usize / 128).clamp(1, 8);
        self.with(equal_cuts(count), false)
    }

    /// Shares of about the same size, and one for opponents with few seeds.
    pub(crate) fn equal(layer: Layer, cycles: Cycles, count: usize) -> Shares {
        Shares {
            seeds: layer.seeds(),
            planes: cycles.measures().into_iter().count(),
            cuts: equal_cuts(count),
            has_narrow: true,
        }
    }

    /// Other shares of the same layer.
    fn with(&self, cuts: Arc<[usize]>, has_narrow: bool) -> Shares {
        Shares {
            cuts,
            has_narrow,
            ..*self
        }
    }

    /// As few shares as possible of the same layer that each take up to `most`, or a single part, if `size` tells what a
    /// share takes.
    pub(crate) fn within(
        &self,
        has_narrow: bool,
        most: u64,
        size: impl Fn(&Shares) -> u64,
    ) -> Shares {
        let mut cuts = vec![0];
        while let Some(&start) = cuts.last()
            && start < WHOLE
        {
            let fits = |end| size(&self.with([start, end].into(), has_narrow)) <= most;
            // About as large as the one before.
            let before = cuts.iter().nth_back(1).map_or(1, |before| start - before);
            let mut end = (start + before).min(WHOLE);
            while end < WHOLE && fits(end + 1) {
                end += 1;
            }
            while end > start + 1 && !fits(end) {
                end -= 1;
            }
            cuts.push(end);
        }
        self.with(cuts.into(), has_narrow)
    }

    /// The number of shares.
    pub(crate) fn count(&self) -> usize {
        self.cuts.len() - 1 + usize::from(self.has_narrow)
    }

    /// Tells if a share is the one of opponents with few seeds.
    pub(crate) fn is_narrow(&self, share: usize) -> bool {
        share == self.cuts.len() - 1
    }

    /// The opponents of a share with some number of seeds, in blocks.
    pub(crate) fn blocks(&self, share: usize, seeds: u8) -> Range<usize> {
        let blocks = (half::count(seeds) as usize).div_ceil(LANES);
        if self.has_narrow && (self.is_narrow(share) != (seeds <= NARROW)) {
            return 0..0;
        }
        if self.is_narrow(share) {
            return 0..blocks;
        }
        border(seeds, self.cuts[share])..border(seeds, self.cuts[share + 1])
    }

    /// Their ranks.
    pub(crate) fn ranks(&self, share: usize, seeds: u8) -> Range<usize> {
        let Range { start, end } = self.blocks(share, seeds);
        rank(seeds, start)..rank(seeds, end)
    }

    /// By the mover's seeds: the ranks of the opponents of shares that follow each other.
    pub(crate) fn opponents(&self, shares: Range<usize>) -> Vec<Range<usize>> {
        let of = |own| {
            let all = shares
                .clone()
                .map(|share| self.ranks(share, self.seeds - own));
            let mut all = all.filter(|ranks| !ranks.is_empty());
            let first = all.next().unwrap_or_default();
            first.start..all.next_back().map_or(first.end, |last| last.end)
        };
        (0..=self.seeds).map(of).collect()
    }

    /// The memory in bytes for the captures of shares that follow each other.
    pub(crate) fn captures_memory(&self, shares: Range<usize>) -> usize {
        let opponents = (0..).zip(self.opponents(shares));
        let memory =
            opponents.map(|(own, of)| Grid::packed_memory(half::count(own) as usize, of.len()));
        memory.sum()
    }

    /// Groups shares whose captures take up to `room` bytes. A group has at least one.
    pub(crate) fn groups(&self, room: usize) -> Vec<Range<usize>> {
        let mut groups: Vec<Range<usize>> = Vec::new();
        for share in 0..self.count() {
            match groups.last_mut() {
                Some(last) if self.captures_memory(last.start..share + 1) <= room => {
                    last.end = share + 1;
                }
                _ => groups.push(share..share + 1),
            }
        }
        groups
    }

    /// Their rows: those with an empty house have one.
    pub(crate) fn rows(&self, share: usize, seeds: u8) -> Range<usize> {
        if self.blocks(share, seeds).is_empty() {
            return 0..0;
        }
        if self.is_narrow(share) {
            return 0..RowNumbers::count(seeds);
        }
        let rows = rows_before_cuts(seeds);
        rows[self.cuts[share]]..rows[self.cuts[share + 1]]
    }

    /// The share that has an opponent.
    pub(crate) fn share_of(&self, seeds: u8, rank: half::Rank) -> usize {
        let has = |&share: &usize| self.ranks(share, seeds).contains(&(rank.0 as usize));
        (0..self.count())
            .find(has)
            .expect("each opponent is in a share")
    }

    /// The columns of a matrix that a share reads: whole lines, in intervals that do not touch. Those of opponents with few
    /// seeds are read for one class of moves at a time.
    pub(crate) fn window(&self, share: usize, own: u8) -> Vec<Range<usize>> {
        if self.is_narrow(share) {
            return Vec::new();
        }
        let mut all: Vec<Range<usize>> = (0..=own)
            .filter_map(|crossing| self.children(share, own - crossing, crossing))
            .collect();
        all.sort_by_key(|columns| columns.start);
        let mut window: Vec<Range<usize>> = Vec::new();
        for columns in all {
            match window.last_mut() {
                Some(last) if columns.start <= last.end => last.end = last.end.max(columns.end),
                _ => window.push(columns),
            }
        }
        window
    }

    /// The columns of the children of the opponents in a share, if `crossing` seeds cross: whole lines.
    pub(super) fn children(
        &self,
        share: usize,
        opponents_seeds: u8,
        crossing: u8,
    ) -> Option<Range<usize>> {
        if self.blocks(share, opponents_seeds).is_empty() {
            return None;
        }
        let cuts = if self.is_narrow(share) {
            [0, WHOLE]
        } else {
            [self.cuts[share], self.cuts[share + 1]]
        };
        let children = children_at_cuts(opponents_seeds, crossing);
        let ([first, _], [_, last]) = (children[cuts[0]], children[cuts[1]]);
        // A block that is not all of it begins before the first child.
        let first = (first as usize).saturating_sub(LANES - 1);
        Some(first / MOVERS * MOVERS..(last as usize + 1).next_multiple_of(MOVERS))
    }
}

/// Where shares of about the same size begin and end.
fn equal_cuts(count: usize) -> Arc<[usize]> {
    (0..=count).map(|share| share * WHOLE / count).collect()
}

/// The block of the opponents with some number of seeds at which a share begins or ends.
fn border(seeds: u8, cut: usize) -> usize {
    let blocks = (half::count(seeds) as usize).div_ceil(LANES);
    (cut * blocks + WHOLE / 2) / WHOLE
}

/// The rank at which a block begins, or the last one ends.
fn rank(seeds: u8, block: usize) -> usize {
    (block * LANES).min(half::count(seeds) as usize)
}

/// One for each number of seeds.
const EACH: usize = MAX_SEEDS as usize + 1;

/// By cut: the columns of the children of the opponents after it and before it. Plans ask for them again and again.
fn children_at_cuts(seeds: u8, crossing: u8) -> &'static [[u32; 2]] {
    static ALL: [[OnceLock<Vec<[u32; 2]>>; EACH]; EACH] =
        [const { [const { OnceLock::new() }; EACH] }; EACH];
    ALL[usize::from(seeds)][usize::from(crossing)].get_or_init(|| {
        let crossing = Crossing::new(crossing, false);
        // The ranks of children rise with those of the opponents.
        let child = |rank: usize| {
            half::rank(crossing.added_to(half::unrank(seeds, half::Rank(rank as u32)))).0
        };
        let last = half::count(seeds) as usize - 1;
        let at = |cut| {
            let rank = rank(seeds, border(seeds, cut));
            [child(rank.min(last)), child(rank.saturating_sub(1))]
        };
        (0..=WHOLE).map(at).collect()
    })
}

/// By cut: the rows before it.
fn rows_before_cuts(seeds: u8) -> &'static [usize] {
    static ALL: [OnceLock<Vec<usize>>; EACH] = [const { OnceLock::new() }; EACH];
    ALL[usize::from(seeds)].get_or_init(|| {
        let before =
            |cut| RowNumbers::before(seeds, half::Rank(rank(seeds, border(seeds, cut)) as u32));
        (0..=WHOLE).map(before).collect()
    })
}

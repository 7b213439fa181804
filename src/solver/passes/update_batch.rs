//! Updating positions that have a settled child, many at once: their memory is prefetched.

use std::sync::atomic::AtomicU8;

use super::exchange::Exchange;
use crate::graph::{Layout, Number, Numbering, Width};
use crate::known::{
    Cells, Effect, Half, ListedCaptures, News, NewsPlace, NewsRow, NewsRows, Whole,
};
use crate::threads::{RowLocks, prefetch_to_write};
use crate::tuning::Tuning;

/// The number of groups ahead of which the bytes of positions are prefetched.
const GROUPS_AHEAD: usize = 8;

/// The number of positions in a batch that makes updating worthwhile.
const ENOUGH: usize = 512;

/// Positions that have a settled child, to be updated.
#[derive(Debug)]
pub(super) struct UpdateBatch {
    groups: Vec<Group>,
    /// The opponent's half-boards of the positions in the groups.
    opponents: Vec<Number>,
    /// The number of positions in all groups.
    positions: usize,
    most_groups: usize,
    most_positions: usize,
    /// Room for the positions that are settled: the number of the group, and the opponent's
    /// half-board.
    just_settled: Vec<(u32, Number)>,
    places: Vec<NewsPlace>,
    /// The number of positions that were settled.
    pub(super) settled: u64,
}

/// Positions of one row that have a settled child, by one class of moves.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// Where the row begins.
    row: usize,
    /// The mover's half-board.
    own: Number,
    /// The part of `UpdateBatch::opponents`.
    pub(crate) start: u32,
    count: u32,
    own_seeds: u8,
    news: News,
}

/// The positions of a layer, and the effect of news on them.
pub(super) struct Updates<'a, X> {
    pub(super) layout: &'a Layout,
    pub(super) numbering: &'a Numbering,
    /// A byte for each position, or half a byte.
    pub(super) plane: &'a [AtomicU8],
    /// By kind of news: its effect on them.
    pub(super) effects: &'a [Effect; 2],
    pub(super) news: &'a NewsRows<'a>,
    pub(super) rows: &'a RowLocks,
    /// Asked where an effect settles a position without changing its byte.
    pub(super) listed: Option<ListedCaptures<'a>>,
    pub(super) exchange: &'a X,
}

impl UpdateBatch {
    /// The memory in bytes.
    pub(super) const MEMORY: usize = Tuning::USUAL.batch_groups * size_of::<Group>()
        + Tuning::USUAL.batch_positions * size_of::<Number>()
        + Tuning::USUAL.batch_positions * size_of::<(u32, Number)>()
        + Tuning::USUAL.batch_positions * size_of::<NewsPlace>();

    pub(super) fn new(tuning: &Tuning) -> UpdateBatch {
        let (most_groups, most_positions) = (tuning.batch_groups, tuning.batch_positions);
        UpdateBatch {
            groups: Vec::with_capacity(most_groups),
            opponents: Vec::with_capacity(most_positions),
            positions: 0,
            most_groups,
            most_positions,
            just_settled: vec![(0, 0); most_positions],
            places: Vec::with_capacity(most_positions),
            settled: 0,
        }
    }

    /// Adds a group for each of some half-boards of the mover, with the same half-boards of the
    /// opponent in all of them.
    #[inline(always)]
    pub(super) fn add<X: Exchange>(
        &mut self,
        own_seeds: u8,
        movers: &[Number],
        opponents: &[Number],
        news: News,
        updates: &Updates<'_, X>,
    ) {
        let positions = movers.len() * opponents.len();
        if positions == 0 {
            return;
        }
        if self.groups.len() + movers.len() > self.most_groups
            || self.positions + positions > self.most_positions
        {
            self.carry_out(updates);
        }
        let start = self.opponents.len() as u32;
        self.opponents.extend_from_slice(opponents);
        self.positions += positions;
        self.groups.extend(movers.iter().map(|&own| Group {
            row: updates.layout.row_start(own_seeds, own),
            own,
            start,
            count: opponents.len() as u32,
            own_seeds,
            news,
        }));
    }

    /// Updates the positions if there are enough of them.
    pub(super) fn carry_out_enough<X: Exchange>(&mut self, updates: &Updates<'_, X>) {
        if self.positions >= ENOUGH {
            self.carry_out(updates);
        }
    }

    /// Updates the positions, and enters news of positions that are settled by it. Empties the batch.
    pub(super) fn carry_out<X: Exchange>(&mut self, updates: &Updates<'_, X>) {
        let mut just_settled = std::mem::take(&mut self.just_settled);
        let count = match updates.layout.width() {
            Width::Byte => self.update::<Whole, X>(updates, &mut just_settled),
            Width::Half => self.update::<Half, X>(updates, &mut just_settled),
        };
        for &(group, opponents) in &just_settled[..count] {
            let group = &self.groups[group as usize];
            if let Some(listed) = updates.listed
                && !listed.settles(updates.plane, group.row + opponents as usize)
            {
                continue;
            }
            let opponents_seeds = updates.layout.seeds() - group.own_seeds;
            let row = NewsRow {
                half: (updates.numbering).opponents_half(opponents_seeds, opponents),
                news: group.news.other(),
            };
            let place = (updates.news).place(row, (opponents_seeds, opponents), group.own);
            updates.news.prefetch(&place);
            self.places.push(place);
        }
        self.settled += self.places.len() as u64;
        for place in self.places.drain(..) {
            updates.news.enter(place);
        }
        self.just_settled = just_settled;
        self.groups.clear();
        self.opponents.clear();
        self.positions = 0;
    }

    /// Updates the positions, and puts those that are settled by it into `just_settled`. Returns how many these
    /// are.
    fn update<C: Cells, X: Exchange>(
        &self,
        updates: &Updates<'_, X>,
        just_settled: &mut [(u32, Number)],
    ) -> usize {
        for group in self.groups.iter().take(GROUPS_AHEAD) {
            self.prefetch::<C, X>(group, updates);
        }
        // Processors cannot predict which positions are settled, so there is no branch: an entry counts
        // only if its position is settled.
        let mut count = 0;
        for (index, group) in self.groups.iter().enumerate() {
            if let Some(ahead) = self.groups.get(index + GROUPS_AHEAD) {
                self.prefetch::<C, X>(ahead, updates);
            }
            let row = &updates.plane[group.row..][..updates.layout.row_bytes(group.own_seeds)];
            let effect = &updates.effects[group.news as usize];
            let taken = updates.rows.take(group.row);
            for &opponents in self.opponents_of(group) {
                let settled = C::update(row, opponents as usize, effect);
                just_settled[count] = (index as u32, opponents);
                count += usize::from(settled);
            }
            drop(taken);
        }
        count
    }

    #[inline(always)]
    fn opponents_of(&self, group: &Group) -> &[Number] {
        &self.opponents[group.start as usize..][..group.count as usize]
    }

    #[inline(always)]
    fn prefetch<C: Cells, X: Exchange>(&self, group: &Group, updates: &Updates<'_, X>) {
        updates.rows.prefetch(group.row);
        for &opponents in self.opponents_of(group) {
            let place = group.row + C::place(opponents as usize);
            updates.exchange.touch(updates.plane, place);
            prefetch_to_write(updates.plane, place);
        }
    }
}

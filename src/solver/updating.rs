//! Carrying out orders: what news of children makes of positions.

use super::layout::Layout;
use super::news::Table;
use super::parcels::{Group, ORDERED, Orders};
use super::prefetch::prefetch;
use super::reporter::Reporter;

/// How many groups ahead the bytes of positions are asked for.
const GROUPS_AHEAD: usize = 8;

/// Room for the positions that orders settle: the number of the group, and the rank of the
/// opponent's half-board.
#[derive(Debug)]
pub(super) struct JustSettled(Vec<(u32, u32)>);

impl JustSettled {
    /// What is written behind the last one that counts takes room, too.
    const ROOM: usize = ORDERED + 1;

    /// The memory in bytes.
    pub(super) const MEMORY: usize = Self::ROOM * size_of::<(u32, u32)>();

    pub(super) fn new() -> JustSettled {
        JustSettled(vec![(0, 0); Self::ROOM])
    }
}

/// A worker's positions, as long as news changes them in the same way.
pub(super) struct Updating<'w, 'a> {
    pub(super) layout: &'a Layout,
    pub(super) bytes: &'w mut [Vec<u8>],
    /// What either kind of news does, and to which of the bytes.
    pub(super) tables: &'w [Table; 2],
    pub(super) concerned: [usize; 2],
    pub(super) just_settled: &'w mut JustSettled,
    pub(super) reporter: &'w mut Reporter<'a>,
}

impl Updating<'_, '_> {
    /// Carries out orders for this worker, and reports what they settle.
    pub(super) fn carry_out(&mut self, orders: &Orders) {
        let groups = orders.groups();
        for group in groups.iter().take(GROUPS_AHEAD) {
            self.prefetch(orders, group);
        }
        // Whether a position is settled is hard to predict, so it takes no branch: what is
        // written down counts only if it is.
        let mut count = 0;
        for (index, group) in groups.iter().enumerate() {
            if let Some(ahead) = groups.get(index + GROUPS_AHEAD) {
                self.prefetch(orders, ahead);
            }
            let bytes = &mut self.bytes[self.concerned[group.news as usize]];
            let row = &mut bytes[group.row..][..self.layout.row_len(group.own_seeds)];
            let table = &self.tables[group.news as usize];
            let just_settled = &mut *self.just_settled.0;
            for &opponents in orders.opponents_of(group) {
                let byte = &mut row[opponents as usize];
                let (next, settled) = table[usize::from(*byte)];
                *byte = next;
                just_settled[count] = (index as u32, opponents);
                count += usize::from(settled);
            }
        }
        for &(group, opponents) in &self.just_settled.0[..count] {
            let group = &groups[group as usize];
            let news = group.news.other();
            (self.reporter).report(group.own_seeds, group.local, opponents, news);
        }
        self.reporter.enter_own();
    }

    #[inline(always)]
    fn prefetch(&self, orders: &Orders, group: &Group) {
        let bytes = &self.bytes[self.concerned[group.news as usize]];
        for &opponents in orders.opponents_of(group) {
            prefetch(bytes, group.row + opponents as usize);
        }
    }
}

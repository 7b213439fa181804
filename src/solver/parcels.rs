//! What workers send each other: parcels of orders and of reports, all of the same size.

use super::news::{News, Settled};
use super::ownership::Local;

/// The positions that a parcel of orders has room for.
///
/// That and the number of groups are more than the predecessors by one class that are served at
/// once: these are six groups at most.
pub(super) const ORDERED: usize = 4096;
const GROUPS: usize = 2048;
/// The positions that a parcel of reports has room for.
const REPORTED: usize = 2048;

/// Orders: positions of one worker that have a settled child. Their owner is to note that.
#[derive(Debug)]
pub(super) struct Orders {
    groups: Vec<Group>,
    /// The opponent's half-boards of the positions in the groups, by rank.
    opponents: Vec<u32>,
    /// How many positions the groups have together.
    positions: usize,
}

/// Positions of one row that have a settled child, by one class of moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// Where the row begins.
    pub(super) row: usize,
    /// The mover's half-board.
    pub(super) local: Local,
    /// The part of `Orders::opponents`.
    start: u32,
    count: u32,
    pub(super) own_seeds: u8,
    pub(super) news: News,
}

/// Reports: positions that were settled, for the owner of their rows of news.
#[derive(Debug)]
pub(super) struct Reports {
    settled: Vec<Settled>,
}

impl Orders {
    /// The memory of a parcel in bytes.
    pub(super) const MEMORY: usize = GROUPS * size_of::<Group>() + ORDERED * size_of::<u32>();

    /// An empty parcel with all the memory that it may need.
    pub(super) fn new() -> Orders {
        Orders {
            groups: Vec::with_capacity(GROUPS),
            opponents: Vec::with_capacity(ORDERED),
            positions: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// How many positions there are.
    pub(super) fn positions(&self) -> usize {
        self.positions
    }

    /// Whether there is room for `groups` more groups with `positions` positions in total.
    #[inline(always)]
    pub(super) fn has_room(&self, groups: usize, positions: usize) -> bool {
        self.groups.len() + groups <= GROUPS && self.positions + positions <= ORDERED
    }

    /// Adds a group for each of some rows, given where it begins and the mover's half-board,
    /// with the same half-boards of the opponent in all of them. There must be room.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        own_seeds: u8,
        rows: impl ExactSizeIterator<Item = (usize, Local)>,
        opponents: &[u32],
        news: News,
    ) {
        let start = self.opponents.len() as u32;
        self.opponents.extend_from_slice(opponents);
        self.positions += opponents.len() * rows.len();
        self.groups.extend(rows.map(|(row, local)| Group {
            row,
            local,
            start,
            count: opponents.len() as u32,
            own_seeds,
            news,
        }));
    }

    #[inline(always)]
    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }

    #[inline(always)]
    pub(super) fn opponents_of(&self, group: &Group) -> &[u32] {
        &self.opponents[group.start as usize..][..group.count as usize]
    }

    pub(super) fn clear(&mut self) {
        self.groups.clear();
        self.opponents.clear();
        self.positions = 0;
    }
}

impl Reports {
    /// The memory of a parcel in bytes.
    pub(super) const MEMORY: usize = REPORTED * size_of::<Settled>();

    /// An empty parcel with all the memory that it may need.
    pub(super) fn new() -> Reports {
        Reports {
            settled: Vec::with_capacity(REPORTED),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.settled.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.settled.len() == REPORTED
    }

    /// Adds a position. The parcel must not be full.
    #[inline(always)]
    pub(super) fn add(&mut self, settled: Settled) {
        self.settled.push(settled);
    }

    pub(super) fn settled(&self) -> &[Settled] {
        &self.settled
    }

    pub(super) fn clear(&mut self) {
        self.settled.clear();
    }
}

//! The news of a row that is served at once, with the half-boards before it.

use crate::graph::{HalfBoard, HalfGraph, Number, Tagged};
use granero_game::MAX_SEEDS;
use granero_table::rows::CrossingClass;

/// The number of gathered positions with which a row is served. News is gathered by words of 64 bits.
pub(super) const ENOUGH_TO_SERVE: usize = 128;
/// The most positions that are served at once.
pub const MOST_SERVED: usize = ENOUGH_TO_SERVE + 63;
/// The room in the list of a class. `CrossingClass::NONE` may have two entries for each position, the others have
/// one at most.
const LIST_LEN: usize = 2 * (ENOUGH_TO_SERVE + 64);
const CLASSES: usize = CrossingClass::count(MAX_SEEDS);

/// The positions of a row that are served at once: by class of the move that leads to them,
/// the numbers of the half-boards of the opponent before it.
///
/// A move that sends no seeds across leaves the half-board of the child's mover as it was, so the list of
/// [`CrossingClass::STAYS`] has these half-boards themselves.
#[derive(Debug)]
pub struct GatheredRow {
    lists: Vec<Number>,
    lens: [u16; CLASSES],
    positions: usize,
}

impl GatheredRow {
    /// The memory in bytes.
    pub(super) const MEMORY: usize = CLASSES * LIST_LEN * size_of::<Number>();

    pub(super) fn new() -> GatheredRow {
        GatheredRow {
            lists: vec![0; CLASSES * LIST_LEN],
            lens: [0; CLASSES],
            positions: 0,
        }
    }

    /// Adds a position with this half-board of the mover.
    #[inline(always)]
    pub(super) fn add(&mut self, own: Number, half_board: HalfBoard, graph: &HalfGraph) {
        self.lists[self.positions] = own;
        self.positions += 1;
        let origins = graph.origins(half_board);
        for origin in origins.first_two() {
            self.add_origin(origin);
        }
        if origins.has_more() {
            for &origin in graph.more_origins(half_board) {
                self.add_origin(origin);
            }
        }
    }

    #[inline(always)]
    fn add_origin(&mut self, origin: Tagged) {
        let class = origin.class().index();
        let len = &mut self.lens[class];
        debug_assert!(usize::from(*len) < LIST_LEN);
        self.lists[class * LIST_LEN + usize::from(*len)] = origin.number();
        *len += 1;
    }

    pub(super) fn positions(&self) -> usize {
        self.positions
    }

    /// The mover's half-boards of the positions, ascending.
    pub fn own(&self) -> &[Number] {
        &self.lists[..self.positions]
    }

    /// Lists the first positions under [`CrossingClass::STAYS`].
    pub(super) fn stay(&mut self, positions: usize) {
        self.lens[CrossingClass::STAYS.index()] = positions as u16;
    }

    /// The list of a class if there is anything in it.
    #[inline(always)]
    pub fn list(&self, class: CrossingClass) -> Option<&[Number]> {
        let len = self.lens[class.index()];
        (len > 0).then(|| &self.lists[class.index() * LIST_LEN..][..usize::from(len)])
    }

    pub(super) fn clear(&mut self) {
        self.lens = [0; CLASSES];
        self.positions = 0;
    }
}

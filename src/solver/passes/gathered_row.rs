//! The news of a row that is served at once, with the half-boards before it.

use crate::graph::half_graph::{HalfGraph, Origin};
use crate::graph::numbering::{HalfBoard, Number};
use granero_game::MAX_SEEDS;
use granero_table::rows::CrossingClass;

/// The positions of a row that are served at once, beside the rest of a word of news.
pub(super) const SERVED_AT_ONCE: usize = 128;
/// The most positions that are served at once.
pub const AT_ONCE: usize = SERVED_AT_ONCE + 63;
/// The lists of the classes have room for all positions that are served at once, and the list of `CrossingClass::NONE` up to
/// twice as many.
const LIST_LEN: usize = 2 * (SERVED_AT_ONCE + 64);
const CLASSES: usize = CrossingClass::count(MAX_SEEDS);

/// The positions of a row that are served at once: by class of the move that leads to them,
/// the numbers of the half-boards of the opponent before it.
///
/// Seeds that stay on their side are the same before and after the move, so the list of
/// [`CrossingClass::STAYS`] has the positions themselves.
#[derive(Debug)]
pub struct GatheredRow {
    lists: Vec<Number>,
    lens: [u16; CLASSES],
    /// The number of positions.
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
    fn add_origin(&mut self, origin: Origin) {
        let class = origin.class().index();
        let len = &mut self.lens[class];
        debug_assert!(usize::from(*len) < LIST_LEN);
        self.lists[class * LIST_LEN + usize::from(*len)] = origin.number();
        *len += 1;
    }

    /// The number of positions.
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

//! What all workers of a layer are given.

use super::exchange::Exchange;
use super::graph::HalfGraph;
use super::last_resort::LastResortMove;
use super::layout::Layout;
use super::parcels::{Orders, Reports};

/// A layer to be solved. It is the same for all workers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    pub(super) seeds: u8,
    pub(super) graph: &'a HalfGraph,
    /// By worker.
    pub(super) layouts: &'a [Layout],
    pub(super) exchange: &'a Exchange<Reports, Orders>,
    /// Sorted.
    pub(super) last_resorts: &'a [LastResortMove],
}

impl<'a> Task<'a> {
    pub(super) fn workers(&self) -> usize {
        self.layouts.len()
    }
}

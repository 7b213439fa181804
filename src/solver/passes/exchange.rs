//! The seam for builds by several processes, which pass on news and wait for each other.

use std::sync::atomic::AtomicU8;

use super::gathered_row::GatheredRow;
use crate::graph::{LastResortMove, Number};
use crate::known::NewsRow;
use granero_table::first_error::Stopped;
use granero_table::rows::CrossingClass;

/// News that has arrived.
#[derive(Clone, Copy, Debug)]
pub enum Arrived<'a> {
    /// From another process: the mover's half-boards in children of a row, ascending.
    Children(NewsRow, &'a [Number]),
    /// From another band: lists of half-boards, and the half-boards of all lists, one after the other.
    Lists(&'a [List], &'a [Number]),
}

/// A list of half-boards that the news of a row concerns.
#[derive(Clone, Copy, Debug)]
pub struct List {
    pub row: NewsRow,
    /// The class of the moves by which predecessors lead to the row: the list has the half-boards of the opponent
    /// in these. With [`CrossingClass::NONE`] it has the mover's half-boards in children of moves of last resort.
    pub class: CrossingClass,
    /// The number of half-boards.
    pub count: u32,
}

/// Exchanges news with the other processes that solve the same layer. By default there are none.
pub trait Exchange: Sync {
    /// Returns [`HalfGraph::number`](crate::graph::HalfGraph::number) of a row. A single process has all
    /// rows, so this compiles to nothing there.
    #[inline(always)]
    fn half_board(&self, _own_seeds: u8, row: Number) -> Number {
        row
    }

    /// Returns the rows that this solver has among these, which are ascending.
    #[inline(always)]
    fn own<'m>(&self, _own_seeds: u8, movers: &'m [Number]) -> &'m [Number] {
        movers
    }

    /// Passes on news that concerns rows of other bands: `opponents` are the half-boards of the opponent in
    /// predecessors by moves of `class`, `movers` those of the mover, of which other bands have some.
    #[inline(always)]
    fn pass_on_class(
        &self,
        _: NewsRow,
        _: CrossingClass,
        _own_seeds: u8,
        _movers: &[Number],
        _opponents: &[Number],
    ) {
    }

    /// Makes sure that a byte of the plane is in memory, because it will be changed.
    #[inline(always)]
    fn touch(&self, _plane: &[AtomicU8], _place: usize) {}

    /// Begins a layer, in which these are the moves of last resort.
    fn begin(&self, _: &[LastResortMove]) -> Result<(), Stopped> {
        Ok(())
    }

    /// Passes on the news of a row to the processes that own predecessors.
    #[inline(always)]
    fn pass_on(&self, _: NewsRow, _own_seeds: u8, _: &GatheredRow) {}

    /// Sends and receives now and then, and waits while too much is unsent. `polls` counts the calls of
    /// the thread. `serve` gets the rows of news that have arrived: the mover's half-boards, ascending. Returns false if
    /// the work must end.
    #[inline(always)]
    fn poll(&self, _polls: u32, _serve: impl FnMut(Arrived<'_>)) -> bool {
        true
    }

    /// Calls `serve_all`, which serves rows until none waits, again and again until no process has
    /// anything left to do.
    fn settle(&self, mut serve_all: impl FnMut()) -> Result<(), Stopped> {
        serve_all();
        Ok(())
    }

    /// Adds up the counts of all processes.
    fn sum(&self, counts: [u64; 2]) -> Result<[u64; 2], Stopped> {
        Ok(counts)
    }
}

/// Exchanges nothing: this process has the whole layer.
#[derive(Debug)]
pub(crate) struct Alone;

impl Exchange for Alone {}

//! Tables of moves.

use super::gather::{self, Gather};
use super::grid::{RowNumbers, ZERO};
use super::kernel::Opponents;
use super::movers::Movers;
use granero_game::Cycles;
use granero_table::index::half::{self, Rank};
use granero_table::parallel;
use granero_table::rows::RowMoves;

/// Tables of moves for layers with up to some number of seeds.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) rows: RowMoves,
    pub(crate) numbers: RowNumbers,
    /// By the mover's seeds.
    pub(crate) movers: Vec<Movers>,
    /// By the opponent's seeds, then by class.
    pub(crate) gathers: Vec<Vec<Gather>>,
}

impl Tables {
    pub(crate) fn new(rows: RowMoves) -> Tables {
        let max_seeds = rows.max_seeds();
        let numbers = RowNumbers::new(max_seeds);
        Tables {
            movers: parallel::map(0..=max_seeds, |seeds| Movers::new(&rows, &numbers, seeds)),
            gathers: gather::gathers(rows.kind().rules, max_seeds),
            numbers,
            rows,
        }
    }

    pub(crate) fn cycles(&self) -> Cycles {
        self.rows.kind().cycles
    }

    /// The byte for the difference of the sides.
    pub(crate) fn sides(&self, seeds: u8, own: u8) -> u8 {
        let difference = 2 * own as i8 - seeds as i8;
        (ZERO as i8 - self.rows.kind().cut(seeds, difference)) as u8
    }

    /// The byte of all positions of a matrix before the first sweep: play is endless everywhere.
    pub(super) fn first_byte(&self, seeds: u8, own: u8) -> u8 {
        match self.cycles() {
            Cycles::Split => ZERO,
            Cycles::OwnSide => self.sides(seeds, own),
        }
    }

    pub(super) fn tiles(&self, own: u8) -> usize {
        self.movers[usize::from(own)].tiles()
    }

    /// The places in the tile, and the ranks, of the opponents that have rows.
    pub(super) fn rows_of(&self, seeds: u8, opponents: &Opponents) -> Vec<(usize, Rank)> {
        let first = opponents.first();
        let len = opponents.len().min(half::count(seeds) as usize - first);
        (0..len)
            .map(|place| (place, Rank((first + place) as u32)))
            .filter(|&(_, rank)| self.numbers.row(seeds, rank).is_some())
            .collect()
    }
}

//! The columns of a matrix that a share reads.

use std::ops::Range;

use super::files::GridsFile;
use super::grid::{Grid, RowNumbers};
use super::kernel::Columns;
use super::queue::Place;
use super::shares::{Rows, Shares};
use granero_table::TableError;

/// Some columns of a matrix, next to each other.
#[derive(Debug, Default)]
pub(super) struct Window {
    parts: Vec<Range<usize>>,
    grid: Grid,
}

impl Shares {
    /// The number of columns of a matrix that a share reads.
    pub(super) fn width(&self, share: usize, own: u8) -> usize {
        self.window(share, own).iter().map(Range::len).sum()
    }

    /// The memory in bytes for the windows of a share, or for those of any of some shares.
    pub(super) fn window_memory(&self, shares: Range<usize>) -> usize {
        let of = |own| {
            let widths = shares.clone().map(|share| self.width(share, own));
            Grid::memory(
                RowNumbers::count(self.seeds - own),
                widths.max().unwrap_or(0),
            )
        };
        (0..=self.seeds).map(of).sum()
    }
}

impl Window {
    /// Room for any of some shares.
    pub(super) fn new(shares: &Shares, of: Range<usize>, own: u8, fill: u8) -> Window {
        let widths = of.map(|share| shares.width(share, own));
        let rows = RowNumbers::count(shares.seeds - own);
        Window {
            parts: Vec::new(),
            grid: Grid::new(rows, widths.max().unwrap_or(0), fill),
        }
    }

    /// The columns of a share, filled.
    pub(super) fn of_share(shares: &Shares, share: usize, own: u8, fill: u8) -> Window {
        Window {
            parts: shares.window(share, own),
            ..Window::new(shares, share..share + 1, own, fill)
        }
    }

    /// These columns of a matrix.
    #[cfg(test)]
    pub(super) fn with(columns: Range<usize>, grid: Grid) -> Window {
        let parts = vec![columns];
        Window { parts, grid }
    }

    /// By class: the columns of the children of a share, which lie in these windows.
    pub(super) fn sources<'w>(
        windows: &'w [Window],
        shares: &Shares,
        Rows { share, own, .. }: Rows,
    ) -> Vec<Columns<'w>> {
        let opponents_seeds = shares.seeds - own;
        let class = |class: u8| {
            let crossing = class / 2;
            let columns = shares.children(share, opponents_seeds, crossing);
            let first = columns.expect("the share has opponents").start;
            let window = &windows[usize::from(opponents_seeds + crossing)];
            window.columns(first).expect("a part for each class")
        };
        (0..2 * (own + 1)).map(class).collect()
    }

    pub(super) fn parts(&self) -> &[Range<usize>] {
        &self.parts
    }

    /// Forgets what is here, but keeps the room.
    pub(super) fn clear(&mut self) {
        self.parts.clear();
    }

    /// The column of the matrix with which the grid would begin if there were no other part than that of this column.
    #[inline(always)]
    fn first(&self, column: usize) -> Option<usize> {
        let mut at = 0;
        for part in &self.parts {
            if part.contains(&column) {
                // The parts before lie further left in the matrix, too.
                return Some(part.start - at);
            }
            at += part.len();
        }
        None
    }

    /// The columns that hold some column of the matrix.
    #[inline(always)]
    pub(super) fn columns(&self, column: usize) -> Option<Columns<'_>> {
        let first = self.first(column)?;
        Some(Columns {
            grid: &self.grid,
            first,
        })
    }

    /// A byte, if it is here.
    #[inline(always)]
    pub(super) fn get(&self, Place { row, column, .. }: Place) -> Option<u8> {
        let Columns { grid, first } = self.columns(column as usize)?;
        Some(grid.get(row as usize, column as usize - first))
    }

    /// Puts a byte where the window has its column.
    #[inline(always)]
    pub(super) fn put(&mut self, Place { row, column, .. }: Place, byte: u8) {
        if let Some(first) = self.first(column as usize) {
            self.grid.set(row as usize, column as usize - first, byte);
        }
    }

    /// Fetches a byte into the cache, if it is here.
    #[inline(always)]
    pub(super) fn fetch(&self, Place { row, column, .. }: Place) {
        if let Some(Columns { grid, first }) = self.columns(column as usize) {
            grid.fetch(row, column - first as u32);
        }
    }

    /// A row from a column on.
    pub(super) fn row_from(&mut self, row: usize, column: usize) -> Option<&mut [u8]> {
        let first = self.first(column)?;
        self.grid.row_from(row, column - first)
    }

    /// The rows, whole lines each.
    pub(super) fn lines_mut(&mut self) -> &mut [u8] {
        self.grid.lines_mut()
    }

    /// Takes over rows that have changed.
    pub(super) fn put_rows(&mut self, first: usize, from: &Grid) {
        for row in 0..from.rows() {
            let (from, mut at) = (from.row(row), 0);
            for part in &self.parts {
                let from = &from[part.start..part.end.min(from.len())];
                let to = self.grid.row_from(first + row, at).expect("a row here");
                to[..from.len()].copy_from_slice(from);
                at += part.len();
            }
        }
    }

    /// Divides columns into pieces that are there as a whole, or not at all.
    fn pieces(&self, columns: &Range<usize>) -> Vec<(bool, Range<usize>)> {
        let borders = self.parts.iter().flat_map(|part| [part.start, part.end]);
        let mut borders: Vec<usize> = borders.filter(|at| columns.contains(at)).collect();
        borders.extend([columns.start, columns.end]);
        borders.sort_unstable();
        borders.dedup();
        let pieces = borders.windows(2).map(|borders| borders[0]..borders[1]);
        let is_there = |column| self.parts.iter().any(|part| part.contains(&column));
        pieces.map(|piece| (is_there(piece.start), piece)).collect()
    }

    /// Moves on to other columns: those that are there stay, the others come from the file.
    pub(super) fn slide(
        &mut self,
        file: &GridsFile,
        own: u8,
        parts: Vec<Range<usize>>,
    ) -> Result<(), TableError> {
        let width = parts.iter().map(Range::len).sum();
        let (rows, _) = file.size(own);
        if self.grid.rows() != rows || self.grid.columns() < width {
            self.parts.clear();
            self.grid = std::mem::take(&mut self.grid).reshape(rows, width);
        }
        // Where pieces lie, and where they go.
        let (mut stay, mut come, mut at) = (Vec::new(), Vec::new(), 0);
        for (is_there, piece) in parts.iter().flat_map(|part| self.pieces(part)) {
            let len = piece.len();
            match self.columns(piece.start).filter(|_| is_there) {
                Some(Columns { first, .. }) => stay.push((piece.start - first, at, len)),
                None => come.push((piece, at)),
            }
            at += len;
        }
        let stride = self.grid.stride();
        // First those that go left, then from the right those that go right: none covers one that has not moved.
        let (left, right): (Vec<_>, Vec<_>) = stay.iter().partition(|(from, to, _)| to < from);
        let moves: Vec<_> = left.into_iter().chain(right.into_iter().rev()).collect();
        let slide = |line: &mut [u8]| {
            for &(from, to, len) in &moves {
                line.copy_within(from..from + len, to);
            }
        };
        let lines = self.grid.lines_mut();
        file.read_lines(own, 0, &come, stride, lines, slide)?;
        self.parts = parts;
        Ok(())
    }
}

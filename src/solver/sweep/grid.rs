//! A matrix of a layer as bytes.

use std::ops::Range;

use super::subset::Subset;
use granero_table::index::half::{self, Rank};
use granero_table::parallel;

/// The byte of the value 0. The byte of a position is this minus the value: what the position is worth to the
/// player who moved to it.
pub(crate) const ZERO: u8 = 64;

/// The bytes of a line of the cache.
const LINE: usize = 64;

/// The bytes that a thread copies at a time.
const PIECE: usize = 1 << 18;

/// Bytes after the last row, because the kernel reads whole chunks.
const SLACK: usize = 512;

/// A matrix of bytes. Each row begins a line of the cache.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    stride: usize,
    rows: usize,
    columns: usize,
    /// Where the first row begins in `all`.
    start: usize,
    all: Vec<u8>,
}

impl Grid {
    pub(crate) fn new(rows: usize, columns: usize, fill: u8) -> Grid {
        Grid::of(rows, columns, vec![fill; Grid::memory(rows, columns)])
    }

    fn of(rows: usize, columns: usize, all: Vec<u8>) -> Grid {
        Grid {
            stride: Grid::stride_of(columns),
            rows,
            columns,
            start: all.as_ptr().align_offset(LINE),
            all,
        }
    }

    /// Takes another size. The bytes mean nothing then.
    pub(crate) fn reshape(self, rows: usize, columns: usize) -> Grid {
        Grid::of(rows, columns, self.all_with(Grid::memory(rows, columns)))
    }

    /// The same, without anything between the rows.
    pub(crate) fn reshape_packed(self, rows: usize, columns: usize) -> Grid {
        let all = self.all_with(Grid::packed_memory(rows, columns));
        Grid {
            stride: columns,
            start: 0,
            ..Grid::of(rows, columns, all)
        }
    }

    /// The memory, with at least so many bytes.
    fn all_with(mut self, len: usize) -> Vec<u8> {
        if self.all.len() < len {
            // What is there need not be kept.
            self.all = Vec::new();
            self.all = vec![0; len];
        }
        self.all
    }

    /// Becomes a copy of some columns of another grid.
    pub(crate) fn copy_columns(self, from: &Grid, columns: Range<usize>) -> Grid {
        let mut copy = self.reshape(from.rows, columns.len());
        let columns = columns.start..columns.end.min(from.stride);
        let (stride, at_once) = (copy.stride, PIECE / copy.stride + 1);
        let tasks = copy.lines_mut().chunks_mut(at_once * stride);
        let tasks = tasks.zip(from.lines().chunks(at_once * from.stride));
        parallel::for_each(tasks, |(to, lines)| {
            let lines = to.chunks_mut(stride).zip(lines.chunks(from.stride));
            lines
                .for_each(|(to, line)| to[..columns.len()].copy_from_slice(&line[columns.clone()]));
        });
        copy
    }

    pub(crate) fn stride_of(columns: usize) -> usize {
        let lines = columns.div_ceil(LINE);
        // With a multiple of 512 bytes, the same column of many rows would compete for a few places in the cache.
        (lines + usize::from(lines.is_multiple_of(8))) * LINE
    }

    /// The memory in bytes for a grid.
    pub(crate) fn memory(rows: usize, columns: usize) -> usize {
        rows * Grid::stride_of(columns) + LINE + SLACK
    }

    /// The same without anything between the rows.
    pub(crate) fn packed_memory(rows: usize, columns: usize) -> usize {
        rows * columns + SLACK
    }

    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> &[u8] {
        &self.bytes()[row * self.stride..][..self.columns]
    }

    #[inline(always)]
    pub(crate) fn get(&self, row: usize, column: usize) -> u8 {
        self.bytes()[row * self.stride + column]
    }

    /// A row from a column on.
    #[inline(always)]
    pub(crate) fn row_from(&mut self, row: usize, column: usize) -> Option<&mut [u8]> {
        let rest = self.stride.checked_sub(column)?;
        let start = row * self.stride + column;
        (row < self.rows).then(|| &mut self.all[self.start + start..][..rest])
    }

    /// Fetches a byte into the cache.
    #[inline(always)]
    pub(crate) fn fetch(&self, row: u32, column: u32) {
        fetch(self.bytes(), row as usize * self.stride + column as usize);
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, row: usize, column: usize, byte: u8) {
        self.all[self.start + row * self.stride + column] = byte;
    }

    /// All bytes, as the kernel reads them: from the first row on, with what lies between rows and after the last.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.all[self.start..]
    }

    /// The rows, whole lines each.
    #[inline(always)]
    pub(crate) fn lines_mut(&mut self) -> &mut [u8] {
        &mut self.all[self.start..][..self.rows * self.stride]
    }

    /// The rows, whole lines each.
    #[inline(always)]
    pub(crate) fn lines(&self) -> &[u8] {
        &self.bytes()[..self.rows * self.stride]
    }
}

/// The half-boards of the opponent that a move can leave: those with an empty house. Each has a row.
#[derive(Debug)]
pub(crate) struct RowNumbers(Vec<Subset>);

impl RowNumbers {
    pub(crate) fn new(max_seeds: u8) -> RowNumbers {
        let of = |seeds| {
            let filled: Vec<bool> = half::all(seeds).map(half::is_filled).collect();
            Subset::new(half::count(seeds), |rank| !filled[rank as usize])
        };
        RowNumbers((0..=max_seeds).map(of).collect())
    }

    /// The row of the opponent's half-board with this rank; `None` if it has no empty house.
    #[inline(always)]
    pub(crate) fn row(&self, seeds: u8, rank: Rank) -> Option<u32> {
        self.0[usize::from(seeds)].place(rank.0)
    }

    /// The number of half-boards with an empty house and a smaller rank.
    pub(crate) fn before(seeds: u8, rank: Rank) -> usize {
        // With a seed more in each house, the half-boards with six seeds fewer are those without an empty house, in order.
        let fewer = seeds.checked_sub(6);
        let filled = |number: u32| {
            let left = half::unrank(seeds - 6, Rank(number));
            half::rank(left.map(|seeds| seeds + 1))
        };
        let (mut begin, mut end) = (0, fewer.map_or(0, half::count));
        while begin < end {
            let middle = begin.midpoint(end);
            if filled(middle) < rank {
                begin = middle + 1;
            } else {
                end = middle;
            }
        }
        (rank.0 - begin) as usize
    }

    /// The number of half-boards with `seeds` seeds and an empty house.
    pub(crate) fn count(seeds: u8) -> usize {
        (half::count(seeds) - seeds.checked_sub(6).map_or(0, half::count)) as usize
    }
}

/// Fetches a byte into the cache. Does nothing if there is no such byte.
#[inline(always)]
pub(crate) fn fetch(bytes: &[u8], place: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: this reads nothing, wherever the place is.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(place).cast());
        }
    }
}

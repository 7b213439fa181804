//! The inner loop: the best of the moves of 64 movers against up to 256 opponents.
//!
//! This is portable code that compilers turn into vector instructions. On x86-64 it is compiled a second time, for
//! processors with AVX2.

use std::cell::RefCell;
use std::ops::Range;

use super::gather::{BLOCKS, Block, CHUNK, Gather, LANES, Piece};
use super::grid::{Grid, ZERO, fetch};
use super::movers::{Line, MOVERS, Movers};
use super::step::Step;
use granero_table::index::half::Rank;
use multiversion::multiversion;

/// Results by mover, then by opponent. A byte is [`ZERO`] plus the value for the mover, or 0
/// without a move.
pub(crate) type ByMover = [[u8; CHUNK]; MOVERS];

/// The same by opponent, then by mover.
pub(crate) type ByOpponent = [[u8; MOVERS]; CHUNK];

/// Room for the results of a tile.
pub(crate) struct Scratch {
    pub(crate) best: ByMover,
    pub(crate) turned: ByOpponent,
}

impl Scratch {
    /// The memory of each thread, in bytes.
    pub(crate) const MEMORY: usize = size_of::<Scratch>();

    /// Lends the room of this thread.
    pub(crate) fn with<R>(work: impl FnOnce(&mut Scratch) -> R) -> R {
        thread_local! {
            static SCRATCH: RefCell<Box<Scratch>> = RefCell::new(Box::new(Scratch {
                best: [[0; CHUNK]; MOVERS],
                turned: [[0; MOVERS]; CHUNK],
            }));
        }
        SCRATCH.with_borrow_mut(|scratch| work(scratch))
    }
}

/// All that the results of a matrix follow from.
pub(crate) struct Reading<'a> {
    pub(crate) movers: &'a Movers,
    /// By class: where the children of the opponents lie.
    pub(crate) gathers: &'a [Gather],
    /// By class: the matrix of the children.
    pub(crate) sources: &'a [Columns<'a>],
    /// The best captures, by mover, if they are looked at.
    pub(crate) captures: Option<Columns<'a>>,
    /// The seeds that cross in the moves that are looked at.
    pub(crate) crossing: Range<u8>,
}

/// Some columns of a matrix, or all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns<'a> {
    pub(crate) grid: &'a Grid,
    /// The first one.
    pub(crate) first: usize,
}

impl<'a> Columns<'a> {
    pub(crate) fn all(grid: &'a Grid) -> Columns<'a> {
        Columns { grid, first: 0 }
    }
}

/// The blocks of up to a chunk of opponents.
#[derive(Clone, Debug)]
pub(crate) struct Opponents(pub(crate) Range<usize>);

impl Opponents {
    /// Divides blocks.
    pub(crate) fn of(blocks: Range<usize>) -> impl Iterator<Item = Opponents> {
        let end = blocks.end;
        blocks
            .step_by(BLOCKS)
            .map(move |first| Opponents(first..end.min(first + BLOCKS)))
    }

    /// The rank of the first one.
    #[inline(always)]
    pub(crate) fn first(&self) -> usize {
        self.0.start * LANES
    }

    /// The number of them, or more in the last block of all.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.0.len() * LANES
    }
}

/// Finds the best moves of a tile of movers, given the best captures.
#[multiversion(targets("x86_64+avx2"))]
pub(crate) fn best_moves(
    reading: &Reading<'_>,
    tile: usize,
    opponents: &Opponents,
    best: &mut ByMover,
) {
    reading.raise(tile, opponents, best);
}

/// Finds the best moves of a tile of movers, captures included, by opponent.
#[multiversion(targets("x86_64+avx2"))]
pub(crate) fn best_turned(
    reading: &Reading<'_>,
    tile: usize,
    opponents: &Opponents,
    scratch: &mut Scratch,
) {
    let Scratch { best, turned } = scratch;
    reading.captures(tile, opponents, best);
    reading.raise(tile, opponents, best);
    turn(best, opponents, turned);
}

/// Where a sweep puts the results of a tile.
pub(crate) struct Target<'a> {
    pub(crate) step: Step,
    /// The byte for the difference of the sides.
    pub(crate) sides: u8,
    /// The places in the tile, and the ranks, of the opponents that have rows.
    pub(crate) rows: &'a [(usize, Rank)],
    /// From the first of these rows on, what is secured.
    pub(crate) secured: Option<&'a [u8]>,
    pub(crate) stride: usize,
    /// The first column of the lines.
    pub(crate) first_column: usize,
    /// The first mover of the tile, and the number of movers.
    pub(crate) column: usize,
    pub(crate) width: usize,
}

/// What storing a tile has found.
pub(crate) struct Stored {
    pub(crate) changes: u64,
    /// Set if all bytes now equal what is secured.
    pub(crate) is_secured: bool,
}

/// Stores results. Calls `note` with an opponent and the bytes before and after, for each line that changes.
#[multiversion(targets("x86_64+avx2"))]
pub(crate) fn store(
    target: &Target<'_>,
    turned: &ByOpponent,
    lines: &mut [&mut [u8]],
    note: &mut dyn FnMut(Rank, &Line, &Line),
) -> Stored {
    let mut stored = Stored {
        changes: 0,
        is_secured: target.secured.is_some(),
    };
    for ((row, &(place, rank)), line) in target.rows.iter().enumerate().zip(lines) {
        let column = target.column - target.first_column;
        fetch(line, column + MOVERS);
        let line: &mut Line = line[column..].first_chunk_mut().expect("whole lines");
        let secured = match target.secured {
            Some(secured) => {
                let start = row * target.stride + target.column;
                fetch(secured, start + MOVERS);
                secured[start..].first_chunk().expect("whole lines")
            }
            None => &[0; MOVERS],
        };
        let before = *line;
        let mut after = target
            .step
            .apply_all(&before, &turned[place], target.sides, secured);
        if target.width < MOVERS {
            after[target.width..].copy_from_slice(&before[target.width..]);
            stored.is_secured =
                stored.is_secured && after[..target.width] == secured[..target.width];
        } else if stored.is_secured {
            stored.is_secured = differing(&after, secured) == 0;
        }
        let differ = differing(&before, &after);
        if differ > 0 {
            stored.changes += u64::from(differ);
            *line = after;
            note(rank, &before, &after);
        }
    }
    stored
}

/// The number of bytes that differ.
#[inline(always)]
fn differing(a: &Line, b: &Line) -> u8 {
    (0..MOVERS).map(|lane| u8::from(a[lane] != b[lane])).sum()
}

/// The sum of the distances of bytes from that of the value 0.
#[multiversion(targets("x86_64+avx2"))]
pub(crate) fn sum_of_distances(bytes: &[u8]) -> u64 {
    let of = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|&byte| u16::from(byte.abs_diff(ZERO)))
            .sum::<u16>()
    };
    let (lines, rest) = bytes.as_chunks::<MOVERS>();
    lines.iter().map(|line| u64::from(of(line))).sum::<u64>() + u64::from(of(rest))
}

impl Reading<'_> {
    /// The best captures of a tile of movers.
    #[inline(always)]
    pub(crate) fn captures(&self, tile: usize, opponents: &Opponents, best: &mut ByMover) {
        let len = opponents.len();
        let Some(Columns { grid, first }) = self.captures else {
            best.fill([0; CHUNK]);
            return;
        };
        let first = opponents.first() - first;
        let movers = tile * MOVERS..grid.rows().min((tile + 1) * MOVERS);
        for (mover, best) in movers.zip(best) {
            let captures = &grid.bytes()[mover * grid.stride() + first..];
            // Those of the next tile.
            let next = MOVERS * grid.stride();
            (0..CHUNK / 64).for_each(|line| fetch(captures, next + 64 * line));
            match captures.first_chunk() {
                Some(captures) if len == CHUNK => *best = *captures,
                _ => best[..len].copy_from_slice(&captures[..len]),
            }
        }
    }

    /// Raises the results of a tile of movers to their best quiet moves.
    #[inline(always)]
    pub(crate) fn raise(&self, tile: usize, opponents: &Opponents, best: &mut ByMover) {
        for (class, moves) in self.movers.of_tile(tile) {
            if !self.crossing.contains(&class.seeds()) {
                continue;
            }
            let Columns { grid, first } = self.sources[class.index()];
            let (bytes, stride) = (grid.bytes(), grid.stride());
            let of_class = &self.gathers[class.index()];
            let (begin, blocks) = of_class.of(&opponents.0);
            if let Some(offset) = Block::plain(blocks) {
                let column = offset as usize - first;
                for (at, tile_move) in moves.iter().enumerate() {
                    if let Some(ahead) = moves.get(at + PLAIN_AHEAD) {
                        let start = ahead.row() * stride + column;
                        (0..CHUNK / 64).for_each(|line| fetch(bytes, start + 64 * line));
                    }
                    let start = tile_move.row() * stride + column;
                    let children: &[u8; CHUNK] = bytes[start..].first_chunk().expect("slack");
                    raise(&mut best[tile_move.mover()], children);
                }
                continue;
            }
            let pieces =
                &of_class.pieces[begin..blocks.last().map_or(begin, |last| last.end as usize)];
            let (Some(first_piece), Some(last_piece)) = (pieces.first(), pieces.last()) else {
                continue;
            };
            let span = first_piece.offset as usize..last_piece.offset as usize + LANES;
            for (at, tile_move) in moves.iter().enumerate() {
                if let Some(ahead) = moves.get(at + AHEAD) {
                    let row = ahead.row() * stride;
                    for column in span.clone().step_by(64) {
                        fetch(bytes, (row + column).wrapping_sub(first));
                    }
                }
                let children = &bytes[tile_move.row() * stride..];
                let best = &mut best[tile_move.mover()];
                gather(best, children, first, (&of_class.pieces, begin), blocks);
            }
        }
    }
}

/// Raises results to those of a move.
#[inline(always)]
fn raise<const N: usize>(best: &mut [u8; N], children: &[u8; N]) {
    let (before, children) = (*best, *children);
    *best = std::array::from_fn(|lane| before[lane].max(children[lane]));
}

/// The number of moves whose children are fetched ahead: more, where a move takes less time.
const PLAIN_AHEAD: usize = 16;
const AHEAD: usize = 6;

/// Raises blocks to the children that their pieces gather.
#[inline(always)]
fn gather(
    best: &mut [u8],
    children: &[u8],
    first: usize,
    (pieces, mut begin): (&[Piece], usize),
    blocks: &[Block],
) {
    for (best, block) in best.as_chunks_mut::<LANES>().0.iter_mut().zip(blocks) {
        let (mut raised, end) = (*best, block.end as usize);
        for piece in &pieces[begin..end] {
            let children: &[u8; LANES] = children[piece.offset as usize - first..]
                .first_chunk()
                .expect("slack");
            raise(
                &mut raised,
                &std::array::from_fn(|lane| children[lane] & piece.mask[lane]),
            );
        }
        *best = raised;
        begin = end;
    }
}

/// Turns a tile around: eight movers and a block of opponents at a time, as words, in three rounds of exchanges.
#[inline(always)]
fn turn(by_mover: &ByMover, opponents: &Opponents, by_opponent: &mut ByOpponent) {
    let (turned, _) = by_opponent.as_chunks_mut::<LANES>();
    for (movers, rows) in by_mover.as_chunks::<8>().0.iter().enumerate() {
        for block in 0..opponents.0.len() {
            let mut words = rows.each_ref().map(|row| {
                let bytes = &row.as_chunks::<LANES>().0[block];
                std::array::from_fn(|word| {
                    u64::from_le_bytes(*bytes[8 * word..].first_chunk().expect("a word"))
                })
            });
            exchange::<4>(&mut words, 0x0000_0000_ffff_ffff);
            exchange::<2>(&mut words, 0x0000_ffff_0000_ffff);
            exchange::<1>(&mut words, 0x00ff_00ff_00ff_00ff);
            for (opponent, turned) in turned[block].iter_mut().enumerate() {
                let word = words[opponent % 8][opponent / 8];
                turned[8 * movers..][..8].copy_from_slice(&word.to_le_bytes());
            }
        }
    }
}

/// Exchanges the squares of `SIDE` bytes beside the diagonal in all squares of twice that side.
#[inline(always)]
fn exchange<const SIDE: usize>(rows: &mut [[u64; LANES / 8]; 8], mask: u64) {
    for row in (0..8).filter(|row| row & SIDE == 0) {
        let (above, below) = rows.split_at_mut(row + SIDE);
        for (above, below) in above[row].iter_mut().zip(&mut below[0]) {
            let moved = (*above >> (8 * SIDE) ^ *below) & mask;
            *below ^= moved;
            *above ^= moved << (8 * SIDE);
        }
    }
}

//! The moves of the movers' half-boards, for tiles of 64 of them.

use super::grid::RowNumbers;
use granero_table::index::{Crossing, Layer, half};
use granero_table::rows::{Matrix, RowMoves};

/// The movers of a tile.
pub(crate) const MOVERS: usize = 64;

/// The bytes of the movers of a tile.
pub(crate) type Line = [u8; MOVERS];

/// A move of a mover in a tile: the row that it leads to, and the mover.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileMove(u32);

impl TileMove {
    const ROW_BITS: u32 = 26;

    fn new(mover: usize, row: u32) -> TileMove {
        TileMove((mover as u32) << TileMove::ROW_BITS | row)
    }

    #[inline(always)]
    pub(crate) fn mover(self) -> usize {
        (self.0 >> TileMove::ROW_BITS) as usize
    }

    #[inline(always)]
    pub(crate) fn row(self) -> usize {
        (self.0 & ((1 << TileMove::ROW_BITS) - 1)) as usize
    }
}

const _: () = assert!(half::count(granero_game::MAX_SEEDS) < 1 << TileMove::ROW_BITS);

/// The moves of all half-boards with some number of seeds, by tile, then by class.
#[derive(Debug)]
pub(crate) struct Movers {
    moves: Vec<TileMove>,
    /// The classes of a tile, and where their moves end.
    classes: Vec<(Crossing, u32)>,
    /// By tile: where its classes and its moves begin.
    starts: Vec<(u32, u32)>,
}

impl Movers {
    pub(crate) fn new(rows: &RowMoves, numbers: &RowNumbers, seeds: u8) -> Movers {
        let matrix = Matrix::new(Layer::new(seeds).expect("at most 48 seeds"), seeds);
        let mut movers = Movers {
            moves: Vec::new(),
            classes: Vec::new(),
            starts: vec![(0, 0)],
        };
        let mut all: Vec<(Crossing, TileMove)> = Vec::new();
        for first in (0..matrix.rows()).step_by(MOVERS) {
            let tile = first..matrix.rows().min(first + MOVERS as u32);
            all.clear();
            for (mover, rank) in tile.enumerate() {
                for (left_seeds, left, class) in rows.moves_of(matrix.row(half::Rank(rank))) {
                    let row = numbers.row(left_seeds, left).expect("an empty house");
                    all.push((class, TileMove::new(mover, row)));
                }
            }
            all.sort_by_key(|&(class, _)| class);
            for of_class in all.chunk_by(|a, b| a.0 == b.0) {
                movers
                    .moves
                    .extend(of_class.iter().map(|&(_, tile_move)| tile_move));
                movers
                    .classes
                    .push((of_class[0].0, movers.moves.len() as u32));
            }
            movers
                .starts
                .push((movers.classes.len() as u32, movers.moves.len() as u32));
        }
        movers
    }

    pub(crate) fn tiles(&self) -> usize {
        self.starts.len() - 1
    }

    /// The moves of a tile by class.
    #[inline(always)]
    pub(crate) fn of_tile(&self, tile: usize) -> impl Iterator<Item = (Crossing, &[TileMove])> {
        let (first, mut begin) = self.starts[tile];
        let (end, _) = self.starts[tile + 1];
        self.classes[first as usize..end as usize]
            .iter()
            .map(move |&(class, end)| {
                let moves = &self.moves[begin as usize..end as usize];
                begin = end;
                (class, moves)
            })
    }
}

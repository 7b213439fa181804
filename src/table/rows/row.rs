//! The geometry of a layer: its matrices and rows, and their places in index order.
//!
//! In the turned order (see [`TurnedLayer`](super::TurnedLayer)) the two sides are exchanged: a row has one
//! half-board of the opponent, and all half-boards of the mover.

use std::ops::Range;

use crate::index::{Layer, half};
use crate::parallel;
use granero_game::Position;
use granero_game::position::join;

/// The positions of a layer in which the mover has `own_seeds` seeds: a row for each half-board of the mover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    layer: Layer,
    // Invariant: at most the seeds of the layer.
    own_seeds: u8,
}

/// The positions of a layer in which the mover has one half-board: one for each half-board
/// of the opponent, in the order of their ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    matrix: Matrix,
    rank: half::Rank,
}

impl Matrix {
    pub fn new(layer: Layer, own_seeds: u8) -> Matrix {
        debug_assert!(own_seeds <= layer.seeds());
        Matrix { layer, own_seeds }
    }

    /// The matrices of a layer in order.
    pub fn all(layer: Layer) -> impl Iterator<Item = Matrix> {
        (0..=layer.seeds()).map(move |own_seeds| Matrix { layer, own_seeds })
    }

    /// The matrix with the sides exchanged, which holds the same positions in the turned order.
    pub fn turned(self) -> Matrix {
        Matrix {
            layer: self.layer,
            own_seeds: self.opponents_seeds(),
        }
    }

    pub fn layer(self) -> Layer {
        self.layer
    }

    pub fn own_seeds(self) -> u8 {
        self.own_seeds
    }

    #[inline]
    pub(crate) fn opponents_seeds(self) -> u8 {
        self.layer.seeds() - self.own_seeds
    }

    /// The number of the first position.
    #[inline]
    pub(crate) fn start(self) -> usize {
        self.layer.matrix_start(self.own_seeds) as usize
    }

    /// The numbers of the positions.
    #[inline]
    pub fn places(self) -> Range<usize> {
        self.start()..self.layer.matrix_start(self.own_seeds + 1) as usize
    }

    pub fn rows(self) -> u32 {
        half::count(self.own_seeds)
    }

    #[inline]
    pub fn row_len(self) -> usize {
        half::count(self.opponents_seeds()) as usize
    }

    /// All rows in order.
    pub fn all_rows(self) -> impl Iterator<Item = Row> {
        (0..self.rows()).map(move |rank| self.row(half::Rank(rank)))
    }

    /// The row of the mover's half-board with this rank.
    pub fn row(self, rank: half::Rank) -> Row {
        Row { matrix: self, rank }
    }

    /// The numbers of the positions in which the opponent has the half-board with this rank, by the rank of the mover's.
    pub fn column(self, opponents: half::Rank) -> impl Fn(half::Rank) -> usize {
        let (first, step) = (self.start() + opponents.0 as usize, self.row_len());
        move |own| first + own.0 as usize * step
    }

    /// Calls `work` for each row and its part of a slice that has an item for each position of the layer, on all threads.
    pub fn each_row<V: Send>(self, layer: &mut [V], work: impl Fn(Row, &mut [V]) + Sync) {
        self.map_rows(layer, |row, values| {
            work(row, values);
            None::<()>
        });
    }

    /// Like [`each_row`](Matrix::each_row), and returns the results in the order of the rows.
    pub fn map_rows<V: Send, I: IntoIterator<Item: Send>>(
        self,
        layer: &mut [V],
        work: impl Fn(Row, &mut [V]) -> I + Sync,
    ) -> Vec<I::Item> {
        // Short rows are worth no task of their own.
        let together = (1 << 14) / self.row_len() + 1;
        let pieces = layer[self.places()].chunks_mut(together * self.row_len());
        let found = parallel::map((0..).step_by(together).zip(pieces), |(first, values)| {
            let rows = (first..).zip(values.chunks_exact_mut(self.row_len()));
            let found = rows.flat_map(|(rank, values)| work(self.row(half::Rank(rank)), values));
            found.collect::<Vec<_>>()
        });
        found.into_iter().flatten().collect()
    }
}

impl Row {
    /// The row of a position.
    pub fn of(position: &Position) -> Row {
        let matrix = Matrix::new(Layer::of(position), position.own_seeds());
        matrix.row(half::rank(position.own()))
    }

    /// The seeds of its positions.
    #[inline]
    pub(crate) fn seeds(self) -> u8 {
        self.matrix.layer.seeds()
    }

    pub fn matrix(self) -> Matrix {
        self.matrix
    }

    pub fn own_seeds(self) -> u8 {
        self.matrix.own_seeds
    }

    #[inline]
    pub fn opponents_seeds(self) -> u8 {
        self.matrix.opponents_seeds()
    }

    /// The rank of the mover's half-board.
    pub fn rank(self) -> half::Rank {
        self.rank
    }

    /// The number of the first position.
    #[inline]
    pub fn start(self) -> usize {
        self.matrix.start() + self.rank.0 as usize * self.len()
    }

    #[inline]
    pub fn len(self) -> usize {
        self.matrix.row_len()
    }

    /// The numbers of the positions.
    #[inline]
    pub fn places(self) -> Range<usize> {
        let start = self.start();
        start..start + self.len()
    }

    /// The number in the turned order of the position in which the opponent has the half-board
    /// with this rank.
    #[inline]
    pub fn turned_number(self, opponents: half::Rank) -> usize {
        self.matrix.turned().row(opponents).start() + self.rank.0 as usize
    }

    /// The position in which the opponent has the half-board with this rank.
    pub fn position(self, opponents: half::Rank) -> Position {
        Position::from_valid(join(
            half::unrank(self.own_seeds(), self.rank),
            half::unrank(self.opponents_seeds(), opponents),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_each_other_as_positions_do() {
        // Rows of the last layer are divided into pieces.
        for layer in Layer::all().take(7).chain(Layer::new(9)) {
            let mut numbers: Vec<usize> = (0..layer.len() as usize).collect();
            let mut positions = layer.positions();
            let mut next = 0;
            for matrix in Matrix::all(layer) {
                assert_eq!(matrix.start(), next);
                let rows =
                    matrix.map_rows(&mut numbers, |row, numbers| Some((row, numbers.to_vec())));
                for (row, numbers) in rows {
                    assert_eq!(row.places(), next..next + row.len());
                    assert!(row.places().eq(numbers.iter().copied()));
                    for opponents in (0..row.len() as u32).map(half::Rank) {
                        let position = row.position(opponents);
                        assert_eq!(Some(position), positions.next());
                        assert_eq!(Row::of(&position), row);
                        let number = next + opponents.0 as usize;
                        assert_eq!(matrix.column(opponents)(row.rank()), number);
                        let turned = layer.index(&position.turned()) as usize;
                        assert_eq!(row.turned_number(opponents), turned);
                    }
                    next += row.len();
                }
                assert_eq!(matrix.places().end, next);
            }
            assert_eq!(positions.next(), None);
        }
    }
}

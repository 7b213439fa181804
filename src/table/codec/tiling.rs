//! Cuts each matrix of a layer into tiles, as equal as whole numbers allow. Each tile becomes a block of the
//! file.

use std::ops::Range;

use crate::index::{Layer, half};
use crate::rows::Matrix;
use granero_game::{Measured, Position};

/// The most columns of a tile.
pub const WIDTH: usize = 64;

/// The most rows of a tile.
pub const HEIGHT: usize = 40;

/// The tiles of a layer.
#[derive(Clone, Debug)]
pub struct Tiling {
    layer: Layer,
    /// By the mover's seeds.
    matrices: Vec<TiledMatrix>,
    /// The number of tiles.
    tiles: u64,
}

/// A matrix that is cut into tiles.
#[derive(Clone, Copy, Debug)]
struct TiledMatrix {
    /// The number of the first tile.
    first: u64,
    rows: Cuts,
    columns: Cuts,
}

/// A rectangle of a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    pub matrix: Matrix,
    pub rows: Range<u32>,
    pub columns: Range<u32>,
}

/// The tile that holds a position, and the position's offset in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TileOffset {
    /// The number of the tile.
    pub(crate) tile: u64,
    /// The offset in the tile, row by row.
    pub(crate) offset: usize,
}

impl Tile {
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len() * self.columns.len()
    }
}

/// The rows or columns of a matrix, cut into pieces that are as equal as whole numbers allow.
#[derive(Clone, Copy, Debug)]
struct Cuts {
    places: u64,
    pieces: u64,
}

impl Cuts {
    fn new(places: u32, longest: u32) -> Cuts {
        Cuts {
            places: places.into(),
            pieces: places.div_ceil(longest).into(),
        }
    }

    fn piece(self, number: u64) -> Range<u32> {
        let start = number * self.places / self.pieces;
        let end = (number + 1) * self.places / self.pieces;
        start as u32..end as u32
    }

    /// The number of the piece that holds a place.
    fn holding(self, place: u32) -> u64 {
        ((u64::from(place) + 1) * self.pieces - 1) / self.places
    }
}

/// Some rows or columns, cut into pieces of at most `longest`.
pub(super) fn cut(places: u32, longest: usize) -> impl Iterator<Item = Range<u32>> {
    let cuts = Cuts::new(places, longest as u32);
    (0..cuts.pieces).map(move |number| cuts.piece(number))
}

impl Tiling {
    pub fn new(layer: Layer) -> Tiling {
        let mut tiles = 0;
        let matrices = Matrix::all(layer).map(|matrix| {
            let rows = Cuts::new(matrix.rows(), HEIGHT as u32);
            let columns = Cuts::new(matrix.row_len() as u32, WIDTH as u32);
            let first = tiles;
            tiles += rows.pieces * columns.pieces;
            TiledMatrix {
                first,
                rows,
                columns,
            }
        });
        Tiling {
            layer,
            matrices: matrices.collect(),
            tiles,
        }
    }

    /// The number of tiles.
    pub fn tiles(&self) -> u64 {
        self.tiles
    }

    /// The tile with a number.
    pub fn tile(&self, number: u64) -> Tile {
        let own_seeds = (self.matrices).partition_point(|matrix| matrix.first <= number) - 1;
        let tiled = self.matrices[own_seeds];
        let (in_matrix, across) = (number - tiled.first, tiled.columns.pieces);
        Tile {
            matrix: Matrix::new(self.layer, own_seeds as u8),
            rows: tiled.rows.piece(in_matrix / across),
            columns: tiled.columns.piece(in_matrix % across),
        }
    }

    /// The tile that holds a position of the layer, and the position's offset in it.
    pub(crate) fn place(&self, position: &Position) -> TileOffset {
        let TiledMatrix {
            first,
            rows,
            columns,
        } = self.matrices[usize::from(position.own_seeds())];
        let half::Rank(row) = half::rank(position.own());
        let half::Rank(column) = half::rank(position.opponents());
        let (down, across) = (rows.holding(row), columns.holding(column));
        let in_row = columns.piece(across);
        let above = row - rows.piece(down).start;
        TileOffset {
            tile: first + down * columns.pieces + across,
            offset: above as usize * in_row.len() + (column - in_row.start) as usize,
        }
    }

    /// All tile rows, in order.
    pub fn tile_rows(&self) -> impl Iterator<Item = TileRow> {
        Matrix::all(self.layer)
            .zip(&self.matrices)
            .flat_map(|(matrix, tiled)| {
                let TiledMatrix {
                    first,
                    rows,
                    columns,
                } = *tiled;
                (0..rows.pieces).map(move |tile_row| {
                    let tiles = first + tile_row * columns.pieces;
                    let rows = rows.piece(tile_row);
                    let start = |row| matrix.row(half::Rank(row)).start();
                    TileRow {
                        tiles: tiles..tiles + columns.pieces,
                        positions: start(rows.start)..start(rows.end),
                        row_len: matrix.row_len(),
                    }
                })
            })
    }
}

/// A tile row: all tiles with the same rows of a matrix. Their numbers are consecutive, and so are the
/// numbers of their positions.
#[derive(Clone, Debug)]
pub struct TileRow {
    pub tiles: Range<u64>,
    /// The numbers of the positions in the layer.
    pub(crate) positions: Range<usize>,
    /// The length of a row through all tiles.
    pub row_len: usize,
}

impl TileRow {
    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }
}

/// Splits the values of a layer among its tile rows.
pub(crate) fn split<T>(
    tile_rows: impl Iterator<Item = TileRow>,
    mut values: Measured<&mut [T]>,
) -> Vec<(TileRow, Measured<&mut [T]>)> {
    let parts = tile_rows.map(|tile_row| {
        let parts = values.as_mut().map(|values| {
            let (first, rest) = std::mem::take(values).split_at_mut(tile_row.len());
            *values = rest;
            first
        });
        (tile_row, parts)
    });
    parts.collect()
}

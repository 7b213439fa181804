//! The half-boards of the rows and columns of a tile, and their traits.

use once_cell::race::OnceBox;

use super::context::Traits;
use super::tiling::Tile;
use crate::index::half;
use granero_game::MAX_SEEDS;

/// The traits of the half-boards of a tile.
#[derive(Clone, Copy, Debug)]
pub struct TileTraits<'a> {
    /// The traits of the mover's half-boards.
    pub(crate) rows: &'a [Traits],
    /// The reach of the half-board before the first row, if there is one.
    pub(crate) before: u8,
    /// The traits of the opponent's half-boards.
    pub(crate) columns: &'a [Traits],
}

impl TileTraits<'_> {
    pub fn of(tile: &Tile) -> TileTraits<'static> {
        let rows = traits(tile.matrix.own_seeds());
        let columns = traits(tile.matrix.opponents_seeds());
        let first = tile.rows.start as usize;
        TileTraits {
            rows: &rows[first..tile.rows.end as usize],
            before: first.checked_sub(1).map_or(0, |before| rows[before].reach),
            columns: &columns[tile.columns.start as usize..tile.columns.end as usize],
        }
    }
}

/// The traits of all half-boards with `seeds` seeds, computed when they are first needed: three bytes
/// each, 1.8 MB for all half-boards with up to 24 seeds.
fn traits(seeds: u8) -> &'static [Traits] {
    static TRAITS: [OnceBox<Vec<Traits>>; MAX_SEEDS as usize + 1] =
        [const { OnceBox::new() }; MAX_SEEDS as usize + 1];
    TRAITS[usize::from(seeds)].get_or_init(|| Box::new(half::all(seeds).map(Traits::of).collect()))
}

//! The half-boards of the rows and columns of a tile: what predicts values, and which other half-boards of the tile
//! are their neighbours.

use once_cell::race::OnceBox;

use super::tiling::{HEIGHT, Tile, WIDTH, cut};
use crate::index::half;
use granero_game::MAX_SEEDS;

/// The number of neighbours of a half-board.
pub(super) const NEIGHBOURS: usize = 3;

/// What is known of a half-board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HalfBoard {
    /// The opponent's houses in which a move of fewer than twelve seeds from here ends: a bit
    /// for each.
    pub(super) reach: u8,
    /// The houses with one or two seeds, which one more seed makes a capture: a bit for each.
    pub(super) prey: u8,
    /// True if no house is empty. A position whose opponent has no empty house is unreachable, and its
    /// value is not stored.
    pub(super) filled: bool,
    /// The neighbours as a row: their numbers among the rows of the tile, from 1. 0 is the row above the tile.
    pub(super) rows: [u8; NEIGHBOURS],
    /// The neighbours as a column: their numbers among the stored columns of the tile. The first column has
    /// [`EDGE`].
    pub(super) columns: [u8; NEIGHBOURS],
}

/// Stands for the column left of a tile.
pub(super) const EDGE: u8 = WIDTH as u8;

impl HalfBoard {
    /// What its houses alone tell.
    fn of(houses: [u8; 6]) -> HalfBoard {
        let mut found = HalfBoard {
            filled: half::is_filled(houses),
            ..HalfBoard::default()
        };
        for (house, seeds) in (0..).zip(houses) {
            let last = house + seeds;
            if seeds < 12 && (6..12).contains(&last) {
                found.reach |= 1 << (last - 6);
            }
            found.prey |= u8::from(matches!(seeds, 1 | 2)) << house;
        }
        found
    }
}

/// The half-boards of a tile.
#[derive(Clone, Copy, Debug)]
pub struct TileHalves {
    /// The mover's.
    pub(super) rows: &'static [HalfBoard],
    /// The opponent's.
    pub(super) columns: &'static [HalfBoard],
}

impl TileHalves {
    pub fn of(tile: &Tile) -> TileHalves {
        let rows = half_boards(tile.matrix.own_seeds());
        let columns = half_boards(tile.matrix.opponents_seeds());
        TileHalves {
            rows: &rows[tile.rows.start as usize..tile.rows.end as usize],
            columns: &columns[tile.columns.start as usize..tile.columns.end as usize],
        }
    }
}

/// All half-boards with `seeds` seeds, computed when they are first needed: nine bytes each, 5.3 MB for all with up
/// to 24 seeds.
fn half_boards(seeds: u8) -> &'static [HalfBoard] {
    static HALF_BOARDS: [OnceBox<Vec<HalfBoard>>; MAX_SEEDS as usize + 1] =
        [const { OnceBox::new() }; MAX_SEEDS as usize + 1];
    HALF_BOARDS[usize::from(seeds)].get_or_init(|| {
        let houses: Vec<[u8; 6]> = half::all(seeds).collect();
        let mut found: Vec<HalfBoard> =
            houses.iter().map(|&houses| HalfBoard::of(houses)).collect();
        let mut connect =
            |longest, is_stored: fn(&HalfBoard) -> bool, set: fn(&mut HalfBoard, Neighbours)| {
                for piece in cut(houses.len() as u32, longest) {
                    let piece = piece.start as usize..piece.end as usize;
                    let each = houses[piece.clone()].iter().zip(&mut found[piece]);
                    let (list, stored): (Vec<u64>, Vec<&mut HalfBoard>) = each
                        .filter(|(_, half_board)| is_stored(half_board))
                        .map(|(&houses, half_board)| (packed(houses), half_board))
                        .unzip();
                    for (number, half_board) in stored.into_iter().enumerate() {
                        set(half_board, neighbours(&list, number));
                    }
                }
            };
        connect(
            HEIGHT,
            |_| true,
            |half_board, found| {
                half_board.rows = found.map_or([0; NEIGHBOURS], |all| all.map(|one| one + 1));
            },
        );
        connect(
            WIDTH,
            |half_board| !half_board.filled,
            |half_board, found| half_board.columns = found.unwrap_or([EDGE; NEIGHBOURS]),
        );
        Box::new(found)
    })
}

/// The houses as a number that keeps the order of half-boards.
fn packed(houses: [u8; 6]) -> u64 {
    houses
        .iter()
        .fold(0, |number, &seeds| number << 8 | u64::from(seeds))
}

/// The places of neighbours in a list, if there are any.
type Neighbours = Option<[u8; NEIGHBOURS]>;

/// The neighbours of a half-board in a sorted list; `None` for the first one. They are before it: first those with a
/// single seed in another house, then others, each time the last ones first. If there are too few, the first one
/// stands for the missing ones.
fn neighbours(list: &[u64], number: usize) -> Neighbours {
    let before = &list[..number];
    let first = *before.first()?;
    let mut found = [usize::MAX; NEIGHBOURS];
    let mut count = 0;
    let house = |house: usize| 1u64 << (8 * (5 - house));
    // Seeds from a later house, and then those to an earlier one, give what comes last.
    let moved = (0..5)
        .rev()
        .flat_map(|from| (from + 1..6).map(move |to| (from, to)));
    for (from, to) in moved {
        if (list[number] / house(from)).is_multiple_of(256) {
            continue;
        }
        let moved = list[number] - house(from) + house(to);
        if count == NEIGHBOURS || moved < first {
            break;
        }
        if let Ok(place) = before.binary_search(&moved) {
            found[count] = place;
            count += 1;
        }
    }
    for place in (0..number).rev() {
        if count == NEIGHBOURS {
            break;
        }
        if !found[..count].contains(&place) {
            found[count] = place;
            count += 1;
        }
    }
    let nearest = found[0];
    found[count..].fill(nearest);
    Some(found.map(|place| place as u8))
}

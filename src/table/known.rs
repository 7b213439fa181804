//! Values that are not stored, because a reader can work them out: those that a capture
//! gives, and those of positions that cannot occur in play.

use crate::measured::Measured;
use std::sync::Arc;

use rayon::prelude::*;

use crate::index::{Crossing, Layer, half};
use crate::position::{Position, join};
use crate::rows::{Class, MAX_CAPTURED, Row, RowMoves, TurnedLayer, last_house};
use crate::rules::{Arrival, Turn};

/// The best capture of a position that has none.
pub(super) const NO_CAPTURE: i8 = i8::MIN;

/// Raises the values of a layer to the best that a capture, or a move that ends the game,
/// gives. `smaller` returns the layers that captures lead to, with the bound of children; it is
/// called in falling order of their seeds.
pub(super) fn add_captures<E>(
    rows: &RowMoves,
    layer: Layer,
    values: &mut [i8],
    mut smaller: impl FnMut(u8) -> Result<Arc<TurnedLayer>, E>,
) -> Result<(), E> {
    let seeds = layer.seeds();
    for captured in 2..=MAX_CAPTURED.min(seeds) {
        let smaller = smaller(seeds - captured)?;
        each_row(layer, values, |row, values| {
            rows.captures_of(row, captured, &smaller, |opponents, result| {
                values[opponents] = values[opponents].max(result);
            });
        });
    }
    if rows.ruleset().variation().slam_ends_game {
        each_row(layer, values, |row, values| {
            rows.ends_of(row, |opponents, result| {
                values[opponents] = values[opponents].max(result);
            });
        });
    }
    Ok(())
}

/// Does something with each row of a layer, on all threads.
fn each_row(layer: Layer, values: &mut [i8], work: impl Fn(Row, &mut [i8]) + Sync) {
    for own_seeds in 0..=layer.seeds() {
        let opponents_seeds = layer.seeds() - own_seeds;
        let start = layer.matrix_start(own_seeds) as usize;
        let end = layer.matrix_start(own_seeds + 1) as usize;
        let row_len = half::count(opponents_seeds) as usize;
        let rows = values[start..end].par_chunks_exact_mut(row_len);
        rows.enumerate().for_each(|(rank, values)| {
            let row = Row {
                own_seeds,
                rank: rank as u32,
                opponents_seeds,
            };
            work(row, values);
        });
    }
}

/// The opponent's half-boards without an empty house, and what quiet moves make of them.
struct FullHalves {
    opponents_seeds: u8,
    /// The ranks of the half-boards.
    halves: Vec<u32>,
    /// By class: the number of the half-board in `halves`, and its rank after the move.
    quiet: Vec<Vec<(u32, u32)>>,
}

impl FullHalves {
    fn new(rows: &RowMoves, layer: Layer, opponents_seeds: u8) -> FullHalves {
        let houses: Vec<[u8; 6]> = half::all(opponents_seeds)
            .filter(|houses| houses.iter().all(|&seeds| seeds > 0))
            .collect();
        let own_seeds = layer.seeds() - opponents_seeds;
        let classes = (0..=own_seeds)
            .flat_map(|seeds| [false, true].map(|ends_there| Crossing { seeds, ends_there }));
        let quiet = classes.map(|crossing| {
            if crossing.seeds == 0 && crossing.ends_there {
                return Vec::new();
            }
            let pattern = crossing.pattern();
            let after = houses
                .iter()
                .map(|houses| std::array::from_fn(|house| houses[house] + pattern[house]));
            let is_quiet = |after: [u8; 6]| {
                !crossing.ends_there
                    || rows.ruleset().arrival(after, last_house(crossing.seeds)) == Arrival::Quiet
            };
            (0..)
                .zip(after)
                .filter(|&(_, after)| is_quiet(after))
                .map(|(number, after)| (number, half::rank(after)))
                .collect()
        });
        FullHalves {
            opponents_seeds,
            quiet: quiet.collect(),
            halves: houses.iter().map(|&houses| half::rank(houses)).collect(),
        }
    }

    /// The values of the positions of a row whose opponent has one of these half-boards, from
    /// the values of the children. `best` holds the best captures before, and the values after.
    fn values(&self, rows: &RowMoves, layer: Layer, row: Row, children: &[i8], best: &mut [i8]) {
        for (left_seeds, left, class) in rows.moves_of(row.own_seeds, row.rank) {
            let across = class.crossing().seeds;
            let start = layer.matrix_start(self.opponents_seeds + across) as usize + left as usize;
            let row_len = half::count(left_seeds) as usize;
            for &(number, after) in self.quiet(class) {
                let best = &mut best[number as usize];
                *best = (*best).max(-children[start + after as usize * row_len]);
            }
        }
        for (best, &opponents) in best.iter_mut().zip(&self.halves) {
            if *best == NO_CAPTURE {
                *best = without_move(rows, layer, row, opponents, children);
            }
        }
    }

    fn quiet(&self, class: Class) -> &[(u32, u32)] {
        &self.quiet[class.index()]
    }
}

/// The value of a position without a move that is always legal: the game is over, or there
/// are moves of last resort.
#[cold]
fn without_move(rows: &RowMoves, layer: Layer, row: Row, opponents: u32, children: &[i8]) -> i8 {
    let position = Position::from_valid(join(
        half::unrank(row.own_seeds, row.rank),
        half::unrank(row.opponents_seeds, opponents),
    ));
    match rows.ruleset().turn(&position) {
        Turn::Over(over) => over.value.seeds(),
        Turn::Play(moves) => moves
            .iter()
            .map(|play| {
                if play.position.own_seeds() == 0 {
                    // The opponent has no seeds: the mover gets all.
                    return layer.seeds() as i8;
                }
                assert_eq!(play.captured, 0, "last resorts capture all or nothing");
                -children[layer.index(&play.position) as usize]
            })
            .max()
            .expect("a turn has moves"),
    }
}

/// Fills in the values of the positions whose opponent has no empty house, which are not
/// stored. For these, `values` holds the best captures.
pub(super) fn fill(rows: &RowMoves, layer: Layer, values: &mut Measured<Vec<i8>>) {
    for opponents_seeds in 6..=layer.seeds() {
        let children = values.as_ref().of_parent();
        let full = values.as_ref().zip(children).map(|(values, children)| {
            FullRows::new(rows, layer, opponents_seeds, values, children)
        });
        for ((_, full), (_, values)) in full.into_iter().zip(values.as_mut()) {
            full.put(layer, values);
        }
    }
}

/// The values of the positions of a matrix whose opponent has no empty house. They follow from
/// those of the children: the opponent in a child has an empty house.
struct FullRows {
    full: FullHalves,
    own_seeds: u8,
    /// By the rank of the mover's half-board.
    rows: Vec<Vec<i8>>,
}

impl FullRows {
    /// Works them out for the positions whose opponent has this number of seeds. For these,
    /// `values` holds the best captures; `children` holds the values of the children.
    fn new(
        rows: &RowMoves,
        layer: Layer,
        opponents_seeds: u8,
        values: &[i8],
        children: &[i8],
    ) -> FullRows {
        let own_seeds = layer.seeds() - opponents_seeds;
        let full = FullHalves::new(rows, layer, opponents_seeds);
        let start = layer.matrix_start(own_seeds) as usize;
        let row_len = half::count(opponents_seeds) as usize;
        let filled = (0..half::count(own_seeds)).into_par_iter().map(|rank| {
            let row = Row {
                own_seeds,
                rank,
                opponents_seeds,
            };
            let captures = &values[start + rank as usize * row_len..][..row_len];
            let mut best: Vec<i8> = full
                .halves
                .iter()
                .map(|&opponents| captures[opponents as usize])
                .collect();
            full.values(rows, layer, row, children, &mut best);
            best
        });
        FullRows {
            rows: filled.collect(),
            full,
            own_seeds,
        }
    }

    /// Puts them among the other values of the layer.
    fn put(self, layer: Layer, values: &mut [i8]) {
        let start = layer.matrix_start(self.own_seeds) as usize;
        let row_len = half::count(self.full.opponents_seeds) as usize;
        for (rank, filled) in self.rows.into_iter().enumerate() {
            let row = &mut values[start + rank * row_len..][..row_len];
            for (&opponents, value) in self.full.halves.iter().zip(filled) {
                row[opponents as usize] = value;
            }
        }
    }
}

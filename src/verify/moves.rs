//! The moves of a layer's rows, and what the moves that leave the layer are worth.

use std::sync::Arc;

use rayon::prelude::*;

use crate::cycles::Cycles;
use crate::index::{Crossing, Layer, half};
use crate::measured::{Bound, Measured};
use crate::position::{Position, join};
use crate::rows::{Class, MAX_CAPTURED, Row, RowMoves, TurnedLayer, last_house};
use crate::rules::{Arrival, Move, Ruleset};

/// The moves of a layer's rows. Children in the layer are numbered as in a [`TurnedLayer`],
/// where the children of a row by one house are next to each other.
pub(super) struct LayerMoves<'a> {
    layer: Layer,
    rows: &'a RowMoves,
    /// The layers that captures lead to, in the order of the seeds captured, from two on.
    smaller: Measured<Vec<Arc<TurnedLayer>>>,
    /// By the opponent's seeds, then by class.
    quiet: Vec<Vec<QuietMoves>>,
}

/// The ranks of the opponent's half-boards before and after the quiet moves of a class.
type QuietMoves = Vec<(u32, u32)>;

/// What a single move leads to.
pub(super) enum Outcome {
    /// A layer with fewer seeds, or the end of the game: what the move is worth.
    Result(i8),
    /// A position of the same layer: its number in turned order.
    Quiet(usize),
}

impl LayerMoves<'_> {
    pub(super) fn new<E>(
        rows: &RowMoves,
        layer: Layer,
        cycles: Cycles,
        mut smaller: impl FnMut(u8, Bound) -> Result<Arc<TurnedLayer>, E>,
    ) -> Result<LayerMoves<'_>, E> {
        let seeds = layer.seeds();
        let smaller = cycles.measures().try_map(|measure| {
            let captures = 2..=MAX_CAPTURED.min(seeds);
            let smaller = captures.map(|captured| smaller(seeds - captured, measure.bound()));
            smaller.collect::<Result<_, E>>()
        })?;
        let quiet = (0..=seeds).into_par_iter();
        Ok(LayerMoves {
            layer,
            rows,
            smaller,
            quiet: quiet
                .map(|opponents| quiet_moves(rows.ruleset(), layer, opponents))
                .collect(),
        })
    }

    pub(super) fn layer(&self) -> Layer {
        self.layer
    }

    pub(super) fn ruleset(&self) -> Ruleset {
        self.rows.ruleset()
    }

    /// The layers that captures lead to, with the bound that a bound of their parents needs.
    fn smaller(&self, bound: Bound) -> &[Arc<TurnedLayer>] {
        self.smaller.get(bound.of_child())
    }

    /// Finds the captures of a row and the moves that end the game: the opponent's half-board
    /// before the move, and what the move is worth for a bound of the position.
    pub(super) fn results(&self, row: Row, bound: Bound, mut found: impl FnMut(usize, i8)) {
        for (captured, smaller) in (2..).zip(self.smaller(bound)) {
            self.rows.captures_of(row, captured, smaller, &mut found);
        }
        self.rows.ends_of(row, found);
    }

    /// The quiet moves of a row, house by house: where the children begin in turned order, and
    /// pairs of the opponent's half-board before the move and the offset of the child.
    pub(super) fn quiet(&self, row: Row) -> impl Iterator<Item = (usize, &QuietMoves)> {
        let moves = self.rows.moves_of(row.own_seeds, row.rank);
        moves.map(move |(left_seeds, left, class)| {
            let quiet = &self.quiet[usize::from(row.opponents_seeds)][class.index()];
            (self.turned_row(left_seeds, left), quiet)
        })
    }

    /// Where the positions whose opponent has this half-board begin in turned order.
    fn turned_row(&self, opponents_seeds: u8, opponents: u32) -> usize {
        let row_len = half::count(self.layer.seeds() - opponents_seeds) as usize;
        self.layer.matrix_start(opponents_seeds) as usize + opponents as usize * row_len
    }

    /// The number of a position in turned order, given its row and the opponent's
    /// half-board.
    pub(super) fn turned(&self, row: Row, opponents: usize) -> usize {
        self.turned_row(row.opponents_seeds, opponents as u32) + row.rank as usize
    }

    /// The number of a position in turned order.
    pub(super) fn turned_index(&self, position: &Position) -> usize {
        let opponents = half::rank(position.opponents());
        let start = self.turned_row(position.opponents_seeds(), opponents);
        start + half::rank(position.own()) as usize
    }

    /// What a move of a position of the layer leads to, for a bound of the position.
    pub(super) fn outcome(&self, play: &Move, bound: Bound) -> Outcome {
        let shares = play.captured as i8 - play.conceded as i8;
        if play.ends_game {
            Outcome::Result(shares)
        } else if play.captured == 0 {
            Outcome::Quiet(self.turned_index(&play.position))
        } else {
            let smaller = &self.smaller(bound)[usize::from(play.captured) - 2];
            Outcome::Result(shares - smaller.value(&play.position))
        }
    }

    /// The position of a row whose opponent has this half-board.
    pub(super) fn position(&self, row: Row, opponents: usize) -> Position {
        Position::from_valid(join(
            half::unrank(row.own_seeds, row.rank),
            half::unrank(row.opponents_seeds, opponents as u32),
        ))
    }

    /// Calls `work` for each row of `values`, on all threads, and collects the results in the
    /// order of the index.
    pub(super) fn each_row<V: Send, T: Send>(
        &self,
        values: &mut [V],
        work: impl Fn(Row, &mut [V]) -> Vec<T> + Sync,
    ) -> Vec<T> {
        let mut all = Vec::new();
        for own_seeds in 0..=self.layer.seeds() {
            let start = self.layer.matrix_start(own_seeds) as usize;
            let end = self.layer.matrix_start(own_seeds + 1) as usize;
            let opponents_seeds = self.layer.seeds() - own_seeds;
            let row_len = half::count(opponents_seeds) as usize;
            let rows = values[start..end].par_chunks_exact_mut(row_len);
            let found = rows.enumerate().flat_map_iter(|(rank, values)| {
                let row = Row {
                    own_seeds,
                    rank: rank as u32,
                    opponents_seeds,
                };
                work(row, values)
            });
            all.par_extend(found);
        }
        all
    }
}

/// By class: the quiet moves that are always legal.
fn quiet_moves(ruleset: Ruleset, layer: Layer, opponents_seeds: u8) -> Vec<QuietMoves> {
    let own_seeds = layer.seeds() - opponents_seeds;
    let crossings = (0..=own_seeds)
        .flat_map(|seeds| [false, true].map(|ends_there| Crossing { seeds, ends_there }));
    crossings
        .map(|crossing| {
            let class = Class::of(crossing);
            // A move must feed an opponent without seeds.
            if class == Class::NONE || (class == Class::STAYS && opponents_seeds == 0) {
                return Vec::new();
            }
            let pattern = crossing.pattern();
            let halves = (0..).zip(half::all(opponents_seeds));
            halves
                .filter_map(|(before, houses)| {
                    let after = std::array::from_fn(|house| houses[house] + pattern[house]);
                    let quiet = !crossing.ends_there
                        || ruleset.arrival(after, last_house(crossing.seeds)) == Arrival::Quiet;
                    quiet.then(|| (before, half::rank(after)))
                })
                .collect()
        })
        .collect()
}

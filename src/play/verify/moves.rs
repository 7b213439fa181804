//! The moves of a layer's rows, and the value of the moves that leave the layer.

use std::sync::Arc;

use granero_game::{Bound, Cycles, Measured, Position};
use granero_table::first_error::Stopped;
use granero_table::index::{Crossing, Layer, half};
use granero_table::parallel;
use granero_table::rows::{
    LastResort, MAX_CAPTURED, Matrix, Reach, Row, RowMoves, TurnedLayer, quiet_moves,
};

/// The moves of a layer's rows. Children in the layer are numbered as in a [`TurnedLayer`],
/// where the children of a row by one house are next to each other.
pub(super) struct LayerMoves<'a> {
    layer: Layer,
    rows: &'a RowMoves,
    /// The layers that captures lead to, by the seeds captured, from two on.
    smaller: Measured<Vec<Arc<TurnedLayer>>>,
    /// By the opponent's seeds, then by class.
    quiet: Vec<Vec<QuietMoves>>,
}

/// The ranks of the opponent's half-boards before and after the quiet moves of a class.
type QuietMoves = Vec<(u32, u32)>;

/// The number of a position in turned order.
pub(super) fn turned_number(position: &Position) -> usize {
    Row::of(position).turned_number(half::rank(position.opponents()))
}

/// The outcome of a move of last resort, or of the end of the game.
pub(super) enum Outcome {
    /// A result: its value to the mover.
    Result(i8),
    /// A position of the same layer: its number in turned order.
    Quiet(usize),
}

impl LayerMoves<'_> {
    pub(super) fn new<'r>(
        rows: &'r RowMoves,
        layer: Layer,
        cycles: Cycles,
        smaller: &mut dyn FnMut(u8, Bound) -> Result<Arc<TurnedLayer>, Stopped>,
    ) -> Result<LayerMoves<'r>, Stopped> {
        let seeds = layer.seeds();
        let smaller = cycles.measures().try_map(|measure| {
            let captures = 2..=MAX_CAPTURED.min(seeds);
            let smaller = captures.map(|captured| smaller(seeds - captured, measure.bound()));
            smaller.collect::<Result<_, Stopped>>()
        })?;
        Ok(LayerMoves {
            layer,
            rows,
            smaller,
            quiet: parallel::map(0..=seeds, |opponents_seeds| {
                let classes = Crossing::up_to(seeds - opponents_seeds);
                let halves = || half::all(opponents_seeds);
                classes
                    .map(|class| quiet_moves(rows.ruleset(), class, halves()))
                    .collect()
            }),
        })
    }

    pub(super) fn layer(&self) -> Layer {
        self.layer
    }

    /// The least share of the seeds that tables promise a side: none, except in deciding tables.
    pub(super) fn least_share(&self) -> u8 {
        let seeds = self.layer.seeds();
        (seeds - self.rows.limits().of(seeds).unsigned_abs()) / 2
    }

    /// Finds the captures of a row and the moves that end the game. `found` gets the opponent's
    /// half-board before the move, and the value of the move for a bound of the position.
    pub(super) fn results(&self, row: Row, bound: Bound, mut found: impl FnMut(usize, i8)) {
        for (captured, smaller) in (2..).zip(self.smaller.get(bound.of_child())) {
            self.rows
                .captures_of(row, &Reach::ALL, captured, smaller, &mut found);
        }
        self.rows.ends_of(row, &Reach::ALL, found);
    }

    /// The quiet moves of a row, house by house: the start of the children in turned order, and pairs
    /// of the opponent's half-board before the move and the offset of the child.
    pub(super) fn quiet(&self, row: Row) -> impl Iterator<Item = (usize, &QuietMoves)> {
        let moves = self.rows.moves_of(row);
        moves.map(move |(left_seeds, left, class)| {
            let quiet = &self.quiet[usize::from(row.opponents_seeds())][class.index()];
            (Row::turned(self.layer, left_seeds, left).start(), quiet)
        })
    }

    /// The outcomes of a position without a move that is always legal.
    pub(super) fn last_resorts(&self, position: &Position) -> impl Iterator<Item = Outcome> {
        self.rows
            .last_resorts(position)
            .map(|outcome| match outcome {
                LastResort::Result(result) => Outcome::Result(result),
                LastResort::Quiet(child) => Outcome::Quiet(turned_number(&child)),
            })
    }

    /// Calls `work` for each row of `values`, on all threads, and collects the results in the
    /// order of the index.
    pub(super) fn each_row<V: Send, T: Send>(
        &self,
        values: &mut [V],
        work: impl Fn(Row, &mut [V]) -> Vec<T> + Sync,
    ) -> Vec<T> {
        let mut all = Vec::new();
        for matrix in Matrix::all(self.layer) {
            all.extend(matrix.map_rows(values, &work));
        }
        all
    }
}

//! The moves of a layer's rows, and the value of the moves that leave the layer.

use std::collections::HashMap;
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
    /// By the start of a row: the opponent's half-boards of positions without a move that is always legal, each with
    /// its outcomes.
    last_resorts: HashMap<usize, Vec<(usize, Outcome)>>,
}

/// The ranks of the opponent's half-boards before and after the quiet moves of a class.
type QuietMoves = Vec<(u32, u32)>;

/// The outcome of a move of last resort, or of the end of the game.
#[derive(Clone, Copy)]
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
                    .map(|class| quiet_moves(rows.kind().rules, class, halves()))
                    .collect()
            }),
            last_resorts: HashMap::new(),
        })
    }

    /// Adds the outcomes of positions without a move that is always legal to the results and the quiet moves of their
    /// rows.
    pub(super) fn add_last_resorts(&mut self, positions: &[Position]) {
        for position in positions {
            let opponents = half::rank(position.opponents()) as usize;
            let outcomes: Vec<Outcome> = self.last_resorts(position).collect();
            let in_row = self.last_resorts.entry(Row::of(position).start());
            let outcomes = outcomes.into_iter().map(|outcome| (opponents, outcome));
            in_row.or_default().extend(outcomes);
        }
    }

    /// The last resorts of a row that were added.
    fn added(&self, row: Row) -> impl Iterator<Item = (usize, Outcome)> {
        self.last_resorts
            .get(&row.start())
            .into_iter()
            .flatten()
            .copied()
    }

    pub(super) fn layer(&self) -> Layer {
        self.layer
    }

    /// The least share of the seeds that tables promise a side: none, except in deciding tables.
    pub(super) fn least_share(&self) -> u8 {
        let seeds = self.layer.seeds();
        (seeds - self.rows.kind().limit(seeds).unsigned_abs()) / 2
    }

    /// Finds the captures of a row, the moves that end the game, and results of last resort. `found` gets the opponent's
    /// half-board before the move, and the value of the move for a bound of the position.
    pub(super) fn results(&self, row: Row, bound: Bound, mut found: impl FnMut(usize, i8)) {
        for (captured, smaller) in (2..).zip(self.smaller.get(bound.of_child())) {
            self.rows
                .captures_of(row, &Reach::ALL, captured, smaller, &mut found);
        }
        self.rows.ends_of(row, &Reach::ALL, &mut found);
        for (opponents, outcome) in self.added(row) {
            if let Outcome::Result(result) = outcome {
                found(opponents, result);
            }
        }
    }

    /// The added quiet moves of last resort of a row: the opponent's half-board before the move, and the child.
    pub(super) fn quiet_last_resorts(&self, row: Row) -> impl Iterator<Item = (usize, usize)> {
        self.added(row)
            .filter_map(|(opponents, outcome)| match outcome {
                Outcome::Result(_) => None,
                Outcome::Quiet(child) => Some((opponents, child)),
            })
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
                LastResort::Quiet(child) => {
                    let opponents = half::rank(child.opponents());
                    Outcome::Quiet(Row::of(&child).turned_number(opponents))
                }
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

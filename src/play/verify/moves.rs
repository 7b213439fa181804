//! The moves of a layer's rows, and the value of the moves that leave the layer.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Fault, FaultKind, MAX_FAULTS};
use granero_game::{Bound, Cycles, Measure, Measured, Position};
use granero_table::index::{Layer, half};
use granero_table::rows::{LastResort, MAX_CAPTURED, Matrix, Row, RowMoves, TurnedLayer};

/// The moves of a layer's rows. Children in the layer are numbered as in a [`TurnedLayer`],
/// where the children of a row by one house are next to each other.
pub(super) struct LayerMoves<'a> {
    pub(super) layer: Layer,
    rows: &'a RowMoves,
    /// The layers that captures lead to, by the seeds captured, from two on.
    smaller: Measured<Vec<Arc<TurnedLayer>>>,
    /// By the mover's seeds, then by crossing.
    quiet: Vec<Vec<QuietMoves>>,
    /// By the start of a row: the opponent's half-boards of positions without a move that is always legal, each with
    /// its outcomes.
    last_resorts: HashMap<usize, Vec<(usize, LastResort)>>,
}

/// The quiet moves with a crossing: the place in the row before, and the rank of the opponent's half-board after.
type QuietMoves = Vec<(u32, half::Rank)>;

impl LayerMoves<'_> {
    pub(super) fn new<'r>(
        rows: &'r RowMoves,
        layer: Layer,
        cycles: Cycles,
        smaller: &dyn Fn(u8, Bound) -> Arc<TurnedLayer>,
    ) -> LayerMoves<'r> {
        let seeds = layer.seeds();
        LayerMoves {
            layer,
            rows,
            smaller: cycles.measures().map(|measure| {
                let captures = 2..=MAX_CAPTURED.min(seeds);
                captures
                    .map(|captured| smaller(seeds - captured, measure.bound()))
                    .collect()
            }),
            quiet: Matrix::all(layer)
                .map(|matrix| rows.quiet_moves(matrix))
                .collect(),
            last_resorts: HashMap::new(),
        }
    }

    /// Adds the outcomes of positions without a move that is always legal to the results and the quiet moves of their
    /// rows.
    pub(super) fn add_last_resorts(&mut self, positions: &[Position]) {
        for position in positions {
            let opponents = half::rank(position.opponents()).0 as usize;
            let outcomes = self.rows.last_resorts(position);
            let in_row = self.last_resorts.entry(Row::of(position).start());
            let outcomes = outcomes.map(|outcome| (opponents, outcome));
            in_row.or_default().extend(outcomes);
        }
    }

    /// The last resorts of a row that were added.
    fn added(&self, row: Row) -> &[(usize, LastResort)] {
        self.last_resorts
            .get(&row.start())
            .map_or(&[], |outcomes| outcomes)
    }

    /// The least share of the seeds that tables promise a side: none, except in deciding tables.
    pub(super) fn least_share(&self) -> u8 {
        let seeds = self.layer.seeds();
        (seeds - self.rows.kind().limit(seeds).unsigned_abs()) / 2
    }

    /// Finds the captures of a row, the moves that end the game, and results of last resort. `found` gets the opponent's
    /// half-board before the move, and the value of the move for a bound of the position.
    pub(super) fn results(&self, row: Row, bound: Bound, mut found: impl FnMut(usize, i8)) {
        let opponents = 0..row.len();
        for (captured, smaller) in (2..).zip(self.smaller.get(bound.of_child())) {
            self.rows
                .captures_of(row, &opponents, captured, smaller, &mut found);
        }
        self.rows.ends_of(row, &opponents, &mut found);
        for &(opponents, outcome) in self.added(row) {
            if let LastResort::Result(result) = outcome {
                found(opponents, result);
            }
        }
    }

    /// Sets in `met` by the opponent's half-board if a quiet move, or an added one of last resort, leads to a child
    /// with the wanted code. `codes` is in turned order; `code` reads one.
    pub(super) fn meet<C, T: PartialEq>(
        &self,
        row: Row,
        codes: &[C],
        code: impl Fn(&C) -> T,
        wanted: &[T],
        met: &mut [bool],
    ) {
        for (start, quiet) in self.quiet(row) {
            let children = &codes[start..];
            for &(before, after) in quiet {
                let child = code(&children[after.0 as usize]);
                met[before as usize] |= child == wanted[before as usize];
            }
        }
        for &(before, outcome) in self.added(row) {
            if let LastResort::Quiet(child) = outcome {
                met[before] |= code(&codes[turned_number(&child)]) == wanted[before];
            }
        }
    }

    /// The first positions whose measure, which `open` reads from its code, is not proven.
    pub(super) fn ungrounded<V: Copy + Send>(
        &self,
        codes: &mut [V],
        measure: Measure,
        open: impl Fn(V) -> Option<i8> + Sync,
    ) -> Vec<Fault> {
        let mut faults = self.each_row(codes, |row, codes| {
            let codes = (0..).map(half::Rank).zip(codes.iter());
            let faults = codes.filter_map(|(opponents, &code)| {
                Some(Fault {
                    value: open(code)?,
                    position: row.position(opponents),
                    measure,
                    kind: FaultKind::Ungrounded,
                })
            });
            faults.take(MAX_FAULTS).collect::<Vec<_>>()
        });
        faults.truncate(MAX_FAULTS);
        faults
    }

    /// The quiet moves of a row, house by house: the start of the children in turned order, and pairs
    /// of the opponent's half-board before the move and the offset of the child.
    pub(super) fn quiet(&self, row: Row) -> impl Iterator<Item = (usize, &QuietMoves)> {
        let moves = self.rows.moves_of(row);
        moves.map(move |(left_seeds, left, crossing)| {
            let quiet = &self.quiet[usize::from(row.own_seeds())][crossing.index()];
            (Matrix::new(self.layer, left_seeds).row(left).start(), quiet)
        })
    }

    /// The best value of a position without a move that is always legal; `turned` has the values of its children.
    pub(super) fn without_move(&self, position: &Position, turned: &[i8]) -> i8 {
        let value = |child: &Position| turned[turned_number(child)];
        self.rows.value_of_last_resort(position, value)
    }

    /// Calls `work` for each row of `values`, on all threads, and collects the results in the
    /// order of the index.
    pub(super) fn each_row<V: Send, I: IntoIterator<Item: Send>>(
        &self,
        values: &mut [V],
        work: impl Fn(Row, &mut [V]) -> I + Sync,
    ) -> Vec<I::Item> {
        let matrices = Matrix::all(self.layer);
        matrices
            .flat_map(|matrix| matrix.map_rows(values, &work))
            .collect()
    }
}

/// The number of a position of the layer in turned order.
fn turned_number(position: &Position) -> usize {
    Row::of(position).turned_number(half::rank(position.opponents()))
}

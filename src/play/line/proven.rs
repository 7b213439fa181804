//! Lines that begin beyond the tables and follow proofs down into them.

use std::collections::HashSet;

use super::{Line, LineEnd, Unproven};
use crate::prove::Proof;
use granero_game::rules::Move;
use granero_game::{Bound, Position, Value};
use granero_table::{TableError, Tables};

/// The most moves that a line makes beyond the tables. Few lines need a tenth of this.
const LONGEST: usize = 200;

impl Line {
    /// Finds the best line from a position beyond the tables, as far as it is proven: each move is
    /// certainly best. `prove` proves what it can of a position; its errors are returned.
    ///
    /// If several moves are best, the line takes one into the tables, or else the largest capture, or
    /// else the first house. In the tables it goes on as [`keeping`](Line::keeping) does. If
    /// it [stops](LineEnd::Unproven) before, its value is only a bound: the least that is proven,
    /// or for the high bound the most.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use granero::line::{Line, LineEnd};
    /// use granero::prove::{Budget, Prover};
    /// use granero::{Bound, Tables};
    ///
    /// let tables = Tables::sample();
    /// let prover = Prover::new(tables);
    /// let position = "1 2 0 0 1 1 / 2 0 1 1 0 1".parse()?;
    /// let line = Line::proven(tables, &position, Bound::Low, 1000, &mut |_| {}, |position| {
    ///     prover.prove(position, Budget::nodes(10_000), |_| ControlFlow::Continue(()))
    /// })?;
    /// assert_eq!(line.value.to_string(), "+4");
    /// assert!(!matches!(line.end, LineEnd::Unproven(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn proven(
        tables: &Tables,
        position: &Position,
        bound: Bound,
        limit: usize,
        watch: &mut dyn FnMut(usize),
        mut prove: impl FnMut(&Position) -> Result<Proof, TableError>,
    ) -> Result<Line, TableError> {
        let mut moves: Vec<Move> = Vec::new();
        let mut seen = HashSet::new();
        let mut now = *position;
        // The most that the move before allows this position, and the proven bound of the first.
        let (mut most, mut first) = (None, None);
        // The end of the line, and what the last position beyond the tables, or the first one within, is worth then.
        let (end, value, rest) = loop {
            if moves.last().is_some_and(|last| last.ends_game) {
                break (LineEnd::GrandSlam, Some(Value::ZERO), Vec::new());
            }
            if tables.assess(&now)?.value.is_some() {
                let before = moves.len();
                // Here the other player may be to move, whose high bound belongs to this low one.
                let is_mover = before.is_multiple_of(2);
                let bound = if is_mover { bound } else { bound.of_child() };
                if let Some(line) = Line::keeping(tables, &now, bound, limit, watch)? {
                    break (line.end.after(before), Some(line.value), line.moves);
                }
                break unproven(Unproven::NoMove);
            }
            if !seen.insert(now) || moves.len() == LONGEST {
                break unproven(Unproven::NoProgress);
            }
            let mut proof = prove(&now)?;
            first.get_or_insert(match bound {
                Bound::Low => proof.low,
                Bound::High => proof.high,
            });
            proof.high = most.map_or(proof.high, |most| proof.high.min(most));
            // Of several with the largest key, `max_by_key` returns the last.
            let best = proof.best().rev().max_by_key(|best| {
                let next = &best.play.position;
                let is_new = !seen.contains(next);
                let is_known = tables.max_seeds() >= Some(next.seeds());
                (is_new, is_known, best.play.captured)
            });
            let Some(best) = best else {
                break unproven(Unproven::NoMove);
            };
            moves.push(best.play);
            most = Some(best.play.exact_value(best.low));
            now = best.play.position;
        };
        let back = |value| {
            let descent = moves.iter().rev();
            descent.fold(value, |value, play| play.exact_value(value))
        };
        // A position that the tables know needs no proof.
        let proven = first.unwrap_or(Value::ZERO);
        Ok(Line {
            measure: *tables.cycles().measures().get(bound),
            value: value.map_or(proven, back),
            moves: [moves, rest].concat(),
            end,
        })
    }
}

/// The end of a line that stops beyond the tables.
fn unproven(why: Unproven) -> (LineEnd, Option<Value>, Vec<Move>) {
    (LineEnd::Unproven(why), None, Vec::new())
}

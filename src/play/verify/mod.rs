//! Verification: proves that values are exact, no matter which program computed them.
//!
//! A layer is checked against the rules and the smaller layers in two steps. Values are
//! **consistent** if each is the best that a move gives, by the values of the children.
//! They are **grounded** if the winner can realise each in finitely many moves. Only the exact
//! values pass both steps, as `docs/verify.md` proves: so a layer that passes is right if the
//! smaller layers are. If positions have bounds, the second step is that each side can guarantee
//! what the bound promises.
//!
//! * `moves`: the moves of a layer's rows;
//! * `consistency`: the first step;
//! * `groundedness`, `bounds`: the second step, for values and for bounds;
//! * `fault`: what a check finds;
//! * `tables`: checking all layers of some tables;
//! * `sample`: checking random positions.

mod bounds;
mod consistency;
mod fault;
mod groundedness;
mod moves;
mod sample;
mod tables;

use std::sync::Arc;

pub use fault::{Fault, FaultKind, MAX_FAULTS};
use granero_game::{Bound, Kind, Measure, Measured};
use granero_table::index::Layer;
use granero_table::parallel;
use granero_table::rows::{RowMoves, TurnedLayer};
use moves::LayerMoves;
pub use sample::sample;
pub use tables::{CheckProgress, LayerReport, check_tables};

/// Checks the values of a layer, or its bounds. Returns the first faults, at most [`MAX_FAULTS`]. If there are none,
/// all values are exact, provided that the smaller layers are. The second step follows only if the first finds no
/// fault.
///
/// `smaller` returns the layers that captures lead to, for each bound. This takes three bytes for each position of the
/// layer, or four if they have bounds. It uses all threads of the `rayon` pool.
///
/// # Panics
///
/// If there are more or fewer values than the layer has positions, the layer has more seeds than the game, or deciding
/// values have another convention for endless play.
///
/// ```
/// use std::sync::Arc;
///
/// use granero::index::Layer;
/// use granero::solver::{self, TurnedLayer};
/// use granero::verify;
/// use granero::{Bound, Cycles, Ruleset};
///
/// let kind = (Ruleset::Abapa, Cycles::Split);
/// let layers = solver::solve_all(kind, 4, 1);
/// let smaller = |seeds: u8, bound: Bound| {
///     let values = layers[usize::from(seeds)].get(bound);
///     Arc::new(TurnedLayer::new(Layer::new(seeds).unwrap(), values))
/// };
/// let layer = Layer::new(4).unwrap();
/// assert!(verify::check(kind, layer, layers[4].clone(), smaller, |_| {}).is_empty());
///
/// let wrong = layers[4].clone().map(|mut values| {
///     values[1000] += 1;
///     values
/// });
/// assert!(!verify::check(kind, layer, wrong, smaller, |_| {}).is_empty());
/// ```
pub fn check(
    kind: impl Into<Kind>,
    layer: Layer,
    values: Measured<Vec<i8>>,
    smaller: impl Fn(u8, Bound) -> Arc<TurnedLayer>,
    progress: impl Fn(CheckProgress) + Sync,
) -> Vec<Fault> {
    let kind = kind.into();
    assert!(layer.seeds() <= kind.extent.max_seeds(), "{layer:?}");
    assert!(kind.extent.is_full() || kind.cycles == values.cycles());
    let rows = RowMoves::new(kind, layer.seeds());
    check_with(&rows, layer, values, &smaller, &progress)
}

/// Like [`check`]; `rows` has the moves of the layer.
fn check_with(
    rows: &RowMoves,
    layer: Layer,
    values: Measured<Vec<i8>>,
    smaller: &dyn Fn(u8, Bound) -> Arc<TurnedLayer>,
    progress: &(dyn Fn(CheckProgress) + Sync),
) -> Vec<Fault> {
    for (_, values) in values.iter() {
        assert_eq!(values.len() as u64, layer.len());
    }
    let limit = rows.kind().limit(layer.seeds()).unsigned_abs();
    let faults = impossible(layer, limit, &values);
    if !faults.is_empty() {
        return faults;
    }
    progress(CheckProgress::Compares(layer));
    let moves = LayerMoves::new(rows, layer, values.cycles(), smaller);
    match values {
        Measured::Value(values) => check_values(moves, values, progress),
        Measured::Bounds { low, high } => check_bounds(moves, low, high, progress),
    }
}

fn check_values(
    mut moves: LayerMoves<'_>,
    mut values: Vec<i8>,
    progress: &(dyn Fn(CheckProgress) + Sync),
) -> Vec<Fault> {
    let turned = TurnedLayer::new(moves.layer, &values);
    let checked = |positions| progress(CheckProgress::Checked(positions));
    let found = consistency::check(&moves, Measure::Value, &mut values, &turned, |row| {
        // 0 needs no grounds.
        checked(row.iter().filter(|&&value| value == 0).count() as u64);
    });
    let (faults, stuck) = found;
    if !faults.is_empty() {
        return faults;
    }
    progress(CheckProgress::LooksForGrounds(moves.layer));
    moves.add_last_resorts(&stuck);
    groundedness::check(&moves, values, turned, checked)
}

fn check_bounds(
    mut moves: LayerMoves<'_>,
    mut low: Vec<i8>,
    mut high: Vec<i8>,
    progress: &(dyn Fn(CheckProgress) + Sync),
) -> Vec<Fault> {
    let turned_low = TurnedLayer::new(moves.layer, &low);
    let turned_high = TurnedLayer::new(moves.layer, &high);
    let of_low = consistency::check(&moves, Measure::Low, &mut low, &turned_high, |_| {});
    let of_high = consistency::check(&moves, Measure::High, &mut high, &turned_low, |_| {});
    let (mut faults, stuck) = of_low;
    faults.extend(of_high.0);
    faults.truncate(MAX_FAULTS);
    if !faults.is_empty() {
        return faults;
    }
    progress(CheckProgress::LooksForGrounds(moves.layer));
    // The low bound is a promise to the other side, and the high one to the favoured side.
    let (bounds, turned) = ([low, high], [turned_low, turned_high]);
    moves.add_last_resorts(&stuck);
    bounds::check(&moves, bounds, turned, |positions| {
        progress(CheckProgress::Checked(positions));
    })
}

/// The number of values that one task gets.
const PIECE: usize = 1 << 16;

/// The faults of values or bounds that no position of the layer can have; `limit` is the largest value.
fn impossible(layer: Layer, limit: u8, values: &Measured<Vec<i8>>) -> Vec<Fault> {
    let is_impossible = |measure, value: i8| {
        // The limit of bounds is odd where the seeds are.
        let is_odd = (value.unsigned_abs() + layer.seeds()) % 2 == 1;
        value.unsigned_abs() > limit || (measure != Measure::Value && is_odd)
    };
    let mut faults = Vec::new();
    for (measure, values) in values.iter() {
        let pieces = (0..).step_by(PIECE).zip(values.chunks(PIECE));
        let found = parallel::map(pieces, |(first, values)| {
            let numbered = (first..).zip(values.iter().copied());
            let found = numbered.filter(|&(_, value)| is_impossible(measure, value));
            found.take(MAX_FAULTS).collect::<Vec<(u64, i8)>>()
        });
        let found = found.into_iter().flatten().take(MAX_FAULTS);
        faults.extend(found.map(|(index, value)| Fault {
            position: layer.position(index).expect("as many values as positions"),
            measure,
            value,
            kind: FaultKind::Impossible,
        }));
    }
    faults.truncate(MAX_FAULTS);
    faults
}

//! Checks of random positions, for layers that do not fit into memory.

use super::{Fault, FaultKind, LayerReport, MAX_FAULTS};
use granero_game::random::SplitMix64;
use granero_table::index::Layer;
use granero_table::parallel;
use granero_table::{TableError, Tables};

/// The number of positions between two reports of progress.
const PIECE: usize = 4096;

/// Compares the values or bounds of random positions with the best of their moves, all looked up in
/// the tables. The same `seed` draws the same positions; a layer with at most `positions` positions
/// is checked as a whole. `progress` gets the number of positions done since its last call. The
/// check ends early at [`MAX_FAULTS`] faults.
///
/// This needs no memory. It finds inconsistent values, but not ungrounded ones.
///
/// ```
/// use granero::index::Layer;
/// use granero::Tables;
/// use granero::verify;
///
/// let layer = Layer::new(8).unwrap();
/// let sample = verify::sample(Tables::sample(), layer, 1000, 7, |_| {})?;
/// assert_eq!(sample.positions, 1000);
/// assert!(sample.faults.is_empty());
/// # Ok::<(), granero::TableError>(())
/// ```
pub fn sample(
    tables: &Tables,
    layer: Layer,
    positions: u64,
    seed: u64,
    progress: impl Fn(u64),
) -> Result<LayerReport, TableError> {
    tables.have(layer.seeds())?;
    let mut random = SplitMix64::stream(seed, layer.seeds().into());
    let all = positions >= layer.len();
    let count = positions.min(layer.len());
    let mut report = LayerReport {
        layer,
        positions: 0,
        faults: Vec::new(),
        histogram_is_right: None,
    };
    for start in (0..count).step_by(PIECE) {
        let end = count.min(start + PIECE as u64);
        let numbered = |number| {
            if all {
                number
            } else {
                random.below(layer.len())
            }
        };
        let numbers: Vec<u64> = (start..end).map(numbered).collect();
        let found = parallel::try_map(numbers, |number| check(tables, layer, number))?;
        report.positions = end;
        report.faults.extend(found.into_iter().flatten());
        progress(end - start);
        if report.faults.len() >= MAX_FAULTS {
            report.faults.truncate(MAX_FAULTS);
            break;
        }
    }
    Ok(report)
}

/// Compares the value of a position, or both bounds, with the best of its moves.
fn check(tables: &Tables, layer: Layer, number: u64) -> Result<Vec<Fault>, TableError> {
    let position = layer.position(number).expect("a number of the layer");
    let value = tables.clamped_value(&position)?;
    // `assess` computes the value of the position from its moves.
    let best = tables.assess(&position)?.clamped;
    let compared = value.zip(best).into_iter();
    let compared = compared.flat_map(|(value, best)| value.numbers().zip(best.numbers()));
    let faults = compared.filter_map(|(measure, (value, best))| {
        (value != best).then_some(Fault {
            position,
            measure,
            value: value.seeds(),
            kind: FaultKind::Inconsistent { best: best.seeds() },
        })
    });
    Ok(faults.collect())
}

//! Checking positions drawn at random: for layers that are too large to be held in memory.

use rayon::prelude::*;

use super::{Fault, FaultKind, MAX_FAULTS};
use crate::index::Layer;
use crate::random::SplitMix64;
use crate::table::{TableError, Tables};

/// So many positions are looked up between two reports of progress.
const PIECE: usize = 4096;

/// What was found in positions of a layer that were drawn at random.
///
/// ```
/// use granero::verify::Sample;
///
/// let found = Sample { positions: 1000, faults: Vec::new() };
/// assert!(found.faults.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// How many positions were compared with their moves.
    pub positions: u64,
    /// The first faults, at most [`MAX_FAULTS`].
    pub faults: Vec<Fault>,
}

/// Compares the values or bounds of positions that are drawn at random with those of their moves,
/// all as the tables answer when they are asked. The same `seed` draws the same positions; from
/// a layer that has no more than `positions`, all are taken. `progress` is told how many
/// more are done. It ends early when there are [`MAX_FAULTS`] faults.
///
/// This needs no memory, and finds values that do not fit those of the moves, but not values
/// without grounds.
///
/// # Errors
///
/// When a file is damaged or cannot be read.
///
/// ```
/// use granero::index::Layer;
/// use granero::table::Tables;
/// use granero::verify;
///
/// let layer = Layer::new(8).unwrap();
/// let sample = verify::sample(Tables::sample(), layer, 1000, 7, |_| {})?;
/// assert_eq!(sample.positions, 1000);
/// assert!(sample.faults.is_empty());
/// # Ok::<(), granero::table::TableError>(())
/// ```
pub fn sample(
    tables: &Tables,
    layer: Layer,
    positions: u64,
    seed: u64,
    progress: impl Fn(u64) + Sync,
) -> Result<Sample, TableError> {
    let mut random = SplitMix64::stream(seed, layer.seeds().into());
    let all = positions >= layer.len();
    let count = positions.min(layer.len());
    let mut sample = Sample {
        positions: 0,
        faults: Vec::new(),
    };
    for start in (0..count).step_by(PIECE) {
        let end = count.min(start + PIECE as u64);
        let numbers = (start..end).map(|number| match all {
            true => number,
            false => random.below(layer.len()),
        });
        let numbers: Vec<u64> = numbers.collect();
        let found: Vec<Vec<Fault>> = numbers
            .par_iter()
            .map(|&number| check(tables, layer, number))
            .collect::<Result<_, TableError>>()?;
        sample.positions = end;
        sample.faults.extend(found.into_iter().flatten());
        progress(end - start);
        if sample.faults.len() >= MAX_FAULTS {
            sample.faults.truncate(MAX_FAULTS);
            break;
        }
    }
    Ok(sample)
}

/// Compares the value of a position, or both its bounds, with those of the moves.
fn check(tables: &Tables, layer: Layer, number: u64) -> Result<Vec<Fault>, TableError> {
    let position = layer.position(number).expect("a number of the layer");
    let Some(worth) = tables.worth(&position)? else {
        return Err(TableError::NoSuchLayer {
            seeds: layer.seeds(),
            max_seeds: tables.max_seeds(),
        });
    };
    // This is worked out from the moves.
    let Some(best) = tables.assess(&position)?.worth else {
        return Ok(Vec::new());
    };
    let compared = worth.zip(best).into_iter();
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

//! Finding positions of a layer that satisfy a condition.
//!
//! * `condition`: conditions on positions;
//! * `best`: the best moves, as far as tables tell, and the seeds that one wrong move can lose;
//! * this file: going through a layer, on all threads, and drawing some of what is found.
//!
//! Positions are looked up in the order of the index, so that each block of the tables is decoded once.
//! With the layers [in memory](granero_table::Tables::keep_in_memory) this is faster still, above all if a
//! condition is about moves.

mod best;
mod condition;

pub use best::stake;
pub use condition::{Condition, MoveKind};

use granero_game::random::SplitMix64;
use granero_game::{Clamped, Measured, Position};
use granero_table::index::Layer;
use granero_table::parallel;
use granero_table::{TableError, Tables};

/// The number of positions that a thread looks at, at a time.
const PIECE: u64 = 1 << 14;

/// The number of such pieces between two reports of what is found.
const PIECES: u64 = 32;

/// A position that satisfies a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundPosition {
    /// Its number in the layer.
    pub index: u64,
    /// The position.
    pub position: Position,
    /// Its value or bounds.
    pub value: Measured<Clamped>,
}

/// Finds all positions of a layer that satisfy a condition, in the order of the index. `found` gets
/// each, and `progress` the number of positions looked at since its last call.
///
/// # Errors
///
/// When the layer is beyond the tables.
///
/// ```
/// use granero::find::{self, Condition};
/// use granero::index::Layer;
/// use granero::Tables;
///
/// // Where all 8 seeds can be won.
/// let layer = Layer::new(8).unwrap();
/// let mut all_won = Condition { value: Some(8..=8), ..Condition::default() };
/// let mut count = 0;
/// find::each(Tables::sample(), layer, &all_won, |_| count += 1, |_| {})?;
/// assert_eq!(count, 19_712);
///
/// // Of these, the positions where only one move does.
/// all_won.best_moves = Some(1..=1);
/// all_won.legal_moves = Some(2..=6);
/// let mut first = None;
/// find::each(Tables::sample(), layer, &all_won, |found| first = first.or(Some(found)), |_| {})?;
/// assert!(Tables::sample().assess(&first.unwrap().position)?.best().count() == 1);
/// # Ok::<(), granero::TableError>(())
/// ```
pub fn each(
    tables: &Tables,
    layer: Layer,
    condition: &Condition,
    mut found: impl FnMut(FoundPosition),
    mut progress: impl FnMut(u64),
) -> Result<(), TableError> {
    tables.have(layer.seeds())?;
    let most = layer.len();
    let mut start = 0;
    while start < most {
        let end = most.min(start + PIECES * PIECE);
        let pieces = (start..end).step_by(PIECE as usize);
        let all = parallel::try_map(pieces, |from| {
            piece(tables, layer, condition, from, end.min(from + PIECE))
        })?;
        all.into_iter().flatten().for_each(&mut found);
        progress(end - start);
        start = end;
    }
    Ok(())
}

/// Finds the positions from one number to another.
fn piece(
    tables: &Tables,
    layer: Layer,
    condition: &Condition,
    start: u64,
    end: u64,
) -> Result<Vec<FoundPosition>, TableError> {
    let positions = || layer.positions_from(start).take((end - start) as usize);
    let mut all = Vec::new();
    let mut look_at = |index, position, value| -> Result<(), TableError> {
        let found = FoundPosition {
            index,
            position,
            value,
        };
        if condition.holds(tables, &found)? {
            all.push(found);
        }
        Ok(())
    };
    let first = positions()
        .next()
        .map(|first| tables.value_in_memory(&first, start));
    if first.transpose()?.flatten().is_some() {
        for (index, position) in (start..).zip(positions()) {
            if let Some(value) = tables.value_in_memory(&position, index)? {
                look_at(index, position, value)?;
            }
        }
    } else {
        let positions: Vec<Position> = positions().collect();
        let values = tables.clamped_values(&positions)?;
        for ((index, position), value) in (start..).zip(positions).zip(values) {
            if let Some(value) = value {
                look_at(index, position, value)?;
            }
        }
    }
    Ok(all)
}

/// Draws some of many things at random: each selection of this size is equally likely, and the same
/// seed draws the same things on every machine.
#[derive(Debug)]
pub struct Sampler<T> {
    random: SplitMix64,
    most: usize,
    offered: u64,
    kept: Vec<T>,
}

impl<T> Sampler<T> {
    /// Draws `most`, or all if there are fewer.
    pub fn new(most: usize, seed: u64) -> Sampler<T> {
        Sampler {
            random: SplitMix64::new(seed),
            most,
            offered: 0,
            kept: Vec::new(),
        }
    }

    /// Offers something to be drawn.
    pub fn offer(&mut self, what: T) {
        self.offered += 1;
        if self.kept.len() < self.most {
            self.kept.push(what);
            return;
        }
        let place = self.random.below(self.offered);
        if place < self.most as u64 {
            self.kept[place as usize] = what;
        }
    }

    /// Returns the things that were drawn, in no particular order.
    pub fn drawn(self) -> Vec<T> {
        self.kept
    }
}

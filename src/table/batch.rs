//! Looking up many positions at once.

use rayon::prelude::*;

use super::error::TableError;
use super::tables::Tables;
use crate::clamped::Clamped;
use crate::measured::Measured;
use crate::position::Position;
use crate::value::Value;

/// How many positions are sorted at a time.
const BATCH: usize = 1 << 20;

impl Tables {
    /// What many positions are worth. This is faster than looking up each by itself: it uses all
    /// threads of the `rayon` pool, and looks up positions of the same block together.
    ///
    /// # Errors
    ///
    /// Like [`worth`](Tables::worth).
    ///
    /// ```
    /// # use granero::{Measured, Position, Tables, Value};
    /// let worths = Tables::sample().worths(&[Position::EMPTY, Position::START])?;
    /// assert_eq!(worths, [Some(Measured::Value(Value::ZERO)), None]);
    /// # Ok::<(), granero::TableError>(())
    /// ```
    pub fn worths(
        &self,
        positions: &[Position],
    ) -> Result<Vec<Option<Measured<Value>>>, TableError> {
        let found = self.clamped_worths(positions)?.into_iter();
        Ok(found.map(|worth| worth?.exactly()).collect())
    }

    /// What many positions are worth, as far as the tables tell it: see
    /// [`clamped_worth`](Tables::clamped_worth).
    ///
    /// # Errors
    ///
    /// Like [`worth`](Tables::worth).
    pub fn clamped_worths(
        &self,
        positions: &[Position],
    ) -> Result<Vec<Option<Measured<Clamped>>>, TableError> {
        let mut found = Vec::with_capacity(positions.len());
        for positions in positions.chunks(BATCH) {
            found.extend(self.batch(positions)?);
        }
        Ok(found)
    }

    fn batch(&self, positions: &[Position]) -> Result<Vec<Option<Measured<Clamped>>>, TableError> {
        let mut order: Vec<(u8, u64, u32)> = (0..)
            .zip(positions)
            .map(|(number, position)| {
                let seeds = position.seeds();
                let layer = self.layers.get(usize::from(seeds));
                let tile = layer.map_or(0, |layer| layer.files.as_ref().low().place(position).tile);
                (seeds, tile, number)
            })
            .collect();
        order.par_sort_unstable();
        let found = order.par_iter().with_min_len(256).map(|&(_, _, number)| {
            let worth = self.clamped_worth(&positions[number as usize])?;
            Ok((number, worth))
        });
        let found = found.collect::<Result<Vec<_>, TableError>>()?;
        let mut worths = vec![None; positions.len()];
        for (number, worth) in found {
            worths[number as usize] = worth;
        }
        Ok(worths)
    }
}

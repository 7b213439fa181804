//! The value of many positions.

use granero::{Clamped, Measured, Position, TableError, Tables};

/// The number of positions beyond the tables that are looked at together: their moves take memory.
const BEYOND: usize = 1 << 16;

/// The value of each position, as far as the tables tell it of the position or of all its moves.
pub fn values(
    tables: &Tables,
    positions: &[Position],
) -> Result<Vec<Option<Measured<Clamped>>>, TableError> {
    let mut values = tables.clamped_values(positions)?;
    let unknown = values
        .iter_mut()
        .zip(positions)
        .filter(|(value, _)| value.is_none());
    let (mut unknown, beyond): (Vec<_>, Vec<Position>) = unknown.unzip();
    for (values, positions) in unknown.chunks_mut(BEYOND).zip(beyond.chunks(BEYOND)) {
        // The tables may still reach all moves of these.
        let assessments = tables.assess_all(positions)?;
        for (place, assessment) in values.iter_mut().zip(assessments) {
            **place = assessment.clamped;
        }
    }
    Ok(values)
}

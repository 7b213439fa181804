//! The worth of many positions.

use granero::{Clamped, Measured, Position, TableError, Tables};

/// The number of positions beyond the tables that are looked at together: their moves take memory.
const BEYOND: usize = 1 << 16;

/// The worth of each position, as far as the tables tell it of the position or of all its moves.
pub fn worths(
    tables: &Tables,
    positions: &[Position],
) -> Result<Vec<Option<Measured<Clamped>>>, TableError> {
    let mut worths = tables.clamped_worths(positions)?;
    let unknown = worths
        .iter_mut()
        .zip(positions)
        .filter(|(worth, _)| worth.is_none());
    let (mut unknown, beyond): (Vec<_>, Vec<Position>) = unknown.unzip();
    for (worths, positions) in unknown.chunks_mut(BEYOND).zip(beyond.chunks(BEYOND)) {
        // The tables may still reach all moves of these.
        let assessments = tables.assess_all(positions)?;
        for (place, assessment) in worths.iter_mut().zip(assessments) {
            **place = assessment.clamped;
        }
    }
    Ok(worths)
}

//! What many positions are worth.

use granero::{Clamped, Measured, Position, TableError, Tables};

/// How many positions beyond the tables are looked at together: all their moves take memory.
const BEYOND: usize = 1 << 16;

/// What positions are worth, as far as the tables say it of them or of all their moves.
pub fn worths(
    tables: &Tables,
    positions: &[Position],
) -> Result<Vec<Option<Measured<Clamped>>>, TableError> {
    let mut worths = tables.clamped_worths(positions)?;
    let unknown = worths
        .iter_mut()
        .zip(positions)
        .filter(|(worth, _)| worth.is_none());
    let (mut places, beyond): (Vec<_>, Vec<Position>) = unknown.unzip();
    for (places, beyond) in places.chunks_mut(BEYOND).zip(beyond.chunks(BEYOND)) {
        // The tables may still reach all moves of these.
        let assessments = tables.assess_all(beyond)?;
        for (place, assessment) in places.iter_mut().zip(assessments) {
            **place = assessment.clamped;
        }
    }
    Ok(worths)
}

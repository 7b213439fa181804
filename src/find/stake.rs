//! What there is to lose by one wrong move.

use crate::measured::Bound;
use crate::table::Assessment;
use crate::value::Value;

/// By how many seeds the worst legal move is worse than the best one: what a player can lose by one
/// wrong move. Of bounds, it is what is guaranteed. With deciding tables it is so much or more. `None`
/// if the game is over, or something is beyond the tables.
///
/// ```
/// use granero::find::stake;
/// use granero::Tables;
///
/// let position = "0 1 0 2 0 1 / 0 2 0 1 1 0".parse()?;
/// assert_eq!(stake(&Tables::sample().assess(&position)?), Some(4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn stake(assessment: &Assessment) -> Option<u8> {
    let mut worths = assessment.moves.iter().map(|assessed| {
        let worth = assessed.clamped?.numbers();
        Some(Value::seeds(*worth.get(Bound::Low)))
    });
    let first = worths.next()??;
    let [least, most] = worths.try_fold([first, first], |[least, most], worth| {
        let worth = worth?;
        Some([least.min(worth), most.max(worth)])
    })?;
    Some(most.abs_diff(least))
}

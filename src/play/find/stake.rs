//! The seeds that one wrong move can lose.

use granero_game::Value;
use granero_table::Assessment;

/// Returns the number of seeds by which the worst legal move is worse than the best, which a player can
/// lose by one wrong move; with bounds, the number of guaranteed seeds. The result is the least and the
/// most that it can be, which differ only if deciding tables have cut off the value of a move. `None` if
/// the game is over, or a move leads beyond the tables.
///
/// ```
/// use granero::find::stake;
/// use granero::Tables;
///
/// let position = "0 1 0 2 0 1 / 0 2 0 1 1 0".parse()?;
/// assert_eq!(stake(&Tables::sample().assess(&position)?), Some([4, 4]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn stake(assessment: &Assessment) -> Option<[u8; 2]> {
    let seeds = assessment.position.seeds();
    let moves = assessment.moves.iter().map(|assessed| {
        let low = assessed.clamped?.low();
        Some(low.range(seeds).map(Value::seeds))
    });
    let moves: Vec<[i8; 2]> = moves.collect::<Option<_>>()?;
    // A single move loses nothing.
    let (mut least, mut most) = (0, 0);
    for (number, better) in moves.iter().enumerate() {
        for (_, worse) in moves
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != number)
        {
            least = least.max(better[0] - worse[1]);
            most = most.max(better[1] - worse[0]);
        }
    }
    (!moves.is_empty()).then_some([least as u8, most as u8])
}

//! The best moves, as far as deciding tables tell: of two moves whose value is cut off at the same
//! number, they do not say which is better. And the seeds that one wrong move can lose.

use granero_game::Value;
use granero_table::{AssessedMove, Assessment};

/// The least and the greatest that the bounds of a move can be, each the low and the high one. The low bounds of moves
/// are compared first.
type BoundRange = [[Value; 2]; 2];

/// The moves that may be best: with full tables the best moves; none beyond the tables.
pub(super) fn may_be_best(assessment: &Assessment) -> impl Iterator<Item = &AssessedMove> {
    let cut_off = cut_off(assessment);
    let moves = assessment.moves.iter().enumerate();
    let may_be_best = move |&(number, assessed): &(usize, &AssessedMove)| match &cut_off {
        None => assessed.best,
        // None is better, whatever is cut off.
        Some(all) => all.iter().all(|other| other[0] <= all[number][1]),
    };
    moves.filter(may_be_best).map(|(_, assessed)| assessed)
}

/// The least and the greatest number of best moves that there can be.
pub(super) fn count(assessment: &Assessment) -> [usize; 2] {
    let possible = may_be_best(assessment).count();
    let Some(all) = cut_off(assessment) else {
        return [possible; 2];
    };
    let is_best = |(number, [least, _]): &(usize, &BoundRange)| {
        let mut others = all.iter().enumerate().filter(|(other, _)| other != number);
        // None can be better.
        others.all(|(_, [_, greatest])| least >= greatest)
    };
    let certain = all.iter().enumerate().filter(is_best).count();
    [certain.max(1), possible]
}

/// The ends of all moves, if one of them is cut off; `None` beyond the tables.
fn cut_off(assessment: &Assessment) -> Option<Vec<BoundRange>> {
    let moves = &assessment.moves;
    if moves.iter().all(|assessed| assessed.value.is_some()) {
        return None;
    }
    let seeds = assessment.position.seeds();
    let range = |assessed: &AssessedMove| {
        let clamped = assessed.clamped?;
        let bounds = [clamped.low(), clamped.high()].map(|bound| bound.range(seeds));
        Some([0, 1].map(|end| bounds.map(|range| range[end])))
    };
    moves.iter().map(range).collect()
}

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

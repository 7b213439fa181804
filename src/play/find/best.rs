//! The best moves, as far as deciding tables tell: of two moves whose value is cut off at the same
//! number, they do not say which is better.

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

//! Which moves are best, as far as deciding tables tell: of two moves whose worth is cut off at the same
//! number, they do not say which is better.

use crate::table::Assessment;
use crate::table::assessment::AssessedMove;
use crate::value::Value;

/// The least and the greatest that the bounds of a move can be.
struct Ends {
    low: [Value; 2],
    high: [Value; 2],
}

impl Ends {
    /// `None` beyond the tables.
    fn of(assessed: &AssessedMove, seeds: u8) -> Option<Ends> {
        let clamped = assessed.clamped?;
        Some(Ends {
            low: clamped.low().range(seeds),
            high: clamped.high().range(seeds),
        })
    }

    /// Whether a move is better than another, whatever is cut off.
    fn is_better_than(&self, other: &Ends) -> bool {
        self.low[0] > other.low[1] || self.low[0] == other.low[1] && self.high[0] > other.high[1]
    }

    /// Whether a move is as good as another or better, whatever is cut off.
    fn is_no_worse_than(&self, other: &Ends) -> bool {
        self.low[0] > other.low[1] || self.low[0] == other.low[1] && self.high[0] >= other.high[1]
    }
}

/// The moves that may be best: in full tables the best moves, and none beyond the tables.
pub(super) fn may_be_best(assessment: &Assessment) -> Vec<&AssessedMove> {
    let all = ends(assessment);
    let moves = assessment.moves.iter().zip(&all);
    moves
        .filter(|(_, ends)| all.iter().all(|other| !other.is_better_than(ends)))
        .map(|(assessed, _)| assessed)
        .collect()
}

/// The least and the greatest number of best moves that there can be.
pub(super) fn count(assessment: &Assessment) -> [usize; 2] {
    let all = ends(assessment);
    let is_best = |(number, ends): &(usize, &Ends)| {
        let mut others = all.iter().enumerate().filter(|(other, _)| other != number);
        others.all(|(_, other)| ends.is_no_worse_than(other))
    };
    let certain = all.iter().enumerate().filter(is_best).count();
    let possible = may_be_best(assessment).len();
    [certain.max(possible.min(1)), possible]
}

fn ends(assessment: &Assessment) -> Vec<Ends> {
    let seeds = assessment.position.seeds();
    let all = assessment
        .moves
        .iter()
        .map(|assessed| Ends::of(assessed, seeds));
    all.collect::<Option<_>>().unwrap_or_default()
}

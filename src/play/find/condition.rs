//! What a position is asked, and whether it is so.

use std::ops::RangeInclusive;

use super::stake::stake;
use super::{FoundPosition, best};
use granero_game::rules::Ruleset;
use granero_game::rules::sowing::sow;
use granero_game::{Clamped, Measured, Position};
use granero_table::{AssessedMove, Assessment, TableError, Tables};

/// A condition on a position: all that is given must hold, and hold for certain. With bounds it must
/// hold whichever position of an endless cycle counts, and with deciding tables whatever is cut off.
///
/// ```
/// use granero::find::Condition;
///
/// let winning = Condition { worth: Some(1..=48), only_winning: true, ..Condition::default() };
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// What the position is worth lies in this range; of bounds, both do.
    pub worth: Option<RangeInclusive<i8>>,
    /// Its low bound, or value, lies in this range.
    pub low: Option<RangeInclusive<i8>>,
    /// Its high bound, or value, lies in this range.
    pub high: Option<RangeInclusive<i8>>,
    /// How far its bounds are apart lies in this range.
    pub gap: Option<RangeInclusive<i8>>,
    /// It has so many legal moves.
    pub legal_moves: Option<RangeInclusive<u8>>,
    /// It has so many best moves.
    pub best_moves: Option<RangeInclusive<u8>>,
    /// By one wrong move so many seeds can be lost, see [`stake`].
    pub stake: Option<RangeInclusive<u8>>,
    /// There are several legal moves, and only one wins.
    pub only_winning: bool,
    /// The player to move loses, but would not if the opponent had to move.
    pub zugzwang: bool,
    /// All best moves are of a kind.
    pub best_is: Option<Sort>,
}

/// A kind of move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// After it the opponent can capture more than it captures itself, and there is another move of
    /// which that is not so.
    Sacrifice,
    /// It takes, or by other rules would take, all the opponent's seeds.
    GrandSlam,
}

impl Sort {
    /// All of them.
    pub const ALL: [Sort; 2] = [Sort::Sacrifice, Sort::GrandSlam];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Sort::Sacrifice => "sacrifice",
            Sort::GrandSlam => "grand-slam",
        }
    }
}

impl Condition {
    /// Whether it is about moves, too.
    pub fn asks_for_moves(&self) -> bool {
        self.legal_moves.is_some()
            || self.best_moves.is_some()
            || self.stake.is_some()
            || self.only_winning
            || self.best_is.is_some()
    }

    /// Whether it holds for a position.
    pub(super) fn holds(&self, tables: &Tables, found: &FoundPosition) -> Result<bool, TableError> {
        let FoundPosition {
            position, worth, ..
        } = found;
        if !self.holds_for(*worth, position.seeds()) {
            return Ok(false);
        }
        if self.zugzwang && !is_zugzwang(tables, found)? {
            return Ok(false);
        }
        if !self.asks_for_moves() {
            return Ok(true);
        }
        Ok(self.holds_for_moves(tables.rules(), &tables.assess(position)?))
    }

    fn holds_for(&self, worth: Measured<Clamped>, seeds: u8) -> bool {
        let lies = |range: &Option<RangeInclusive<i8>>, [least, most]: [i8; 2]| {
            range
                .as_ref()
                .is_none_or(|range| range.contains(&least) && range.contains(&most))
        };
        let ends = |clamped: Clamped| clamped.range(seeds).map(|end| end.seeds());
        let (low, high) = (ends(worth.low()), ends(worth.high()));
        let gap = match worth {
            Measured::Value(_) => [0, 0],
            Measured::Bounds { .. } => [(high[0] - low[1]).max(0), high[1] - low[0]],
        };
        lies(&self.worth, [low[0], high[1]])
            && lies(&self.low, low)
            && lies(&self.high, high)
            && lies(&self.gap, gap)
    }

    fn holds_for_moves(&self, rules: Ruleset, assessment: &Assessment) -> bool {
        let lies =
            |range: &RangeInclusive<u8>, ends: [u8; 2]| ends.iter().all(|end| range.contains(end));
        let legal = [assessment.moves.len() as u8; 2];
        let best = || best::count(assessment).map(|count| count as u8);
        let loses = |range| stake(assessment).is_some_and(|lost| lies(range, lost));
        self.legal_moves
            .as_ref()
            .is_none_or(|range| lies(range, legal))
            && self
                .best_moves
                .as_ref()
                .is_none_or(|range| lies(range, best()))
            && self.stake.as_ref().is_none_or(loses)
            && (!self.only_winning || has_only_winning_move(assessment))
            && self
                .best_is
                .is_none_or(|sort| all_best_are(sort, rules, assessment))
    }
}

/// Whether a player loses who would not if the opponent had to move.
fn is_zugzwang(tables: &Tables, found: &FoundPosition) -> Result<bool, TableError> {
    let seeds = found.position.seeds();
    let [_, most] = found.worth.range(seeds);
    if most.seeds() >= 0 {
        return Ok(false);
    }
    let opponents = tables.clamped_worth(&found.position.turned())?;
    Ok(opponents.is_some_and(|opponents| opponents.range(seeds)[1].seeds() <= 0))
}

fn has_only_winning_move(assessment: &Assessment) -> bool {
    let seeds = assessment.position.seeds();
    let ends = |assessed: &AssessedMove| {
        let ends = assessed.clamped?.range(seeds);
        Some(ends.map(|end| end.seeds()))
    };
    let moves = assessment.moves.iter().map(ends);
    let Some(moves) = moves.collect::<Option<Vec<[i8; 2]>>>() else {
        return false;
    };
    let winning = moves.iter().filter(|[least, _]| *least > 0).count();
    let others = moves.iter().filter(|[_, most]| *most <= 0).count();
    moves.len() > 1 && winning == 1 && others + 1 == moves.len()
}

fn all_best_are(sort: Sort, rules: Ruleset, assessment: &Assessment) -> bool {
    let position = &assessment.position;
    let is_of_sort = |assessed: &AssessedMove| match sort {
        Sort::Sacrifice => gives(rules, assessed),
        Sort::GrandSlam => sow(position, assessed.play.house).is_grand_slam(),
    };
    let mut best = best::may_be_best(assessment).peekable();
    let is_one = best.peek().is_some() && best.all(is_of_sort);
    let has_other = || {
        assessment
            .moves
            .iter()
            .any(|assessed| !is_of_sort(assessed))
    };
    is_one && (sort != Sort::Sacrifice || has_other())
}

/// Whether the opponent can capture more after a move than the move does.
fn gives(rules: Ruleset, assessed: &AssessedMove) -> bool {
    let child: &Position = &assessed.play.position;
    let replies = rules.moves(child);
    let most = replies.iter().map(|reply| reply.captured).max();
    !assessed.play.ends_game && most > Some(assessed.play.captured)
}

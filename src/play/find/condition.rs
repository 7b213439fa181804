//! Conditions on positions.

use std::ops::RangeInclusive;

use super::{FoundPosition, best, stake};
use crate::player::Difficulty;
use granero_game::rules::Ruleset;
use granero_game::{Clamped, Measured, Position};
use granero_table::{AssessedMove, Assessment, TableError, Tables};

/// A condition on a position: all parts that are set must hold for certain. With bounds they must hold
/// whichever position of an endless cycle counts, and with deciding tables whatever is cut off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// The value, or both bounds, lie in this range.
    pub value: Option<RangeInclusive<i8>>,
    /// The low bound, or the value, lies in this range.
    pub low: Option<RangeInclusive<i8>>,
    /// The high bound, or the value, lies in this range.
    pub high: Option<RangeInclusive<i8>>,
    /// The high bound minus the low bound lies in this range.
    pub gap: Option<RangeInclusive<i8>>,
    /// The number of legal moves lies in this range.
    pub legal_moves: Option<RangeInclusive<i8>>,
    /// The number of best moves lies in this range.
    pub best_moves: Option<RangeInclusive<i8>>,
    /// The number of seeds that one wrong move can lose lies in this range, see [`stake`].
    pub stake: Option<RangeInclusive<i8>>,
    /// There are several legal moves, and only one wins.
    pub only_winning: bool,
    /// The player to move loses, but would not if the opponent had to move.
    pub zugzwang: bool,
    /// The depth of the [`Difficulty`] lies in this range.
    pub difficulty: Option<RangeInclusive<i8>>,
    /// All best moves are of this kind.
    pub best_is: Option<MoveKind>,
}

/// A kind of move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// After it the opponent can capture more than the move itself does, and not every move is like
    /// this.
    Sacrifice,
    /// It takes, or by other rules would take, all the opponent's seeds.
    GrandSlam,
}

impl MoveKind {
    /// All of them.
    pub const ALL: [MoveKind; 2] = [MoveKind::Sacrifice, MoveKind::GrandSlam];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            MoveKind::Sacrifice => "sacrifice",
            MoveKind::GrandSlam => "grand-slam",
        }
    }
}

impl Condition {
    /// Returns true if it holds for a position.
    pub(super) fn holds(&self, tables: &Tables, found: &FoundPosition) -> Result<bool, TableError> {
        let FoundPosition {
            position, value, ..
        } = found;
        if !self.holds_for(*value, position.seeds()) {
            return Ok(false);
        }
        if self.zugzwang {
            let most = |value: Measured<Clamped>| value.range(position.seeds())[1].seeds();
            let turned = || tables.clamped_value(&position.turned());
            if most(*value) >= 0 || turned()?.is_none_or(|value| most(value) > 0) {
                return Ok(false);
            }
        }
        let is_about_moves = self.legal_moves.is_some()
            || self.best_moves.is_some()
            || self.stake.is_some()
            || self.only_winning
            || self.best_is.is_some();
        if is_about_moves && !self.holds_for_moves(tables.rules(), &tables.assess(position)?) {
            return Ok(false);
        }
        // This takes longest.
        let Some(range) = &self.difficulty else {
            return Ok(true);
        };
        let difficulty = Difficulty::of(tables, position)?;
        Ok(difficulty.is_some_and(|difficulty| range.contains(&(difficulty.depth as i8))))
    }

    fn holds_for(&self, value: Measured<Clamped>, seeds: u8) -> bool {
        let lies = |range: &Option<_>, ends| range.as_ref().is_none_or(|range| holds(range, ends));
        let ends = |clamped: Clamped| clamped.range(seeds).map(|end| end.seeds());
        let (low, high) = (ends(value.low()), ends(value.high()));
        let gap = match value {
            Measured::Value(_) => [0, 0],
            Measured::Bounds { .. } => [(high[0] - low[1]).max(0), high[1] - low[0]],
        };
        lies(&self.value, [low[0], high[1]])
            && lies(&self.low, low)
            && lies(&self.high, high)
            && lies(&self.gap, gap)
    }

    fn holds_for_moves(&self, rules: Ruleset, assessment: &Assessment) -> bool {
        let lies = |range: &Option<_>, ends: &dyn Fn() -> Option<[i8; 2]>| {
            let range = range.as_ref();
            range.is_none_or(|range| ends().is_some_and(|ends| holds(range, ends)))
        };
        lies(&self.legal_moves, &|| {
            Some([assessment.moves.len() as i8; 2])
        }) && lies(&self.best_moves, &|| {
            Some(best::count(assessment).map(|count| count as i8))
        }) && lies(&self.stake, &|| {
            stake(assessment).map(|ends| ends.map(|end| end as i8))
        }) && (!self.only_winning || has_only_winning_move(assessment))
            && (self.best_is).is_none_or(|kind| all_best_are(kind, rules, assessment))
    }
}

/// Returns true if a range holds both the least and the most that a number can be.
fn holds(range: &RangeInclusive<i8>, ends: [i8; 2]) -> bool {
    ends.iter().all(|end| range.contains(end))
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

fn all_best_are(kind: MoveKind, rules: Ruleset, assessment: &Assessment) -> bool {
    let position = &assessment.position;
    let is_of_sort = |assessed: &AssessedMove| match kind {
        MoveKind::Sacrifice => gives(rules, assessed),
        // By these rules every grand slam is a capture like any other.
        MoveKind::GrandSlam => (Ruleset::SlamCaptures.play(position, assessed.play.house))
            .is_ok_and(|play| play.captured > 0 && play.position.own_seeds() == 0),
    };
    let mut best = best::may_be_best(assessment).peekable();
    let is_one = best.peek().is_some() && best.all(is_of_sort);
    let has_other = || {
        assessment
            .moves
            .iter()
            .any(|assessed| !is_of_sort(assessed))
    };
    is_one && (kind != MoveKind::Sacrifice || has_other())
}

/// Returns true if the opponent can capture more after a move than the move does.
fn gives(rules: Ruleset, assessed: &AssessedMove) -> bool {
    let child: &Position = &assessed.play.position;
    let replies = rules.moves(child);
    let most = replies.iter().map(|reply| reply.captured).max();
    !assessed.play.ends_game && most > Some(assessed.play.captured)
}

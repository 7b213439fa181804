//! The moves of a player, in a game or in several.

use std::cmp::Reverse;
use std::ops::AddAssign;

use super::{Class, JudgedMove, Judgement, decided};
use granero_game::Side;

/// A summary of the judged moves of one player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayerSummary<'a> {
    /// The number of moves that are certainly best, or certainly not.
    pub judged: usize,
    /// The number of these that were best.
    pub best: usize,
    /// The guaranteed difference that the moves lost, all together: twice the seeds that they gave away.
    pub lost: Count,
    /// The attainable difference that they gave up, all together.
    pub given_up: Count,
    /// The move that certainly lost most; of several, the one that gave up most, then the first.
    /// `None` if no move certainly was wrong.
    pub worst: Option<&'a JudgedMove>,
    /// The number of moves of each class, in the order of [`Class::WRONG`].
    pub wrong: [Count; 3],
}

/// A number as far as it is proven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// The least that it can be.
    pub least: usize,
    /// The most that it can be.
    pub most: usize,
}

impl Judgement {
    /// Sums up the judged moves of one player.
    pub fn player(&self, side: Side) -> PlayerSummary<'_> {
        let mut summary = PlayerSummary::default();
        let moves = self.moves.iter().filter(|judged| judged.side() == side);
        for judged in moves.clone() {
            let classes = [judged.class_at_least(), judged.class_at_most()];
            let is_decided = decided(&judged.ply.before).is_some();
            let wrong = Class::WRONG.map(|class| {
                let is_possible = class != Class::Harmless || is_decided;
                Count {
                    least: usize::from(classes == [class; 2]),
                    most: usize::from(is_possible && classes[0] <= class && class <= classes[1]),
                }
            });
            let least = usize::from(judged.lost_at_least());
            let given_up = judged.given_up().map(usize::from);
            summary += &PlayerSummary {
                judged: usize::from(judged.is_settled()),
                best: usize::from(judged.is_best()),
                lost: Count {
                    least,
                    most: usize::from(judged.lost_at_most()),
                },
                given_up: Count {
                    least: given_up.unwrap_or(0),
                    most: given_up.unwrap_or(usize::from(judged.lost_at_most())),
                },
                worst: None,
                wrong,
            };
        }
        let is_wrong = |judged: &&JudgedMove| judged.class_at_least() > Class::Best;
        summary.worst = moves
            .filter(is_wrong)
            .min_by_key(|judged| Reverse((judged.lost_at_least(), judged.given_up())));
        summary
    }
}

/// Adds the moves of another game; the worst move stays.
impl AddAssign<&PlayerSummary<'_>> for PlayerSummary<'_> {
    fn add_assign(&mut self, other: &PlayerSummary<'_>) {
        self.judged += other.judged;
        self.best += other.best;
        self.lost += other.lost;
        self.given_up += other.given_up;
        for (count, other) in self.wrong.iter_mut().zip(other.wrong) {
            *count += other;
        }
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.least += other.least;
        self.most += other.most;
    }
}

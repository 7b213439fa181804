//! Classes of moves with equal effects on the opponent's half-boards.

use crate::index::Crossing;

/// A number for each kind of crossing: twice the seeds, plus one if the last seed is among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CrossingClass(u8);

impl CrossingClass {
    /// No seed crosses.
    pub const STAYS: CrossingClass = CrossingClass(0);

    /// The number of classes that send at most `seeds` seeds across.
    pub const fn count(seeds: u8) -> usize {
        2 * (seeds as usize + 1)
    }

    /// The classes that send at most `seeds` seeds across, in the order of their numbers.
    pub fn up_to(seeds: u8) -> impl Iterator<Item = CrossingClass> {
        (0..=2 * seeds + 1).map(CrossingClass)
    }

    #[inline]
    pub fn of(crossing: Crossing) -> CrossingClass {
        CrossingClass(2 * crossing.seeds + u8::from(crossing.ends_there))
    }

    #[inline]
    pub fn crossing(self) -> Crossing {
        Crossing {
            seeds: self.0 / 2,
            ends_there: self.0 % 2 == 1,
        }
    }

    #[inline]
    pub fn index(self) -> usize {
        self.0.into()
    }
}

//! The kinds of moves that the opponent's half-boards can tell apart.

use crate::index::Crossing;

/// A number for each kind of crossing: twice the seeds, and one more if the last seed
/// is among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class(u8);

impl Class {
    /// Nothing comes across.
    pub const STAYS: Class = Class(0);

    /// No move: the last seed cannot be across if none is.
    pub const NONE: Class = Class(1);

    /// How many classes send at most `seeds` seeds across.
    pub const fn count(seeds: u8) -> usize {
        2 * (seeds as usize + 1)
    }

    /// The classes that send at most `seeds` seeds across, in the order of their numbers.
    pub fn up_to(seeds: u8) -> impl Iterator<Item = Class> {
        (0..=2 * seeds + 1).map(Class)
    }

    pub fn of(crossing: Crossing) -> Class {
        Class(2 * crossing.seeds + u8::from(crossing.ends_there))
    }

    pub fn crossing(self) -> Crossing {
        Crossing {
            seeds: self.0 / 2,
            ends_there: self.0 % 2 == 1,
        }
    }

    /// The number of the class as a byte.
    pub fn code(self) -> u8 {
        self.0
    }

    pub fn of_code(code: u8) -> Class {
        Class(code)
    }

    pub fn index(self) -> usize {
        self.0.into()
    }
}

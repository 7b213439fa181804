//! The extent of tables: values in full, or only as far as they decide games.

use std::fmt;

use super::cycles::Cycles;
use crate::position::MAX_SEEDS;

/// The extent of tables: **full**, or **deciding**.
///
/// A player with more than half the seeds of the game has won. If many seeds are on the board, few have been
/// captured, and a large value decides the game, no matter who captured them: with 40 seeds on the board, 8
/// have been captured, and a player who gains 9 of the 40 wins the game. Deciding tables do not tell such
/// values apart. They have a **limit** for each layer, and hold the limit in place of each value beyond it.
/// Up to half the seeds of the game, no value is beyond the limit, and layers are as in full tables.
///
/// ```
/// use granero::{Cycles, Extent};
///
/// assert_eq!(Extent::FULL.limit(Cycles::Split, 40), 40);
/// assert_eq!(Extent::DECIDING.limit(Cycles::Split, 40), 9);
/// assert_eq!(Extent::DECIDING.limit(Cycles::Split, 24), 24);
/// ```
///
/// `docs/internals/solver.md` proves that values that are cut off at the limit of their layer determine the values
/// of their parents, cut off at the limit of the parents' layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Extent {
    /// The seeds of the game that values decide, 1 to [`MAX_SEEDS`]; `None` in full.
    game: Option<u8>,
}

impl Extent {
    /// All values, in full.
    pub const FULL: Extent = Extent { game: None };

    /// Values as far as they decide the game of 48 seeds.
    pub const DECIDING: Extent = Extent {
        game: Some(MAX_SEEDS),
    };

    /// Values as far as they decide a game of only `game` seeds; `None` for 0, or more than 48.
    ///
    /// ```
    /// use granero::{Cycles, Extent};
    ///
    /// // With 12 of 16 seeds on the board, four have been captured.
    /// let extent = Extent::deciding(16).unwrap();
    /// assert_eq!(extent.limit(Cycles::Split, 12), 5);
    /// assert_eq!(extent.max_seeds(), 16);
    /// ```
    pub const fn deciding(game: u8) -> Option<Extent> {
        match game {
            1..=MAX_SEEDS => Some(Extent { game: Some(game) }),
            _ => None,
        }
    }

    /// Tells if values are in full.
    pub const fn is_full(self) -> bool {
        self.game.is_none()
    }

    /// The seeds of the game that values decide; `None` in full.
    pub const fn game(self) -> Option<u8> {
        self.game
    }

    /// The seeds of the largest layer: all seeds of the game.
    pub const fn max_seeds(self) -> u8 {
        match self.game {
            Some(game) => game,
            None => MAX_SEEDS,
        }
    }

    /// The largest value in the layer of `seeds` seeds, and the negated least one.
    ///
    /// With [`Cycles::OwnSide`] every seed goes to one of the players, so bounds and limits are even in
    /// layers of an even number of seeds, and odd in layers of an odd number.
    pub const fn limit(self, cycles: Cycles, seeds: u8) -> u8 {
        let Some(game) = self.game else { return seeds };
        // One more than the seeds that have been captured.
        let decides = game.saturating_sub(seeds) + 1;
        let fits = match cycles {
            Cycles::Split => decides,
            Cycles::OwnSide => decides + (decides + seeds) % 2,
        };
        if fits < seeds { fits } else { seeds }
    }

    /// The name used on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self.game {
            Some(_) => "deciding",
            None => "full",
        }
    }
}

/// Writes the name, and the seeds of the game unless they are 48.
impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.game {
            None | Some(MAX_SEEDS) => f.pad(self.name()),
            Some(game) => f.pad(&format!("{} ({game} seeds)", self.name())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;
    use crate::value::kind::Kind;

    fn all() -> impl Iterator<Item = Kind> {
        let extents = (1..=MAX_SEEDS).filter_map(Extent::deciding);
        let kind = |extent, cycles| Kind::from((Ruleset::Abapa, cycles, extent));
        extents.flat_map(move |extent| Cycles::ALL.map(|cycles| kind(extent, cycles)))
    }

    /// A value that is cut off has the same winner, whatever was captured before, and by whom.
    #[test]
    fn a_value_that_is_cut_off_decides_as_the_value_does() {
        for kind in all() {
            let game = kind.extent.max_seeds();
            for seeds in 0..=game {
                let captured = (game - seeds) as i8;
                let n = seeds as i8;
                let step = if kind.cycles == Cycles::Split { 1 } else { 2 };
                for value in (-n..=n).step_by(step) {
                    let cut = kind.cut(seeds, value);
                    if kind.cycles == Cycles::OwnSide {
                        assert_eq!((cut - n) % 2, 0);
                    }
                    for ahead in (-captured..=captured).step_by(2) {
                        assert_eq!((ahead + cut).signum(), (ahead + value).signum());
                    }
                }
            }
        }
    }

    /// The limits cannot be lower: two neighbouring values below have different winners.
    #[test]
    fn no_lower_limit_decides() {
        for kind in all() {
            let game = kind.extent.max_seeds();
            for seeds in 1..=game {
                let step = if kind.cycles == Cycles::Split { 1 } else { 2 };
                let below = kind.limit(seeds) - step;
                // Without captured seeds, the limit alone is a win.
                assert!(below <= (game - seeds) as i8);
            }
        }
    }

    #[test]
    fn children_that_are_cut_off_give_parents_that_are_cut_off() {
        for kind in all() {
            for seeds in 0..=kind.extent.max_seeds() {
                for captured in 0..=seeds {
                    let left = (seeds - captured) as i8;
                    for child in -left..=left {
                        let of_cut = captured as i8 - kind.cut(left as u8, child);
                        let of_child = captured as i8 - child;
                        assert_eq!(kind.cut(seeds, of_cut), kind.cut(seeds, of_child));
                        // Captures cannot give less than the lower limit.
                        assert!(of_cut >= -kind.limit(seeds));
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_is_cut_off_up_to_half_the_seeds_of_the_game() {
        for seeds in 0..=24 {
            for cycles in Cycles::ALL {
                assert_eq!(Extent::DECIDING.limit(cycles, seeds), seeds);
            }
        }
        let limits = |cycles| [25, 26, 33, 47, 48].map(|n| Extent::DECIDING.limit(cycles, n));
        assert_eq!(limits(Cycles::Split), [24, 23, 16, 2, 1]);
        assert_eq!(limits(Cycles::OwnSide), [25, 24, 17, 3, 2]);
    }
}

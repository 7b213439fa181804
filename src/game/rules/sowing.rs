//! Sowing a house, and the chain of houses that the sowing would capture: the part of a move that all rulesets have in
//! common, step by step. `board` does it all at once.

use std::ops::Range;

use crate::house::House;
use crate::position::Position;

/// The board after sowing a house, before captures.
///
/// ```
/// use granero::rules::sowing::sow;
/// use granero::{House, Position};
///
/// // 14 seeds go once round the board and skip their own house.
/// let position: Position = "0 0 0 8 2 0 / 6 1 7 0 14 8".parse()?;
/// let sown = sow(&position, House::E);
/// assert_eq!(sown.houses(), [7, 2, 8, 1, 0, 10, 2, 4, 9, 1, 1, 1]);
/// assert_eq!(sown.last(), 7);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sown {
    houses: [u8; 12],
    last: usize,
}

/// Picks up all seeds of a house and sows them one by one into the following
/// houses, skipping the house itself on every lap.
///
/// Sowing an empty house leaves the board as it is.
///
/// ```
/// use granero::rules::sowing::sow;
/// use granero::{House, Position};
///
/// let sown = sow(&Position::START, House::E);
/// assert_eq!(sown.houses(), [4, 4, 4, 4, 0, 5, 5, 5, 5, 4, 4, 4]);
/// ```
pub fn sow(position: &Position, house: House) -> Sown {
    let mut houses = position.houses();
    let origin = house.index();
    let mut last = origin;
    let in_hand = std::mem::take(&mut houses[origin]);
    for _ in 0..in_hand {
        last = following(last);
        if last == origin {
            last = following(last);
        }
        houses[last] += 1;
    }
    Sown { houses, last }
}

/// The next house in sowing order.
fn following(house: usize) -> usize {
    if house == 11 { 0 } else { house + 1 }
}

impl Sown {
    /// The twelve houses after sowing, seen from the player who sowed.
    pub fn houses(&self) -> [u8; 12] {
        self.houses
    }

    /// The house in which the last seed fell: `0..6` are the mover's.
    pub fn last(&self) -> usize {
        self.last
    }

    /// The opponent's seeds after sowing.
    pub fn opponents_seeds(&self) -> u8 {
        self.houses[6..].iter().sum()
    }

    /// The houses, if any, that the sowing captures under the ordinary rule: the house of the last
    /// seed, if it is the opponent's and now holds 2 or 3, and the opponent's houses directly
    /// before it that also hold 2 or 3.
    ///
    /// Capturing goes backwards, from the house of the last seed towards the mover's houses.
    ///
    /// ```
    /// use granero::rules::sowing::sow;
    /// use granero::{House, Position};
    ///
    /// let position: Position = "6 0 0 2 1 2 / 4 0 0 1 3 1".parse()?;
    /// assert_eq!(sow(&position, House::E).chain(), 6..8);
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    pub fn chain(&self) -> Range<usize> {
        let end = self.last + 1;
        let length = self.houses[..end]
            .iter()
            .skip(6)
            .rev()
            .take_while(|&&seeds| seeds == 2 || seeds == 3)
            .count();
        end - length..end
    }

    /// Tells if the chain holds all the opponent's seeds: a *grand slam*.
    ///
    /// ```
    /// use granero::rules::sowing::sow;
    /// use granero::{House, Position};
    ///
    /// let position: Position = "0 0 0 1 1 1 / 1 1 0 2 4 0".parse()?;
    /// assert!(sow(&position, House::E).is_grand_slam());
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    pub fn is_grand_slam(&self) -> bool {
        let chain = self.chain();
        let captured: u8 = self.houses[chain.clone()].iter().sum();
        !chain.is_empty() && captured == self.opponents_seeds()
    }
}

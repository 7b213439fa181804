//! The context of a value: facts that predict it, known before it is decoded.
//!
//! Neighbouring positions are worth nearly the same, unless one has a capture or a threat that the other
//! has not. So a context consists of the values to the left and above, and of the captures that the two
//! half-boards allow.

/// The properties of a half-board that predict values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traits {
    /// The opponent's houses in which a move of fewer than twelve seeds from here ends: a bit
    /// for each.
    pub(crate) reach: u8,
    /// The houses with one or two seeds, which one more seed makes a capture: a bit for each.
    pub(crate) prey: u8,
    /// True if no house is empty. A position whose opponent has no empty house is unreachable, and its
    /// value is not stored.
    pub(crate) filled: bool,
}

impl Traits {
    pub(crate) fn of(houses: [u8; 6]) -> Traits {
        let mut traits = Traits {
            filled: true,
            ..Traits::default()
        };
        for (house, seeds) in (0..).zip(houses) {
            let last = house + seeds;
            if seeds < 12 && (6..12).contains(&last) {
                traits.reach |= 1 << (last - 6);
            }
            traits.prey |= u8::from(matches!(seeds, 1 | 2)) << house;
            traits.filled &= seeds > 0;
        }
        traits
    }
}

/// The number of structures. A structure tells which captures the half-boards allow in a position and its
/// neighbours.
pub(super) const STRUCTURES: usize = 24;

/// The number of steps from the value to the left to the value above. A context consists of the
/// value to the left, the step, whether the value changed before, and the structure.
const STEPS: usize = 10;

/// The number of contexts for each value to the left.
const CONTEXTS: usize = STEPS * 4 * STRUCTURES;

/// The number of contexts for a scale of this many values.
pub fn contexts(kinds: usize) -> usize {
    kinds * CONTEXTS
}

/// Stands for a missing value above.
pub(super) const NONE: u8 = 127;

/// By the value to the left and the value above: the first context.
static FIRST: [u32; 1 << 14] = {
    let mut table = [0; 1 << 14];
    let mut left = 0;
    while left < 128 {
        let mut above = 0;
        while above < 128 {
            let mut step = above as i32 - left as i32;
            if step < -4 {
                step = -4;
            }
            if step > 4 {
                step = 4;
            }
            let step = if above == NONE as usize { 0 } else { step + 5 };
            table[left << 7 | above] = (left * CONTEXTS + step as usize * 4 * STRUCTURES) as u32;
            above += 1;
        }
        left += 1;
    }
    table
};

/// The part of the context from the values to the left and above.
#[inline(always)]
pub(super) fn first(left: u8, above: u8) -> usize {
    FIRST[usize::from(left & 127) << 7 | usize::from(above & 127)] as usize
}

/// Added to the context if the two values to the left are equal.
pub(super) const STEADY_LEFT: usize = 2 * STRUCTURES;

/// Added to the context if the two values above are equal.
pub(super) const STEADY_ABOVE: usize = STRUCTURES;

/// Computes the structures of the positions of a row. `row` is the mover's half-board, `before` the reach
/// of the half-board before it; `reach` and `prey` belong to the columns.
#[inline(always)]
pub(super) fn structures(
    row: Traits,
    before: u8,
    reach: &[u8],
    prey: &[u8],
    structures: &mut [u8],
) {
    let mut left = 0;
    for ((structure, &reach), &prey) in structures.iter_mut().zip(reach).zip(prey) {
        let captures = row.reach & prey;
        let one = u8::from(captures != 0);
        let two = u8::from(captures & captures.wrapping_sub(1) != 0);
        let threat = u8::from(reach & row.prey != 0);
        let above = u8::from(before & prey != 0);
        *structure = ((one + two) * 2 + threat) * 4 + left * 2 + above;
        left = one;
    }
}

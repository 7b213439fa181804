//! The context of a number: facts that predict it, known before it is decoded.
//!
//! Neighbouring positions are worth nearly the same, unless one has a capture or a threat that the other
//! has not. So a context consists of the numbers to the left and above, and of the captures that the two
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
const STRUCTURES: usize = 12;

/// The possible lengths of a run of equal numbers, as far as contexts tell them apart.
const RUNS: usize = 3;

/// The longest run.
const LONGEST: u32 = ((RUNS - 1) * STRUCTURES) as u32;

/// The number of steps from the number to the left to the number above.
const STEPS: usize = 10;

/// The number of contexts for each number to the left: its run, the step, the run above, and the structure.
const CONTEXTS: usize = STEPS * RUNS * RUNS * STRUCTURES;

/// The number of contexts of a second number for each first number.
const SECONDS: usize = 16;

/// The number of contexts if there are `kinds` first numbers.
pub fn contexts(kinds: u8, has_seconds: bool) -> usize {
    let seconds = if has_seconds { SECONDS } else { 0 };
    usize::from(kinds) * (CONTEXTS + seconds)
}

/// The most contexts.
pub(super) const MAX_CONTEXTS: usize = 1 << 16;
const _: () = assert!(51 * (CONTEXTS + SECONDS) <= MAX_CONTEXTS);

/// Stands for a missing number above.
const NONE: u8 = 63;

/// What a context tells of the numbers to the left or above, in one word, because a processor passes on what it has
/// just stored only if it is loaded in one piece:
///
/// * in the lowest byte, the nearest number;
/// * in the next byte, [`STRUCTURES`] times the number of further ones that equal it, which is at most 2;
/// * then the second number of the nearest position, up to 2; 3 if it has none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbour(u32);

impl Neighbour {
    /// Stands for everything above the first row.
    pub(super) const ABOVE: Neighbour = Neighbour::new(NONE, LONGEST, 3);

    #[inline(always)]
    const fn new(number: u8, run: u32, second: u32) -> Neighbour {
        Neighbour(number as u32 | run << 8 | second << 16)
    }

    /// Stands for everything left of the first column, given what is above it.
    #[inline(always)]
    pub(super) fn left_of(above: Neighbour, kinds: u8) -> Neighbour {
        let number = match above.number() {
            NONE => kinds / 2,
            number => number,
        };
        Neighbour::new(number, LONGEST, 3)
    }

    #[inline(always)]
    fn number(self) -> u8 {
        self.0 as u8
    }

    #[inline(always)]
    fn run(self) -> u32 {
        self.0 >> 8 & 0xff
    }

    #[inline(always)]
    fn second(self) -> u32 {
        self.0 >> 16
    }

    /// Goes on by a position.
    #[inline(always)]
    pub(super) fn then(self, number: u8, second: Option<u8>) -> Neighbour {
        let longer = (self.run() + STRUCTURES as u32).min(LONGEST);
        let run = if number == self.number() { longer } else { 0 };
        let second = second.map_or(3, |second| second.min(2));
        Neighbour::new(number, run, second.into())
    }

    /// The number after this one with a symbol, which is the difference modulo `kinds`.
    #[inline(always)]
    pub(super) fn next(self, symbol: u8, kinds: u8) -> u8 {
        let number = self.number().wrapping_add(symbol);
        number.min(number.wrapping_sub(kinds))
    }

    /// The symbol of the number after this one.
    #[inline(always)]
    pub(super) fn symbol(self, number: u8, kinds: u8) -> u8 {
        let symbol = number.wrapping_sub(self.number());
        symbol.min(symbol.wrapping_add(kinds))
    }
}

/// By the number to the left and the number above: their part of the context.
static FIRST: [u16; 1 << 12] = {
    let mut table = [0; 1 << 12];
    let mut left = 0;
    while left < 60 {
        let mut above = 0;
        while above < 64 {
            let mut step = above as i32 - left as i32;
            if step < -4 {
                step = -4;
            }
            if step > 4 {
                step = 4;
            }
            let step = if above == NONE as usize { 0 } else { step + 5 };
            table[left << 6 | above] =
                (left * CONTEXTS + step as usize * (CONTEXTS / STEPS)) as u16;
            above += 1;
        }
        left += 1;
    }
    table
};

/// The context of a first number.
#[inline(always)]
pub(super) fn of_first(left: Neighbour, above: Neighbour, structure: u8) -> u16 {
    let numbers = usize::from(left.number() & 63) << 6 | usize::from(above.number() & 63);
    let runs = left.run() * RUNS as u32 + above.run();
    FIRST[numbers] + runs as u16 + u16::from(structure)
}

/// The context of a second number.
#[inline(always)]
pub(super) fn of_second(first: u8, left: Neighbour, above: Neighbour, kinds: u8) -> u16 {
    let seconds = (left.second() << 2 | above.second()) as u16;
    u16::from(kinds) * CONTEXTS as u16 + u16::from(first) * SECONDS as u16 + seconds
}

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
    for ((structure, &reach), &prey) in structures.iter_mut().zip(reach).zip(prey) {
        let captures = row.reach & prey;
        let one = u8::from(captures != 0);
        let two = u8::from(captures & captures.wrapping_sub(1) != 0);
        let threat = u8::from(reach & row.prey != 0);
        let above = u8::from(before & prey != 0);
        *structure = (one + two) * 4 + threat * 2 + above;
    }
}

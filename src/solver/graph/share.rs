//! Some of the half-boards of the mover: a solver that has these solves their rows of each layer.

use super::by_seeds::BySeeds;
use super::numbering::{Number, Numbering};
use granero_table::index::{Subset, half};

/// Some half-boards of the mover, numbered among those with the same number of seeds.
#[derive(Clone, Debug)]
pub struct Share {
    /// By seeds: the numbers of the half-boards.
    own: Vec<Subset>,
    /// By seeds: the number of half-boards of the share with fewer seeds.
    first: BySeeds,
    /// The numbers of all of them, by seeds, ascending.
    numbers: Vec<Number>,
}

impl Share {
    /// The half-boards that `is_own` returns true for, given their seeds and numbers.
    pub fn new(numbering: &Numbering, is_own: impl Fn(u8, Number) -> bool) -> Share {
        let mut numbers = Vec::new();
        let mut own = Vec::new();
        let mut counts = Vec::new();
        for seeds in 0..=numbering.max_seeds() {
            let before = numbers.len();
            let count = half::count(seeds);
            numbers.extend((0..count).filter(|&number| is_own(seeds, number)));
            own.push(Subset::new(count, |number| is_own(seeds, number)));
            counts.push(numbers.len() - before);
        }
        numbers.shrink_to_fit();
        Share {
            own,
            first: BySeeds::sums(counts),
            numbers,
        }
    }

    /// The number of half-boards with `seeds` seeds.
    #[inline]
    pub fn rows(&self, seeds: u8) -> u32 {
        (self.first.get(seeds + 1) - self.first.get(seeds)) as u32
    }

    /// The number of a half-board, given its place in the share.
    #[inline(always)]
    pub fn number(&self, seeds: u8, row: u32) -> Number {
        self.numbers[self.first.get(seeds) + row as usize]
    }

    /// The place of a half-board in the share, if it is there.
    #[inline]
    pub fn row(&self, seeds: u8, number: Number) -> Option<u32> {
        self.own[usize::from(seeds)].place(number)
    }
}

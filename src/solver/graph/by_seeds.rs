//! A number for each number of seeds.

use granero_game::MAX_SEEDS;

/// A number for each number of seeds, and one more at the end.
///
/// Looked up for every settled position, so it takes neither a pointer nor a check: there
/// is room for more seeds than the game has.
#[derive(Clone, Debug)]
pub struct BySeeds([usize; 64]);

const _: () = assert!(MAX_SEEDS < 63);

impl BySeeds {
    /// These numbers, from 0 seeds on; where there are no more, the last one again.
    pub fn of(numbers: impl IntoIterator<Item = usize>) -> BySeeds {
        let mut by_seeds = [0; 64];
        let mut numbers = numbers.into_iter();
        let mut last = 0;
        for place in &mut by_seeds {
            last = numbers.next().unwrap_or(last);
            *place = last;
        }
        BySeeds(by_seeds)
    }

    /// By seeds: the sum of the numbers before.
    pub fn sums(numbers: impl IntoIterator<Item = usize>) -> BySeeds {
        let ends = numbers.into_iter().scan(0, |end, number| {
            *end += number;
            Some(*end)
        });
        BySeeds::of([0].into_iter().chain(ends))
    }

    #[inline(always)]
    pub fn get(&self, seeds: u8) -> usize {
        self.0[usize::from(seeds % 64)]
    }

    /// The most seeds, up to `max_seeds`, with a number that is not above `number`; the numbers
    /// are sorted.
    pub(super) fn last_at_most(&self, number: usize, max_seeds: u8) -> u8 {
        let numbers = &self.0[..=usize::from(max_seeds)];
        numbers.partition_point(|&first| first <= number) as u8 - 1
    }
}

//! A set of small numbers, with the place of each in the set.

/// A set of numbers below a limit.
#[derive(Clone, Debug)]
pub(super) struct Subset {
    /// For each 64 numbers: a bit for each, and the number of members before them.
    words: Vec<(u64, u32)>,
}

impl Subset {
    /// The numbers below `limit` that `is_in` selects.
    pub(super) fn new(limit: u32, is_in: impl Fn(u32) -> bool) -> Subset {
        let mut before = 0;
        let words = (0..limit).step_by(64).map(|first| {
            let numbers = first..limit.min(first + 64);
            let bits = numbers.map(|number| u64::from(is_in(number)) << (number - first));
            let word = (bits.sum::<u64>(), before);
            before += word.0.count_ones();
            word
        });
        Subset {
            words: words.collect(),
        }
    }

    /// The place of a number in the set, if it is a member.
    #[inline(always)]
    pub(super) fn place(&self, number: u32) -> Option<u32> {
        let (bits, before) = self.words[number as usize / 64];
        let bit = 1 << (number % 64);
        (bits & bit != 0).then(|| before + (bits & (bit - 1)).count_ones())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_order() {
        for limit in [0, 1, 63, 64, 65, 200] {
            for step in [1, 2, 7, 100] {
                let subset = Subset::new(limit, |number| number % step == 0);
                let mut next = 0;
                for number in 0..limit {
                    let place = (number % step == 0).then_some(next);
                    assert_eq!(subset.place(number), place);
                    next += u32::from(place.is_some());
                }
            }
        }
    }
}

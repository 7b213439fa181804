//! Values as numbers from 0 on, without gaps.

/// Which values occur, counted from 0: from all seeds lost to all won, either all of them or
/// every other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scale {
    seeds: u8,
    /// Values are two to the power of this apart.
    shift: u8,
}

impl Scale {
    /// With `even`, neighbours are two apart.
    pub(crate) fn new(seeds: u8, even: bool) -> Scale {
        Scale {
            seeds,
            shift: even.into(),
        }
    }

    /// How many values there are.
    pub(crate) fn kinds(self) -> u8 {
        ((2 * self.seeds) >> self.shift) + 1
    }

    /// The number of a value; it must be one of these.
    #[inline(always)]
    pub(crate) fn number(self, value: i8) -> u8 {
        let number = self.seeds.wrapping_add(value as u8);
        debug_assert!(number.trailing_zeros() >= self.shift.into() || number == 0);
        number >> self.shift
    }

    /// The value with a number.
    #[inline(always)]
    pub(crate) fn value(self, number: u8) -> i8 {
        (number << self.shift).wrapping_sub(self.seeds) as i8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_the_values_without_gaps() {
        for seeds in 0..=48u8 {
            for (even, step) in [(false, 1), (true, 2)] {
                let scale = Scale::new(seeds, even);
                let values = (-(seeds as i8)..=seeds as i8).step_by(step);
                assert_eq!(values.clone().count(), usize::from(scale.kinds()));
                for (number, value) in (0..).zip(values) {
                    assert_eq!(scale.number(value), number);
                    assert_eq!(scale.value(number), value);
                }
            }
        }
    }
}

//! Values as numbers from 0, without gaps.

/// Numbers the values from minus some limit to the limit: either all of them, or every other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    limit: u8,
    /// The step between values is two to the power of this.
    shift: u8,
}

impl Scale {
    /// The values from `-limit` to `limit`, in steps of one, or two with `every_other`.
    pub(crate) fn new(limit: u8, every_other: bool) -> Scale {
        Scale {
            limit,
            shift: every_other.into(),
        }
    }

    /// The number of values.
    pub fn kinds(self) -> u8 {
        ((2 * self.limit) >> self.shift) + 1
    }

    /// The number of a value, which must be on the scale.
    #[inline(always)]
    pub fn number(self, value: i8) -> u8 {
        let number = self.limit.wrapping_add(value as u8);
        debug_assert!(number.trailing_zeros() >= self.shift.into() || number == 0);
        number >> self.shift
    }

    /// The value with a number.
    #[inline(always)]
    pub(crate) fn value(self, number: u8) -> i8 {
        (number << self.shift).wrapping_sub(self.limit) as i8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_the_values_without_gaps() {
        for seeds in 0..=48u8 {
            for (every_other, step) in [(false, 1), (true, 2)] {
                let scale = Scale::new(seeds, every_other);
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

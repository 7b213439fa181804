//! Fields that depend on the convention for endless play.

use granero::{Measure, Measured};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// Fields of an object with their names: one if positions have values, two if they have bounds.
pub struct Fields<T>(Measured<(&'static str, T)>);

impl<T> Fields<T> {
    /// One field with the name for values, or two with the names for the low and the high bound.
    pub fn named(
        of_value: &'static str,
        [of_low, of_high]: [&'static str; 2],
        measured: Measured<T>,
    ) -> Fields<T> {
        Fields(match measured {
            Measured::Value(value) => Measured::Value((of_value, value)),
            Measured::Bounds { low, high } => Measured::Bounds {
                low: (of_low, low),
                high: (of_high, high),
            },
        })
    }

    /// The field `value`, or the fields `low` and `high`.
    pub(crate) fn of_worth(worth: Measured<T>) -> Fields<T> {
        let [value, low, high] = [Measure::Value, Measure::Low, Measure::High].map(Measure::name);
        Fields::named(value, [low, high], worth)
    }
}

impl<T: Serialize> Serialize for Fields<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.0 {
            Measured::Value((name, value)) => map.serialize_entry(name, value)?,
            Measured::Bounds { low, high } => {
                map.serialize_entry(low.0, &low.1)?;
                map.serialize_entry(high.0, &high.1)?;
            }
        }
        map.end()
    }
}

//! Fields that depend on the convention for endless play.

use granero::{Measure, Measured};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// Fields of an object with their names: one where positions have values, two where they have
/// bounds.
pub struct Fields<T>(Measured<(&'static str, T)>);

impl<T> Fields<T> {
    /// A field with the name of the value, or two with those of the low and the high bound.
    pub fn named(
        value: &'static str,
        [low, high]: [&'static str; 2],
        what: Measured<T>,
    ) -> Fields<T> {
        Fields(match what {
            Measured::Value(what) => Measured::Value((value, what)),
            Measured::Bounds {
                low: of_low,
                high: of_high,
            } => Measured::Bounds {
                low: (low, of_low),
                high: (high, of_high),
            },
        })
    }

    /// The field `value`, or the fields `low` and `high`.
    pub(super) fn of_worth(worth: Measured<T>) -> Fields<T> {
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

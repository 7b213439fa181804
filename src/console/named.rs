//! Options with one of some values.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Reads one of some values by its name.
pub fn named<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.map(name)).map(move |given| {
        let named = all.into_iter().find(|&value| name(value) == given);
        named.expect("one of the possible values")
    })
}

//! Types that are written as their names.

/// Writes a type with a method `name` as its name, and reads it as one of `ALL`.
#[macro_export]
macro_rules! written_as_its_name {
    ($type:ident, $unknown:ident) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $unknown;

            fn from_str(name: &str) -> Result<$type, $unknown> {
                let mut all = $type::ALL.into_iter();
                let named = all.find(|named| named.name() == name);
                named.ok_or_else(|| $unknown { name: name.into() })
            }
        }
    };
}

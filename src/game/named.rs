//! Types that are written as their names.

/// Writes a type with a method `name` as its name, and reads it as one of `ALL`, also in JSON. The message of the error is
/// for the name that none has, and all names.
macro_rules! written_as_its_name {
    ($type:ident, $unknown:ident, $message:literal) => {
        /// The error for an unknown name.
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        // The name may come from a file; control characters must not reach a terminal.
        #[error($message, name.escape_debug(), $type::ALL.map($type::name).join(", "))]
        pub struct $unknown {
            /// The name.
            pub name: String,
        }

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

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$type, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(from)?;
                name.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use written_as_its_name;

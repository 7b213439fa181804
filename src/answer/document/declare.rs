//! Documents as types.

/// Declares the types of JSON documents, with the schemas that describe them, and how each is made: `new` takes the
/// arguments behind the name of a type.
///
/// A field has a comment, which is its documentation, a name, a type and a value. `name?` leaves the field out if its
/// value is `None`; `..name` stands for all fields of the value. The crate that uses it needs `serde` and `schemars`.
#[macro_export]
macro_rules! documents {
    ($(#[$meta:meta])* $vis:vis struct $name:ident $(<$life:lifetime>)? ($($args:tt)*) {$($body:tt)*} $($more:tt)*) => {
        $crate::documents!(@ [$(#[$meta])* $vis struct $name $(<$life>)? ($($args)*)] {} {} {} $($body)*);
        $crate::documents!($($more)*);
    };
    () => {};
    (@ $head:tt {$($lets:tt)*} $fields:tt $values:tt let $pattern:pat = $value:expr; $($rest:tt)*) => {
        $crate::documents!(@ $head {$($lets)* let $pattern = $value;} $fields $values $($rest)*);
    };
    (@ $head:tt $lets:tt {$($fields:tt)*} {$($values:tt)*}
        $(#[$meta:meta])* ..$name:ident: $type:ty = $value:expr, $($rest:tt)*
    ) => {
        $crate::documents!(@ $head $lets
            {$($fields)* $(#[$meta])* #[serde(flatten)] $name: $type,} {$($values)* $name: $value,} $($rest)*);
    };
    (@ $head:tt $lets:tt {$($fields:tt)*} {$($values:tt)*}
        $(#[$meta:meta])* $name:ident?: $type:ty = $value:expr, $($rest:tt)*
    ) => {
        $crate::documents!(@ $head $lets {
            $($fields)* $(#[$meta])* #[serde(skip_serializing_if = "Option::is_none")] $name: Option<$type>,
        } {$($values)* $name: $value,} $($rest)*);
    };
    (@ $head:tt $lets:tt {$($fields:tt)*} {$($values:tt)*}
        $(#[$meta:meta])* $name:ident: $type:ty = $value:expr, $($rest:tt)*
    ) => {
        $crate::documents!(@ $head $lets
            {$($fields)* $(#[$meta])* $name: $type,} {$($values)* $name: $value,} $($rest)*);
    };
    (@ [$(#[$meta:meta])* $vis:vis struct $name:ident $(<$life:lifetime>)? ($($args:tt)*)]
        {$($lets:tt)*} {$($fields:tt)*} {$($values:tt)*}
    ) => {
        #[derive(::serde::Serialize, ::schemars::JsonSchema)]
        $(#[$meta])*
        $vis struct $name $(<$life>)? { $($fields)* }

        impl $(<$life>)? $name $(<$life>)? {
            $vis fn new($($args)*) -> Self {
                $($lets)*
                $name { $($values)* }
            }
        }
    };
}

//! JSON objects, described where they are made.

/// Makes a JSON object of names and values, which needs no struct of its own.
///
/// `name?: value` leaves the field out if the value is `None`; `..name: value` stands for all fields of
/// `value`. The crate that uses it needs `serde`.
#[macro_export]
macro_rules! object {
    // The type of each field is a parameter with the name of the field.
    (@ {$($name:ident)*} {$($fields:tt)*} {$($values:tt)*}) => {{
        #[allow(non_camel_case_types, reason = "fields have lower-case names")]
        let object = {
            #[derive(::serde::Serialize)]
            struct Object<$($name),*> { $($fields)* }
            Object { $($values)* }
        };
        object
    }};
    (@ {$($names:ident)*} {$($fields:tt)*} {$($values:tt)*} $name:ident: $value:expr, $($rest:tt)*) => {
        $crate::object!(@ {$($names)* $name} {
            $($fields)* $name: $name,
        } {$($values)* $name: $value,} $($rest)*)
    };
    (@ {$($names:ident)*} {$($fields:tt)*} {$($values:tt)*} $name:ident?: $value:expr, $($rest:tt)*) => {
        $crate::object!(@ {$($names)* $name} {
            $($fields)* #[serde(skip_serializing_if = "Option::is_none")] $name: Option<$name>,
        } {$($values)* $name: $value,} $($rest)*)
    };
    (@ {$($names:ident)*} {$($fields:tt)*} {$($values:tt)*} ..$name:ident: $value:expr, $($rest:tt)*) => {
        $crate::object!(@ {$($names)* $name} {
            $($fields)* #[serde(flatten)] $name: $name,
        } {$($values)* $name: $value,} $($rest)*)
    };
    ($($fields:tt)*) => {
        $crate::object!(@ {} {} {} $($fields)*)
    };
}

//! The C interface of the library `granero`, also for C++, Java, C# and any language that can call C.
//!
//! `header/` makes `include/granero.h` from the documentation here. Rules of the game and the format of
//! tables are implemented elsewhere.
//!
//! * `border` reads and writes through the caller's pointers, and lets no panic out;
//! * the other files have the functions, by subject. Each is a call of `border::guard`.
#![allow(
    unsafe_code,
    reason = "callers from C pass pointers, which `border` reads"
)]

mod border;
pub mod position;
pub mod rules;
pub mod search;
pub mod status;
pub mod tables;
pub mod version;

//! The C interface of the library `granero`, also for C++, Java, C# and all that can call C.
//!
//! `include/granero.h` is made of the documentation here, see `header/`. No rule of the game, and
//! nothing of the tables' format, is implemented here.
//!
//! * `border` has all that looks through pointers of the caller, and lets no panic out;
//! * the other files have the functions, by subject. Each is a call of `border::guard`.
#![allow(
    unsafe_code,
    reason = "whoever calls from C hands over pointers; `border` reads them"
)]

mod border;
pub mod position;
pub mod rules;
pub mod status;
pub mod tables;
pub mod version;

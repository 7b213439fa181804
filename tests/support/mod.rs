//! What several test programs use: slow and plain twins of the library, small tables, and what
//! the command did.

// `pub` marks what the tests use, although a module of a test is seen by nobody else; and
// not every test program uses all.
#![allow(unreachable_pub, dead_code)]

pub mod command;
pub mod forged;
pub mod reference;
pub mod sealed;
pub mod solved;
pub mod tables;
pub mod twin;
pub mod vast;

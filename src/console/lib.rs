//! What verbs and server share: options, tables that are named, errors with help, and the machine.
//!
//! This crate is for the program `granero`; programs depend on the crate `granero`.

#![allow(missing_docs, reason = "what is public here is for the program alone")]

pub mod db;
pub mod failure;
pub mod hint;
pub mod machine;
pub mod options;
pub mod stderr;
pub mod style;

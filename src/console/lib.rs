//! Options, tables named by `--db`, failures with help, and the machine: for verbs and server.
//!
//! This crate is for the program `granero`; programs depend on the crate `granero`.
//!
//! * `options`, `named`, `db`: options, and the tables that `--db` names;
//! * `failure`, `advice`, `hint`: what is wrong, where, what to do, and with which command;
//! * `machine`: memory, disk and processors;
//! * `style`: messages and their colours.

#![allow(missing_docs, reason = "what is public here is for the program alone")]

mod advice;
pub mod db;
pub mod failure;
pub mod hint;
pub mod machine;
mod named;
pub mod options;
pub mod style;

pub use db::{DbOption, ReadOption, TablesOrSample, ValuesOrSample};
pub use failure::{DATA, Failure, INTERRUPTED, MORE_MEMORY, MORE_THREADS, UNREADABLE};
pub use named::named;
pub use style::{note, paint, say};

//! The library through its public API: rules, index, solver, tables, notations.

#[path = "../support/mod.rs"]
mod support;

mod architecture;
mod bounds;
mod format;
mod index;
mod notation;
mod player;
mod prove;
mod rules;
mod solver;
mod sources;
mod tables;

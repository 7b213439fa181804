//! The library, by its public face: rules, index, solver, tables, notations.

#[path = "../support/mod.rs"]
mod support;

mod architecture;
mod bounds;
mod format;
mod index;
mod notation;
mod player;
mod rules;
mod solver;
mod sources;
mod tables;

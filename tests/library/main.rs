//! The library through its public API: rules, index, solver, tables, proofs, lines, notations.

#[path = "../support/mod.rs"]
mod support;

mod bounds;
mod captures;
mod deciding;
mod export;
mod find;
mod format;
mod index;
mod judge;
mod line;
mod line_proven;
mod lists;
mod notation;
mod player;
mod prove;
mod puzzles;
mod rules;
mod solver;
mod sources;
mod statistics;
mod tables;
mod verify;

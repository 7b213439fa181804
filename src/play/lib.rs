//! Work with tables: best lines, proofs beyond the tables, players, judges, verification, and layers
//! as files for other programs.
//!
//! Programs depend on the crate `granero`, which re-exports all of this.

pub mod captures;
pub mod export;
pub mod find;
pub mod judge;
pub mod line;
pub mod player;
pub mod prove;
pub mod verify;

//! Work with tables: best lines, proofs beyond the tables, players, judges, verification, and layers
//! as files for other programs.
//!
//! What looks up tables fails if they are damaged or cannot be read; what writes, if it cannot be written.
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

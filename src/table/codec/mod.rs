//! Compresses values into a few bytes, and back.
//!
//! * `tiling`: cuts a layer into tiles;
//! * `scale`: the numbers that stand for values;
//! * `half_boards`: the half-boards of a tile, and their neighbours;
//! * `model`: the frequency of each symbol, given what is known before it is decoded;
//! * `learn`: makes the model of a layer;
//! * `block`: encodes the numbers of a tile as a block of bytes, and decodes them.
//!
//! `docs/internals/format.md` specifies all of it except learning, which readers do not need.

pub mod block;
pub mod half_boards;
pub mod learn;
pub mod model;
pub mod scale;
pub mod tiling;

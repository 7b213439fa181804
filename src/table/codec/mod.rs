//! Compresses values into a few bytes, and back.
//!
//! * `tiling`: cuts a layer into tiles;
//! * `scale`: the numbers that stand for values;
//! * `context`: the neighbours and half-boards that predict a number;
//! * `tile_traits`: the half-boards of a tile, for contexts;
//! * `model`: the frequency of each symbol in each context, which the solver's `learn` counts;
//! * `block`: encodes the numbers of a tile as a block of bytes, and decodes them.
//!
//! `docs/format.md` specifies all of it except learning, which readers do not need.

pub mod block;
pub mod context;
pub mod model;
pub mod scale;
pub mod tile_traits;
pub mod tiling;

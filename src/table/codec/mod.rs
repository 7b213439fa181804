//! Compresses values into a few bytes, and back.
//!
//! * tiling: which positions share a tile; scale: values as numbers from 0;
//! * context: what predicts a value; tile_traits: the half-boards of a tile, which are part of it;
//! * model: how likely each value is in each context, learnt by `learn`;
//! * block: coding the values of a tile as a block of bytes.
//!
//! `docs/format.md` specifies all of it except learning, which a reader does not need.

pub mod block;
pub mod context;
pub mod model;
pub mod scale;
pub mod tile_traits;
pub mod tiling;

//! Compresses values into a few bytes, and back.
//!
//! * tiling: which positions share a tile; scale: values as numbers from 0;
//! * context: what predicts a value; sides: the half-boards of a tile, which are part of it;
//! * model: how likely each value is in each context, learnt by `learn`;
//! * block: coding the values of a tile as a block of bytes.
//!
//! `docs/format.md` specifies all of it except learning, which a reader does not need.

pub(crate) mod block;
pub(crate) mod context;
pub(crate) mod learn;
pub(crate) mod model;
pub(crate) mod scale;
pub(crate) mod sides;
pub(crate) mod tiling;

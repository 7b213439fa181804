//! How values become few bytes, and bytes values again.
//!
//! * tiling: which positions share a block; scale: their values, counted from 0;
//! * context: what predicts a value; sides: the half-boards that tell part of it;
//! * model: how likely each value is in each context, learnt by `learn`;
//! * block: coding the values of a tile.
//!
//! `docs/format.md` specifies all of it but the learning, which a reader need not know.

pub(crate) mod block;
pub(crate) mod context;
pub(crate) mod learn;
pub(crate) mod model;
pub(crate) mod scale;
pub(crate) mod sides;
pub(crate) mod tiling;

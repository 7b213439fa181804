//! Solving a layer by sweeps.
//!
//! * `solve`: a layer from captures to values: the phases of both conventions;
//! * `layer`: the matrices of a layer, and sweeps over them;
//! * `queue`: the last positions, one by one;
//! * `captures`: before the sweeps: captures, and positions without a move that is always legal;
//! * `checkpoint`: the matrices as a checkpoint;
//! * `step`: what a sweep makes of the best move of a position;
//! * `kernel`: the best of the moves of 64 movers against 256 opponents;
//! * `gather`, `movers`: where the children of a tile lie;
//! * `grid`: a matrix as bytes;
//! * `values`: the layer when it is solved.

mod captures;
mod checkpoint;
mod gather;
mod grid;
mod kernel;
mod layer;
mod movers;
mod queue;
mod solve;
mod step;
mod values;

pub(crate) use kernel::Scratch;
pub(crate) use layer::{Tables, memory};
pub(crate) use values::SweptLayer;

#[cfg(test)]
mod tests;

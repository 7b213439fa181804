//! Solving a layer by sweeps.
//!
//! * `solve`: a layer from captures to values: the phases of both conventions;
//! * `layer`: sweeps over the matrices of a layer, wherever they lie;
//! * `shares`: the parts of a layer that are swept one after the other, and what each reads;
//! * `window`: the columns of a matrix that a share reads;
//! * `share`: a share in memory, or a whole layer;
//! * `in_memory`: a layer in the memory of this process, or of several, which have one share each;
//! * `changes`: what they tell each other;
//! * `in_file`: a layer in files, of which one share is in memory;
//! * `files`, `scratch_file`: the files of a layer;
//! * `queue`: the last positions, one by one;
//! * `captures`: before the sweeps: captures, and positions without a move that is always legal;
//! * `step`: what a sweep makes of the best move of a position;
//! * `kernel`: the best of the moves of 64 movers against 256 opponents;
//! * `gather`, `movers`: where the children of a tile lie; `tables`: all of these;
//! * `grid`: a matrix as bytes;
//! * `values`: the layer when it is solved.

mod captures;
mod changes;
mod files;
mod gather;
mod grid;
mod in_file;
mod in_memory;
mod kernel;
mod layer;
mod movers;
mod queue;
pub(crate) mod scratch_file;
mod share;
mod shares;
mod solve;
mod step;
mod subset;
mod tables;
mod values;
mod window;

pub use in_file::Moved;
pub(crate) use in_file::{Within, least_memory};
pub use in_memory::Peers;
pub(crate) use in_memory::memory;
pub(crate) use kernel::Scratch;
pub(crate) use shares::Shares;
pub(crate) use tables::Tables;
pub(crate) use values::MAPPED_LEAST;
pub use values::{SweptLayer, SweptValues};

#[cfg(test)]
pub(crate) mod tests;

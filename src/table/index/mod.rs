//! Numbers the `C(n+11, 11)` positions of each layer of `n` seeds from 0, without gaps.
//!
//! The order is made for the solver. A board is cut into two **half-boards**, the mover's six houses and
//! the opponent's. A move changes the mover's half in a way that depends on this half alone, and the
//! opponent's half in a way that depends only on the number of seeds that cross. So a layer consists of
//!
//! 1. **matrices**, one for each number `s` of seeds on the mover's side, `s`
//!    ascending;
//! 2. in a matrix, **rows**, one for each half-board of the mover with `s` seeds;
//! 3. in a row, the half-boards of the opponent with `n - s` seeds.
//!
//! Half-boards with the same number of seeds are in lexicographic order, house `A`
//! first. `docs/internals/numbering.md` has the formulas, and the reasons for this order.
//!
//! * [`half`]: ranks of half-boards.
//! * [`Layer`]: numbers of positions.
//! * [`draw()`]: random positions.

mod draw;
pub mod half;
mod half_moves;
mod layer;

pub use draw::draw;
#[doc(hidden)]
pub use half_moves::Crossing;
pub(crate) use half_moves::{HalfMove, half_moves};
pub use layer::Layer;

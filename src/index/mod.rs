//! The positions with `n` seeds, numbered without gaps: every layer has a
//! bijection between its `C(n+11, 11)` positions and the numbers below that.
//!
//! The order is made for the solver. A board is cut into two **half-boards**, the
//! mover's six houses and the opponent's. What a move does to the mover's half
//! depends on that half alone, and what it does to the opponent's half depends
//! only on how many seeds come across. So a layer is laid out as
//!
//! 1. **blocks**, one for each number `s` of seeds on the mover's side, `s`
//!    ascending;
//! 2. in a block, **rows**, one for each half-board of the mover with `s` seeds;
//! 3. in a row, the half-boards of the opponent with `n - s` seeds.
//!
//! Half-boards with equally many seeds are in lexicographic order, house `A`
//! first. `docs/index.md` has the formulas and says why this order.
//!
//! * [`half`]: the numbers of half-boards.
//! * [`Layer`]: the numbers of positions.
//! * [`draw()`]: positions at random.
//! * [`HalfMoves`] and [`arrivals`]: what moves do to half-boards, in their numbers.

mod binomial;
mod draw;
pub mod half;
mod half_moves;
mod layer;

pub use draw::draw;
pub use half_moves::{Crossing, HalfMove, HalfMoves, arrivals};
pub use layer::{Layer, Positions};

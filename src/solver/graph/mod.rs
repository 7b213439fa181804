//! Moves between half-boards, and where the bytes of positions lie.
//!
//! * `by_seeds`: numbers by seeds;
//! * `half_graph`: the moves, the same for all layers;
//! * `last_resort`: moves that are legal only if there is no other;
//! * `layout`: where planes and news lie;
//! * `numbering`: numbers of half-boards, in the order of the solver;
//! * `share`: some of the half-boards, for a solver of a part of each layer.

pub(crate) mod by_seeds;
pub(crate) mod half_graph;
pub(crate) mod last_resort;
pub(crate) mod layout;
pub(crate) mod numbering;
pub(crate) mod share;

pub use by_seeds::BySeeds;
pub(crate) use half_graph::Tagged;
pub use half_graph::{HalfGraph, links};
pub use last_resort::LastResortMove;
pub(crate) use last_resort::leading_to;
pub use layout::Layout;
pub(crate) use layout::{PlaneBand, ROWS_OF_A_WORD, Width};
pub(crate) use numbering::{HalfBoard, count_of_opponent};
pub use numbering::{Number, Numbering, OpponentsHalf};
pub use share::Share;

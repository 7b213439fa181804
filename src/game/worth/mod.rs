//! Values and bounds of positions, in full or cut off.
//!
//! * `clamped`: a value that deciding tables may have cut off;
//! * `cycles`: the two conventions for endless play;
//! * `extent`: tables in full or deciding, and the limits of their values;
//! * `kind`: rules, convention and extent together;
//! * `measured`: a value or two bounds.

pub mod clamped;
pub mod cycles;
pub mod extent;
pub mod kind;
pub mod measured;

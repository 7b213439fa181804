//! What positions are worth: values or bounds, in full or cut off.
//!
//! * `clamped`: a value that deciding tables may have cut off;
//! * `cycles`: the two conventions for endless play;
//! * `extent`: how far the values of tables go;
//! * `kind`: rules, convention and extent together;
//! * `measured`: a value or two bounds.

pub mod clamped;
pub mod cycles;
pub mod extent;
pub mod kind;
pub mod measured;

//! The passes over a layer, from captures to values, in the order in which to read them.
//!
//! * `task`: a layer from its captures to its values;
//! * `captures`: the results of captures;
//! * `split`: the order of work where positions have values;
//! * `bounds`: the order of work where positions have bounds;
//! * `work`: scans and news, for either convention;
//! * `scan`: finding settled positions;
//! * `serve_rows`: taking news to predecessors;
//! * `gathered_row`: the news of a row;
//! * `update_batch`: changing positions that have a settled child;
//! * `solved`: a layer that is solved;
//! * `exchange`: the seam for builds by several processes;
//! * `progress`: the state of the work.

pub(crate) mod bounds;
pub(crate) mod captures;
pub(crate) mod exchange;
pub(crate) mod gathered_row;
pub(crate) mod progress;
pub(crate) mod scan;
pub(crate) mod serve_rows;
pub(crate) mod solved;
pub(crate) mod split;
pub(crate) mod task;
pub(crate) mod update_batch;
pub(crate) mod work;
pub(crate) use exchange::{Alone, Arrived, Exchange, List};
pub(crate) use gathered_row::{GatheredRow, MOST_SERVED};
pub(crate) use progress::Progress;
pub(crate) use solved::{MAPPED_LEAST, Plane, Solved, SolvedLayer, decode};
pub(crate) use task::{SmallerParts, Task};
pub(crate) use work::{Work, WorkMemory};

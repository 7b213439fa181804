//! The passes over a layer, from captures to values.
//!
//! * `bounds`: the order of work where positions have bounds;
//! * `captures`: the results of captures;
//! * `exchange`: the seam for builds by several processes;
//! * `gathered_row`: the news of a row;
//! * `progress`: the state of the work;
//! * `scan`: finding settled positions;
//! * `serve_rows`: taking news to predecessors;
//! * `solved`: a layer that is solved;
//! * `split`: the order of work where positions have values;
//! * `task`: a layer from its captures to its values;
//! * `update_batch`: changing positions that have a settled child;
//! * `work`: scans and news, for either convention.

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

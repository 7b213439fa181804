//! The shared state of threads, and its locks.
//!
//! * `crew`: threads that work together until all is done;
//! * `prefetch`: memory that is needed soon;
//! * `row_locks`: rows that one thread at a time changes;
//! * `sync`: atomics and locks, which a test replaces;
//! * `waiting`: rows that wait for a thread.

pub(crate) mod crew;
pub(crate) mod prefetch;
pub(crate) mod row_locks;
pub(crate) mod sync;
pub(crate) mod waiting;
pub(crate) use crew::Crew;
pub(crate) use prefetch::{prefetch, prefetch_to_write};
pub(crate) use row_locks::RowLocks;
pub(crate) use sync::AtomicU64;
pub(crate) use waiting::{ROWS, Waiting};

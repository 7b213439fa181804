//! In place of `src/solver/threads/prefetch.rs`: memory comes when it is asked for.

pub fn prefetch_to_write<T>(_slice: &[T], _index: usize) {}

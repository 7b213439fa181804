//! The operating system: memory, signals and files.

pub(crate) mod allocator;
#[cfg(unix)]
pub(crate) mod fault;
pub(crate) mod interruption;
pub(crate) mod whole_file;

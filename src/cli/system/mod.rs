//! The operating system: memory, signals and files.

/// Settings of the system's allocator.
pub(crate) mod allocator;
/// Signals that would end the program without a message.
#[cfg(unix)]
pub(crate) mod fault;
/// Ctrl-C, and the other signals that ask a program to end.
pub(crate) mod interruption;
/// Files that are written whole or not at all.
pub(crate) mod whole_file;

//! Versions.

use std::ffi::c_char;

use crate::border;

/// The version of the interface that this header is of. It changes when programs must be compiled
/// anew; then the name of the shared library does, too.
pub const GRANERO_ABI_VERSION: u32 = 1;

/// The version of the interface that the library has: `GRANERO_ABI_VERSION` unless the program was
/// compiled with another header.
#[unsafe(no_mangle)]
pub extern "C" fn granero_abi_version() -> u32 {
    border::guard_with(0, || GRANERO_ABI_VERSION)
}

/// The version of the library, as text.
#[unsafe(no_mangle)]
pub extern "C" fn granero_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    border::guard_with(std::ptr::null(), || VERSION.as_ptr().cast())
}

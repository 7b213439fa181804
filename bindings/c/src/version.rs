//! Versions.

use std::ffi::c_char;

use crate::border;

/// The version of the interface in this header. It changes, together with the name of the shared library,
/// when programs must be recompiled.
pub const GRANERO_ABI_VERSION: u32 = 1;

/// The version of the interface in the library: `GRANERO_ABI_VERSION`, unless the program was compiled with
/// another header.
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

//! What the allocator of the system does with memory that was given back.

/// Has it go back to the system at once if it is a piece of some size.
///
/// The allocator of glibc maps such pieces, and unmaps them when they are given back; but
/// each makes it keep pieces up to that size from then on, up to 32 MiB. A build, which takes
/// larger pieces from layer to layer, then holds a third more than it uses. A limit that is
/// set stays as it is.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
pub(super) fn give_back_at_once() {
    // SAFETY: a plain function on two numbers; it changes when the allocator maps memory,
    // which may be at any time.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
}

/// Elsewhere we do not know better than the allocator.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn give_back_at_once() {}

/// So many bytes are a piece of some size: what glibc begins with.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: std::ffi::c_int = 128 << 10;

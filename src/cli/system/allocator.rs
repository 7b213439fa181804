//! How the allocator of the system takes memory, and returns what is freed.

/// Makes all threads share one arena where addresses are limited, as by `ulimit -v`.
///
/// The allocator of glibc reserves 64 MiB of addresses for each other thread, of which it may use little.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
pub(crate) fn keep_to_limits() {
    use rustix::process::{Resource, getrlimit};

    if getrlimit(Resource::As).current.is_some() {
        // SAFETY: a plain function on two numbers; no other thread has been started.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

/// Other allocators keep their defaults.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn keep_to_limits() {}

/// Makes it return large pieces to the system at once.
///
/// The allocator of glibc maps such pieces, and unmaps them when they are freed; but each freed
/// piece makes it keep later ones up to that size, up to 32 MiB. A build, whose pieces grow from
/// layer to layer, then holds a third more than it uses, and a batch on many threads up to four fifths
/// more. A limit that is set stays fixed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
pub(crate) fn give_back_at_once() {
    // SAFETY: a plain function on two numbers; it changes when the allocator maps memory,
    // which may be at any time.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
}

/// Other allocators keep their defaults.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back_at_once() {}

/// The least bytes of a large piece: the initial limit of glibc.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: std::ffi::c_int = 128 << 10;

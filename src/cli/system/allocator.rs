//! Settings of glibc's allocator.

/// Makes all threads share one heap if the address space is limited, as by `ulimit -v`.
///
/// Otherwise glibc reserves 64 MiB of addresses for each thread, and may use little of it. Other allocators keep
/// their defaults.
#[allow(unsafe_code)]
pub(crate) fn keep_to_limits() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if rustix::process::getrlimit(rustix::process::Resource::As)
        .current
        .is_some()
    {
        // SAFETY: a plain function on two numbers; no other thread has been started.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

/// Returns large freed pieces to the system at once.
///
/// glibc maps and unmaps large pieces, but each freed piece raises the limit for later ones, up to 32 MiB. A
/// build, whose pieces grow from layer to layer, then holds a third more than it uses, and a batch on many
/// threads up to four fifths more. Setting the limit fixes it.
#[allow(unsafe_code)]
pub(crate) fn give_back_at_once() {
    // SAFETY: a plain function on two numbers, which may be called at any time.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE)
    };
}

/// The size of the smallest large piece, in bytes: the initial limit of glibc.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: std::ffi::c_int = 128 << 10;

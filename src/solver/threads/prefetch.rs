//! Prefetching memory that will be needed soon.
//!
//! The solver touches memory in an order that no processor can guess, but it knows
//! the addresses well before it needs them. This is the only `unsafe` of the solver;
//! docs/internals/performance.md shows what it gains.

/// Prefetches the cache line that holds an element, if there is such an element.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
pub(crate) fn prefetch<T>(slice: &[T], index: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch reads and writes nothing and cannot fault at any
    // address; `wrapping_add` makes one without claiming that it is valid.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(slice.as_ptr().wrapping_add(index).cast()) }
}

/// Like [`prefetch`], for a line that will be written, so that no other core keeps it.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
pub(crate) fn prefetch_to_write<T>(slice: &[T], index: usize) {
    let address = slice.as_ptr().wrapping_add(index).addr();
    // The intrinsic becomes this instruction only where the compiler knows that the processor has
    // it. Nearly all 64-bit processors do, and other processors ignore it.
    // SAFETY: as above.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) address, options(nomem, nostack, preserves_flags));
    }
}

/// Does nothing: other processors guess.
#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn prefetch<T>(_slice: &[T], _index: usize) {}

/// Does nothing: other processors guess.
#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn prefetch_to_write<T>(_slice: &[T], _index: usize) {}

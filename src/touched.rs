//! Memory for zeros that is there from the beginning.
//!
//! The system gives memory that is zero already, and only once it is touched. A page that is read first
//! and written later is touched twice, and all processors that work on the program are interrupted for
//! the second time.

use std::hint::black_box;

/// The bytes of a page of memory, or less.
const PAGE: usize = 4096;

/// Touches all pages of some memory, whose elements are all `zero`.
pub(crate) fn touch<T: Copy>(memory: &mut [T], zero: T) {
    for page in memory.chunks_mut(PAGE / size_of::<T>()) {
        // The compiler knows that this changes nothing, and must not know which page it is.
        black_box(page)[0] = zero;
    }
}

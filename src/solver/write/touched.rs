//! Memory for zeros that is there from the beginning.
//!
//! The system gives memory that is zero already, and only once it is touched. A page that is read first
//! and written later is touched twice, and all processors that work on the program are interrupted for
//! the second time.

use std::hint::black_box;

/// The numbers in a page of memory, or fewer.
const PAGE: usize = 4096 / size_of::<u32>();

/// So many zeros.
pub(crate) fn zeros(count: usize) -> Vec<u32> {
    let mut zeros = vec![0; count];
    for page in zeros.chunks_mut(PAGE) {
        // The compiler knows that these are zeros, and must not know which page it is.
        if let [first, .., last] = black_box(page) {
            (*first, *last) = (0, 0);
        }
    }
    zeros
}

//! The effort of a search in words.

use std::fmt;

use crate::amounts::{duration, rounded};
use crate::proven::Effort;

/// `with 1.2 M positions in 800 ms`
impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.positions == 1 { "" } else { "s" };
        write!(
            f,
            "with {} position{plural} in {}",
            rounded(self.positions),
            duration(self.time)
        )
    }
}

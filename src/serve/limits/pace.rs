//! The least pace of bytes on a connection; slower ones are closed.

use std::time::Duration;

use tokio::time::Instant;

/// In each span of this length, [`LEAST`] bytes must move, unless none are left.
pub(crate) const SPAN: Duration = Duration::from_secs(10);

/// The least number of bytes in a [`SPAN`].
pub(crate) const LEAST: usize = 32 << 10;

/// Measures the pace of bytes.
pub(crate) struct Pace {
    /// The end of the current span.
    end: Instant,
    /// The bytes that have moved in it.
    moved: usize,
}

impl Pace {
    /// Begins the first span.
    pub(crate) fn new(now: Instant) -> Pace {
        Pace {
            end: now + SPAN,
            moved: 0,
        }
    }

    /// Returns the time of the next check.
    pub(crate) fn end(&self) -> Instant {
        self.end
    }

    pub(crate) fn moved(&mut self, bytes: usize) {
        self.moved = self.moved.saturating_add(bytes);
    }

    /// Returns true if too little moved in a span that has ended; else begins the next one.
    pub(crate) fn is_too_slow(&mut self, now: Instant) -> bool {
        if now < self.end {
            return false;
        }
        let too_slow = self.moved < LEAST;
        *self = Pace::new(now);
        too_slow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_span_has_to_bring_something() {
        let begin = Instant::now();
        let mut pace = Pace::new(begin);
        pace.moved(LEAST);
        assert!(!pace.is_too_slow(begin + SPAN / 2));
        assert!(!pace.is_too_slow(begin + SPAN));
        pace.moved(LEAST - 1);
        assert!(!pace.is_too_slow(begin + SPAN + SPAN / 2));
        assert!(
            pace.is_too_slow(begin + 2 * SPAN),
            "bytes of earlier spans do not count"
        );
    }
}

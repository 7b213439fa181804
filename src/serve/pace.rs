//! The least pace at which bytes must move: slower connections are closed.

use std::time::Duration;

use tokio::time::Instant;

/// Within each span of this length...
pub(super) const SPAN: Duration = Duration::from_secs(10);

/// ... this many bytes must move, unless none are left.
pub(super) const LEAST: usize = 32 << 10;

/// How bytes move.
pub(super) struct Pace {
    /// The end of the present span.
    end: Instant,
    /// How many bytes have moved in it.
    moved: usize,
}

impl Pace {
    /// A first span begins now.
    pub(super) fn new(now: Instant) -> Pace {
        Pace {
            end: now + SPAN,
            moved: 0,
        }
    }

    /// When to ask again whether it is fast enough.
    pub(super) fn end(&self) -> Instant {
        self.end
    }

    pub(super) fn moved(&mut self, bytes: usize) {
        self.moved = self.moved.saturating_add(bytes);
    }

    /// Whether a span has ended in which too little moved. If enough did, the next one begins.
    pub(super) fn is_too_slow(&mut self, now: Instant) -> bool {
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
            "what came before does not count"
        );
    }
}

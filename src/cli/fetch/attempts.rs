//! Repeated attempts, with growing pauses.

use std::thread;
use std::time::{Duration, Instant};

use granero_answer::amounts::duration;
use granero_console::failure::Failure;

/// The attempts without progress before a host is given up.
const ATTEMPTS: u32 = 8;

/// The attempts to fetch a file. The count restarts when more of the file has arrived than ever before, and
/// fast enough: otherwise a host that sends one byte each time would be asked forever.
pub(crate) struct Attempts {
    /// The first pause. Each pause is twice as long as the one before.
    pause: Duration,
    /// The least bytes per second, pauses included.
    least: u64,
    since: Instant,
    failed: u32,
    most: u64,
}

impl Attempts {
    /// Starts counting; `arrived` bytes are there already.
    pub(crate) fn new(pause: Duration, least: u64, arrived: u64) -> Attempts {
        Attempts {
            pause,
            least,
            since: Instant::now(),
            failed: 0,
            most: arrived,
        }
    }

    /// Reports a failed attempt, after which `arrived` bytes are there, and waits before the next one. Fails if
    /// it was the last attempt.
    pub(crate) fn again(
        &mut self,
        url: &str,
        problem: &str,
        arrived: u64,
        say: impl FnOnce(&str),
    ) -> Result<(), Failure> {
        let more = arrived.saturating_sub(self.most);
        if more > 0 && more as f64 >= self.least as f64 * self.since.elapsed().as_secs_f64() {
            self.failed = 0;
        }
        (self.most, self.since) = (self.most + more, Instant::now());
        self.failed += 1;
        if self.failed == ATTEMPTS {
            return Err(Failure::Data {
                message: format!("{url}: given up after {ATTEMPTS} attempts: {problem}"),
                help:
                    "try again when the host can be reached; the same command continues the download"
                        .into(),
            });
        }
        let pause = self.pause.saturating_mul(1 << (self.failed - 1));
        say(&format!("{url}: {problem}; again in {}", duration(pause)));
        thread::sleep(pause);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_restarts_the_count_of_attempts() {
        let mut attempts = Attempts::new(Duration::ZERO, 0, 10);
        let mut said = Vec::new();
        let mut again = |arrived| {
            attempts
                .again("u", "cut off", arrived, |text| said.push(text.to_string()))
                .is_ok()
        };
        for arrived in [0, 5, 10, 3, 10, 10, 2] {
            assert!(again(arrived));
        }
        // The eighth would have been the last one.
        for arrived in [11, 11, 0, 11, 9, 11, 11] {
            assert!(again(arrived));
        }
        assert!(!again(11));
        assert_eq!(said[0], "u: cut off; again in 0 ms");
        let mut slow = Attempts::new(Duration::ZERO, u64::MAX, 0);
        assert!((1..8).all(|arrived| slow.again("u", "slow", arrived, |_| {}).is_ok()));
        assert!(slow.again("u", "slow", 8, |_| {}).is_err());
    }
}

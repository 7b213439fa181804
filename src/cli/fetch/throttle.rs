//! Keeps to the most bytes per second that the user allows.

use std::thread;
use std::time::{Duration, Instant};

pub(crate) struct Throttle {
    /// The most bytes per second.
    rate: Option<u64>,
    begin: Instant,
    bytes: u64,
}

impl Throttle {
    pub(crate) fn new(rate: Option<u64>) -> Throttle {
        Throttle {
            rate,
            begin: Instant::now(),
            bytes: 0,
        }
    }

    /// Returns the most bytes to take at a time, so that pauses are short.
    pub(crate) fn piece(&self, most: usize) -> usize {
        let rate = self.rate.map_or(usize::MAX, |rate| rate as usize);
        most.min((rate / 4).max(1))
    }

    /// Waits after `bytes` bytes have come.
    pub(crate) fn took(&mut self, bytes: usize) {
        self.forget_a_pause();
        self.bytes += bytes as u64;
        thread::sleep(self.due().saturating_sub(self.begin.elapsed()));
    }

    /// Starts again after a pause, so that the bytes after it do not come faster to make up for it.
    fn forget_a_pause(&mut self) {
        if self.begin.elapsed() > self.due() + Duration::from_secs(1) {
            self.begin = Instant::now();
            self.bytes = 0;
        }
    }

    /// Returns the time after which the bytes so far were due.
    fn due(&self) -> Duration {
        let seconds = self.rate.map(|rate| self.bytes as f64 / rate as f64);
        let due = seconds.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or_default());
        due.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_no_faster_than_they_may() {
        let mut throttle = Throttle::new(Some(1 << 20));
        assert_eq!(throttle.piece(1 << 20), 1 << 18);
        throttle.bytes = 3 << 20;
        assert_eq!(throttle.due(), Duration::from_secs(3));
        throttle.forget_a_pause();
        assert_eq!(throttle.bytes, 3 << 20);
        throttle.begin = Instant::now().checked_sub(Duration::from_secs(5)).unwrap();
        throttle.forget_a_pause();
        assert_eq!(throttle.due(), Duration::ZERO);
        assert_eq!(Throttle::new(Some(1)).piece(1 << 16), 1);
        let mut free = Throttle::new(None);
        assert_eq!(free.piece(1 << 16), 1 << 16);
        free.bytes = u64::MAX;
        assert_eq!(free.due(), Duration::ZERO);
    }
}

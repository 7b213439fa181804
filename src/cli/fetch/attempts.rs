//! Repeated attempts, with growing pauses, at all mirrors in turn.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use granero_answer::amounts::duration;
use granero_console::failure::Failure;

use super::{Mirrors, Trouble};

/// The attempts without progress before a file is given up, at each mirror.
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
    /// The mirrors that cannot send the file.
    refused: BTreeSet<usize>,
    /// The first lasting problem other than that a mirror lacks the file.
    lasting: Option<Failure>,
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
            refused: BTreeSet::new(),
            lasting: None,
        }
    }

    /// Reports that the mirror lacks the file, and turns to the next one that may have it. Returns whether there is
    /// one; fails if there is none and another problem kept a mirror from sending the file.
    pub(crate) fn lacks(&mut self, mirrors: &mut Mirrors) -> Result<bool, Failure> {
        self.refused.insert(mirrors.turn);
        if self.refused.len() == mirrors.count() {
            return self.lasting.take().map_or(Ok(false), Err);
        }
        self.turn(mirrors);
        Ok(true)
    }

    /// Turns to the next mirror that may have the file.
    fn turn(&self, mirrors: &mut Mirrors) {
        mirrors.next();
        while self.refused.contains(&mirrors.turn) {
            mirrors.next();
        }
    }

    /// Reports a failed attempt to fetch `name`, after which `arrived` bytes are there, and turns to the next
    /// mirror, after a pause if all were asked. Fails if it was the last attempt.
    pub(crate) fn again(
        &mut self,
        mirrors: &mut Mirrors,
        name: &str,
        trouble: Trouble,
        arrived: u64,
        say: impl FnOnce(&str),
    ) -> Result<(), Failure> {
        let url = mirrors.address(name);
        let problem = match trouble {
            Trouble::Passing(problem) => problem,
            lasting => {
                let problem = match lasting {
                    Trouble::Lasting(problem) => {
                        self.lasting.get_or_insert_with(|| refused(&url, &problem));
                        problem
                    }
                    _ => "the host does not have it".into(),
                };
                if !self.lacks(mirrors)? {
                    return Err(refused(&url, &problem));
                }
                say(&format!("{url}: {problem}; going on with the next mirror"));
                return Ok(());
            }
        };
        let more = arrived.saturating_sub(self.most);
        if more > 0 && more as f64 >= self.least as f64 * self.since.elapsed().as_secs_f64() {
            self.failed = 0;
        }
        (self.most, self.since) = (self.most + more, Instant::now());
        self.failed += 1;
        self.turn(mirrors);
        let hosts = (mirrors.count() - self.refused.len()) as u32;
        if self.failed >= ATTEMPTS * hosts {
            return Err(Failure::Data {
                message: format!(
                    "{url}: given up after {} attempts: {problem}",
                    self.failed
                ),
                help:
                    "try again when the host can be reached; the same command continues the download"
                        .into(),
            });
        }
        if !self.failed.is_multiple_of(hosts) {
            say(&format!("{url}: {problem}; going on with the next mirror"));
            return Ok(());
        }
        let pause = self.pause.saturating_mul(1 << (self.failed / hosts - 1));
        say(&format!("{url}: {problem}; again in {}", duration(pause)));
        thread::sleep(pause);
        Ok(())
    }
}

/// Returns the error that the host's file cannot be used.
pub(crate) fn refused(url: &str, problem: &str) -> Failure {
    Failure::Data {
        message: format!("{url}: {problem}"),
        help: "check the address, and tell the people who run the host; all fetched files stay"
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::Settings;

    const SETTINGS: Settings<'_> = Settings {
        patience: Duration::from_secs(1),
        least: 0,
        authorities: None,
    };

    #[test]
    fn progress_restarts_the_count_of_attempts() {
        let mut mirrors = Mirrors::of(["http://u".into()], &SETTINGS).unwrap();
        let mut attempts = Attempts::new(Duration::ZERO, 0, 10);
        let mut said = Vec::new();
        let mut again = |arrived| {
            let trouble = Trouble::Passing("cut off".into());
            let say = |text: &str| said.push(text.to_string());
            attempts
                .again(&mut mirrors, "f", trouble, arrived, say)
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
        assert_eq!(said[0], "http://u/f: cut off; again in 0 ms");
        let mut slow = Attempts::new(Duration::ZERO, u64::MAX, 0);
        let mut again = |arrived| {
            let trouble = Trouble::Passing("slow".into());
            slow.again(&mut mirrors, "f", trouble, arrived, |_| {})
                .is_ok()
        };
        assert!((1..8).all(&mut again));
        assert!(!again(8));
    }
}

//! Processes that are waited for without any sign: they were stopped, or have much to do.

use std::time::{Duration, Instant};

/// Gets a process, and the time for which it has been waited for.
type Tell = Box<dyn FnMut(usize, Duration) + Send>;

/// The processes that another one waits for.
pub(crate) struct Silence {
    /// By process.
    waits: Vec<Option<Wait>>,
    /// The time to wait before someone is told, and who is told.
    tell: Option<(Duration, Tell)>,
}

/// Waiting for a process without any sign of it.
#[derive(Clone, Copy)]
struct Wait {
    since: Instant,
    /// When to tell of it.
    next: Duration,
}

/// The most time between two messages about the same wait.
const RARELY: Duration = Duration::from_secs(60 * 60);

impl Silence {
    pub(super) fn new(processes: usize) -> Silence {
        Silence {
            waits: vec![None; processes],
            tell: None,
        }
    }

    /// Calls `tell` from now on.
    pub(super) fn tell(&mut self, after: Duration, tell: Tell) {
        self.tell = Some((after.max(Duration::from_millis(1)), tell));
    }

    /// A process is waited for, still or from now on.
    pub(crate) fn waits_for(&mut self, process: usize) {
        let Some((after, tell)) = &mut self.tell else {
            return;
        };
        let wait = self.waits[process].get_or_insert_with(|| Wait {
            since: Instant::now(),
            next: *after,
        });
        let waited = wait.since.elapsed();
        if waited >= wait.next {
            wait.next = (2 * waited).min(waited + RARELY);
            tell(process, waited);
        }
    }

    /// A process has given a sign.
    pub(super) fn sign_of(&mut self, process: usize) {
        self.waits[process] = None;
    }

    /// No process is waited for.
    pub(crate) fn is_over(&mut self) {
        self.waits.fill(None);
    }
}

//! Faults of writing, for tests.

use std::fmt;
use std::io;
use std::ops::RangeBounds;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Test hook: called before each step of writing, which fails if it returns an error.
#[derive(Default)]
pub(super) struct Medium(Option<Box<dyn Fn() -> io::Result<()> + Send + Sync>>);

impl fmt::Debug for Medium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Medium").finish_non_exhaustive()
    }
}

impl Medium {
    pub(super) fn with_hook(hook: impl Fn() -> io::Result<()> + Send + Sync + 'static) -> Medium {
        Medium(Some(Box::new(hook)))
    }

    /// Fails in some steps, as on a full disk.
    pub(super) fn full_during(steps: impl RangeBounds<usize> + Send + Sync + 'static) -> Medium {
        let done = AtomicUsize::new(0);
        Medium::with_hook(move || {
            if steps.contains(&done.fetch_add(1, Ordering::Relaxed)) {
                return Err(io::ErrorKind::StorageFull.into());
            }
            Ok(())
        })
    }

    pub(super) fn step(&self) -> io::Result<()> {
        self.0.as_ref().map_or(Ok(()), |hook| hook())
    }
}

//! Test hook: makes steps of writing fail.

use std::{fmt, io};

/// Called before each step; an error makes the step fail.
type Hook = dyn Fn() -> io::Result<()> + Send + Sync;

/// Test hook: makes steps of writing fail, or does something before them.
#[derive(Default)]
pub(super) struct Medium {
    hook: Option<Box<Hook>>,
}

impl fmt::Debug for Medium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Medium").finish_non_exhaustive()
    }
}

impl Medium {
    pub(super) fn with_hook(hook: impl Fn() -> io::Result<()> + Send + Sync + 'static) -> Medium {
        Medium {
            hook: Some(Box::new(hook)),
        }
    }

    pub(super) fn step(&self) -> io::Result<()> {
        self.hook.as_ref().map_or(Ok(()), |hook| hook())
    }
}

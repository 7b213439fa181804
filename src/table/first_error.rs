//! Sets an error of a caller's function aside until the work that called it ends.
//!
//! The code in between only knows that it was stopped. So it is compiled once, and not again for each type
//! of error and each closure of every program that uses the library.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex whose content no panic leaves half-changed.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first error of a caller's function.
pub struct FirstError<E>(Mutex<Option<E>>);

/// Stands for an error that was kept; only [`FirstError::keep`] makes one.
#[derive(Clone, Copy, Debug)]
pub struct Stopped(());

impl<E> FirstError<E> {
    pub fn none() -> FirstError<E> {
        FirstError(Mutex::new(None))
    }

    /// Keeps an error, unless there was one before.
    pub fn keep(&self, error: E) -> Stopped {
        lock(&self.0).get_or_insert(error);
        Stopped(())
    }

    /// The result of the work, with the error that ended it.
    pub fn of<T>(self, result: Result<T, Stopped>) -> Result<T, E> {
        result.map_err(|Stopped(())| {
            let first = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
            first.expect("an error that was kept")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_was_kept_ends_the_work() {
        let work = |fails: bool| {
            let first = FirstError::none();
            let done = if fails {
                Err(first.keep("why")).map_err(|_| first.keep("later"))
            } else {
                Ok(3)
            };
            first.of(done)
        };
        assert_eq!(work(true), Err("why"));
        assert_eq!(work(false), Ok(3));
    }
}

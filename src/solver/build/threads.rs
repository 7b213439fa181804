//! The threads of a build.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use super::BuildError;
use crate::tuning::Tuning;
use granero_table::index::Layer;

/// The threads of a build.
pub struct Threads {
    all: ThreadPool,
    /// For the current layer, if it is too small for all.
    few: Option<ThreadPool>,
    /// For the layer that is written while the next one is solved.
    pub(super) writing: Option<ThreadPool>,
    worth_a_thread: u64,
}

/// The number of threads that write a layer while others solve the next one, if any do.
pub(super) fn writers(threads: usize) -> Option<usize> {
    (threads > 1).then_some(threads / 2)
}

impl Threads {
    /// Starts the threads.
    pub fn new(threads: usize, tuning: Tuning) -> Result<Threads, BuildError> {
        let all = pool(threads).map_err(|error| BuildError::NoThreads {
            threads,
            source: error.into(),
        })?;
        // If the system gives no more threads, no layer is written while another is solved.
        let writing = writers(threads).and_then(|writers| pool(writers).ok());
        Ok(Threads {
            all,
            few: None,
            writing,
            worth_a_thread: tuning.worth_a_thread,
        })
    }

    /// All threads.
    pub fn all(&self) -> &ThreadPool {
        &self.all
    }

    /// The threads that solve a layer, and those that write the one before at the same time.
    pub fn of(&mut self, layer: Layer) -> (&ThreadPool, Option<&ThreadPool>) {
        let worthwhile = (layer.len() / self.worth_a_thread).max(1) as usize;
        let is_right = |few: &ThreadPool| few.current_num_threads() == worthwhile;
        if worthwhile >= self.all.current_num_threads() {
            self.few = None;
        } else if !self.few.as_ref().is_some_and(is_right) {
            // If the system gives no more threads, all threads solve the layer.
            self.few = pool(worthwhile).ok();
        }
        (
            self.few.as_ref().unwrap_or(&self.all),
            self.writing.as_ref(),
        )
    }
}

fn pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads).build()
}

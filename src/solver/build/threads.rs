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
    worth_a_thread: u64,
}

impl Threads {
    /// Starts the threads.
    pub fn new(threads: usize, tuning: Tuning) -> Result<Threads, BuildError> {
        let all = pool(threads).map_err(|error| BuildError::NoThreads {
            threads,
            source: error.into(),
        })?;
        Ok(Threads {
            all,
            few: None,
            worth_a_thread: tuning.worth_a_thread,
        })
    }

    /// All threads.
    pub fn all(&self) -> &ThreadPool {
        &self.all
    }

    /// The threads for a layer.
    pub fn of(&mut self, layer: Layer) -> &ThreadPool {
        let worthwhile = (layer.len() / self.worth_a_thread).max(1) as usize;
        let is_right = |few: &ThreadPool| few.current_num_threads() == worthwhile;
        if worthwhile >= self.all.current_num_threads() {
            self.few = None;
        } else if !self.few.as_ref().is_some_and(is_right) {
            // If the system gives no more threads, all do the work.
            self.few = pool(worthwhile).ok();
        }
        self.few.as_ref().unwrap_or(&self.all)
    }
}

fn pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads).build()
}

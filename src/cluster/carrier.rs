//! Carriers of messages, and their errors.

use std::error::Error;

use granero_solver::build::BuildError;
use granero_table::TableError;

/// Carries messages from this process to others. Nothing here waits.
///
/// Messages from one process to another arrive in the order in which they were sent, each once.
pub trait Carrier: Send {
    /// The number of this process.
    fn process(&self) -> usize;

    /// The number of processes.
    fn processes(&self) -> usize;

    /// Begins to send a message to another process. Gives it back if four messages are under way there,
    /// of which that process has not begun to take one.
    ///
    /// # Errors
    ///
    /// When the other process has ended, or nothing can be sent.
    fn send(&mut self, to: usize, message: Vec<u8>) -> Result<Option<Vec<u8>>, ClusterError>;

    /// The next message of another process, if it has arrived.
    ///
    /// # Errors
    ///
    /// When the other process has ended, or nothing can be received.
    fn receive(&mut self, from: usize) -> Result<Option<Vec<u8>>, ClusterError>;

    /// Tells the others that this process fails and why, if the carrier has a way: their error is then
    /// [`ClusterError::Failed`]. Returns that error if another process is known to have failed before.
    fn fail(&mut self, _why: &str) -> Option<ClusterError> {
        None
    }
}

/// Reasons why processes cannot work together, or no longer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// This process cannot build.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Another process has ended.
    #[error("process {process} has ended")]
    Gone {
        /// The other process.
        process: usize,
    },
    /// Another process has failed.
    #[error("process {process} has ended: {why}")]
    Failed {
        /// The other process.
        process: usize,
        /// Its error and the causes.
        why: String,
    },
    /// Messages cannot be carried.
    #[error("messages cannot be carried")]
    Carrier(#[source] Box<dyn Error + Send + Sync>),
    /// A message is damaged or unexpected.
    #[error("a message from process {from} {what}")]
    BadMessage {
        /// The process that sent it.
        from: usize,
        /// The fault, as the end of a sentence.
        what: &'static str,
    },
    /// Processes were started with different programs or options.
    #[error("process {process} builds something else: {other}, and process 0 {first}")]
    Different {
        /// The process that differs from process 0.
        process: usize,
        /// The build of that process.
        other: String,
        /// The build of process 0.
        first: String,
    },
}

/// The error for a message; `what` is the fault, as the end of a sentence.
pub(crate) fn bad(from: usize, what: &'static str) -> ClusterError {
    ClusterError::BadMessage { from, what }
}

impl From<TableError> for ClusterError {
    fn from(error: TableError) -> ClusterError {
        BuildError::from(error).into()
    }
}

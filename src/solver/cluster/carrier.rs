//! What carries parcels from one rank to another.

use std::error::Error;

/// Carries parcels from this rank to others. Nothing here waits.
///
/// Parcels from one rank to another arrive in the order in which they were sent, each once.
pub trait Carrier: Send {
    /// The number of this rank.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn ranks(&self) -> usize;

    /// Begins to send a parcel to another rank. Gives it back if four parcels are under way there,
    /// of which that rank has not begun to take one.
    ///
    /// # Errors
    ///
    /// When the other rank has ended, or nothing can be sent.
    fn send(&mut self, to: usize, parcel: Vec<u8>) -> Result<Option<Vec<u8>>, ClusterError>;

    /// The next parcel of another rank, if it has arrived.
    ///
    /// # Errors
    ///
    /// When the other rank has ended, or nothing can be received.
    fn receive(&mut self, from: usize) -> Result<Option<Vec<u8>>, ClusterError>;

    /// This rank fails, and takes part no more. Tells the others why, if the carrier has a way: their
    /// error is [`ClusterError::Failed`] then. Returns that error if another rank is known to have failed
    /// before this one.
    fn fail(&mut self, _why: &str) -> Option<ClusterError> {
        None
    }
}

/// Why ranks cannot work together, or no longer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// Another rank has ended.
    #[error("rank {rank} has ended")]
    Gone {
        /// The other rank.
        rank: usize,
    },
    /// Another rank has failed.
    #[error("rank {rank} has ended: {why}")]
    Failed {
        /// The other rank.
        rank: usize,
        /// Its error, and the causes of that.
        why: String,
    },
    /// Parcels cannot be carried.
    #[error("parcels cannot be carried")]
    Carrier(#[source] Box<dyn Error + Send + Sync>),
    /// A parcel is not what it should be.
    #[error("a parcel from rank {from} {what}")]
    BadParcel {
        /// The rank that sent it.
        from: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Ranks were started with different programs or options.
    #[error("rank {rank} builds something else: {other}, and rank 0 {first}")]
    Different {
        /// The rank that differs from rank 0.
        rank: usize,
        /// What it would build.
        other: String,
        /// What rank 0 would build.
        first: String,
    },
}

//! Ranks within a process, for tests: each is a thread.

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};

use super::carrier::{Carrier, ClusterError};
use super::parcel::Sizes;

/// Carries parcels between threads of a process.
#[derive(Debug)]
pub struct Channels {
    rank: usize,
    /// By rank.
    to: Vec<SyncSender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
    /// The first rank that has failed, and why. All ranks see it.
    failure: Arc<OnceLock<(usize, String)>>,
}

/// What carries the parcels of so many ranks within this process: one for each rank, in their order.
///
/// ```
/// use granero::cluster::{Carrier, channels};
///
/// let mut ranks = channels(2);
/// assert_eq!(ranks[0].send(1, vec![7])?, None);
/// assert_eq!(ranks[1].receive(0)?, Some(vec![7]));
/// # Ok::<(), granero::cluster::ClusterError>(())
/// ```
pub fn channels(ranks: usize) -> Vec<Channels> {
    channels_for(ranks, Sizes::USUAL.under_way)
}

/// The same, with at most so many parcels under way from one rank to another.
pub(super) fn channels_for(ranks: usize, under_way: usize) -> Vec<Channels> {
    let failure = Arc::default();
    let (mut senders, mut receivers): (Vec<Vec<_>>, Vec<Vec<_>>) = Default::default();
    for _ in 0..ranks {
        let (to, from) = (0..ranks).map(|_| sync_channel(under_way)).unzip();
        senders.push(to);
        receivers.push(from);
    }
    let mut receivers: Vec<_> = receivers.into_iter().map(Vec::into_iter).collect();
    let mut column = || -> Vec<_> {
        let next = receivers.iter_mut();
        next.map(|row| row.next().expect("a channel")).collect()
    };
    let ranks = senders.into_iter().enumerate();
    ranks
        .map(|(rank, to)| Channels {
            rank,
            to,
            from: column(),
            failure: Arc::clone(&failure),
        })
        .collect()
}

impl Channels {
    /// The error of a rank that has failed.
    fn failed(&self) -> Option<ClusterError> {
        let (rank, why) = self.failure.get()?.clone();
        Some(ClusterError::Failed { rank, why })
    }

    /// Nothing can be carried now, and never if a rank has failed.
    fn not_now<T>(&self, nothing: T) -> Result<T, ClusterError> {
        self.failed().map_or(Ok(nothing), Err)
    }

    /// Another rank has ended.
    fn gone(&self, rank: usize) -> ClusterError {
        self.failed().unwrap_or(ClusterError::Gone { rank })
    }
}

impl Carrier for Channels {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.to.len()
    }

    fn send(&mut self, to: usize, parcel: Vec<u8>) -> Result<Option<Vec<u8>>, ClusterError> {
        match self.to[to].try_send(parcel) {
            Ok(()) => Ok(None),
            Err(TrySendError::Full(parcel)) => self.not_now(Some(parcel)),
            Err(TrySendError::Disconnected(_)) => Err(self.gone(to)),
        }
    }

    fn receive(&mut self, from: usize) -> Result<Option<Vec<u8>>, ClusterError> {
        match self.from[from].try_recv() {
            Ok(parcel) => Ok(Some(parcel)),
            Err(TryRecvError::Empty) => self.not_now(None),
            Err(TryRecvError::Disconnected) => Err(self.gone(from)),
        }
    }

    fn fail(&mut self, why: &str) -> Option<ClusterError> {
        let (first, _) = self.failure.get_or_init(|| (self.rank, why.into()));
        match *first == self.rank {
            true => None,
            false => self.failed(),
        }
    }
}

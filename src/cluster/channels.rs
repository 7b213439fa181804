//! Ranks within a process, for tests: each is a thread.

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};

use super::carrier::{Carrier, ClusterError};
use super::parcel::UNDER_WAY;

/// Carries parcels between threads of a process.
#[derive(Debug)]
pub struct Channels {
    rank: usize,
    /// By rank.
    to: Vec<SyncSender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
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
    let (mut senders, mut receivers): (Vec<Vec<_>>, Vec<Vec<_>>) = Default::default();
    for _ in 0..ranks {
        let (to, from) = (0..ranks).map(|_| sync_channel(UNDER_WAY)).unzip();
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
        })
        .collect()
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
            Err(TrySendError::Full(parcel)) => Ok(Some(parcel)),
            Err(TrySendError::Disconnected(_)) => Err(ClusterError::Gone { rank: to }),
        }
    }

    fn receive(&mut self, from: usize) -> Result<Option<Vec<u8>>, ClusterError> {
        match self.from[from].try_recv() {
            Ok(parcel) => Ok(Some(parcel)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(ClusterError::Gone { rank: from }),
        }
    }
}

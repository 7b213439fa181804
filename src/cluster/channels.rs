//! Processes that are threads of one program, for tests.

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};

use crate::carrier::{Carrier, ClusterError};
use crate::cluster::UNDER_WAY;

/// Carries messages between threads of a process.
#[derive(Debug)]
pub struct Channels {
    process: usize,
    /// By process.
    to: Vec<SyncSender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
    /// The first process that has failed, and why. All processes see it.
    failure: Arc<OnceLock<(usize, String)>>,
}

/// Returns carriers between processes that are threads of this program, in their order.
///
/// ```
/// use granero::cluster::{Carrier, channels};
///
/// let mut processes = channels(2);
/// assert_eq!(processes[0].send(1, vec![7])?, None);
/// assert_eq!(processes[1].receive(0)?, Some(vec![7]));
/// # Ok::<(), granero::cluster::ClusterError>(())
/// ```
pub fn channels(processes: usize) -> Vec<Channels> {
    channels_for(processes, UNDER_WAY)
}

/// Like [`channels`], with at most `under_way` messages on their way from one process to another.
pub(crate) fn channels_for(processes: usize, under_way: usize) -> Vec<Channels> {
    let failure = Arc::default();
    let (mut senders, mut receivers): (Vec<Vec<_>>, Vec<Vec<_>>) = Default::default();
    for _ in 0..processes {
        let (to, from) = (0..processes).map(|_| sync_channel(under_way)).unzip();
        senders.push(to);
        receivers.push(from);
    }
    let mut receivers: Vec<_> = receivers.into_iter().map(Vec::into_iter).collect();
    let mut column = || -> Vec<_> {
        let next = receivers.iter_mut();
        next.map(|row| row.next().expect("a channel")).collect()
    };
    let processes = senders.into_iter().enumerate();
    processes
        .map(|(process, to)| Channels {
            process,
            to,
            from: column(),
            failure: Arc::clone(&failure),
        })
        .collect()
}

impl Channels {
    /// The error if a process has failed.
    fn failed(&self) -> Option<ClusterError> {
        let (process, why) = self.failure.get()?.clone();
        Some(ClusterError::Failed { process, why })
    }

    /// Returns `nothing`, or the error if a process has failed.
    fn not_now<T>(&self, nothing: T) -> Result<T, ClusterError> {
        self.failed().map_or(Ok(nothing), Err)
    }

    /// The error if another process has ended.
    fn gone(&self, process: usize) -> ClusterError {
        self.failed().unwrap_or(ClusterError::Gone { process })
    }
}

impl Carrier for Channels {
    fn process(&self) -> usize {
        self.process
    }

    fn processes(&self) -> usize {
        self.to.len()
    }

    fn send(&mut self, to: usize, message: Vec<u8>) -> Result<Option<Vec<u8>>, ClusterError> {
        match self.to[to].try_send(message) {
            Ok(()) => Ok(None),
            Err(TrySendError::Full(message)) => self.not_now(Some(message)),
            Err(TrySendError::Disconnected(_)) => Err(self.gone(to)),
        }
    }

    fn receive(&mut self, from: usize) -> Result<Option<Vec<u8>>, ClusterError> {
        match self.from[from].try_recv() {
            Ok(message) => Ok(Some(message)),
            Err(TryRecvError::Empty) => self.not_now(None),
            Err(TryRecvError::Disconnected) => Err(self.gone(from)),
        }
    }

    fn fail(&mut self, why: &str) -> Option<ClusterError> {
        let (first, _) = self.failure.get_or_init(|| (self.process, why.into()));
        self.failed().filter(|_| *first != self.process)
    }
}

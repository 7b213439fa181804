//! Solving a layer together with other processes.

use std::ops::Range;

use crate::carry::{Cluster, ClusterError, Message, Patience, Purpose, Received, bad};
use crate::checkpoints;
use crate::owners::Owners;
use granero_solver::checkpoint::CheckpointStore;
use granero_solver::processes::Peers;
use granero_table::first_error::{FirstError, Stopped};

/// The other processes that solve a layer.
pub(crate) struct Joint<'a> {
    pub(crate) cluster: &'a mut Cluster,
    pub(crate) owners: &'a Owners,
    /// Gets the error that ends the work.
    pub(crate) first: &'a FirstError<ClusterError>,
}

/// The exchange with another process.
#[derive(Default)]
struct With {
    /// A message that is not sent yet.
    message: Option<Message>,
    /// The last message was made.
    has_ended: bool,
    /// The last message has arrived.
    has_come: bool,
}

impl Joint<'_> {
    fn swap(
        &mut self,
        count: u64,
        next: &mut dyn FnMut(usize, &mut Vec<u8>) -> bool,
        take: &mut dyn FnMut(usize, &[u8]) -> Option<()>,
    ) -> Result<u64, ClusterError> {
        let cluster = &mut *self.cluster;
        cluster.begin_step();
        let mut others: Vec<(usize, With)> = cluster
            .others()
            .map(|other| (other, With::default()))
            .collect();
        let (mut sum, mut patience) = (count, Patience::default());
        loop {
            let mut any = false;
            for (other, with) in &mut others {
                while with.message.is_some() || !with.has_ended {
                    if with.message.is_none() {
                        let mut message = Message::new();
                        let mut bytes = Vec::new();
                        with.has_ended = !next(*other, &mut bytes);
                        message.bytes().append(&mut bytes);
                        message.bytes().extend(count.to_le_bytes());
                        with.message = Some(message);
                    }
                    let purpose = if with.has_ended {
                        Purpose::LastChanges
                    } else {
                        Purpose::Changes
                    };
                    if !cluster.try_send(*other, purpose, &mut with.message)? {
                        break;
                    }
                    any = true;
                }
                while !with.has_come {
                    let Some(Received { purpose, message }) = cluster.take(*other)? else {
                        break;
                    };
                    any = true;
                    with.has_come = purpose == Purpose::LastChanges;
                    if !with.has_come && purpose != Purpose::Changes {
                        return Err(bad(*other, "is not what was expected"));
                    }
                    let parts = message.body().split_last_chunk();
                    let made = parts.and_then(|(bytes, &count)| {
                        take(*other, bytes)?;
                        Some(u64::from_le_bytes(count))
                    });
                    let made = made.ok_or(bad(*other, "has changes that the layer cannot have"))?;
                    sum += if with.has_come { made } else { 0 };
                }
            }
            let is_done = |with: &With| with.message.is_none() && with.has_ended && with.has_come;
            let mut left = others.iter().filter(|(_, with)| !is_done(with)).peekable();
            if left.peek().is_none() {
                return Ok(sum);
            }
            if any {
                patience = Patience::default();
                continue;
            }
            left.for_each(|&(other, _)| cluster.silence.waits_for(other));
            patience.wait();
        }
    }
}

impl Peers for Joint<'_> {
    fn process(&self) -> usize {
        self.cluster.process()
    }

    fn processes(&self) -> usize {
        self.cluster.processes()
    }

    fn movers(&self, process: usize, own: u8) -> Range<u32> {
        self.owners.rows(process, own)
    }

    fn message(&self) -> usize {
        self.cluster.sizes.message
    }

    fn swap(
        &mut self,
        count: u64,
        next: &mut dyn FnMut(usize, &mut Vec<u8>) -> bool,
        take: &mut dyn FnMut(usize, &[u8]) -> Option<()>,
    ) -> Result<u64, Stopped> {
        let swapped = Joint::swap(self, count, next, take);
        swapped.map_err(|error| self.first.keep(error))
    }

    fn keep(
        &mut self,
        name: &[u8],
        lengths: &[Vec<usize>],
        own: &[&[u8]],
        store: &mut dyn CheckpointStore,
    ) -> Result<(), Stopped> {
        checkpoints::keep(self, name, lengths, own, store)
    }

    fn resume(
        &mut self,
        names: &[&[u8]],
        lengths: &[Vec<usize>],
        own: Vec<&mut [u8]>,
        store: &mut dyn CheckpointStore,
    ) -> Result<Option<(usize, bool)>, Stopped> {
        checkpoints::resume(self, names, lengths, own, store)
    }
}

//! Carries messages with MPI.
//!
//! A message is sent synchronously in the sense of MPI: the send is done when the receiver has begun to take
//! it. So what is under way is bounded, and nothing piles up at a slow receiver. If a call of MPI fails, MPI says so
//! and ends all processes.

use std::collections::VecDeque;
use std::mem;

use granero::cluster::{Carrier, ClusterError};
use mpi::request::{Request, StaticScope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Equivalence, Source};

/// The most sends to a process that are not done: what [`Carrier::send`] promises.
const UNDER_WAY: usize = 4;

/// Carries messages between processes that MPI has started.
pub(super) struct MpiCarrier {
    world: SimpleCommunicator,
    /// By process: the sends that may not be done, in their order.
    sending: Vec<VecDeque<Transfer>>,
    /// By process: a message that is being received.
    receiving: Vec<Option<Transfer>>,
}

/// A send or receive in the background. Its bytes are leaked, because MPI may read or write them until it is done.
struct Transfer {
    request: Request<'static, [u8]>,
    bytes: *mut [u8],
}

// SAFETY: handles of MPI may be used by any thread. MPI was initialised so that threads may call it one
// at a time, and all calls while messages are carried go through one `MpiCarrier`, by `&mut`.
#[allow(unsafe_code)]
unsafe impl Send for MpiCarrier {}

#[allow(unsafe_code)]
impl Transfer {
    fn begin(
        bytes: Vec<u8>,
        begin: impl FnOnce(&'static mut [u8]) -> Request<'static, [u8]>,
    ) -> Transfer {
        let bytes: *mut [u8] = Box::into_raw(bytes.into_boxed_slice());
        // SAFETY: these are the bytes of a box, which `end` takes back when MPI is done with them.
        let request = begin(unsafe { &mut *bytes });
        Transfer { request, bytes }
    }

    /// Returns the bytes if it is done.
    fn end(self) -> Result<Vec<u8>, Transfer> {
        let Transfer { request, bytes } = self;
        match request.test() {
            // SAFETY: these are the bytes of a box, and the request is over.
            Ok(_) => Ok(unsafe { Box::from_raw(bytes) }.into_vec()),
            Err(request) => Err(Transfer { request, bytes }),
        }
    }
}

impl MpiCarrier {
    pub(super) fn new(world: SimpleCommunicator) -> MpiCarrier {
        let processes = world.size();
        MpiCarrier {
            world,
            sending: (0..processes).map(|_| VecDeque::new()).collect(),
            receiving: (0..processes).map(|_| None).collect(),
        }
    }
}

impl Carrier for MpiCarrier {
    fn process(&self) -> usize {
        self.world.rank() as usize
    }

    fn processes(&self) -> usize {
        self.sending.len()
    }

    fn send(&mut self, to: usize, message: Vec<u8>) -> Result<Option<Vec<u8>>, ClusterError> {
        let sending = &mut self.sending[to];
        while let Some(first) = sending.pop_front() {
            if let Err(first) = first.end() {
                sending.push_front(first);
                break;
            }
        }
        if sending.len() >= UNDER_WAY {
            return Ok(Some(message));
        }
        let to = self.world.process_at_rank(to as i32);
        let send = |bytes: &'static mut [u8]| to.immediate_synchronous_send(StaticScope, &*bytes);
        sending.push_back(Transfer::begin(message, send));
        Ok(None)
    }

    fn receive(&mut self, from: usize) -> Result<Option<Vec<u8>>, ClusterError> {
        let receiving = self.receiving[from].take().or_else(|| {
            let from = self.world.process_at_rank(from as i32);
            let (message, status) = from.immediate_matched_probe()?;
            let bytes = vec![0; status.count(u8::equivalent_datatype()) as usize];
            Some(Transfer::begin(bytes, |bytes| {
                message.immediate_matched_receive_into(StaticScope, bytes)
            }))
        });
        match receiving.map(Transfer::end) {
            None => Ok(None),
            Some(Ok(bytes)) => Ok(Some(bytes)),
            Some(Err(open)) => {
                self.receiving[from] = Some(open);
                Ok(None)
            }
        }
    }
}

impl Drop for MpiCarrier {
    /// Waits until all that was sent is being taken: MPI must not end before. What did not end well ends
    /// without this, see [`Processes::end_all`](super::Processes::end_all).
    fn drop(&mut self) {
        for sent in self.sending.iter_mut().flat_map(mem::take) {
            sent.request.wait_without_status();
        }
        // MPI may still write to these.
        self.receiving.drain(..).for_each(mem::forget);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_mpi_may_still_write_to_are_kept() {
        const LENGTH: usize = 1000;
        let universe = mpi::initialize().unwrap();
        let mut carrier = MpiCarrier::new(universe.world());
        // Nothing is ever sent, so the receive stays begun.
        let from = carrier.world.process_at_rank(0);
        let begun = Transfer::begin(vec![0; LENGTH], |bytes| {
            from.immediate_receive_into(StaticScope, bytes)
        });
        let place: *const u8 = begun.bytes.cast();
        carrier.receiving[0] = Some(begun);
        drop(carrier);
        // Freed memory of this length would come first.
        let later: Vec<Vec<u8>> = (0..100).map(|_| Vec::with_capacity(LENGTH)).collect();
        assert!(later.iter().all(|bytes| bytes.as_ptr() != place));
    }
}

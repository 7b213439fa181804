//! Carries messages with MPI.
//!
//! What the crate `mpi` offers for sends that go on in the background borrows the bytes for a scope
//! that must be left before anything else is done. Here a request owns its bytes until it is done, which
//! takes the calls of MPI themselves.
//!
//! A message is sent synchronously in the sense of MPI: the send is done when the receiver has begun to take
//! it. So what is under way is bounded, and nothing piles up at a slow receiver.

use std::collections::VecDeque;
use std::ffi::c_int;
use std::mem;

use granero::cluster::{Carrier, ClusterError};
use mpi::ffi::{self, MPI_Comm, MPI_Message, MPI_Request, MPI_Status};
use mpi::raw::AsRaw;
use mpi::topology::{Communicator, SimpleCommunicator};

/// The most sends to a process that are not done: what [`Carrier::send`] promises.
const UNDER_WAY: usize = 4;

const TAG: c_int = 1;

/// Carries messages between processes that MPI has started.
pub(super) struct MpiCarrier {
    world: MPI_Comm,
    process: usize,
    /// By process: the sends that may not be done, in their order.
    sending: Vec<VecDeque<Request>>,
    /// By process: a message that is being received.
    receiving: Vec<Option<Request>>,
}

/// A send or receive in the background, and its bytes. They stay where they are when this is moved.
struct Request {
    request: MPI_Request,
    bytes: Vec<u8>,
}

// SAFETY: handles of MPI may be used by any thread. MPI was initialised so that threads may call it one
// at a time, and all calls while messages are carried go through one `MpiCarrier`, by `&mut`.
#[allow(unsafe_code)]
unsafe impl Send for MpiCarrier {}

#[allow(unsafe_code)]
impl Request {
    /// Returns whether it is done. Only then the bytes may be touched.
    fn is_done(&mut self) -> Result<bool, ClusterError> {
        let mut done = 0;
        // SAFETY: the request was begun by this module; MPI makes it the null request when it is
        // done, which is done again and again.
        let code = unsafe { ffi::MPI_Test(&mut self.request, &mut done, ffi::RSMPI_STATUS_IGNORE) };
        check(code, "MPI_Test")?;
        Ok(done != 0)
    }
}

impl Drop for Request {
    /// Keeps the bytes for ever if MPI may still read or write them: an error ended the work.
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: the constant is initialised by MPI; it is read only.
        if self.request != unsafe { ffi::RSMPI_REQUEST_NULL } {
            mem::forget(mem::take(&mut self.bytes));
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{call} of MPI returns error {code}")]
struct MpiError {
    call: &'static str,
    code: c_int,
}

fn check(code: c_int, call: &'static str) -> Result<(), ClusterError> {
    if code as u32 == ffi::MPI_SUCCESS {
        Ok(())
    } else {
        Err(ClusterError::Carrier(MpiError { call, code }.into()))
    }
}

#[allow(unsafe_code)]
impl MpiCarrier {
    pub(super) fn new(world: &SimpleCommunicator) -> MpiCarrier {
        let processes = world.size() as usize;
        let comm = world.as_raw();
        // SAFETY: a communicator and an error handler that exist as long as MPI does. Errors are
        // returned from now on, and each call is checked.
        unsafe { ffi::MPI_Comm_set_errhandler(comm, ffi::RSMPI_ERRORS_RETURN) };
        MpiCarrier {
            world: comm,
            process: world.rank() as usize,
            sending: (0..processes).map(|_| VecDeque::new()).collect(),
            receiving: (0..processes).map(|_| None).collect(),
        }
    }
}

#[allow(unsafe_code)]
impl Carrier for MpiCarrier {
    fn process(&self) -> usize {
        self.process
    }

    fn processes(&self) -> usize {
        self.sending.len()
    }

    fn send(&mut self, to: usize, message: Vec<u8>) -> Result<Option<Vec<u8>>, ClusterError> {
        let sending = &mut self.sending[to];
        while let Some(first) = sending.front_mut() {
            if !first.is_done()? {
                break;
            }
            sending.pop_front();
        }
        if sending.len() >= UNDER_WAY {
            return Ok(Some(message));
        }
        // SAFETY: the constant is initialised by MPI; it is read only.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: the bytes belong to a vector that `sending` owns and leaves alone until the send
        // is done; moving the vector does not move them.
        let code = unsafe {
            ffi::MPI_Issend(
                message.as_ptr().cast(),
                message.len() as c_int,
                ffi::RSMPI_UINT8_T,
                to as c_int,
                TAG,
                self.world,
                &mut request,
            )
        };
        check(code, "MPI_Issend")?;
        let bytes = message;
        sending.push_back(Request { request, bytes });
        Ok(None)
    }

    fn receive(&mut self, from: usize) -> Result<Option<Vec<u8>>, ClusterError> {
        if self.receiving[from].is_none() {
            self.receiving[from] = begin_to_receive(self.world, from)?;
        }
        let Some(receiving) = &mut self.receiving[from] else {
            return Ok(None);
        };
        let is_done = receiving.is_done()?;
        let done = self.receiving[from].take_if(|_| is_done);
        Ok(done.map(|mut receiving| mem::take(&mut receiving.bytes)))
    }
}

/// Begins to receive the next message of a process, if there is one.
#[allow(unsafe_code)]
fn begin_to_receive(world: MPI_Comm, from: usize) -> Result<Option<Request>, ClusterError> {
    // SAFETY: the constants are initialised by MPI; they are read only. A status is plain numbers.
    let (mut message, mut request, mut status): (MPI_Message, MPI_Request, MPI_Status) = unsafe {
        (
            ffi::RSMPI_MESSAGE_NULL,
            ffi::RSMPI_REQUEST_NULL,
            mem::zeroed(),
        )
    };
    let (mut is_there, mut length) = (0, 0);
    // SAFETY: all that these write to is local, and lives longer than the calls.
    let code = unsafe {
        ffi::MPI_Improbe(
            from as c_int,
            TAG,
            world,
            &mut is_there,
            &mut message,
            &mut status,
        )
    };
    check(code, "MPI_Improbe")?;
    if is_there == 0 {
        return Ok(None);
    }
    // SAFETY: as above.
    let code = unsafe { ffi::MPI_Get_count(&status, ffi::RSMPI_UINT8_T, &mut length) };
    check(code, "MPI_Get_count")?;
    let mut bytes = vec![0u8; usize::try_from(length).unwrap_or(0)];
    // SAFETY: the bytes belong to a vector that the request owns and leaves alone until they are
    // received; there are as many as the message has.
    let code = unsafe {
        ffi::MPI_Imrecv(
            bytes.as_mut_ptr().cast(),
            length,
            ffi::RSMPI_UINT8_T,
            &mut message,
            &mut request,
        )
    };
    check(code, "MPI_Imrecv")?;
    Ok(Some(Request { request, bytes }))
}

#[allow(unsafe_code)]
impl Drop for MpiCarrier {
    /// Waits until all that was sent is being taken: MPI must not end before. What did not end well ends
    /// without this, see [`Processes::end_all`](super::Processes::end_all).
    fn drop(&mut self) {
        for sent in self.sending.iter_mut().flatten() {
            // SAFETY: a request that this module has begun, or the null request.
            unsafe { ffi::MPI_Wait(&mut sent.request, ffi::RSMPI_STATUS_IGNORE) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_mpi_may_still_write_to_are_kept() {
        const LENGTH: usize = 1000;
        let universe = mpi::initialize().unwrap();
        let world = universe.world().as_raw();
        // SAFETY: as in `begin_to_receive`. Nothing is ever sent, so the receive stays begun.
        #[allow(unsafe_code)]
        let begun = unsafe {
            let (mut bytes, mut request) = (vec![0; LENGTH], ffi::RSMPI_REQUEST_NULL);
            let kind = ffi::RSMPI_UINT8_T;
            let to = bytes.as_mut_ptr().cast();
            ffi::MPI_Irecv(to, LENGTH as c_int, kind, 0, TAG, world, &mut request);
            Request { request, bytes }
        };
        let place = begun.bytes.as_ptr();
        drop(begun);
        // Freed memory of this length would come first.
        let later: Vec<Vec<u8>> = (0..100).map(|_| Vec::with_capacity(LENGTH)).collect();
        assert!(later.iter().all(|bytes| bytes.as_ptr() != place));
    }
}

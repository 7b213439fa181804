//! Bytes that a process sends as it makes them, and that another takes as it needs them.

use super::carrier::{ClusterError, bad};
use super::cluster::Cluster;
use super::message::{MESSAGE, Message, Purpose};

/// Bytes on their way from this process to others.
pub(crate) struct Outgoing<'c> {
    cluster: &'c mut Cluster,
    /// By process: the message that is being filled.
    messages: Vec<Message>,
}

impl<'c> Outgoing<'c> {
    /// Begins the step in which bytes are sent.
    pub(crate) fn begin(cluster: &'c mut Cluster) -> Outgoing<'c> {
        cluster.begin_step();
        let processes = 0..cluster.processes();
        Outgoing {
            cluster,
            messages: processes.map(|_| Message::new()).collect(),
        }
    }

    /// Adds bytes for a process, and sends what fills a message.
    pub(crate) fn write(&mut self, to: usize, bytes: &[u8]) -> Result<(), ClusterError> {
        for piece in bytes.chunks(MESSAGE) {
            self.messages[to].bytes().extend_from_slice(piece);
            if self.messages[to].has(MESSAGE) {
                self.send(to)?;
            }
        }
        Ok(())
    }

    /// Adds bytes for each other process.
    pub(crate) fn write_to_all(&mut self, bytes: &[u8]) -> Result<(), ClusterError> {
        let mut others = self.cluster.others();
        others.try_for_each(|other| self.write(other, bytes))
    }

    /// Sends the rest.
    pub(crate) fn end(mut self) -> Result<(), ClusterError> {
        let with_rest = |to: &usize| !self.messages[*to].is_empty();
        let processes: Vec<usize> = (0..self.messages.len()).filter(with_rest).collect();
        processes.into_iter().try_for_each(|to| self.send(to))
    }

    fn send(&mut self, to: usize) -> Result<(), ClusterError> {
        let message = std::mem::replace(&mut self.messages[to], Message::new());
        self.cluster.send(to, Purpose::Bytes, message)
    }
}

/// Bytes that other processes send to this one.
pub(crate) struct Incoming<'c> {
    cluster: &'c mut Cluster,
    /// By process: the current message, and the length that was read of it.
    messages: Vec<(Message, usize)>,
}

impl<'c> Incoming<'c> {
    /// Begins the step in which bytes are sent.
    pub(crate) fn begin(cluster: &'c mut Cluster) -> Incoming<'c> {
        cluster.begin_step();
        let processes = 0..cluster.processes();
        Incoming {
            cluster,
            messages: processes.map(|_| (Message::new(), 0)).collect(),
        }
    }

    /// Reads the next bytes of a process, and waits for them.
    pub(crate) fn read(&mut self, from: usize, mut bytes: &mut [u8]) -> Result<(), ClusterError> {
        let (message, read) = &mut self.messages[from];
        while !bytes.is_empty() {
            if *read == message.body().len() {
                *message = self.cluster.wait_for(from, Purpose::Bytes)?;
                *read = 0;
            }
            let rest = &message.body()[*read..];
            let (now, later) = bytes.split_at_mut(rest.len().min(bytes.len()));
            now.copy_from_slice(&rest[..now.len()]);
            *read += now.len();
            bytes = later;
        }
        Ok(())
    }

    pub(crate) fn read_number(&mut self, from: usize) -> Result<u32, ClusterError> {
        let mut number = [0; 4];
        self.read(from, &mut number)?;
        Ok(u32::from_le_bytes(number))
    }

    /// Ends the step: nothing must be left.
    pub(crate) fn end(self) -> Result<(), ClusterError> {
        let mut messages = self.messages.iter();
        match messages.position(|(message, read)| *read < message.body().len()) {
            None => Ok(()),
            Some(from) => Err(bad(from, "has more than was expected")),
        }
    }
}

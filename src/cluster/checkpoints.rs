//! Checkpoints of several processes are like the checkpoints of one: process 0 keeps the rows of all.
//!
//! The messages are the same whether or not the checkpoint succeeds, so no process blocks: if it cannot
//! be written, process 0 takes the rest of the rows all the same; if it turns out to be damaged, the
//! others get some other bytes, and are told so in the end.

use std::collections::VecDeque;

use crate::carrier::{ClusterError, bad};
use crate::cluster::Cluster;
use crate::peers::Joint;
use granero_solver::checkpoint::{CheckpointStore, Sink, Source};
use granero_table::first_error::{FirstError, Stopped};

/// Writes a checkpoint, as all processes do.
pub(crate) fn keep(
    joint: &mut Joint<'_>,
    name: &[u8],
    lengths: &[Vec<usize>],
    own: Vec<&mut [u8]>,
    store: &mut dyn CheckpointStore,
) -> Result<(), Stopped> {
    if joint.cluster.process() > 0 {
        let cluster = &mut *joint.cluster;
        let mut own = own.iter();
        let sent = own.try_for_each(|part| cluster.write(0, part));
        let sent = sent.and_then(|()| cluster.flush());
        return sent.map_err(|error| joint.first.keep(error));
    }
    let mut rows = Rows::new(joint, &[], lengths, own);
    store.write(name, &sums(lengths), &mut rows)?;
    // Takes what is left.
    while rows.left() > 0 {
        let length = REST.min(rows.left());
        Source::next(&mut rows, length)?;
    }
    Ok(())
}

/// Reads a checkpoint, as all processes do. The others get the number of its name, counted from 1, or 0 if there is
/// none, then their bytes, and whether these count.
pub(crate) fn resume(
    joint: &mut Joint<'_>,
    names: &[&[u8]],
    lengths: &[Vec<usize>],
    own: Vec<&mut [u8]>,
    store: &mut dyn CheckpointStore,
) -> Result<Option<(usize, bool)>, Stopped> {
    let first = joint.first;
    if joint.cluster.process() > 0 {
        let received = receive(joint.cluster, names.len(), own);
        return received.map_err(|error| first.keep(error));
    }
    let mut rows = Rows::new(joint, names, lengths, own);
    let is_whole = store.read(&sums(lengths), &mut rows)?;
    let mut last = 0;
    if rows.found.is_some() {
        // Sends what is left, and whether it counts.
        while rows.left() > rows.buffer.len() {
            let length = REST.min(rows.left() - rows.buffer.len());
            Sink::next(&mut rows, length)?;
        }
        Sink::next(&mut rows, 0)?;
        last = is_whole.into();
    }
    rows.tell(last)?;
    let sent = rows.cluster.flush();
    sent.map_err(|error| first.keep(error))?;
    Ok(rows.found.map(|found| (found, is_whole)))
}

fn receive(
    cluster: &mut Cluster,
    names: usize,
    own: Vec<&mut [u8]>,
) -> Result<Option<(usize, bool)>, ClusterError> {
    let mut number = [0];
    cluster.read(0, &mut number)?;
    let Some(number) = usize::from(number[0]).checked_sub(1) else {
        return Ok(None);
    };
    for part in own {
        cluster.read(0, part)?;
    }
    let mut is_whole = [0];
    cluster.read(0, &mut is_whole)?;
    if number >= names {
        return Err(bad(0, "has a checkpoint that the layer cannot have"));
    }
    Ok(Some((number, is_whole == [1])))
}

/// The length of each part.
fn sums(lengths: &[Vec<usize>]) -> Vec<usize> {
    lengths.iter().map(|part| part.iter().sum()).collect()
}

/// The bytes that no process needs are taken in pieces of at most this length.
const REST: usize = 1 << 20;

/// The rows of all processes, on their way to the store of process 0, or from there.
struct Rows<'a> {
    /// The bytes that are still to come, in their order: the process that has them, and their number.
    pieces: VecDeque<(usize, usize)>,
    own: VecDeque<&'a mut [u8]>,
    cluster: &'a mut Cluster,
    first: &'a FirstError<ClusterError>,
    /// Bytes that are given, or not sent yet.
    buffer: Vec<u8>,
    /// The names that a checkpoint can have, and the number of the one that it has.
    names: &'a [&'a [u8]],
    found: Option<usize>,
}

impl<'a> Rows<'a> {
    fn new(
        joint: &'a mut Joint<'_>,
        names: &'a [&'a [u8]],
        lengths: &[Vec<usize>],
        own: Vec<&'a mut [u8]>,
    ) -> Rows<'a> {
        let pieces = lengths
            .iter()
            .flat_map(|part| part.iter().copied().enumerate());
        Rows {
            pieces: pieces.filter(|&(_, length)| length > 0).collect(),
            own: own.into_iter().filter(|part| !part.is_empty()).collect(),
            cluster: joint.cluster,
            first: joint.first,
            buffer: Vec::new(),
            names,
            found: None,
        }
    }

    /// The number of bytes that are still to come.
    fn left(&self) -> usize {
        self.pieces.iter().map(|&(_, length)| length).sum()
    }

    /// Fills the buffer with the next bytes of the processes, or gives them what is in it.
    fn pass(&mut self, fills: bool) -> Result<(), Stopped> {
        let mut rest = &mut self.buffer[..];
        while !rest.is_empty() {
            let (process, left) = self.pieces.front_mut().expect("more bytes");
            let length = rest.len().min(*left);
            let bytes = rest.split_off_mut(..length).expect("not more");
            *left -= length;
            let passed = match *process {
                0 => {
                    let part = self.own.front_mut().expect("more bytes");
                    let own = part.split_off_mut(..length).expect("not more");
                    if fills {
                        bytes.copy_from_slice(own);
                    } else {
                        own.copy_from_slice(bytes);
                    }
                    self.own.pop_front_if(|part| part.is_empty());
                    Ok(())
                }
                other if fills => self.cluster.read(other, bytes),
                other => self.cluster.write(other, bytes),
            };
            passed.map_err(|error| self.first.keep(error))?;
            self.pieces.pop_front_if(|(_, left)| *left == 0);
        }
        Ok(())
    }

    /// Sends a byte to all.
    fn tell(&mut self, byte: u8) -> Result<(), Stopped> {
        let sent = self.cluster.write_to_all(&[byte]);
        sent.map_err(|error| self.first.keep(error))
    }
}

impl Source for Rows<'_> {
    fn next(&mut self, length: usize) -> Result<&[u8], Stopped> {
        self.buffer.resize(length, 0);
        self.pass(true)?;
        Ok(&self.buffer)
    }
}

impl Sink for Rows<'_> {
    fn begin(&mut self, name: &[u8]) -> Result<bool, Stopped> {
        self.found = self.names.iter().position(|&known| known == name);
        if let Some(found) = self.found {
            self.tell(found as u8 + 1)?;
        }
        Ok(self.found.is_some())
    }

    fn next(&mut self, length: usize) -> Result<&mut [u8], Stopped> {
        self.pass(false)?;
        self.buffer.resize(length, 0);
        Ok(&mut self.buffer)
    }
}

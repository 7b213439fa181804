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
    own: &[&[u8]],
    store: &mut dyn CheckpointStore,
) -> Result<(), Stopped> {
    let first = joint.first;
    if joint.cluster.process() > 0 {
        let cluster = &mut *joint.cluster;
        let sent = own.iter().try_for_each(|part| cluster.write(0, part));
        let sent = sent.and_then(|()| cluster.flush());
        return sent.map_err(|error| first.keep(error));
    }
    let mut rows = RowsOfAll {
        pieces: Pieces::new(lengths),
        own: own
            .iter()
            .copied()
            .filter(|part| !part.is_empty())
            .collect(),
        cluster: joint.cluster,
        first,
        buffer: Vec::new(),
    };
    store.write(name, &sums(lengths), &mut rows)?;
    rows.end()
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
    let mut rows = RowsToAll {
        names,
        pieces: Pieces::new(lengths),
        own: own.into_iter().filter(|part| !part.is_empty()).collect(),
        cluster: joint.cluster,
        first,
        buffer: Vec::new(),
        found: None,
    };
    let is_whole = store.read(&sums(lengths), &mut rows)?;
    rows.end(is_whole)
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

/// The bytes of a checkpoint that are still to come, in their order: the process that has them, and their number.
struct Pieces(VecDeque<(usize, usize)>);

impl Pieces {
    fn new(lengths: &[Vec<usize>]) -> Pieces {
        let pieces = lengths
            .iter()
            .flat_map(|part| part.iter().copied().enumerate());
        Pieces(pieces.filter(|&(_, length)| length > 0).collect())
    }

    fn left(&self) -> usize {
        self.0.iter().map(|&(_, length)| length).sum()
    }

    /// The next bytes of one process, up to `most`.
    fn next(&mut self, most: usize) -> (usize, usize) {
        let (process, left) = self.0.front_mut().expect("more bytes");
        let (process, length) = (*process, most.min(*left));
        *left -= length;
        if *left == 0 {
            self.0.pop_front();
        }
        (process, length)
    }
}

/// The bytes that no process needs are taken in pieces of at most this length.
const REST: usize = 1 << 20;

/// The rows of all processes, on their way to the store of process 0.
struct RowsOfAll<'a> {
    pieces: Pieces,
    own: VecDeque<&'a [u8]>,
    cluster: &'a mut Cluster,
    first: &'a FirstError<ClusterError>,
    buffer: Vec<u8>,
}

impl RowsOfAll<'_> {
    /// Takes what is left.
    fn end(mut self) -> Result<(), Stopped> {
        loop {
            match self.pieces.left().min(REST) {
                0 => return Ok(()),
                length => self.next(length)?,
            };
        }
    }
}

impl Source for RowsOfAll<'_> {
    fn next(&mut self, length: usize) -> Result<&[u8], Stopped> {
        self.buffer.resize(length, 0);
        let mut rest = &mut self.buffer[..];
        while !rest.is_empty() {
            let (process, length) = self.pieces.next(rest.len());
            let bytes = rest.split_off_mut(..length).expect("not more");
            match process {
                0 => {
                    let part = self.own.front_mut().expect("more bytes");
                    bytes.copy_from_slice(part.split_off(..length).expect("not more"));
                    self.own.pop_front_if(|part| part.is_empty());
                }
                process => {
                    let read = self.cluster.read(process, bytes);
                    read.map_err(|error| self.first.keep(error))?;
                }
            }
        }
        Ok(&self.buffer)
    }
}

/// The rows of all processes, on their way from the store of process 0.
struct RowsToAll<'a> {
    names: &'a [&'a [u8]],
    pieces: Pieces,
    own: VecDeque<&'a mut [u8]>,
    cluster: &'a mut Cluster,
    first: &'a FirstError<ClusterError>,
    /// Bytes that are not sent yet.
    buffer: Vec<u8>,
    /// The number of the name.
    found: Option<usize>,
}

impl RowsToAll<'_> {
    fn send(&mut self) -> Result<(), ClusterError> {
        let mut rest = &self.buffer[..];
        while !rest.is_empty() {
            let (process, length) = self.pieces.next(rest.len());
            let bytes = rest.split_off(..length).expect("not more");
            match process {
                0 => {
                    let part = self.own.front_mut().expect("more bytes");
                    let to = part.split_off_mut(..length).expect("not more");
                    to.copy_from_slice(bytes);
                    self.own.pop_front_if(|part| part.is_empty());
                }
                process => self.cluster.write(process, bytes)?,
            }
        }
        self.buffer.clear();
        Ok(())
    }

    /// Sends what is left, if there is a checkpoint, and whether it counts.
    fn end(mut self, is_whole: bool) -> Result<Option<(usize, bool)>, Stopped> {
        let first = self.first;
        let mut last = [0];
        if self.found.is_some() {
            while self.pieces.left() > self.buffer.len() {
                self.next(REST.min(self.pieces.left() - self.buffer.len()))?;
            }
            self.next(0)?;
            last = [is_whole.into()];
        }
        let sent = self.cluster.write_to_all(&last);
        let sent = sent.and_then(|()| self.cluster.flush());
        sent.map_err(|error| first.keep(error))?;
        Ok(self.found.map(|found| (found, is_whole)))
    }
}

impl Sink for RowsToAll<'_> {
    fn begin(&mut self, name: &[u8]) -> Result<bool, Stopped> {
        self.found = self.names.iter().position(|&known| known == name);
        let Some(found) = self.found else {
            return Ok(false);
        };
        let sent = self.cluster.write_to_all(&[found as u8 + 1]);
        sent.map_err(|error| self.first.keep(error))?;
        Ok(true)
    }

    fn next(&mut self, length: usize) -> Result<&mut [u8], Stopped> {
        let sent = self.send();
        sent.map_err(|error| self.first.keep(error))?;
        self.buffer.resize(length, 0);
        Ok(&mut self.buffer)
    }
}

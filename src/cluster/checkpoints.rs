//! Checkpoints of several processes are the checkpoints of one process: process 0 keeps the rows of
//! all. On resume it sends each process its rows; the number of processes may differ.
//!
//! The messages are the same whether or not the checkpoint succeeds, so no process blocks: if it cannot
//! be written, process 0 takes the rest of the rows all the same; if it turns out to be damaged, the
//! others get some other bytes, and are told so in the end.

use crate::carry::{Cluster, ClusterError, Incoming, Outgoing, bad};
use crate::exchange::NewsExchange;
use crate::owners::Owners;
use granero_solver::checkpoint::{
    CheckpointStore, Checkpoints, Lists, PartsReader, PartsWriter, Resumed, Shape, Sink, Snapshot,
    Source, Wanted,
};
use granero_solver::graph::{BySeeds, HalfGraph, Layout};
use granero_table::first_error::{FirstError, Stopped};

/// The fault of a message.
const IMPOSSIBLE: &str = "has lists that the layer cannot have";

/// Keeps the checkpoints of all processes in the store of process 0.
pub(crate) struct JointCheckpoints<'a, 'x> {
    pub(crate) exchange: &'a NewsExchange<'x>,
    /// Stores nothing at the other processes.
    pub(crate) store: &'a mut dyn CheckpointStore,
}

impl Checkpoints for JointCheckpoints<'_, '_> {
    fn keep(&mut self, snapshot: &Snapshot<'_>) -> Result<(), Stopped> {
        let NewsExchange {
            graph,
            owners,
            first,
            ..
        } = self.exchange;
        let store = &mut *self.store;
        self.exchange
            .with_cluster(|cluster| keep(cluster, graph, owners, store, snapshot, first))
    }

    fn resume(&mut self, wanted: &Wanted<'_>) -> Result<Option<Resumed>, Stopped> {
        let NewsExchange { owners, first, .. } = self.exchange;
        let all = Layout::new(wanted.layout.layer());
        let store = &mut *self.store;
        self.exchange
            .with_cluster(|cluster| match cluster.process() {
                0 => send_rows(cluster, owners, &all, store, wanted, first),
                _ => receive_rows(cluster, &all, wanted).map_err(|error| first.keep(error)),
            })
    }
}

/// Keeps a checkpoint if process 0 says that it is time for one, as all processes do.
fn keep(
    cluster: &mut Cluster,
    graph: &HalfGraph,
    owners: &Owners,
    store: &mut dyn CheckpointStore,
    snapshot: &Snapshot<'_>,
    first: &FirstError<ClusterError>,
) -> Result<(), Stopped> {
    let failed = |error| first.keep(error);
    let is_due = cluster
        .spread(vec![store.is_due().into()])
        .map_err(failed)?;
    if is_due != [1] {
        return Ok(());
    }
    let all = Layout::new(snapshot.layout.layer());
    // With rows as they are numbered for all processes.
    let number = |own_seeds, row| Some(graph.number(own_seeds, row));
    let lists = snapshot.lists.moved(snapshot.layout, &all, number);
    let lists = cluster
        .gather(lists.to_bytes(snapshot.left))
        .map_err(failed)?;
    if cluster.process() > 0 {
        let mut outgoing = Outgoing::begin(cluster);
        let mut parts = snapshot.parts.iter();
        let sent = parts.try_for_each(|part| outgoing.write(0, part));
        return sent.and_then(|()| outgoing.end()).map_err(failed);
    }
    let of_process = |(from, lists): (usize, Vec<u8>)| {
        let lists = Lists::from_bytes(&lists, &all, &graph.numbering);
        lists.ok_or(bad(from, IMPOSSIBLE)).map(|(_, lists)| lists)
    };
    let lists = lists.into_iter().enumerate().map(of_process);
    let lists = lists.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let lists = Lists::sum(lists).to_bytes(snapshot.left);
    let lengths = snapshot.shape.lengths(&all);
    let mut rows = RowsOfAll {
        rows: Rows::new(owners, &all, snapshot.shape),
        own: PartsReader::new(snapshot.parts),
        incoming: Incoming::begin(cluster),
        first,
        buffer: Vec::new(),
        left: lengths.iter().sum(),
    };
    store.write(&lists, &lengths, &mut rows)?;
    rows.end()
}

/// Resumes at process 0: the others get the length of the lists, 0 if there is no checkpoint, and then
/// the lists, their rows, and a byte that says whether all this counts.
fn send_rows(
    cluster: &mut Cluster,
    owners: &Owners,
    all: &Layout,
    store: &mut dyn CheckpointStore,
    wanted: &Wanted<'_>,
    first: &FirstError<ClusterError>,
) -> Result<Option<Resumed>, Stopped> {
    let lengths = wanted.shape.lengths(all);
    let mut to = RowsToAll {
        wanted,
        all,
        rows: Rows::new(owners, all, wanted.shape),
        outgoing: Outgoing::begin(cluster),
        first,
        buffer: Vec::new(),
        left: lengths.iter().sum(),
        found: None,
    };
    let is_resumed = store.read(&lengths, &mut to)?;
    let found = to.end(is_resumed)?.filter(|_| is_resumed);
    Ok(found.map(|(left, lists, parts)| Resumed {
        left,
        lists,
        parts: parts.parts,
    }))
}

/// Resumes at the other processes.
fn receive_rows(
    cluster: &mut Cluster,
    all: &Layout,
    wanted: &Wanted<'_>,
) -> Result<Option<Resumed>, ClusterError> {
    let mut incoming = Incoming::begin(cluster);
    let mut length = [0; 8];
    incoming.read(0, &mut length)?;
    let bytes = incoming.read_bytes(0, u64::from_le_bytes(length))?;
    if bytes.is_empty() {
        return incoming.end().map(|()| None);
    }
    let (left, of_all) = wanted.lists(&bytes, all).ok_or(bad(0, IMPOSSIBLE))?;
    let lists = own_lists(&of_all, wanted, all);
    // The lists of all processes may be long.
    drop((bytes, of_all));
    let mut parts = PartsWriter::new(&wanted.shape.lengths(wanted.layout)).parts;
    let mut all_parts = parts.iter_mut();
    all_parts.try_for_each(|part| incoming.read(0, part))?;
    let mut is_resumed = [0];
    incoming.read(0, &mut is_resumed)?;
    incoming.end()?;
    Ok((is_resumed == [1]).then_some(Resumed { left, lists, parts }))
}

/// The part of the lists of all processes that is about the rows of this one.
fn own_lists(of_all: &Lists, wanted: &Wanted<'_>, all: &Layout) -> Lists {
    let row = |own_seeds, number| wanted.graph.row_if_own(own_seeds, number);
    of_all.moved(all, wanted.layout, row)
}

/// The bytes of rows that no process needs are taken in pieces of at most this length.
const REST: usize = 1 << 20;

/// The owners and lengths of all rows, in the order of a checkpoint.
struct Rows<'a> {
    owners: &'a Owners,
    all: &'a Layout,
    /// By part that is not at its end: the number of bytes for a row.
    parts: &'a [BySeeds],
    own_seeds: u8,
    number: u32,
    /// The length of the current row that is done.
    done: usize,
}

impl<'a> Rows<'a> {
    fn new(owners: &'a Owners, all: &'a Layout, shape: &'a Shape) -> Rows<'a> {
        Rows {
            owners,
            all,
            parts: &shape.0,
            own_seeds: 0,
            number: 0,
            done: 0,
        }
    }

    /// The next bytes of one row, up to `most`: their owner and their number.
    fn next(&mut self, most: usize) -> (usize, usize) {
        let left = loop {
            let row_len = self.parts[0].get(self.own_seeds);
            if self.done < row_len {
                break row_len - self.done;
            }
            (self.number, self.done) = (self.number + 1, 0);
            if row_len == 0 || self.number == self.all.rows(self.own_seeds) {
                (self.own_seeds, self.number) = (self.own_seeds + 1, 0);
            }
            if self.own_seeds > self.all.seeds() {
                (self.parts, self.own_seeds) = (&self.parts[1..], 0);
            }
        };
        let length = left.min(most);
        self.done += length;
        (self.owners.owner(self.own_seeds, self.number), length)
    }
}

/// The rows of all processes, on their way to the store of process 0.
struct RowsOfAll<'a> {
    rows: Rows<'a>,
    own: PartsReader<'a>,
    incoming: Incoming<'a>,
    first: &'a FirstError<ClusterError>,
    buffer: Vec<u8>,
    /// The number of bytes still to come.
    left: usize,
}

impl RowsOfAll<'_> {
    /// Takes what is left.
    fn end(mut self) -> Result<(), Stopped> {
        while self.left > 0 {
            self.next(self.left.min(REST))?;
        }
        let ended = self.incoming.end();
        ended.map_err(|error| self.first.keep(error))
    }
}

impl Source for RowsOfAll<'_> {
    fn next(&mut self, length: usize) -> Result<&[u8], Stopped> {
        self.buffer.resize(length, 0);
        let mut rest = &mut self.buffer[..];
        while !rest.is_empty() {
            let (owner, length) = self.rows.next(rest.len());
            let (bytes, others) = rest.split_at_mut(length);
            rest = others;
            match owner {
                0 => bytes.copy_from_slice(self.own.next(length)),
                owner => {
                    let read = self.incoming.read(owner, bytes);
                    read.map_err(|error| self.first.keep(error))?;
                }
            }
        }
        self.left -= length;
        Ok(&self.buffer)
    }
}

/// The rows of all processes, on their way from the store of process 0.
struct RowsToAll<'a> {
    wanted: &'a Wanted<'a>,
    all: &'a Layout,
    rows: Rows<'a>,
    outgoing: Outgoing<'a>,
    first: &'a FirstError<ClusterError>,
    /// Bytes that are not sent yet.
    buffer: Vec<u8>,
    /// The number of bytes still to come.
    left: usize,
    /// The part of the checkpoint for process 0, once it has begun.
    found: Option<(Vec<u8>, Lists, PartsWriter)>,
}

impl RowsToAll<'_> {
    fn send(&mut self) -> Result<(), ClusterError> {
        let (.., own) = self.found.as_mut().expect("lists come first");
        let mut rest = &self.buffer[..];
        while !rest.is_empty() {
            let (owner, length) = self.rows.next(rest.len());
            let (bytes, others) = rest.split_at(length);
            rest = others;
            match owner {
                0 => own.next(length).copy_from_slice(bytes),
                owner => self.outgoing.write(owner, bytes)?,
            }
        }
        Ok(())
    }

    /// Sends what is left, if there is a checkpoint, and whether it counts. Returns the part for
    /// process 0.
    fn end(mut self, is_resumed: bool) -> Result<Option<(Vec<u8>, Lists, PartsWriter)>, Stopped> {
        let mut word = vec![0; 8];
        if self.found.is_some() {
            while self.left > 0 {
                self.next(self.left.min(REST))?;
            }
            self.next(0)?;
            word = vec![is_resumed.into()];
        }
        let sent = self.outgoing.write_to_all(&word);
        let sent = sent.and_then(|()| self.outgoing.end());
        sent.map_err(|error| self.first.keep(error))?;
        Ok(self.found)
    }
}

impl Sink for RowsToAll<'_> {
    fn begin(&mut self, lists: &[u8]) -> Result<bool, Stopped> {
        let Some((left, found)) = self.wanted.lists(lists, self.all) else {
            return Ok(false);
        };
        let Wanted { layout, shape, .. } = *self.wanted;
        let parts = PartsWriter::new(&shape.lengths(layout));
        self.found = Some((left, own_lists(&found, self.wanted, self.all), parts));
        let length = (lists.len() as u64).to_le_bytes();
        let sent = self.outgoing.write_to_all(&length);
        let sent = sent.and_then(|()| self.outgoing.write_to_all(lists));
        sent.map_err(|error| self.first.keep(error))?;
        Ok(true)
    }

    fn next(&mut self, length: usize) -> Result<&mut [u8], Stopped> {
        let sent = self.send();
        sent.map_err(|error| self.first.keep(error))?;
        self.buffer.resize(length, 0);
        self.left -= length;
        Ok(&mut self.buffer)
    }
}

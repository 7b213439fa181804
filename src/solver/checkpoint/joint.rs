//! Checkpoints of several ranks, the same as one process keeps: rank 0 keeps the rows of all, and passes
//! them on to those who own them when the work goes on, be they as many or not.
//!
//! What is sent does not depend on what becomes of the checkpoint, so nobody waits in vain: if it cannot
//! be written, rank 0 takes the rest of the rows all the same; if it turns out to be damaged, the others
//! get some other bytes, and are told so in the end.

use super::state::{Checkpoints, Given, Known, Lists, Resumed, Shape, Sink, Source, Taken, Wanted};
use crate::cluster::{Cluster, ClusterError, Incoming, Outgoing};
use crate::graph::by_seeds::BySeeds;
use crate::graph::half_graph::HalfGraph;
use crate::graph::layout::Layout;
use granero_table::first_error::{FirstError, Stopped};

/// Has a checkpoint kept if it is time for one at rank 0, as all ranks do.
pub(crate) fn keep(
    cluster: &mut Cluster,
    graph: &HalfGraph,
    checkpoints: &mut dyn Checkpoints,
    known: &Known<'_>,
) -> Result<(), ClusterError> {
    let is_due = cluster.spread(vec![checkpoints.is_due().into()])?;
    if is_due != [1] {
        return Ok(());
    }
    let all = Layout::new(known.layout.layer());
    let lists = known.lists.of_all(graph, known.layout, &all);
    let lists = cluster.gather(lists.to_bytes(known.left))?;
    if cluster.rank() > 0 {
        let mut outgoing = Outgoing::begin(cluster);
        let mut parts = known.parts.iter();
        parts.try_for_each(|part| outgoing.write(0, part))?;
        return outgoing.end();
    }
    let of_rank = |(from, lists): (usize, Vec<u8>)| {
        let lists = Lists::from_bytes(&lists, &all, &graph.numbering);
        let what = "has lists that the layer cannot have";
        let lists = lists.ok_or(ClusterError::BadParcel { from, what })?;
        Ok::<_, ClusterError>(lists.1)
    };
    let lists = lists.into_iter().enumerate().map(of_rank);
    let lists = Lists::sum(lists.collect::<Result<_, _>>()?).to_bytes(known.left);
    let lengths = known.shape.lengths(&all);
    let first = FirstError::none();
    let mut rows = RowsOfAll {
        rows: Rows::new(graph, &all, known.shape),
        own: Given::new(known.parts),
        incoming: Incoming::begin(cluster),
        first: &first,
        buffer: Vec::new(),
        left: lengths.iter().sum(),
    };
    let kept = checkpoints.keep(&lists, &lengths, &mut rows);
    let kept = kept.and_then(|()| rows.end());
    first.of(kept)
}

/// Goes on from a checkpoint, if rank 0 has one, as all ranks do.
pub(crate) fn resume(
    cluster: &mut Cluster,
    checkpoints: &mut dyn Checkpoints,
    wanted: &Wanted<'_>,
) -> Result<Option<Resumed>, ClusterError> {
    let all = Layout::new(wanted.layout.layer());
    match cluster.rank() {
        0 => pass_on(cluster, &all, checkpoints, wanted),
        _ => take(cluster, &all, wanted),
    }
}

/// What rank 0 does: others get the length of the lists, 0 if there is no checkpoint, and then the lists,
/// their rows, and whether all that is of use.
fn pass_on(
    cluster: &mut Cluster,
    all: &Layout,
    checkpoints: &mut dyn Checkpoints,
    wanted: &Wanted<'_>,
) -> Result<Option<Resumed>, ClusterError> {
    let first = FirstError::none();
    let lengths = wanted.shape.lengths(all);
    let mut to = RowsToAll {
        wanted,
        all,
        rows: Rows::new(wanted.graph, all, wanted.shape),
        outgoing: Outgoing::begin(cluster),
        first: &first,
        buffer: Vec::new(),
        left: lengths.iter().sum(),
        found: None,
    };
    let is_resumed = checkpoints.resume(&lengths, &mut to);
    let found = is_resumed.and_then(|is_resumed| {
        let found = to.end(is_resumed)?;
        Ok(found.filter(|_| is_resumed))
    });
    let found = first.of(found)?;
    Ok(found.map(|(left, lists, Taken { parts, .. })| Resumed { left, lists, parts }))
}

/// What the others do.
fn take(
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
    let what = "has lists that the layer cannot have";
    let bad = ClusterError::BadParcel { from: 0, what };
    let (left, of_all) = wanted.lists(&bytes, all).ok_or(bad)?;
    let lists = of_all.own(wanted.graph, wanted.layout, all);
    // The lists of all ranks may be long.
    drop((bytes, of_all));
    let mut parts = Taken::new(&wanted.shape.lengths(wanted.layout)).parts;
    let mut all_parts = parts.iter_mut();
    all_parts.try_for_each(|part| incoming.read(0, part))?;
    let mut is_resumed = [0];
    incoming.read(0, &mut is_resumed)?;
    incoming.end()?;
    Ok((is_resumed == [1]).then_some(Resumed { left, lists, parts }))
}

/// At most so many bytes at a time of what nobody needs.
const REST: usize = 1 << 20;

/// The rows of all parts in the order of a checkpoint: who owns each, and its bytes.
struct Rows<'a> {
    graph: &'a HalfGraph,
    all: &'a Layout,
    /// By part that is not at its end: how many bytes it has for a row.
    parts: &'a [BySeeds],
    own_seeds: u8,
    number: u32,
    /// How much of the row at hand is done.
    done: usize,
}

impl<'a> Rows<'a> {
    fn new(graph: &'a HalfGraph, all: &'a Layout, shape: &'a Shape) -> Rows<'a> {
        Rows {
            graph,
            all,
            parts: &shape.0,
            own_seeds: 0,
            number: 0,
            done: 0,
        }
    }

    /// The next bytes of one row, up to `most`: who owns them, and how many there are.
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
        (self.graph.owner(self.own_seeds, self.number), length)
    }
}

/// The rows of all ranks, which rank 0 has kept.
struct RowsOfAll<'a> {
    rows: Rows<'a>,
    own: Given<'a>,
    incoming: Incoming<'a>,
    first: &'a FirstError<ClusterError>,
    buffer: Vec<u8>,
    /// How many bytes are still to come.
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

/// The rows of all ranks, which rank 0 passes on.
struct RowsToAll<'a> {
    wanted: &'a Wanted<'a>,
    all: &'a Layout,
    rows: Rows<'a>,
    outgoing: Outgoing<'a>,
    first: &'a FirstError<ClusterError>,
    /// What was put there is not passed on yet.
    buffer: Vec<u8>,
    /// How many bytes are still to come.
    left: usize,
    /// What of the checkpoint is for rank 0, once it has begun.
    found: Option<(Vec<u8>, Lists, Taken)>,
}

impl RowsToAll<'_> {
    fn pass_on(&mut self) -> Result<(), ClusterError> {
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

    /// Passes on what is left, if there is a checkpoint, and says whether it is of use. Returns what of it
    /// is for rank 0.
    fn end(mut self, is_resumed: bool) -> Result<Option<(Vec<u8>, Lists, Taken)>, Stopped> {
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
        let Wanted {
            graph,
            layout,
            shape,
            ..
        } = *self.wanted;
        let parts = Taken::new(&shape.lengths(layout));
        self.found = Some((left, found.own(graph, layout, self.all), parts));
        let length = (lists.len() as u64).to_le_bytes();
        let sent = self.outgoing.write_to_all(&length);
        let sent = sent.and_then(|()| self.outgoing.write_to_all(lists));
        sent.map_err(|error| self.first.keep(error))?;
        Ok(true)
    }

    fn next(&mut self, length: usize) -> Result<&mut [u8], Stopped> {
        let passed_on = self.pass_on();
        passed_on.map_err(|error| self.first.keep(error))?;
        self.buffer.resize(length, 0);
        self.left -= length;
        Ok(&mut self.buffer)
    }
}

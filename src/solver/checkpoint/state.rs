//! Checkpoints: the state of a layer between two thresholds, when no news is under way.

use crate::graph::{BySeeds, HalfGraph, LastResortMove, Layout, Number, Numbering, OpponentsHalf};
use crate::known::LargeLosses;
use granero_table::first_error::Stopped;
use granero_table::index::half;

/// Keeps checkpoints of a layer, and goes on from one.
pub trait Checkpoints {
    /// Keeps a checkpoint if it is time for one. No news must be under way.
    fn keep(&mut self, snapshot: &Snapshot<'_>) -> Result<(), Stopped>;

    /// Reads the checkpoint that was kept before, if there is one.
    fn resume(&mut self, wanted: &Wanted<'_>) -> Result<Option<Resumed>, Stopped>;
}

/// Stores checkpoints of a layer as bytes: some lists, and parts with bytes for each row of positions.
pub trait CheckpointStore {
    fn is_due(&self) -> bool;

    /// Writes a checkpoint in place of the one before, with parts of these lengths. Only an error of
    /// `parts` is returned, and then the one before stays.
    fn write(
        &mut self,
        lists: &[u8],
        lengths: &[usize],
        parts: &mut dyn Source,
    ) -> Result<(), Stopped>;

    /// Passes the last checkpoint to `to`, if there is one with parts of these lengths. Returns false
    /// if that was not done to its end: then `to` has nothing useful. Only an error of `to` is
    /// returned.
    fn read(&mut self, lengths: &[usize], to: &mut dyn Sink) -> Result<bool, Stopped>;
}

/// Gives the parts of a checkpoint, one after the other.
pub trait Source {
    /// The next bytes, which are all of one part.
    fn next(&mut self, length: usize) -> Result<&[u8], Stopped>;
}

/// Takes a checkpoint.
pub trait Sink {
    /// Takes the lists, which come first. Returns whether the layer can have such lists.
    fn begin(&mut self, lists: &[u8]) -> Result<bool, Stopped>;

    /// The place for the next bytes, which are all of one part. They are taken when the next place is
    /// asked for, or when all is done.
    fn next(&mut self, length: usize) -> Result<&mut [u8], Stopped>;
}

/// Stores nothing.
pub struct NoCheckpoints;

impl CheckpointStore for NoCheckpoints {
    fn is_due(&self) -> bool {
        false
    }

    fn write(&mut self, _: &[u8], _: &[usize], _: &mut dyn Source) -> Result<(), Stopped> {
        Ok(())
    }

    fn read(&mut self, _: &[usize], _: &mut dyn Sink) -> Result<bool, Stopped> {
        Ok(false)
    }
}

/// By part, then by the mover's seeds: the number of bytes for a row.
pub struct Shape(pub Vec<BySeeds>);

impl Shape {
    /// The lengths of the parts for the rows of a layout.
    pub fn lengths(&self, layout: &Layout) -> Vec<usize> {
        let length = |row_len: &BySeeds| {
            let of_rows = |own_seeds| layout.rows(own_seeds) as usize * row_len.get(own_seeds);
            (0..=layout.seeds()).map(of_rows).sum()
        };
        self.0.iter().map(length).collect()
    }
}

/// The state of a layer between two thresholds.
pub struct Snapshot<'k> {
    pub layout: &'k Layout,
    pub shape: &'k Shape,
    /// The work that is left: its meaning depends on the convention for endless play.
    pub left: &'k [u8],
    pub lists: &'k Lists,
    pub parts: &'k [&'k [u8]],
}

/// The layer whose checkpoint is looked for.
pub struct Wanted<'w> {
    pub graph: &'w HalfGraph,
    pub layout: &'w Layout,
    pub shape: &'w Shape,
    /// Returns whether the layer can have this work left.
    pub accept: &'w dyn Fn(&[u8]) -> bool,
}

/// The content of a checkpoint: the work that is left, the lists and the parts.
pub struct Resumed {
    pub left: Vec<u8>,
    pub lists: Lists,
    pub parts: Vec<Vec<u8>>,
}

impl<S: CheckpointStore> Checkpoints for S {
    fn keep(&mut self, snapshot: &Snapshot<'_>) -> Result<(), Stopped> {
        if !self.is_due() {
            return Ok(());
        }
        let lists = snapshot.lists.to_bytes(snapshot.left);
        let lengths = snapshot.shape.lengths(snapshot.layout);
        self.write(&lists, &lengths, &mut PartsReader::new(snapshot.parts))
    }

    fn resume(&mut self, wanted: &Wanted<'_>) -> Result<Option<Resumed>, Stopped> {
        struct Read<'a> {
            wanted: &'a Wanted<'a>,
            lengths: &'a [usize],
            found: Option<(Vec<u8>, Lists, PartsWriter)>,
        }

        impl Sink for Read<'_> {
            fn begin(&mut self, lists: &[u8]) -> Result<bool, Stopped> {
                let lists = self.wanted.lists(lists, self.wanted.layout);
                let parts = || PartsWriter::new(self.lengths);
                self.found = lists.map(|(left, lists)| (left, lists, parts()));
                Ok(self.found.is_some())
            }

            fn next(&mut self, length: usize) -> Result<&mut [u8], Stopped> {
                let (.., parts) = self.found.as_mut().expect("lists come first");
                Ok(parts.next(length))
            }
        }

        let lengths = &wanted.shape.lengths(wanted.layout);
        let mut to = Read {
            wanted,
            lengths,
            found: None,
        };
        let is_resumed = self.read(lengths, &mut to)?;
        let found = to.found.filter(|_| is_resumed);
        Ok(found.map(|(left, lists, PartsWriter { parts, .. })| Resumed { left, lists, parts }))
    }
}

impl Wanted<'_> {
    /// Reads the work that is left, and the lists, which are about the rows of a layout; returns
    /// `None` if these bytes are not of such a layer.
    pub fn lists(&self, bytes: &[u8], layout: &Layout) -> Option<(Vec<u8>, Lists)> {
        let (left, lists) = Lists::from_bytes(bytes, layout, &self.graph.numbering)?;
        (self.accept)(&left).then_some((left, lists))
    }
}

/// Reads parts, one after the other.
pub struct PartsReader<'a> {
    parts: &'a [&'a [u8]],
    /// The bytes that are left of the current part.
    rest: &'a [u8],
}

impl<'a> PartsReader<'a> {
    pub fn new(parts: &'a [&'a [u8]]) -> PartsReader<'a> {
        PartsReader { parts, rest: &[] }
    }

    pub fn next(&mut self, length: usize) -> &'a [u8] {
        while self.rest.is_empty() {
            (self.rest, self.parts) = self.parts.split_first().expect("a part");
        }
        let (next, rest) = self.rest.split_at(length);
        self.rest = rest;
        next
    }
}

impl Source for PartsReader<'_> {
    fn next(&mut self, length: usize) -> Result<&[u8], Stopped> {
        Ok(PartsReader::next(self, length))
    }
}

/// Writes parts, one after the other.
pub struct PartsWriter {
    pub parts: Vec<Vec<u8>>,
    /// The current part, and the length that was taken of it.
    at: (usize, usize),
}

impl PartsWriter {
    pub fn new(lengths: &[usize]) -> PartsWriter {
        PartsWriter {
            parts: lengths.iter().map(|&length| vec![0; length]).collect(),
            at: (0, 0),
        }
    }

    /// The place for the next bytes, which are all of one part.
    pub fn next(&mut self, length: usize) -> &mut [u8] {
        let (part, begin) = &mut self.at;
        while *begin == self.parts[*part].len() {
            (*part, *begin) = (*part + 1, 0);
        }
        let next = &mut self.parts[*part][*begin..][..length];
        *begin += length;
        next
    }
}

/// Facts that the bytes of positions do not hold.
#[derive(Debug, Default)]
pub struct Lists {
    pub last_resorts: Vec<LastResortMove>,
    pub large_losses: LargeLosses,
}

impl Lists {
    /// The lists of `other`, which has some of these rows: `row` returns the number that a row has there.
    pub fn moved(
        &self,
        layout: &Layout,
        other: &Layout,
        row: impl Fn(u8, Number) -> Option<Number>,
    ) -> Lists {
        let last_resorts = self.last_resorts.iter().filter_map(|found| {
            let own = row(found.own_seeds, found.own)?;
            Some(LastResortMove { own, ..*found })
        });
        let large_losses = self.large_losses.positions().iter();
        let large_losses = large_losses.filter_map(|&(place, lost)| {
            let (own_seeds, own, at) = layout.place(place);
            Some((other.row_start(own_seeds, row(own_seeds, own)?) + at, lost))
        });
        Lists {
            last_resorts: last_resorts.collect(),
            large_losses: LargeLosses::new(large_losses.collect()),
        }
    }

    /// Puts lists about different rows of a layer into one.
    pub fn sum(all: impl IntoIterator<Item = Lists>) -> Lists {
        let (mut last_resorts, mut large_losses) = (Vec::new(), Vec::new());
        for lists in all {
            last_resorts.extend(lists.last_resorts);
            large_losses.extend(lists.large_losses.positions());
        }
        last_resorts.sort_unstable();
        Lists {
            last_resorts,
            large_losses: LargeLosses::new(large_losses),
        }
    }

    /// Writes the work that is left, and the lists.
    pub fn to_bytes(&self, left: &[u8]) -> Vec<u8> {
        let large_losses = self.large_losses.positions();
        let numbers = 3 + left.len() + 5 * self.last_resorts.len() + 2 * large_losses.len();
        // There may be very many.
        let mut bytes = Vec::with_capacity(8 * numbers);
        let mut push = |number: u64| bytes.extend(number.to_le_bytes());
        push(left.len() as u64);
        left.iter().for_each(|&left| push(left.into()));
        push(self.last_resorts.len() as u64);
        for found in &self.last_resorts {
            push(found.child_opponents.0 as u64);
            push(found.child_own.into());
            push(found.own_seeds.into());
            push(found.own.into());
            push(found.opponents.into());
        }
        push(large_losses.len() as u64);
        for &(place, lost) in large_losses {
            push(place as u64);
            push(lost.into());
        }
        bytes
    }

    /// Reads the work that is left, and the lists; returns `None` if these bytes are not of such a layer.
    pub fn from_bytes(
        bytes: &[u8],
        layout: &Layout,
        numbering: &Numbering,
    ) -> Option<(Vec<u8>, Lists)> {
        let (numbers, []) = bytes.as_chunks() else {
            return None;
        };
        let mut numbers = numbers.iter().map(|&number| u64::from_le_bytes(number));
        let mut left = Vec::new();
        for _ in 0..numbers.next()? {
            left.push(numbers.next()?.try_into().ok()?);
        }
        let mut last_resorts = Vec::new();
        for _ in 0..numbers.next()? {
            last_resorts.push(LastResortMove {
                child_opponents: OpponentsHalf(numbers.next()?.try_into().ok()?),
                child_own: numbers.next()?.try_into().ok()?,
                own_seeds: numbers.next()?.try_into().ok()?,
                own: numbers.next()?.try_into().ok()?,
                opponents: numbers.next()?.try_into().ok()?,
            });
        }
        let mut large_losses = Vec::new();
        for _ in 0..numbers.next()? {
            large_losses.push((
                numbers.next()?.try_into().ok()?,
                numbers.next()?.try_into().ok()?,
            ));
        }
        let are_possible = last_resorts.is_sorted()
            && last_resorts
                .iter()
                .all(|found| is_possible(found, layout, numbering))
            && large_losses.is_sorted()
            && large_losses.iter().all(|&(place, lost)| {
                place < layout.plane_len() && (1..=layout.seeds()).contains(&lost)
            });
        let lists = Lists {
            last_resorts,
            large_losses: LargeLosses::new(large_losses),
        };
        (numbers.next().is_none() && are_possible).then_some((left, lists))
    }
}

/// Returns whether a layer can have such a move.
fn is_possible(found: &LastResortMove, layout: &Layout, numbering: &Numbering) -> bool {
    let seeds = layout.seeds();
    if found.child_opponents.0 >= numbering.opponents_halves(seeds) || found.own_seeds > seeds {
        return false;
    }
    let (childs_opponents, _) = numbering.seeds_and_number(found.child_opponents);
    found.child_own < half::count(seeds - childs_opponents)
        && found.own < half::count(found.own_seeds)
        && (found.opponents as usize) < layout.row_len(found.own_seeds)
}

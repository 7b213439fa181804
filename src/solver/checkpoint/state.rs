//! Checkpoints: all that is known of a layer between two thresholds, when no news is under way.

use crate::graph::by_seeds::BySeeds;
use crate::graph::half_graph::HalfGraph;
use crate::graph::last_resort::LastResortMove;
use crate::graph::layout::Layout;
use crate::graph::numbering::{Numbering, OpponentsHalf};
use crate::known::listed::Listed;
use granero_table::first_error::Stopped;
use granero_table::index::half;

/// Keeps checkpoints of a layer: some lists, and parts with bytes for each row of positions.
pub(crate) trait Checkpoints {
    /// Whether it is time for one.
    fn is_due(&self) -> bool;

    /// Keeps a checkpoint in place of the one before, with parts of these lengths. Only an error of
    /// `parts` is returned, and then the one before stays.
    fn keep(
        &mut self,
        lists: &[u8],
        lengths: &[usize],
        parts: &mut dyn Source,
    ) -> Result<(), Stopped>;

    /// Passes on the checkpoint that was kept before, if there is one with parts of these lengths. Says
    /// whether that was done; if not, what was passed on is of no use. Only an error of `to` is returned.
    fn resume(&mut self, lengths: &[usize], to: &mut dyn Sink) -> Result<bool, Stopped>;
}

/// Where the parts of a checkpoint come from, one after the other.
pub(crate) trait Source {
    /// The next bytes, which are all of one part.
    fn next(&mut self, length: usize) -> Result<&[u8], Stopped>;
}

/// Where a checkpoint goes.
pub(crate) trait Sink {
    /// Takes the lists, which come first. Says whether the layer can have such lists.
    fn begin(&mut self, lists: &[u8]) -> Result<bool, Stopped>;

    /// The place for the next bytes, which are all of one part. What is put there is taken when the
    /// next place is asked for, or when all is done.
    fn next(&mut self, length: usize) -> Result<&mut [u8], Stopped>;
}

/// Keeps none.
pub(crate) struct NoCheckpoints;

impl Checkpoints for NoCheckpoints {
    fn is_due(&self) -> bool {
        false
    }

    fn keep(&mut self, _: &[u8], _: &[usize], _: &mut dyn Source) -> Result<(), Stopped> {
        Ok(())
    }

    fn resume(&mut self, _: &[usize], _: &mut dyn Sink) -> Result<bool, Stopped> {
        Ok(false)
    }
}

/// By part: how many bytes it has for a row, by the mover's seeds.
pub(crate) struct Shape(pub(crate) Vec<BySeeds>);

impl Shape {
    /// The lengths of the parts for the rows of a layout.
    pub(super) fn lengths(&self, layout: &Layout) -> Vec<usize> {
        let length = |row_len: &BySeeds| {
            let of_rows = |own_seeds| layout.rows(own_seeds) as usize * row_len.get(own_seeds);
            (0..=layout.seeds()).map(of_rows).sum()
        };
        self.0.iter().map(length).collect()
    }
}

/// What a process knows of its rows between two thresholds.
pub(crate) struct Known<'k> {
    pub(crate) layout: &'k Layout,
    pub(crate) shape: &'k Shape,
    /// What is left to do, as the convention for endless play has it.
    pub(crate) left: &'k [u8],
    pub(crate) lists: &'k Lists,
    pub(crate) parts: &'k [&'k [u8]],
}

/// The checkpoint that a process would go on from.
pub(crate) struct Wanted<'w> {
    pub(crate) graph: &'w HalfGraph,
    pub(crate) layout: &'w Layout,
    pub(crate) shape: &'w Shape,
    /// Whether this can be left to do.
    pub(crate) accept: &'w dyn Fn(&[u8]) -> bool,
}

/// What is left to do, the lists, and the parts of a checkpoint.
pub(crate) struct Resumed {
    pub(crate) left: Vec<u8>,
    pub(crate) lists: Lists,
    pub(crate) parts: Vec<Vec<u8>>,
}

/// Has a checkpoint kept, where this process has all rows.
pub(crate) fn keep(checkpoints: &mut dyn Checkpoints, known: &Known<'_>) -> Result<(), Stopped> {
    let lists = known.lists.to_bytes(known.left);
    let lengths = known.shape.lengths(known.layout);
    checkpoints.keep(&lists, &lengths, &mut Given::new(known.parts))
}

/// Goes on from a checkpoint, if there is one, where this process has all rows.
pub(crate) fn resume(
    checkpoints: &mut dyn Checkpoints,
    wanted: &Wanted<'_>,
) -> Result<Option<Resumed>, Stopped> {
    struct Alone<'a> {
        wanted: &'a Wanted<'a>,
        lengths: &'a [usize],
        found: Option<(Vec<u8>, Lists, Taken)>,
    }

    impl Sink for Alone<'_> {
        fn begin(&mut self, lists: &[u8]) -> Result<bool, Stopped> {
            let lists = self.wanted.lists(lists, self.wanted.layout);
            let parts = || Taken::new(self.lengths);
            self.found = lists.map(|(left, lists)| (left, lists, parts()));
            Ok(self.found.is_some())
        }

        fn next(&mut self, length: usize) -> Result<&mut [u8], Stopped> {
            let (.., parts) = self.found.as_mut().expect("lists come first");
            Ok(parts.next(length))
        }
    }

    let lengths = &wanted.shape.lengths(wanted.layout);
    let mut to = Alone {
        wanted,
        lengths,
        found: None,
    };
    let is_resumed = checkpoints.resume(lengths, &mut to)?;
    let found = to.found.filter(|_| is_resumed);
    Ok(found.map(|(left, lists, Taken { parts, .. })| Resumed { left, lists, parts }))
}

impl Wanted<'_> {
    /// What is left to do, and the lists, which are about the rows of a layout; `None` if these bytes
    /// are not of such a layer.
    pub(super) fn lists(&self, bytes: &[u8], layout: &Layout) -> Option<(Vec<u8>, Lists)> {
        let (left, lists) = Lists::from_bytes(bytes, layout, &self.graph.numbering)?;
        (self.accept)(&left).then_some((left, lists))
    }
}

/// Parts that are given, one after the other.
pub(super) struct Given<'a> {
    parts: &'a [&'a [u8]],
    /// What is left of the part at hand.
    rest: &'a [u8],
}

impl<'a> Given<'a> {
    pub(super) fn new(parts: &'a [&'a [u8]]) -> Given<'a> {
        Given { parts, rest: &[] }
    }

    /// The next bytes, which are all of one part.
    pub(super) fn next(&mut self, length: usize) -> &'a [u8] {
        while self.rest.is_empty() {
            (self.rest, self.parts) = self.parts.split_first().expect("a part");
        }
        let (next, rest) = self.rest.split_at(length);
        self.rest = rest;
        next
    }
}

impl Source for Given<'_> {
    fn next(&mut self, length: usize) -> Result<&[u8], Stopped> {
        Ok(Given::next(self, length))
    }
}

/// Parts that are taken, one after the other.
pub(crate) struct Taken {
    pub(super) parts: Vec<Vec<u8>>,
    /// The part at hand, and how much of it was taken.
    at: (usize, usize),
}

impl Taken {
    pub(super) fn new(lengths: &[usize]) -> Taken {
        Taken {
            parts: lengths.iter().map(|&length| vec![0; length]).collect(),
            at: (0, 0),
        }
    }

    /// The place for the next bytes, which are all of one part.
    pub(super) fn next(&mut self, length: usize) -> &mut [u8] {
        let (part, begin) = &mut self.at;
        while *begin == self.parts[*part].len() {
            (*part, *begin) = (*part + 1, 0);
        }
        let next = &mut self.parts[*part][*begin..][..length];
        *begin += length;
        next
    }
}

/// What is known besides the bytes of each position.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    pub(crate) last_resorts: Vec<LastResortMove>,
    pub(crate) listed: Listed,
}

impl Lists {
    /// The same with the rows of all processes in place of those of this one.
    pub(super) fn of_all(&self, graph: &HalfGraph, own: &Layout, all: &Layout) -> Lists {
        let number = |found: &LastResortMove| graph.number(found.own_seeds, found.own);
        let last_resorts = self.last_resorts.iter().map(|found| LastResortMove {
            own: number(found),
            ..*found
        });
        let listed = self.listed.positions().iter().map(|&(place, lost)| {
            let (own_seeds, row, at) = own.place(place);
            let number = graph.number(own_seeds, row);
            (all.row_start(own_seeds, number) + at, lost)
        });
        Lists {
            last_resorts: last_resorts.collect(),
            listed: Listed::new(listed.collect()),
        }
    }

    /// What of these lists, which have the rows of all processes, is about those of this one.
    pub(super) fn own(&self, graph: &HalfGraph, own: &Layout, all: &Layout) -> Lists {
        let last_resorts = self.last_resorts.iter().filter_map(|found| {
            let row = graph.row_if_own(found.own_seeds, found.own)?;
            Some(LastResortMove { own: row, ..*found })
        });
        let listed = self.listed.positions().iter().filter_map(|&(place, lost)| {
            let (own_seeds, number, at) = all.place(place);
            let row = graph.row_if_own(own_seeds, number)?;
            Some((own.row_start(own_seeds, row) + at, lost))
        });
        Lists {
            last_resorts: last_resorts.collect(),
            listed: Listed::new(listed.collect()),
        }
    }

    /// Those of several processes in one.
    pub(super) fn sum(all: Vec<Lists>) -> Lists {
        let (mut last_resorts, mut listed) = (Vec::new(), Vec::new());
        for lists in all {
            last_resorts.extend(lists.last_resorts);
            listed.extend(lists.listed.positions());
        }
        last_resorts.sort_unstable();
        Lists {
            last_resorts,
            listed: Listed::new(listed),
        }
    }

    /// The lists as bytes, and what is left to do, as the convention for endless play has it.
    pub(super) fn to_bytes(&self, left: &[u8]) -> Vec<u8> {
        let listed = self.listed.positions();
        let numbers = 3 + left.len() + 5 * self.last_resorts.len() + 2 * listed.len();
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
        push(listed.len() as u64);
        for &(place, lost) in listed {
            push(place as u64);
            push(lost.into());
        }
        bytes
    }

    /// The lists, and what is left to do; `None` if these bytes are not of such a layer.
    pub(super) fn from_bytes(
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
        let mut listed = Vec::new();
        for _ in 0..numbers.next()? {
            listed.push((
                numbers.next()?.try_into().ok()?,
                numbers.next()?.try_into().ok()?,
            ));
        }
        let are_possible = last_resorts.is_sorted()
            && last_resorts
                .iter()
                .all(|found| is_possible(found, layout, numbering))
            && listed.is_sorted()
            && listed.iter().all(|&(place, lost)| {
                place < layout.plane_len() && (1..=layout.seeds()).contains(&lost)
            });
        let lists = Lists {
            last_resorts,
            listed: Listed::new(listed),
        };
        (numbers.next().is_none() && are_possible).then_some((left, lists))
    }
}

/// Whether a layer can have such a move.
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

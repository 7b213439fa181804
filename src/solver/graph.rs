//! The moves between half-boards, prepared for the solver: they are the same for all
//! layers, so this is built once.
//!
//! A quiet move takes the position (mover `m`, opponent `o`) to the child (mover `a`,
//! opponent `b`), where `b` is what sowing makes of `m`, and `a` is `o` with the seeds
//! that came across. How many came across, and whether the last seed did, is the
//! [`Class`] of the move. `b` depends on `m` and the house, `a` on `o` and the class.
//! So the predecessors of a child are all pairs of
//!
//! * an `m` and a house that make `b`: [`HalfGraph::predecessors`], by class;
//! * the `o` that becomes `a` by that class: [`HalfGraph::origins`].

use std::sync::Arc;

use super::share::Share;
use crate::house::House;
use crate::index::{HalfMoves, half};
use crate::rows::{Class, RowMoves, quiet_origins};
use crate::rules::Ruleset;

/// Classes are below this.
pub(super) const CLASSES: usize = Class::count(super::codes::MAX_SEEDS);

/// A rank or a local number, and a class, in 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tagged(u32);

impl Tagged {
    fn new(class: Class, number: u32) -> Tagged {
        debug_assert!(number < 1 << 24);
        Tagged(u32::from(class.code()) << 24 | number)
    }

    #[inline(always)]
    pub(super) fn class(self) -> Class {
        Class::of_code((self.0 >> 24) as u8)
    }

    #[inline(always)]
    pub(super) fn number(self) -> u32 {
        self.0 & 0xff_ffff
    }
}

/// The half-boards of one worker that moves turn into others.
#[derive(Debug)]
struct Predecessors {
    /// By half-board: where its groups begin. One more at the end.
    starts: Vec<u32>,
    /// Groups of half-boards with moves of the same class: the class and the number of
    /// half-boards, then their local numbers.
    groups: Vec<u32>,
}

/// The half-boards of the opponent that become some half-board by quiet moves which
/// send seeds across, with the classes of these moves.
///
/// Most have two at most, and those are at hand in eight bytes, with [`Class::NONE`] for
/// a missing one: there is always the same to do, which no processor mispredicts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origins {
    /// The highest bit of the first one says that there are more than two.
    first_two: [Tagged; 2],
}

const MORE: u32 = 1 << 31;

impl Origins {
    #[inline(always)]
    pub(super) fn first_two(self) -> [Tagged; 2] {
        let [Tagged(first), second] = self.first_two;
        [Tagged(first & !MORE), second]
    }

    #[inline(always)]
    pub(super) fn has_more(self) -> bool {
        self.first_two[0].0 & MORE != 0
    }
}

/// The moves between half-boards with up to some number of seeds.
#[derive(Debug)]
pub(super) struct HalfGraph {
    pub(super) rows: Arc<RowMoves>,
    pub(super) share: Share,
    /// The number of the first half-board with so many seeds.
    first: Vec<u32>,
    /// By worker.
    predecessors: Vec<Predecessors>,
    origins: Vec<Origins>,
    /// Those beyond the first two, and where they begin for each half-board.
    more_origins: Vec<Tagged>,
    more_origins_starts: Vec<u32>,
}

impl HalfGraph {
    pub(super) fn new(rows: Arc<RowMoves>, share: Share) -> HalfGraph {
        let max_seeds = rows.max_seeds();
        let mut first = vec![0];
        for seeds in 0..=max_seeds {
            first.push(first[usize::from(seeds)] + half::count(seeds));
        }
        let (origins, more_origins_starts, more_origins) = origins(rows.ruleset(), max_seeds);
        HalfGraph {
            share,
            predecessors: predecessors(rows.half_moves(), &first, share),
            rows,
            first,
            origins,
            more_origins,
            more_origins_starts,
        }
    }

    /// A number for each half-board, those with fewer seeds first.
    #[inline(always)]
    pub(super) fn number(&self, seeds: u8, rank: u32) -> usize {
        (self.first[usize::from(seeds)] + rank) as usize
    }

    /// The half-boards of one worker that a move turns into this one: by class,
    /// ascending, their local numbers.
    #[inline(always)]
    pub(super) fn predecessors(&self, worker: usize, half_board: usize) -> PredecessorGroups<'_> {
        let Predecessors { starts, groups } = &self.predecessors[worker];
        PredecessorGroups {
            rest: &groups[starts[half_board] as usize..starts[half_board + 1] as usize],
        }
    }

    /// The half-boards of the opponent that become this one by a quiet move which sends
    /// seeds across.
    #[inline(always)]
    pub(super) fn origins(&self, half_board: usize) -> Origins {
        self.origins[half_board]
    }

    /// Those beyond the first two.
    pub(super) fn more_origins(&self, half_board: usize) -> &[Tagged] {
        let start = self.more_origins_starts[half_board] as usize;
        let end = self.more_origins_starts[half_board + 1] as usize;
        &self.more_origins[start..end]
    }
}

/// See [`HalfGraph::predecessors`].
#[derive(Clone, Copy, Debug)]
pub(super) struct PredecessorGroups<'a> {
    rest: &'a [u32],
}

impl<'a> PredecessorGroups<'a> {
    /// The memory that holds them.
    pub(super) fn memory(&self) -> &'a [u32] {
        self.rest
    }
}

impl<'a> Iterator for PredecessorGroups<'a> {
    type Item = (Class, &'a [u32]);

    #[inline(always)]
    fn next(&mut self) -> Option<(Class, &'a [u32])> {
        let (&head, rest) = self.rest.split_first()?;
        let head = Tagged(head);
        let (group, rest) = rest.split_at(head.number() as usize);
        self.rest = rest;
        Some((head.class(), group))
    }
}

fn predecessors(moves: &HalfMoves, first: &[u32], share: Share) -> Vec<Predecessors> {
    let half_boards = first[first.len() - 1];
    let mut links: Vec<Vec<(u32, Tagged)>> = vec![Vec::new(); share.workers()];
    for seeds in 0..=moves.max_seeds() {
        for rank in 0..half::count(seeds) {
            let (owner, local) = share.place(rank);
            for house in House::ALL {
                if let Some(half_move) = moves.get(seeds, rank, house) {
                    let child = first[usize::from(half_move.seeds)] + half_move.rank;
                    let class = Class::of(half_move.crossing);
                    links[owner].push((child, Tagged::new(class, local)));
                }
            }
        }
    }
    let by_worker = links.into_iter().map(|mut links| {
        links.sort_unstable();
        let mut starts = vec![0];
        let mut groups = Vec::with_capacity(links.len() + half_boards as usize);
        let mut children = links.chunk_by(|a, b| a.0 == b.0).peekable();
        for half_board in 0..half_boards {
            if let Some(links) = children.next_if(|links| links[0].0 == half_board) {
                for group in links.chunk_by(|a, b| a.1.class() == b.1.class()) {
                    let head = Tagged::new(group[0].1.class(), group.len() as u32);
                    groups.push(head.0);
                    groups.extend(group.iter().map(|(_, tagged)| tagged.number()));
                }
            }
            starts.push(groups.len() as u32);
        }
        Predecessors { starts, groups }
    });
    by_worker.collect()
}

fn origins(ruleset: Ruleset, max_seeds: u8) -> (Vec<Origins>, Vec<u32>, Vec<Tagged>) {
    let mut all = Vec::new();
    let mut more = Vec::new();
    let mut more_starts = vec![0];
    for seeds in 0..=max_seeds {
        for houses in half::all(seeds) {
            let mut found =
                quiet_origins(ruleset, houses).map(|(class, rank)| Tagged::new(class, rank));
            let none = Tagged::new(Class::NONE, 0);
            let mut first_two = [(); 2].map(|()| found.next().unwrap_or(none));
            more.extend(found);
            if more.len() as u32 > more_starts[more_starts.len() - 1] {
                first_two[0].0 |= MORE;
            }
            all.push(Origins { first_two });
            more_starts.push(more.len() as u32);
        }
    }
    (all, more_starts, more)
}

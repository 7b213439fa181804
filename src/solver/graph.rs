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

use super::ownership::{Local, Ownership};
use crate::house::House;
use crate::index::{HalfMoves, half};
use crate::rows::{Class, RowMoves, quiet_origins};
use crate::rules::Ruleset;

/// The number of a half-board in the graph: those with fewer seeds come first, those with as
/// many are in the order of their ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HalfBoard(usize);

/// All half-boards with the same number of seeds.
#[derive(Clone, Copy, Debug)]
pub(super) struct HalfBoards {
    first: usize,
}

impl HalfBoards {
    #[inline(always)]
    pub(super) fn with_rank(self, rank: u32) -> HalfBoard {
        HalfBoard(self.first + rank as usize)
    }
}

/// A class and a number of 24 bits, in 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Tagged(u32);

impl Tagged {
    fn new(class: Class, number: u32) -> Tagged {
        debug_assert!(number < 1 << 24);
        Tagged(u32::from(class.code()) << 24 | number)
    }

    #[inline(always)]
    fn class(self) -> Class {
        Class::of_code((self.0 >> 24) as u8)
    }

    #[inline(always)]
    fn number(self) -> u32 {
        self.0 & 0xff_ffff
    }
}

/// The half-boards of one worker that moves turn into others.
#[derive(Debug)]
struct Predecessors {
    /// By half-board: where its groups begin. One more at the end.
    starts: Vec<u32>,
    /// Groups of half-boards with moves of the same class: the class and the number of
    /// half-boards, [`Tagged`], then their [`Local`] numbers.
    groups: Vec<u32>,
}

/// A half-board of the opponent before a quiet move that sends seeds across: its rank, and the
/// class of the move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin(Tagged);

impl Origin {
    #[inline(always)]
    pub(super) fn class(self) -> Class {
        self.0.class()
    }

    #[inline(always)]
    pub(super) fn rank(self) -> u32 {
        self.0.number()
    }
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
    pub(super) fn first_two(self) -> [Origin; 2] {
        let [Tagged(first), second] = self.first_two;
        [Origin(Tagged(first & !MORE)), Origin(second)]
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
    pub(super) ownership: Ownership,
    /// By seeds: the number of the first half-board. One more at the end.
    first: Vec<u32>,
    /// By worker.
    predecessors: Vec<Predecessors>,
    origins: Vec<Origins>,
    /// Those beyond the first two, and where they begin for each half-board.
    more_origins: Vec<Origin>,
    more_origins_starts: Vec<u32>,
}

impl HalfGraph {
    pub(super) fn new(rows: Arc<RowMoves>, ownership: Ownership) -> HalfGraph {
        let max_seeds = rows.max_seeds();
        let mut first = vec![0];
        for seeds in 0..=max_seeds {
            first.push(first[usize::from(seeds)] + half::count(seeds));
        }
        let (origins, more_origins_starts, more_origins) = origins(rows.ruleset(), max_seeds);
        HalfGraph {
            ownership,
            predecessors: predecessors(rows.half_moves(), &first, ownership),
            rows,
            first,
            origins,
            more_origins,
            more_origins_starts,
        }
    }

    /// The half-boards with `seeds` seeds.
    #[inline(always)]
    pub(super) fn half_boards(&self, seeds: u8) -> HalfBoards {
        HalfBoards {
            first: self.first[usize::from(seeds)] as usize,
        }
    }

    /// The half-boards of one worker that a move turns into this one: by class, ascending.
    #[inline(always)]
    pub(super) fn predecessors(
        &self,
        worker: usize,
        HalfBoard(half_board): HalfBoard,
    ) -> PredecessorGroups<'_> {
        let Predecessors { starts, groups } = &self.predecessors[worker];
        PredecessorGroups {
            rest: &groups[starts[half_board] as usize..starts[half_board + 1] as usize],
        }
    }

    /// The half-boards of the opponent that become this one by a quiet move which sends
    /// seeds across.
    #[inline(always)]
    pub(super) fn origins(&self, HalfBoard(half_board): HalfBoard) -> Origins {
        self.origins[half_board]
    }

    /// Those beyond the first two.
    pub(super) fn more_origins(&self, HalfBoard(half_board): HalfBoard) -> &[Origin] {
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

/// Half-boards of one worker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Locals<'a>(&'a [u32]);

impl<'a> PredecessorGroups<'a> {
    /// The memory that holds them.
    pub(super) fn memory(&self) -> &'a [u32] {
        self.rest
    }
}

impl<'a> Iterator for PredecessorGroups<'a> {
    type Item = (Class, Locals<'a>);

    #[inline(always)]
    fn next(&mut self) -> Option<(Class, Locals<'a>)> {
        let (&head, rest) = self.rest.split_first()?;
        let head = Tagged(head);
        let (group, rest) = rest.split_at(head.number() as usize);
        self.rest = rest;
        Some((head.class(), Locals(group)))
    }
}

impl<'a> Locals<'a> {
    #[inline(always)]
    pub(super) fn len(self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    pub(super) fn iter(self) -> impl ExactSizeIterator<Item = Local> + 'a {
        self.0.iter().map(|&local| Local(local))
    }
}

fn predecessors(moves: &HalfMoves, first: &[u32], ownership: Ownership) -> Vec<Predecessors> {
    let half_boards = first[first.len() - 1];
    let mut links: Vec<Vec<(u32, Tagged)>> = vec![Vec::new(); ownership.workers()];
    for seeds in 0..=moves.max_seeds() {
        for rank in 0..half::count(seeds) {
            let (owner, Local(local)) = ownership.place(rank);
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

fn origins(ruleset: Ruleset, max_seeds: u8) -> (Vec<Origins>, Vec<u32>, Vec<Origin>) {
    let mut all = Vec::new();
    let mut more = Vec::new();
    let mut more_starts = vec![0];
    for seeds in 0..=max_seeds {
        for houses in half::all(seeds) {
            let mut found =
                quiet_origins(ruleset, houses).map(|(class, rank)| Tagged::new(class, rank));
            let none = Tagged::new(Class::NONE, 0);
            let mut first_two = [(); 2].map(|()| found.next().unwrap_or(none));
            more.extend(found.map(Origin));
            if more.len() as u32 > more_starts[more_starts.len() - 1] {
                first_two[0].0 |= MORE;
            }
            all.push(Origins { first_two });
            more_starts.push(more.len() as u32);
        }
    }
    (all, more_starts, more)
}

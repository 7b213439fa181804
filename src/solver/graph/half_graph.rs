//! The moves between half-boards, which are the same for all layers and so are built once.
//!
//! A quiet move takes the position (mover `m`, opponent `o`) to the child (mover `a`,
//! opponent `b`), where sowing makes `b` of `m`, and `a` is `o` with the seeds
//! that came across. How many came across, and whether the last seed did, is the
//! [`CrossingClass`] of the move. `b` depends on `m` and the house, `a` on `o` and the class.
//! So the predecessors of a child are all pairs of
//!
//! * an `m` and a house that make `b`: [`HalfGraph::predecessors`], by class;
//! * the `o` that becomes `a` by that class: [`HalfGraph::origins`]. An `o` without an empty
//!   house is left out, because no move leads there.
//!
//! A graph of a [`Share`] has only those `m`, by their places in it.

use super::numbering::{HalfBoard, Number, Numbering, OpponentsHalf, count_of_opponent};
use super::share::Share;
use granero_game::House;
use granero_game::rules::Ruleset;
use granero_table::index::{HalfMoves, half};
use granero_table::rows::{CrossingClass, RowMoves, quiet_origins};

/// A class of moves and a number of 24 bits, in 32 bits: of a half-board before or after these moves, or how many
/// there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tagged(u32);

impl Tagged {
    fn new(class: CrossingClass, number: u32) -> Tagged {
        debug_assert!(number < 1 << 24);
        Tagged(u32::from(class.code()) << 24 | number)
    }

    #[inline(always)]
    pub fn class(self) -> CrossingClass {
        CrossingClass::of_code((self.0 >> 24) as u8)
    }

    #[inline(always)]
    pub fn number(self) -> u32 {
        self.0 & 0xff_ffff
    }
}

/// The half-boards that moves turn into others.
#[derive(Debug)]
struct Predecessors {
    /// By half-board that a move makes: where its groups begin. One more at the end.
    starts: Vec<u32>,
    /// Groups of half-boards with moves of the same class: the class and how many there are,
    /// [`Tagged`], then their numbers.
    groups: Vec<u32>,
}

/// The half-boards of the opponent that become some half-board by quiet moves which
/// send seeds across, with the classes of these moves.
///
/// Most have two at most, and these are in eight bytes, with [`CrossingClass::NONE`] for
/// a missing one: the work is always the same, which no processor mispredicts.
#[derive(Clone, Copy, Debug)]
pub struct Origins {
    /// The highest bit of the first one says that there are more than two.
    first_two: [Tagged; 2],
}

const MORE: u32 = 1 << 31;

impl Origins {
    #[inline(always)]
    pub fn first_two(self) -> [Tagged; 2] {
        let [Tagged(first), second] = self.first_two;
        [Tagged(first & !MORE), second]
    }

    #[inline(always)]
    pub fn has_more(self) -> bool {
        self.first_two[0].0 & MORE != 0
    }
}

/// The moves between half-boards with up to some number of seeds.
#[derive(Debug)]
pub struct HalfGraph {
    pub rows: RowMoves,
    pub numbering: Numbering,
    /// The half-boards of the mover, if not all.
    share: Option<Share>,
    predecessors: Predecessors,
    origins: Vec<Origins>,
    /// Origins beyond the first two, and where they begin for each half-board.
    more_origins: Vec<Tagged>,
    more_origins_starts: Vec<u32>,
}

impl HalfGraph {
    pub fn new(rows: RowMoves) -> HalfGraph {
        let numbering = Numbering::new(rows.max_seeds());
        HalfGraph::of_share(rows, numbering, None)
    }

    /// The graph of the half-boards of the mover in `share`, or of all.
    pub fn of_share(mut rows: RowMoves, numbering: Numbering, share: Option<Share>) -> HalfGraph {
        // The predecessors first: they take most memory while they are made.
        let predecessors = predecessors(rows.half_moves(), &numbering, share.as_ref());
        if let Some(share) = &share {
            rows.keep_only(|seeds, rank| {
                let number = numbering.number(seeds, rank);
                share.row(seeds, number).is_some()
            });
        }
        let (origins, more_origins_starts, more_origins) = origins(rows.ruleset(), &numbering);
        HalfGraph {
            predecessors,
            share,
            rows,
            numbering,
            origins,
            more_origins,
            more_origins_starts,
        }
    }

    /// The number of rows where the mover has `own_seeds` seeds.
    #[inline]
    pub fn rows_of(&self, own_seeds: u8) -> u32 {
        match &self.share {
            None => half::count(own_seeds),
            Some(share) => share.rows(own_seeds),
        }
    }

    /// The number of the mover's half-board in a row, whose place is counted among the rows of this
    /// graph: the reverse of [`row`](HalfGraph::row).
    #[inline]
    pub fn number(&self, own_seeds: u8, row: Number) -> Number {
        match &self.share {
            None => row,
            Some(share) => share.number(own_seeds, row),
        }
    }

    /// The row of a half-board of the mover.
    ///
    /// # Panics
    ///
    /// If the graph does not have it.
    #[inline(always)]
    pub fn row(&self, own_seeds: u8, number: Number) -> Number {
        let row = self.row_if_own(own_seeds, number);
        row.expect("a row of the share")
    }

    /// The row of a half-board of the mover, if the graph has it.
    #[inline(always)]
    pub fn row_if_own(&self, own_seeds: u8, number: Number) -> Option<Number> {
        match &self.share {
            None => Some(number),
            Some(share) => share.row(own_seeds, number),
        }
    }

    /// The half-boards that a move turns into this one: by class, ascending.
    #[inline(always)]
    pub fn predecessors(&self, OpponentsHalf(half): OpponentsHalf) -> PredecessorGroups<'_> {
        let Predecessors { starts, groups } = &self.predecessors;
        PredecessorGroups {
            rest: &groups[starts[half] as usize..starts[half + 1] as usize],
        }
    }

    /// The half-boards of the opponent that become this one by a quiet move which sends
    /// seeds across.
    #[inline(always)]
    pub fn origins(&self, HalfBoard(half_board): HalfBoard) -> Origins {
        self.origins[half_board]
    }

    /// Origins beyond the first two.
    pub fn more_origins(&self, HalfBoard(half_board): HalfBoard) -> &[Tagged] {
        let start = self.more_origins_starts[half_board] as usize;
        let end = self.more_origins_starts[half_board + 1] as usize;
        &self.more_origins[start..end]
    }
}

/// See [`HalfGraph::predecessors`].
#[derive(Clone, Copy, Debug)]
pub struct PredecessorGroups<'a> {
    rest: &'a [u32],
}

impl<'a> PredecessorGroups<'a> {
    /// The memory that holds them.
    pub fn memory(&self) -> &'a [u32] {
        self.rest
    }
}

impl<'a> Iterator for PredecessorGroups<'a> {
    /// The class, and the numbers of the half-boards.
    type Item = (CrossingClass, &'a [Number]);

    #[inline(always)]
    fn next(&mut self) -> Option<(CrossingClass, &'a [Number])> {
        let (&head, rest) = self.rest.split_first()?;
        let head = Tagged(head);
        let (group, rest) = rest.split_at(head.number() as usize);
        self.rest = rest;
        Some((head.class(), group))
    }
}

/// Finds the half-boards of the share, or all, that moves turn into others.
fn predecessors(moves: &HalfMoves, numbering: &Numbering, share: Option<&Share>) -> Predecessors {
    let tag = |seeds, number, class| match share {
        None => Some(Tagged::new(class, number).0),
        Some(share) => share
            .row(seeds, number)
            .map(|row| Tagged::new(class, row).0),
    };
    let (ends, mut links) = links(moves, numbering, tag);
    let mut starts = vec![0];
    let mut groups = Vec::with_capacity(2 * links.len());
    let mut begin = 0;
    for end in ends {
        let links = &mut links[begin as usize..end as usize];
        begin = end;
        links.sort_unstable();
        for group in links.chunk_by(|&a, &b| Tagged(a).class() == Tagged(b).class()) {
            let head = Tagged::new(Tagged(group[0]).class(), group.len() as u32);
            groups.push(head.0);
            groups.extend(group.iter().map(|&tagged| Tagged(tagged).number()));
        }
        starts.push(groups.len() as u32);
    }
    groups.shrink_to_fit();
    Predecessors { starts, groups }
}

/// Returns what `tag` says of each move, given the seeds, the number and the class: first where the
/// tags for each half-board that a move makes end, then all tags.
pub fn links(
    moves: &HalfMoves,
    numbering: &Numbering,
    tag: impl Fn(u8, Number, CrossingClass) -> Option<u32>,
) -> (Vec<u32>, Vec<u32>) {
    let halves = numbering.opponents_halves(numbering.max_seeds());
    // First how many moves lead to each half-board, then which.
    let mut ends = vec![0u32; halves];
    for_each_move(moves, numbering, &tag, |OpponentsHalf(child), _| {
        ends[child] += 1
    });
    let mut end = 0;
    for start in &mut ends {
        end += std::mem::replace(start, end);
    }
    let mut links = vec![0; end as usize];
    for_each_move(moves, numbering, &tag, |OpponentsHalf(child), tag| {
        links[ends[child] as usize] = tag;
        ends[child] += 1;
    });
    (ends, links)
}

/// Calls `found` with the half-board that each move makes of the mover's, and with the tag of the move.
fn for_each_move(
    moves: &HalfMoves,
    numbering: &Numbering,
    tag: impl Fn(u8, Number, CrossingClass) -> Option<u32>,
    mut found: impl FnMut(OpponentsHalf, u32),
) {
    for seeds in 0..=numbering.max_seeds() {
        for rank in 0..half::count(seeds) {
            let number = numbering.number(seeds, rank);
            for half_move in House::ALL
                .into_iter()
                .filter_map(|house| moves.get(seeds, rank, house))
            {
                let Some(tag) = tag(seeds, number, CrossingClass::of(half_move.crossing)) else {
                    continue;
                };
                let left = numbering.number(half_move.seeds, half_move.rank);
                found(numbering.opponents_half(half_move.seeds, left), tag);
            }
        }
    }
}

fn origins(ruleset: Ruleset, numbering: &Numbering) -> (Vec<Origins>, Vec<u32>, Vec<Tagged>) {
    let mut all = Vec::with_capacity(numbering.half_boards());
    let mut more = Vec::new();
    let mut more_starts = Vec::with_capacity(numbering.half_boards() + 1);
    more_starts.push(0);
    for seeds in 0..=numbering.max_seeds() {
        for number in 0..half::count(seeds) {
            let houses = half::unrank(seeds, numbering.rank(seeds, number));
            let mut found = quiet_origins(ruleset, houses).filter_map(|(class, rank)| {
                let before = seeds - class.crossing().seeds;
                let number = numbering.number(before, rank);
                (number < count_of_opponent(before)).then(|| Tagged::new(class, number))
            });
            let none = Tagged::new(CrossingClass::NONE, 0);
            let mut first_two = [(); 2].map(|()| found.next().unwrap_or(none));
            more.extend(found);
            if more.len() as u32 > more_starts[more_starts.len() - 1] {
                first_two[0].0 |= MORE;
            }
            all.push(Origins { first_two });
            more_starts.push(more.len() as u32);
        }
    }
    more.shrink_to_fit();
    (all, more_starts, more)
}

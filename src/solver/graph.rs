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

use super::share::Share;
use crate::house::House;
use crate::index::{Crossing, HalfMoves, arrivals, half};
use crate::rules::{Arrival, Ruleset};

/// A number for each kind of crossing: twice the seeds, and one more if the last seed
/// is among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Class(u8);

/// Classes are below this.
pub(super) const CLASSES: usize = 2 * (super::codes::MAX_SEEDS as usize + 1);

impl Class {
    /// Nothing comes across.
    pub(super) const STAYS: Class = Class(0);

    /// No move: the last seed cannot be across if none is.
    pub(super) const NONE: Class = Class(1);

    pub(super) fn of(crossing: Crossing) -> Class {
        Class(2 * crossing.seeds + u8::from(crossing.ends_there))
    }

    pub(super) fn crossing(self) -> Crossing {
        Crossing {
            seeds: self.0 / 2,
            ends_there: self.0 % 2 == 1,
        }
    }

    pub(super) fn index(self) -> usize {
        self.0.into()
    }
}

/// A rank or a local number, and a class, in 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tagged(u32);

impl Tagged {
    fn new(class: Class, number: u32) -> Tagged {
        debug_assert!(number < 1 << 24);
        Tagged(u32::from(class.0) << 24 | number)
    }

    #[inline(always)]
    pub(super) fn class(self) -> Class {
        Class((self.0 >> 24) as u8)
    }

    #[inline(always)]
    pub(super) fn number(self) -> u32 {
        self.0 & 0xff_ffff
    }
}

/// What the moves of a class do to all half-boards of the opponent with some number of
/// seeds, as far as they are not quiet. Half-boards are given by their ranks.
#[derive(Debug, Default)]
pub(super) struct Effects {
    /// By number of captured seeds: the half-board before, and what is left of it.
    pub(super) captures: Vec<(u8, Vec<(u32, u32)>)>,
    /// Moves that end the game, with the seeds that they capture.
    pub(super) ends: Vec<(u32, u8)>,
    /// Moves that are not legal, or only as a last resort.
    pub(super) barred: Vec<u32>,
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
    pub(super) ruleset: Ruleset,
    pub(super) share: Share,
    pub(super) moves: HalfMoves,
    /// The number of the first half-board with so many seeds.
    first: Vec<u32>,
    /// By worker.
    predecessors: Vec<Predecessors>,
    origins: Vec<Origins>,
    /// Those beyond the first two, and where they begin for each half-board.
    more_origins: Vec<Tagged>,
    more_origins_starts: Vec<u32>,
    /// By class, then by the opponent's seeds before the move.
    effects: Vec<Vec<Effects>>,
}

impl HalfGraph {
    pub(super) fn new(ruleset: Ruleset, max_seeds: u8, share: Share) -> HalfGraph {
        let moves = HalfMoves::up_to(max_seeds);
        let mut first = vec![0];
        for seeds in 0..=max_seeds {
            first.push(first[usize::from(seeds)] + half::count(seeds));
        }
        let (origins, more_origins_starts, more_origins) = origins(ruleset, max_seeds);
        HalfGraph {
            ruleset,
            share,
            predecessors: predecessors(&moves, &first, share),
            effects: effects(ruleset, max_seeds),
            moves,
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

    /// What a class does to half-boards with so many seeds beyond quiet moves.
    pub(super) fn effects(&self, class: Class, seeds: u8) -> &Effects {
        &self.effects[class.index()][usize::from(seeds)]
    }

    /// The moves of a half-board: what it becomes, and the class.
    pub(super) fn moves_of(&self, seeds: u8, rank: u32) -> impl Iterator<Item = (u8, u32, Class)> {
        House::ALL.into_iter().filter_map(move |house| {
            let half_move = self.moves.get(seeds, rank, house)?;
            Some((
                half_move.seeds,
                half_move.rank,
                Class::of(half_move.crossing),
            ))
        })
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

/// The house into which the last of so many seeds that come across falls.
fn last_house(seeds: u8) -> House {
    House::ALL[usize::from((seeds - 1) % 6)]
}

fn origins(ruleset: Ruleset, max_seeds: u8) -> (Vec<Origins>, Vec<u32>, Vec<Tagged>) {
    let mut all = Vec::new();
    let mut more = Vec::new();
    let mut more_starts = vec![0];
    let mut origins = Vec::new();
    for seeds in 0..=max_seeds {
        for houses in half::all(seeds) {
            for crossing_seeds in 1..=seeds {
                let crossing = |ends_there| Crossing {
                    seeds: crossing_seeds,
                    ends_there,
                };
                let pattern = crossing(false).pattern();
                let mut before = houses;
                let enough = before.iter_mut().zip(pattern).all(|(house, came)| {
                    match house.checked_sub(came) {
                        Some(left) => {
                            *house = left;
                            true
                        }
                        None => false,
                    }
                });
                if !enough {
                    break;
                }
                let rank = half::rank(before);
                // A move goes on to the own side only from the opponent's last house.
                if crossing_seeds % 6 == 0 {
                    origins.push(Tagged::new(Class::of(crossing(false)), rank));
                }
                if ruleset.arrival(houses, last_house(crossing_seeds)) == Arrival::Quiet {
                    origins.push(Tagged::new(Class::of(crossing(true)), rank));
                }
            }
            let mut found = origins.drain(..);
            let none = Tagged::new(Class::NONE, 0);
            let mut first_two = [(); 2].map(|()| found.next().unwrap_or(none));
            if found.len() > 0 {
                first_two[0].0 |= MORE;
            }
            all.push(Origins { first_two });
            more.extend(found);
            more_starts.push(more.len() as u32);
        }
    }
    (all, more_starts, more)
}

fn effects(ruleset: Ruleset, max_seeds: u8) -> Vec<Vec<Effects>> {
    let classes = 0..=2 * max_seeds + 1;
    classes
        .map(|class| {
            let crossing = Class(class).crossing();
            (0..=max_seeds)
                .map(|seeds| {
                    if crossing.ends_there && (1..=max_seeds - seeds).contains(&crossing.seeds) {
                        effects_on(ruleset, seeds, crossing)
                    } else {
                        Effects::default()
                    }
                })
                .collect()
        })
        .collect()
}

fn effects_on(ruleset: Ruleset, seeds: u8, crossing: Crossing) -> Effects {
    let mut effects = Effects::default();
    let mut captures: [Vec<(u32, u32)>; 19] = Default::default();
    let after = arrivals(seeds, crossing);
    for (rank, after) in (0..).zip(after) {
        let houses = half::unrank(seeds + crossing.seeds, after);
        match ruleset.arrival(houses, last_house(crossing.seeds)) {
            Arrival::Quiet => {}
            Arrival::Captures { captured, left } => {
                captures[usize::from(captured)].push((rank, half::rank(left)));
            }
            Arrival::EndsGame { captured } => effects.ends.push((rank, captured)),
            Arrival::Barred => effects.barred.push(rank),
        }
    }
    let captures = (0..).zip(captures);
    effects.captures = captures.filter(|(_, list)| !list.is_empty()).collect();
    effects
}

//! Which positions are expanded: proof numbers, one question at a time.
//!
//! A question is whether a position is worth at least some number of seeds to its mover. The
//! *proof number* estimates how many positions must be expanded to prove it, the *disproof number*
//! how many to refute it. A search depth first (df-pn) goes where both players find it
//! easiest to be right. Its numbers only say where to look: what is proven are the bounds in the
//! [graph](super::graph), which rest on the moves alone.
//!
//! Several threads may search in the same graph. They keep apart because a question looks harder to
//! each of them while others are at it.

use std::collections::{HashSet, VecDeque};
use std::hint;
use std::ops::Range;
use std::panic;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;
use std::time::Duration;

use web_time::Instant;

use super::graph::{Graph, Obstacle};
use super::limits::{Clock, Limits, Watch};
use super::node::{NONE, Node, Note, Number};
use super::source::Bounds;
use super::{Ended, safety};
use granero_game::Cycles;
use granero_table::TableError;

/// At least this much means: by a repetition, or not at all.
const ENDLESS: u16 = 60_000;
const NEVER: u16 = 65_000;

/// The longest line that is followed.
const LONGEST: usize = 600;

/// Expansions for a question before another one has its turn.
const TURN: u64 = 2_000;

/// Endless play is first checked when the graph has a half more positions than this, and then
/// whenever it has grown by a half again.
const FIRST_CHECK: usize = 64;

/// Looks at another thread's work before the processor is left to others.
const PATIENCE: Range<u32> = 0..200;

/// What the threads of a search share.
struct Shared<'a> {
    /// Locked for reading by all that search, for as long as a turn takes, and for writing by one
    /// that changes the graph as a whole.
    graph: RwLock<Graph<'a>>,
    /// Whether the first thread searches alone.
    alone: AtomicBool,
    /// After so many positions the others join it.
    alone_for: u64,
    /// How many threads wait for the others to end their turns.
    waiting: AtomicUsize,
    /// Whether a thread has ended its search.
    over: AtomicBool,
    /// The size of the graph when endless play was last checked.
    checked: AtomicUsize,
    /// The nanoseconds that it takes to check endless play, for 256 positions.
    check_time: AtomicU64,
}

impl<'a> Shared<'a> {
    fn read(&self) -> RwLockReadGuard<'_, Graph<'a>> {
        self.graph.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The graph for one thread alone.
    fn write(&self) -> RwLockWriteGuard<'_, Graph<'a>> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let graph = self.graph.write();
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        graph.unwrap_or_else(PoisonError::into_inner)
    }

    fn is_alone(&self) -> bool {
        self.alone.load(Ordering::Relaxed)
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

/// Ends the search of the other threads when that of one ends, in whatever way.
struct EndsAll<'s>(&'s AtomicBool);

impl Drop for EndsAll<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Why a thread looks no further at present.
enum Halt {
    /// Something ends the search.
    End(Result<Ended, TableError>),
    /// Another thread has ended it.
    Over,
    /// Another thread needs the graph for itself.
    Pause,
    /// The graph has to grow.
    NoRoom,
}

/// What a thread ends its search with: why, or nothing if another thread has ended it.
type EndOfThread = Result<Option<Ended>, TableError>;

/// The threads of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Threads {
    pub(super) number: usize,
    /// How many positions the first one looks at before the others join it, or a few more.
    pub(super) alone_for: u64,
}

impl Threads {
    pub(super) const ONE: Threads = Threads {
        number: 1,
        alone_for: 0,
    };
}

/// Searches with some threads until the bounds of the first position meet, or something else
/// ends it. The caller watches the thread that calls this.
pub(super) fn run<'a>(
    graph: Graph<'a>,
    Threads { number, alone_for }: Threads,
    limits: Limits,
    watch: Watch<'_>,
) -> Result<(Graph<'a>, Ended), TableError> {
    let mut shared = Shared {
        graph: RwLock::new(graph),
        alone: AtomicBool::new(true),
        alone_for: if number > 1 { alone_for } else { u64::MAX },
        waiting: AtomicUsize::new(0),
        over: AtomicBool::new(false),
        checked: AtomicUsize::new(FIRST_CHECK),
        check_time: AtomicU64::new(0),
    };
    let mut ended = thread::scope(|scope| {
        let shared = &shared;
        let mut others = Vec::new();
        let mut begin_others = || {
            shared.write().share(number);
            others.extend((1..number).map_while(|thread| {
                let search = move || Search::new(shared, thread, limits, None).run(&mut || {});
                // Without another thread the search takes longer.
                thread::Builder::new().spawn_scoped(scope, search).ok()
            }));
        };
        let first = Search::new(shared, 0, limits, Some(&mut *watch));
        let mut ended = first.run(&mut begin_others);
        for other in others {
            let other = other.join();
            let other = other.unwrap_or_else(|panicked| panic::resume_unwind(panicked));
            ended = match (ended, other) {
                (Err(error), _) | (_, Err(error)) => Err(error),
                (Ok(Some(Ended::Settled)), _) | (_, Ok(Some(Ended::Settled))) => {
                    Ok(Some(Ended::Settled))
                }
                (Ok(ended), Ok(other)) => Ok(ended.or(other)),
            };
        }
        ended
    })?;
    if number > 1 && ended == Some(Ended::Settled) {
        // A thread has seen that nothing is left to look at, while others were in the middle of
        // something. What they have proven since may lead on: look again, alone.
        shared.alone = AtomicBool::new(true);
        shared.alone_for = u64::MAX;
        shared.over = AtomicBool::new(false);
        ended = Search::new(&shared, 0, limits, Some(watch)).run(&mut || {})?;
    }
    let graph = shared.graph.into_inner();
    let mut graph = graph.unwrap_or_else(PoisonError::into_inner);
    // The first thread to end had a reason.
    let ended = ended.unwrap_or(Ended::Stopped);
    while safety::prove(&mut graph) && ended == Ended::Settled {}
    Ok((graph, ended))
}

/// The search of one thread.
struct Search<'s, 'a, 'w> {
    shared: &'s Shared<'a>,
    clock: Clock<'w>,
    /// The bit of this thread.
    bit: u32,
    plan: Plan,
    expansions: u64,
    /// When the present turn ends.
    turn_ends: u64,
    halt: Option<Halt>,
    /// Nodes whose parents do not know of their bounds yet.
    changed: Vec<Number>,
}

/// Which question about the first position to go on with. There are always two, which get equal
/// shares of the effort.
struct Plan {
    cycles: Cycles,
    /// A guess at the value of the first position.
    guess: i8,
    /// The effort for either question.
    spent: [u64; 2],
    /// The same at first. Every second thread begins with the second question.
    unspent: [u64; 2],
}

impl Plan {
    /// The next question.
    ///
    /// Where there is a value, it is at least the guess, and not more. The first guess is 0,
    /// so that the winner is known first. Where the two bounds may differ for ever, some questions
    /// between them have no answer; so the plan is to improve each bound by the least step.
    fn question(&mut self, bounds: Bounds) -> i8 {
        let Bounds { low, high } = bounds;
        let second = self.spent[1] < self.spent[0];
        match self.cycles {
            Cycles::OwnSide => {
                if second {
                    high
                } else {
                    low + 1
                }
            }
            Cycles::Split => {
                if self.guess < low || high < self.guess {
                    self.guess = self.guess.clamp(low, high);
                    self.spent = self.unspent;
                }
                if self.guess == low || self.guess < high && second {
                    self.guess + 1
                } else {
                    self.guess
                }
            }
        }
    }

    fn spend(&mut self, least: i8, bounds: Bounds, effort: u64) {
        let second = match self.cycles {
            Cycles::OwnSide => least == bounds.high,
            Cycles::Split => least > self.guess,
        };
        self.spent[usize::from(second)] += effort.max(1);
    }
}

/// A question with its answer so far.
#[derive(Clone, Copy)]
struct Numbers {
    proof: u16,
    disproof: u16,
}

/// A child to go to, and how far.
struct Choice {
    child: Number,
    least: i8,
    numbers: Numbers,
    /// The smallest disproof number among the other children.
    second: u16,
    /// What the other children add to the disproof number.
    others: u16,
}

/// Where a node keeps its notes about a question. Questions that differ by one, and their
/// counterparts for the other player, have different places.
fn note_place(least: i8) -> usize {
    usize::from(least > 0) * 2 + usize::from(least & 1 != 0)
}

impl<'s, 'a, 'w> Search<'s, 'a, 'w> {
    fn new(
        shared: &'s Shared<'a>,
        thread: usize,
        limits: Limits,
        watch: Option<Watch<'w>>,
    ) -> Search<'s, 'a, 'w> {
        let unspent = [thread as u64 % 2, 0];
        Search {
            shared,
            clock: Clock::new(limits, watch),
            bit: 1 << thread,
            plan: Plan {
                cycles: shared.read().source().cycles,
                guess: 0,
                spent: unspent,
                unspent,
            },
            expansions: 0,
            turn_ends: 0,
            halt: None,
            changed: Vec::new(),
        }
    }

    /// Searches until something ends it; `None` if that is the end of another thread. Calls
    /// `begin_others` when other threads are to join this one.
    fn run(mut self, begin_others: &mut dyn FnMut()) -> EndOfThread {
        let shared = self.shared;
        let _ends_all = EndsAll(&shared.over);
        loop {
            if shared.is_alone() && shared.read().seen() >= shared.alone_for {
                shared.alone.store(false, Ordering::Relaxed);
                begin_others();
            }
            if let Err(end) = self.turn() {
                return end;
            }
        }
    }

    /// Works on a question for a while, and on what comes of it.
    fn turn(&mut self) -> Result<(), EndOfThread> {
        let bounds = self.shared.read().bounds(0);
        if bounds.meet() {
            return Err(Ok(Some(Ended::Settled)));
        }
        let least = self.plan.question(bounds);
        let turn = TURN.max(self.expansions / 16);
        let before = self.expansions;
        self.turn_ends = before + turn;
        let numbers =
            self.with_graph(|search, graph| search.ask(graph, 0, least, ENDLESS, ENDLESS, 0))?;
        let effort = self.expansions - before;
        self.plan.spend(least, bounds, effort);
        let by_endless = numbers.proof.max(numbers.disproof) >= ENDLESS;
        if self.needs_check(&self.shared.read(), by_endless) {
            self.check_endless(by_endless);
        }
        // There are no numbers that lead on.
        if by_endless && effort < turn / 8 {
            let ends = self.expansions + turn;
            self.with_graph(|search, graph| search.widen(graph, least, ends))?;
        }
        Ok(())
    }

    /// Works with the graph, and goes on with that when another thread has had the graph for
    /// itself, or when the graph has grown.
    fn with_graph<T>(
        &mut self,
        mut work: impl FnMut(&mut Self, &Graph<'a>) -> T,
    ) -> Result<T, EndOfThread> {
        let shared = self.shared;
        loop {
            let done = work(self, &shared.read());
            match self.halt.take() {
                None => return Ok(done),
                Some(Halt::End(end)) => return Err(end.map(Some)),
                Some(Halt::Over) => return Err(Ok(None)),
                Some(Halt::Pause) => {}
                Some(Halt::NoRoom) => {
                    if !shared.write().grow() {
                        return Err(Ok(Some(Ended::Memory)));
                    }
                }
            }
        }
    }

    /// Whether something halts the search.
    fn must_halt(&mut self) -> bool {
        if self.halt.is_none() && !self.shared.is_alone() {
            if self.shared.is_over() {
                self.halt = Some(Halt::Over);
            } else if self.shared.waiting.load(Ordering::Relaxed) > 0 {
                self.halt = Some(Halt::Pause);
            }
        }
        self.halt.is_some()
    }

    /// Whether endless play should be checked. That takes long, and is not worth it for a few
    /// new positions.
    fn needs_check(&self, graph: &Graph<'a>, by_endless: bool) -> bool {
        let checked = self.shared.checked.load(Ordering::Relaxed);
        let size = graph.len();
        by_endless && size > checked + checked / 16 || size > checked + checked / 2
    }

    /// Proves what follows from endless play. What the search thought of repetitions is
    /// forgotten where it was not confirmed.
    fn check_endless(&mut self, by_endless: bool) {
        let mut graph = self.shared.write();
        // Another thread may have done it in the meantime.
        if !self.needs_check(&graph, by_endless) {
            return;
        }
        let start = Instant::now();
        safety::prove(&mut graph);
        let size = graph.len();
        let time = start.elapsed() / (size / 256 + 1) as u32;
        (self.shared.check_time).store(time.as_nanos() as u64, Ordering::Relaxed);
        self.shared.checked.store(size, Ordering::Relaxed);
        for node in graph.nodes_mut() {
            node.forget(|note| note.proof >= ENDLESS || note.disproof >= ENDLESS);
        }
    }

    /// Expands the nearest positions that matter for a question, if it is open.
    fn widen(&mut self, graph: &Graph<'a>, least: i8, ends: u64) {
        if decided(graph.bounds(0), least).is_some() {
            return;
        }
        let mut seen = HashSet::from([(0, least)]);
        let mut queue = VecDeque::from([(0, least)]);
        let mut are_all_expanded = true;
        while let Some((number, least)) = queue.pop_front() {
            let node = graph.node(number);
            if decided(node.bounds(), least).is_some() {
                continue;
            }
            if !node.is_expanded() {
                are_all_expanded = false;
                self.expand(graph, number);
                if self.must_halt() || self.expansions >= ends {
                    return;
                }
                continue;
            }
            for edge in graph.edges_from(number) {
                let question = (edge.child, edge.gain - least + 1);
                if seen.insert(question) {
                    queue.push_back(question);
                }
            }
        }
        if are_all_expanded {
            // Nothing that matters is left to look at.
            self.halt = Some(Halt::End(Ok(Ended::Settled)));
        }
    }

    fn expand(&mut self, graph: &Graph<'a>, number: Number) {
        let check_time = self.shared.check_time.load(Ordering::Relaxed);
        let closing = Duration::from_nanos(check_time) * (graph.len() / 256) as u32;
        if let Some(ended) = self.clock.reached(graph, closing) {
            self.halt = Some(Halt::End(Ok(ended)));
            return;
        }
        self.expansions += 1;
        if let Err(obstacle) = graph.expand(number, &mut self.changed) {
            self.halt(obstacle);
            return;
        }
        // Another thread may be about to expand it: that takes a moment.
        let mut patience = PATIENCE;
        while !graph.node(number).is_expanded() {
            if self.shared.is_over() {
                self.halt = Some(Halt::Over);
                return;
            }
            match patience.next() {
                Some(_) => hint::spin_loop(),
                None => thread::yield_now(),
            }
        }
    }

    fn halt(&mut self, obstacle: Obstacle) {
        self.halt = Some(match obstacle {
            Obstacle::NoRoom => Halt::NoRoom,
            Obstacle::Full => Halt::End(Ok(Ended::Memory)),
            Obstacle::Table(error) => Halt::End(Err(error)),
        });
    }

    /// Works on a question until its numbers reach some limits.
    fn ask(
        &mut self,
        graph: &Graph<'a>,
        number: Number,
        least: i8,
        most_proof: u16,
        most_disproof: u16,
        depth: usize,
    ) -> Numbers {
        let node = graph.node(number);
        if !node.is_expanded() {
            self.expand(graph, number);
            if !node.is_expanded() {
                return Numbers::unknown(node);
            }
        }
        let (place, bit, alone) = (note_place(least), self.bit, self.shared.is_alone());
        node.change_note(place, alone, |note| note.threads |= bit);
        let numbers = loop {
            if depth == LONGEST {
                break UNDECIDED;
            }
            let (numbers, choice) = self.combine(graph, number, least);
            let reached = numbers.proof >= most_proof || numbers.disproof >= most_disproof;
            let ends = self.must_halt() || self.expansions >= self.turn_ends;
            let Some(choice) = choice.filter(|_| !reached && !ends) else {
                break numbers;
            };
            // As the child sees it: to prove its question is to refute this one.
            let most = choice.second.saturating_add(1 + choice.second / 8);
            self.ask(
                graph,
                choice.child,
                choice.least,
                most_disproof.saturating_sub(choice.others),
                most_proof.min(most),
                depth + 1,
            );
        };
        node.change_note(place, alone, |note| {
            *note = Note {
                least,
                proof: numbers.proof,
                disproof: numbers.disproof,
                threads: note.threads & !bit,
            };
        });
        numbers
    }

    /// The numbers of a question by those of its children, and the child to go to.
    fn combine(&self, graph: &Graph<'a>, number: Number, least: i8) -> (Numbers, Option<Choice>) {
        let node = graph.node(number);
        if let Some(numbers) = decided(node.bounds(), least) {
            return (numbers, None);
        }
        let mut proof = NEVER;
        let mut second = NEVER;
        let mut disproof: u16 = 0;
        let mut choice = None;
        for edge in graph.edges_from(number) {
            let least = edge.gain - least + 1;
            let child = self.numbers(graph, edge.child, least);
            if child.disproof == NEVER && child.proof == 0 {
                continue;
            }
            // Many positions are counted several times, so that sums may be huge; but only a
            // repetition makes them endless.
            let sum = disproof.saturating_add(child.proof);
            let endless = disproof.max(child.proof) >= ENDLESS;
            disproof = sum.min(if endless { NEVER } else { ENDLESS - 1 });
            if child.disproof < proof {
                second = proof;
                proof = child.disproof;
                choice = Some((edge.child, least, child));
            } else {
                second = second.min(child.disproof);
            }
        }
        let others = choice.map_or(0, |(_, _, child)| disproof.saturating_sub(child.proof));
        if node.outside().high >= least {
            // The tables leave this question open, so it cannot be refuted; but perhaps proven.
            disproof = disproof.max(ENDLESS - 1);
        }
        let choice = choice.map(|(child, least, numbers)| Choice {
            child,
            least,
            numbers,
            second,
            others,
        });
        // A repetition cannot be looked into any further.
        let choice = choice.filter(|choice| choice.numbers.disproof < ENDLESS && proof > 0);
        (Numbers { proof, disproof }, choice)
    }

    /// The numbers of a question as they are known.
    fn numbers(&self, graph: &Graph<'a>, number: Number, least: i8) -> Numbers {
        debug_assert_ne!(number, NONE);
        let node = graph.node(number);
        if let Some(numbers) = decided(node.bounds(), least) {
            return numbers;
        }
        let note = node.note(note_place(least));
        if note.threads & self.bit != 0 {
            // Whom does it please to go round in circles?
            return if graph.source().endless(node.board()) >= least {
                PROVEN
            } else {
                REFUTED
            };
        }
        let mut numbers = match note.least == least {
            true => Numbers {
                proof: note.proof,
                disproof: note.disproof,
            },
            false => Numbers::unknown(node),
        };
        if note.threads != 0 && numbers.disproof < ENDLESS {
            // Others are at it: better go elsewhere, if that is not much harder.
            let times = 1 + note.threads.count_ones() as u16;
            numbers.disproof = numbers.disproof.saturating_mul(times).min(ENDLESS - 1);
        }
        numbers
    }
}

impl Numbers {
    /// Those of a question that nobody has looked at.
    fn unknown(node: &Node) -> Numbers {
        Numbers {
            proof: 1,
            disproof: u16::from(node.open()).max(1),
        }
    }
}

const PROVEN: Numbers = Numbers {
    proof: 0,
    disproof: NEVER,
};

const REFUTED: Numbers = Numbers {
    proof: NEVER,
    disproof: 0,
};

/// Those of a question at the end of a line that is too long.
const UNDECIDED: Numbers = Numbers {
    proof: ENDLESS,
    disproof: ENDLESS,
};

/// The numbers of a question that the bounds decide.
fn decided(bounds: Bounds, least: i8) -> Option<Numbers> {
    if bounds.low >= least {
        Some(PROVEN)
    } else if bounds.high < least {
        Some(REFUTED)
    } else {
        None
    }
}

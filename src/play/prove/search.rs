//! The search: it chooses the positions to expand by proof numbers, one question at a time.
//!
//! A question asks if a position is worth at least some number of seeds to its mover. The
//! *proof number* estimates how many positions must be expanded to prove it, the *disproof number*
//! how many to refute it. A depth-first search (df-pn) goes where both players find it easiest to be
//! right. Its numbers only say where to look: the proofs are the bounds in the
//! [graph](super::graph), which rest on the moves alone.
//!
//! Several threads may search in the same graph. They keep apart because a question looks harder to
//! each of them while others work on it.

use std::collections::{HashSet, VecDeque};
use std::hint;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use web_time::Instant;

use super::budget::Watcher;
use super::graph::{Graph, Halt};
use super::node::{NONE, NodeIndex, Note};
use super::numbers::{
    ENDLESS, NEVER, PROVEN, ProofNumbers, REFUTED, UNDECIDED, decided, note_place,
};
use super::oracle::Bounds;
use super::plan::Plan;
use super::proof::{ProofProgress, value};
use super::shared::{SharedSearch, StopOnDrop, ThreadResult};
use super::{Ended, safety};

/// The longest line that is followed.
const LONGEST: usize = 600;

/// The expansions for a question before the other one has its turn.
const TURN: u64 = 2_000;

/// The number of expansions between two looks at the clock.
const LOOKS: u32 = 64;

/// The number of times that a thread looks for the end of another thread's work before it yields.
const PATIENCE: Range<u32> = 0..200;

/// The search of one thread.
pub(super) struct Search<'s, 'a, 'w> {
    shared: &'s SharedSearch<'a>,
    watch: Option<Watcher<'w>>,
    /// The expansions that were asked for, to look at the clock after some of them.
    asked: u32,
    /// The bit of this thread.
    bit: u32,
    plan: Plan,
    expansions: u64,
    /// The number of expansions when the present turn ends.
    turn_ends: u64,
    halt: Option<Halt>,
    /// Nodes with tightened bounds that their parents do not know yet.
    changed: Vec<NodeIndex>,
}

/// The child to search next, and the numbers that limit the search there.
struct NextChild {
    child: NodeIndex,
    least: i8,
    numbers: ProofNumbers,
    /// The smallest disproof number among the other children.
    second: u16,
    /// The part of the disproof number that the other children add.
    others: u16,
}

impl<'s, 'a, 'w> Search<'s, 'a, 'w> {
    pub(super) fn new(
        shared: &'s SharedSearch<'a>,
        thread: usize,
        watch: Option<Watcher<'w>>,
    ) -> Search<'s, 'a, 'w> {
        Search {
            shared,
            watch,
            asked: 0,
            bit: 1 << thread,
            plan: Plan::new(shared.read().oracle.cycles, thread),
            expansions: 0,
            turn_ends: 0,
            halt: None,
            changed: Vec::new(),
        }
    }

    /// Searches until something ends the search. Calls `begin_others` when it is time for the other
    /// threads to join.
    pub(super) fn run(mut self, begin_others: &mut dyn FnMut()) -> ThreadResult {
        let shared = self.shared;
        let _guard = StopOnDrop(&shared.over);
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

    /// Works on a question for one turn, and on what follows from it.
    fn turn(&mut self) -> Result<(), ThreadResult> {
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
        // The numbers lead no further.
        if by_endless && effort < turn / 8 {
            let ends = self.expansions + turn;
            self.with_graph(|search, graph| search.widen(graph, least, ends))?;
        }
        Ok(())
    }

    /// Works with the graph, and resumes after another thread has had the graph for itself, or after
    /// the graph has grown.
    fn with_graph<T>(
        &mut self,
        mut work: impl FnMut(&mut Self, &Graph<'a>) -> T,
    ) -> Result<T, ThreadResult> {
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

    /// Returns true if something halts this thread.
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

    /// Returns true if endless play should be checked. This takes long, so it is not worth it for a
    /// few new positions.
    fn needs_check(&self, graph: &Graph<'a>, by_endless: bool) -> bool {
        let checked = self.shared.checked.load(Ordering::Relaxed);
        let size = graph.len();
        by_endless && size > checked + checked / 16 || size > checked + checked / 2
    }

    /// Proves what follows from endless play, and forgets what the search assumed of repetitions
    /// and could not confirm.
    fn check_endless(&mut self, by_endless: bool) {
        let mut graph = self.shared.write();
        // Another thread may have checked since.
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
            node.forget(|Note { numbers, .. }| numbers.proof.max(numbers.disproof) >= ENDLESS);
        }
    }

    /// Expands the nearest positions that matter for a question, unless it is decided.
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

    /// Returns why the search ends before it expands another position, if it does.
    fn end_of_budget(&mut self, graph: &Graph<'a>) -> Option<Ended> {
        let (budget, nodes) = (self.shared.budget, graph.seen());
        if nodes >= budget.nodes {
            return Some(Ended::Nodes);
        }
        self.asked = self.asked.wrapping_add(1);
        if !self.asked.is_multiple_of(LOOKS) && budget.time != Some(Duration::ZERO) {
            return None;
        }
        // The search needs time after its end.
        let check_time = self.shared.check_time.load(Ordering::Relaxed);
        let closing = Duration::from_nanos(check_time) * (graph.len() / 256) as u32;
        let time = self.shared.start.elapsed();
        if budget.time.is_some_and(|most| time + closing >= most) {
            return Some(Ended::Time);
        }
        let watch = self.watch.as_mut()?;
        let Bounds { low, high } = graph.bounds(0);
        let progress = ProofProgress {
            low: value(low),
            high: value(high),
            nodes,
            time,
        };
        watch(&progress).is_break().then_some(Ended::Stopped)
    }

    fn expand(&mut self, graph: &Graph<'a>, number: NodeIndex) {
        if let Some(ended) = self.end_of_budget(graph) {
            self.halt = Some(Halt::End(Ok(ended)));
            return;
        }
        self.expansions += 1;
        if let Err(halt) = graph.expand(number, &mut self.changed) {
            self.halt = Some(halt);
            return;
        }
        // Another thread may be expanding it, which takes a moment.
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

    /// Works on a question until its numbers reach the given limits.
    fn ask(
        &mut self,
        graph: &Graph<'a>,
        number: NodeIndex,
        least: i8,
        most_proof: u16,
        most_disproof: u16,
        depth: usize,
    ) -> ProofNumbers {
        let node = graph.node(number);
        if !node.is_expanded() {
            self.expand(graph, number);
            if !node.is_expanded() {
                return ProofNumbers::unknown(node.open());
            }
        }
        let (place, bit, alone) = (note_place(least), self.bit, self.shared.is_alone());
        node.change_note(place, alone, |note| note.threads |= bit);
        let numbers = loop {
            if depth == LONGEST {
                break UNDECIDED;
            }
            let (numbers, next) = self.combine(graph, number, least);
            let reached = numbers.proof >= most_proof || numbers.disproof >= most_disproof;
            let ends = self.must_halt() || self.expansions >= self.turn_ends;
            let Some(next) = next.filter(|_| !reached && !ends) else {
                break numbers;
            };
            // The child's question is the opposite: its proof refutes this one.
            let most = next.second.saturating_add(1 + next.second / 8);
            self.ask(
                graph,
                next.child,
                next.least,
                most_disproof.saturating_sub(next.others),
                most_proof.min(most),
                depth + 1,
            );
        };
        node.change_note(place, alone, |note| {
            *note = Note {
                least,
                numbers,
                threads: note.threads & !bit,
            };
        });
        numbers
    }

    /// The numbers of a question by the numbers of its children, and the child to search next.
    fn combine(
        &self,
        graph: &Graph<'a>,
        number: NodeIndex,
        least: i8,
    ) -> (ProofNumbers, Option<NextChild>) {
        let node = graph.node(number);
        if let Some(numbers) = decided(node.bounds(), least) {
            return (numbers, None);
        }
        let mut proof = NEVER;
        let mut second = NEVER;
        let mut disproof: u16 = 0;
        let mut choice = None;
        for edge in graph.edges_from(number) {
            let childs_least = edge.gain - least + 1;
            let child = self.numbers(graph, edge.child, childs_least);
            if child.disproof == NEVER && child.proof == 0 {
                continue;
            }
            // Positions may be counted several times, so sums may be huge; but only a repetition
            // makes them endless.
            let sum = disproof.saturating_add(child.proof);
            let endless = disproof.max(child.proof) >= ENDLESS;
            disproof = sum.min(if endless { NEVER } else { ENDLESS - 1 });
            if child.disproof < proof {
                second = proof;
                proof = child.disproof;
                choice = Some((edge.child, childs_least, child));
            } else {
                second = second.min(child.disproof);
            }
        }
        let others = choice.map_or(0, |(_, _, child)| disproof.saturating_sub(child.proof));
        if node.outside().high >= least {
            // The tables leave this question open, so it cannot be refuted; but perhaps proven.
            disproof = disproof.max(ENDLESS - 1);
        }
        let next = choice.map(|(child, least, numbers)| NextChild {
            child,
            least,
            numbers,
            second,
            others,
        });
        // A repetition cannot be looked into any further.
        let next = next.filter(|next| next.numbers.disproof < ENDLESS && proof > 0);
        (ProofNumbers { proof, disproof }, next)
    }

    /// The numbers of a question by its bounds or its note.
    fn numbers(&self, graph: &Graph<'a>, number: NodeIndex, least: i8) -> ProofNumbers {
        debug_assert_ne!(number, NONE);
        let node = graph.node(number);
        if let Some(numbers) = decided(node.bounds(), least) {
            return numbers;
        }
        let note = node.note(note_place(least));
        if note.threads & self.bit != 0 {
            // This line repeats the position: endless play decides.
            return if graph.oracle.endless(&node.position()) >= least {
                PROVEN
            } else {
                REFUTED
            };
        }
        let mut numbers = if note.least == least {
            note.numbers
        } else {
            ProofNumbers::unknown(node.open())
        };
        if note.threads != 0 && numbers.disproof < ENDLESS {
            // Other threads work on it: go elsewhere, unless that is much harder.
            let times = 1 + note.threads.count_ones() as u16;
            numbers.disproof = numbers.disproof.saturating_mul(times).min(ENDLESS - 1);
        }
        numbers
    }
}

//! Which positions are expanded: proof numbers, one question at a time.
//!
//! A question is whether a position is worth at least some number of seeds to its mover. The
//! *proof number* estimates how many positions must be expanded to prove it, the *disproof number*
//! how many to refute it. A search depth first (df-pn) goes where both players find it
//! easiest to be right. Its numbers only say where to look: what is proven are the bounds in the
//! [graph](super::graph), which rest on the moves alone.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use web_time::Instant;

use super::graph::{Graph, NONE, Note, Number, Obstacle};
use super::safety;
use super::source::Bounds;
use crate::cycles::Cycles;

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

/// Why the search ended.
pub(super) enum End {
    /// The bounds of the first position meet, or there is nothing left to expand.
    Done,
    Stopped,
    Obstacle(Obstacle),
}

pub(super) struct Search<'g, 'a, 'w> {
    graph: &'g mut Graph<'a>,
    /// Whether to go on.
    go_on: &'w mut dyn FnMut(&Graph<'a>, Duration) -> bool,
    expansions: u64,
    /// When the present turn ends.
    turn_ends: u64,
    end: Option<End>,
    /// The time that it takes to check endless play, for 256 positions.
    check_time: Duration,
}

/// Which question about the first position to go on with. There are always two, which get equal
/// shares of the effort.
struct Plan {
    cycles: Cycles,
    /// A guess at the value of the first position.
    guess: i8,
    /// The effort for either question.
    spent: [u64; 2],
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
                    self.spent = [0; 2];
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

impl<'g, 'a, 'w> Search<'g, 'a, 'w> {
    pub(super) fn new(
        graph: &'g mut Graph<'a>,
        go_on: &'w mut dyn FnMut(&Graph<'a>, Duration) -> bool,
    ) -> Search<'g, 'a, 'w> {
        Search {
            graph,
            go_on,
            expansions: 0,
            turn_ends: 0,
            end: None,
            check_time: Duration::ZERO,
        }
    }

    /// Searches until the bounds of the first position meet, or something else ends it.
    pub(super) fn run(mut self) -> End {
        let mut plan = Plan {
            cycles: self.graph.source().cycles,
            guess: 0,
            spent: [0; 2],
        };
        let mut checked = FIRST_CHECK;
        loop {
            if let Some(end) = self.end.take() {
                while safety::prove(self.graph) && matches!(end, End::Done) {}
                return end;
            }
            let bounds = self.graph.bounds(0);
            if bounds.meet() {
                return End::Done;
            }
            let least = plan.question(bounds);
            let turn = TURN.max(self.expansions / 16);
            let before = self.expansions;
            self.turn_ends = before + turn;
            let numbers = self.ask(0, least, ENDLESS, ENDLESS, 0);
            let effort = self.expansions - before;
            plan.spend(least, bounds, effort);
            if self.end.is_some() {
                continue;
            }
            let by_endless = numbers.proof.max(numbers.disproof) >= ENDLESS;
            let size = self.graph.nodes.len();
            // A check takes long, and is not worth it for a few new positions.
            if by_endless && size > checked + checked / 16 || size > checked + checked / 2 {
                self.check_endless();
                checked = size;
            }
            // There are no numbers that lead on.
            if by_endless && effort < turn / 8 && self.is_open(least) {
                self.widen(least, turn);
            }
        }
    }

    /// Whether the bounds leave a question about the first position open.
    fn is_open(&self, least: i8) -> bool {
        decided(self.graph.bounds(0), least).is_none()
    }

    /// Proves what follows from endless play. What the search thought of repetitions is
    /// forgotten where it was not confirmed.
    fn check_endless(&mut self) {
        let start = Instant::now();
        safety::prove(self.graph);
        self.check_time = start.elapsed() / (self.graph.nodes.len() / 256 + 1) as u32;
        for node in &mut self.graph.nodes {
            for note in &mut node.notes {
                if note.proof >= ENDLESS || note.disproof >= ENDLESS {
                    *note = Note::BLANK;
                }
            }
        }
    }

    /// Expands the nearest positions that matter for a question.
    fn widen(&mut self, least: i8, count: u64) {
        let mut seen = HashSet::from([(0, least)]);
        let mut queue = VecDeque::from([(0, least)]);
        let ends = self.expansions + count;
        let before = self.expansions;
        while let Some((number, least)) = queue.pop_front() {
            let node = &self.graph.nodes[number as usize];
            if node.bounds.low >= least || node.bounds.high < least {
                continue;
            }
            if !node.expanded {
                self.expand(number);
                if self.end.is_some() || self.expansions >= ends {
                    return;
                }
                continue;
            }
            for edge in self.graph.edges_from(number) {
                let question = (edge.child, edge.gain - least + 1);
                if seen.insert(question) {
                    queue.push_back(question);
                }
            }
        }
        if self.expansions == before {
            // All positions that matter are expanded.
            self.end = Some(End::Done);
        }
    }

    fn expand(&mut self, number: Number) {
        let closing = self.check_time * (self.graph.nodes.len() / 256) as u32;
        if !(self.go_on)(self.graph, closing) {
            self.end = Some(End::Stopped);
            return;
        }
        self.expansions += 1;
        if let Err(obstacle) = self.graph.expand(number) {
            self.end = Some(End::Obstacle(obstacle));
        }
    }

    /// Works on a question until its numbers reach some limits.
    fn ask(
        &mut self,
        number: Number,
        least: i8,
        most_proof: u16,
        most_disproof: u16,
        depth: usize,
    ) -> Numbers {
        if !self.graph.nodes[number as usize].expanded {
            self.expand(number);
        }
        let place = note_place(least);
        self.graph.nodes[number as usize].on_path |= 1 << place;
        let numbers = loop {
            if depth == LONGEST {
                break UNDECIDED;
            }
            let (numbers, choice) = self.combine(number, least);
            let reached = numbers.proof >= most_proof || numbers.disproof >= most_disproof;
            let ends = self.end.is_some() || self.expansions >= self.turn_ends;
            let Some(choice) = choice.filter(|_| !reached && !ends) else {
                break numbers;
            };
            // As the child sees it: to prove its question is to refute this one.
            let most = choice.second.saturating_add(1 + choice.second / 8);
            self.ask(
                choice.child,
                choice.least,
                most_disproof.saturating_sub(choice.others),
                most_proof.min(most),
                depth + 1,
            );
        };
        let node = &mut self.graph.nodes[number as usize];
        node.on_path &= !(1 << place);
        node.notes[place] = Note {
            least,
            proof: numbers.proof,
            disproof: numbers.disproof,
        };
        numbers
    }

    /// The numbers of a question by those of its children, and the child to go to.
    fn combine(&self, number: Number, least: i8) -> (Numbers, Option<Choice>) {
        let node = &self.graph.nodes[number as usize];
        if let Some(numbers) = decided(node.bounds, least) {
            return (numbers, None);
        }
        let mut proof = NEVER;
        let mut second = NEVER;
        let mut disproof: u16 = 0;
        let mut choice = None;
        for edge in self.graph.edges_from(number) {
            let least = edge.gain - least + 1;
            let child = self.numbers(edge.child, least);
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
        if node.outside.high >= least {
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
    fn numbers(&self, number: Number, least: i8) -> Numbers {
        debug_assert_ne!(number, NONE);
        let node = &self.graph.nodes[number as usize];
        if let Some(numbers) = decided(node.bounds, least) {
            return numbers;
        }
        let place = note_place(least);
        if node.on_path & 1 << place != 0 {
            // Whom does it please to go round in circles?
            return if self.graph.source().endless(node.board) >= least {
                PROVEN
            } else {
                REFUTED
            };
        }
        let note = node.notes[place];
        if note.least == least {
            return Numbers {
                proof: note.proof,
                disproof: note.disproof,
            };
        }
        Numbers {
            proof: 1,
            disproof: u16::from(node.open).max(1),
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

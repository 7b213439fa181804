//! The nodes and edges of the graph. Threads change them at the same time, so all that may change is
//! atomic.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::numbers::ProofNumbers;
use super::oracle::{Bounds, OnePlyBounds};
use granero_game::Position;

/// The index of a position in the graph.
pub(super) type NodeIndex = u32;

/// No position, no edge.
pub(super) const NONE: u32 = u32::MAX;

/// The most threads that can work on a graph: a note has a bit for each.
pub(super) const MOST_THREADS: usize = 24;

/// A position and its proven bounds: as large as a cache line.
pub(super) struct Node {
    /// The position, see [`Position::words`].
    words: [AtomicU64; 2],
    /// The progress of the search with questions about this position, and the threads that are
    /// working on them.
    notes: [AtomicU64; 4],
    /// The first edge that leads here.
    first_in: AtomicU32,
    /// The first edge that leads from here; the others follow it.
    first_out: AtomicU32,
    /// The proven bounds.
    bounds: AtomicU16,
    /// The bounds by the moves that need no further search.
    outside: AtomicU16,
    /// The number of edges from here, or of moves that will be edges.
    open: AtomicU8,
    state: AtomicU8,
}

/// States of a node: not expanded; being expanded by a thread; expanded.
const LEAF: u8 = 0;
const TAKEN: u8 = 1;
const EXPANDED: u8 = 2;

/// The progress of the search with the question if a position is worth at least `least`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) least: i8,
    pub(super) numbers: ProofNumbers,
    /// A bit for each thread that is working on this question, or on another one whose note has the
    /// same place.
    pub(super) threads: u32,
}

impl Note {
    const BLANK: Note = Note {
        least: i8::MIN,
        numbers: ProofNumbers {
            proof: 0,
            disproof: 0,
        },
        threads: 0,
    };

    fn pack(self) -> u64 {
        u64::from(self.least as u8)
            | u64::from(self.numbers.proof) << 8
            | u64::from(self.numbers.disproof) << 24
            | u64::from(self.threads) << 40
    }

    fn unpack(packed: u64) -> Note {
        Note {
            least: packed as i8,
            numbers: ProofNumbers {
                proof: (packed >> 8) as u16,
                disproof: (packed >> 24) as u16,
            },
            threads: (packed >> 40) as u32,
        }
    }
}

fn pack(bounds: Bounds) -> u16 {
    u16::from_le_bytes([bounds.low as u8, bounds.high as u8])
}

fn unpack(packed: u16) -> Bounds {
    let [low, high] = packed.to_le_bytes().map(|byte| byte as i8);
    Bounds { low, high }
}

impl Node {
    /// A place for a position.
    pub(super) fn blank() -> Node {
        Node {
            words: [const { AtomicU64::new(0) }; 2],
            notes: [const { AtomicU64::new(0) }; 4],
            first_in: AtomicU32::new(NONE),
            first_out: AtomicU32::new(0),
            bounds: AtomicU16::new(0),
            outside: AtomicU16::new(0),
            open: AtomicU8::new(0),
            state: AtomicU8::new(EXPANDED),
        }
    }

    /// Puts a position into a place that no other thread knows of yet.
    pub(super) fn fill(&self, position: &Position, found: &OnePlyBounds) {
        for (place, word) in self.words.iter().zip(position.words()) {
            place.store(word, Ordering::Relaxed);
        }
        for note in &self.notes {
            note.store(Note::BLANK.pack(), Ordering::Relaxed);
        }
        self.bounds.store(pack(found.bounds), Ordering::Relaxed);
        self.outside.store(pack(found.outside), Ordering::Relaxed);
        self.open.store(found.open, Ordering::Relaxed);
        let state = if found.open == 0 { EXPANDED } else { LEAF };
        self.state.store(state, Ordering::Relaxed);
    }

    /// Empties a place that turned out not to be needed.
    pub(super) fn clear(&self) {
        self.fill(
            &Position::EMPTY,
            &OnePlyBounds {
                bounds: Bounds::exact(0),
                outside: Bounds::exact(0),
                open: 0,
            },
        );
    }

    /// See [`Position::words`].
    #[inline]
    pub(super) fn words(&self) -> [u64; 2] {
        self.words
            .each_ref()
            .map(|word| word.load(Ordering::Relaxed))
    }

    pub(super) fn position(&self) -> Position {
        Position::from_words(self.words())
    }

    pub(super) fn bounds(&self) -> Bounds {
        // With `tighten`, `expanded` and `first_in` in one order for all threads: see
        // `Graph::expand`.
        unpack(self.bounds.load(Ordering::SeqCst))
    }

    /// Tightens the bounds by other proven bounds; returns true if this changed them.
    pub(super) fn tighten(&self, by: Bounds) -> bool {
        let mut packed = self.bounds.load(Ordering::SeqCst);
        loop {
            let now = unpack(packed);
            let better = Bounds {
                low: now.low.max(by.low),
                high: now.high.min(by.high),
            };
            if better == now {
                return false;
            }
            let (order, otherwise) = (Ordering::SeqCst, Ordering::SeqCst);
            match (self.bounds).compare_exchange_weak(packed, pack(better), order, otherwise) {
                Ok(_) => return true,
                Err(other) => packed = other,
            }
        }
    }

    pub(super) fn outside(&self) -> Bounds {
        unpack(self.outside.load(Ordering::Relaxed))
    }

    pub(super) fn open(&self) -> u8 {
        self.open.load(Ordering::Relaxed)
    }

    pub(super) fn is_expanded(&self) -> bool {
        self.state.load(Ordering::SeqCst) == EXPANDED
    }

    /// Takes the node to expand it; returns false if another thread has taken it.
    pub(super) fn take(&self) -> bool {
        let (order, otherwise) = (Ordering::Acquire, Ordering::Relaxed);
        let taken = self.state.compare_exchange(LEAF, TAKEN, order, otherwise);
        taken.is_ok()
    }

    /// Gives the node back without expanding it.
    pub(super) fn give_back(&self) {
        self.state.store(LEAF, Ordering::Release);
    }

    /// Sets the children of a node that was taken.
    pub(super) fn expanded(&self, first_out: u32, open: u8, outside: Bounds) {
        self.first_out.store(first_out, Ordering::Relaxed);
        self.open.store(open, Ordering::Relaxed);
        self.outside.store(pack(outside), Ordering::Relaxed);
        self.state.store(EXPANDED, Ordering::SeqCst);
    }

    /// The first of [`open`](Node::open) edges from here.
    pub(super) fn first_out(&self) -> u32 {
        self.first_out.load(Ordering::Relaxed)
    }

    pub(super) fn first_in(&self) -> u32 {
        self.first_in.load(Ordering::SeqCst)
    }

    /// Makes an edge the first that leads here. `link` gets the edge that was first before.
    pub(super) fn add_in(&self, edge: u32, link: impl Fn(u32)) {
        let mut first = self.first_in();
        loop {
            link(first);
            let (order, otherwise) = (Ordering::SeqCst, Ordering::SeqCst);
            match (self.first_in).compare_exchange_weak(first, edge, order, otherwise) {
                Ok(_) => return,
                Err(other) => first = other,
            }
        }
    }

    pub(super) fn note(&self, place: usize) -> Note {
        Note::unpack(self.notes[place].load(Ordering::Relaxed))
    }

    /// Changes a note. `alone` says that no other thread works on the graph, which takes less time.
    pub(super) fn change_note(&self, place: usize, alone: bool, change: impl Fn(&mut Note)) {
        let note = &self.notes[place];
        let changed = |packed| {
            let mut note = Note::unpack(packed);
            change(&mut note);
            note.pack()
        };
        let mut packed = note.load(Ordering::Relaxed);
        if alone {
            note.store(changed(packed), Ordering::Relaxed);
            return;
        }
        let order = Ordering::Relaxed;
        while let Err(other) = note.compare_exchange_weak(packed, changed(packed), order, order) {
            packed = other;
        }
    }

    /// Forgets the notes for which `is_stale` holds. No thread may be working on a question.
    pub(super) fn forget(&mut self, is_stale: impl Fn(&Note) -> bool) {
        for packed in &mut self.notes {
            let packed = packed.get_mut();
            if is_stale(&Note::unpack(*packed)) {
                *packed = Note::BLANK.pack();
            }
        }
    }
}

/// A move from one position of the graph to another.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) parent: NodeIndex,
    pub(super) child: NodeIndex,
    /// The next edge to the same child.
    pub(super) next_in: u32,
    pub(super) gain: i8,
}

/// A place for an edge: parent, child, next edge and gain.
pub(super) struct EdgePlace([AtomicU32; 4]);

impl EdgePlace {
    pub(super) fn blank() -> EdgePlace {
        EdgePlace([NONE, NONE, NONE, 0].map(AtomicU32::new))
    }

    pub(super) fn get(&self) -> Edge {
        let [parent, child, next_in, gain] =
            self.0.each_ref().map(|part| part.load(Ordering::Relaxed));
        Edge {
            parent,
            child,
            next_in,
            gain: gain as i8,
        }
    }

    pub(super) fn set(&self, edge: Edge) {
        let parts = [edge.parent, edge.child, edge.next_in, edge.gain as u32];
        for (place, part) in self.0.iter().zip(parts) {
            place.store(part, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_takes_a_line_of_a_cache() {
        assert_eq!(size_of::<Node>(), 64);
        assert_eq!(size_of::<EdgePlace>(), 16);
    }
}

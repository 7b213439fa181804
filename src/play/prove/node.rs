//! A position of the graph and the moves between two. Threads that search change both at the same
//! time, so that whatever may change is atomic.

use std::sync::atomic::{AtomicI8, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::source::{Bounds, Glance};
use granero_game::rules::board::Board;

/// The number of a position in the graph.
pub(super) type Number = u32;

/// No position, no edge.
pub(super) const NONE: u32 = u32::MAX;

/// The most threads that can work on a graph: a note has so many bits for them.
pub(super) const MOST_THREADS: usize = 24;

/// A position and what is proven of it: as large as a line of a cache.
pub(super) struct Node {
    own: AtomicU64,
    opponents: AtomicU64,
    /// How far the search got with questions about this position, and which threads are just
    /// looking at them.
    notes: [AtomicU64; 4],
    /// The first edge that leads here.
    first_in: AtomicU32,
    /// The first edge that leads from here; the others follow it.
    first_out: AtomicU32,
    /// What is proven.
    bounds: AtomicU16,
    /// What the moves give that need no further search.
    outside: AtomicU16,
    /// The number of edges from here, or of moves that will be edges.
    open: AtomicU8,
    state: AtomicU8,
}

/// States of a node: nobody has looked for its children; a thread does; its edges are there.
const LEAF: u8 = 0;
const TAKEN: u8 = 1;
const EXPANDED: u8 = 2;

/// What the search found out about the question whether a position is worth at least `least`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) least: i8,
    pub(super) proof: u16,
    pub(super) disproof: u16,
    /// A bit for each thread that is looking at this question, or at another one that has its note
    /// in the same place.
    pub(super) threads: u32,
}

impl Note {
    const BLANK: Note = Note {
        least: i8::MIN,
        proof: 0,
        disproof: 0,
        threads: 0,
    };

    fn pack(self) -> u64 {
        u64::from(self.least as u8)
            | u64::from(self.proof) << 8
            | u64::from(self.disproof) << 24
            | u64::from(self.threads) << 40
    }

    fn unpack(packed: u64) -> Note {
        Note {
            least: packed as i8,
            proof: (packed >> 8) as u16,
            disproof: (packed >> 24) as u16,
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
            own: AtomicU64::new(0),
            opponents: AtomicU64::new(0),
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
    pub(super) fn fill(&self, board: Board, glance: &Glance) {
        let Board { own, opponents } = board;
        self.own.store(own, Ordering::Relaxed);
        self.opponents.store(opponents, Ordering::Relaxed);
        for note in &self.notes {
            note.store(Note::BLANK.pack(), Ordering::Relaxed);
        }
        self.bounds.store(pack(glance.bounds), Ordering::Relaxed);
        self.outside.store(pack(glance.outside), Ordering::Relaxed);
        self.open.store(glance.open, Ordering::Relaxed);
        let state = if glance.open == 0 { EXPANDED } else { LEAF };
        self.state.store(state, Ordering::Relaxed);
    }

    /// Empties a place that turned out not to be needed.
    pub(super) fn clear(&self) {
        self.fill(
            Board::default(),
            &Glance {
                bounds: Bounds::exact(0),
                outside: Bounds::exact(0),
                open: 0,
            },
        );
    }

    pub(super) fn board(&self) -> Board {
        Board {
            own: self.own.load(Ordering::Relaxed),
            opponents: self.opponents.load(Ordering::Relaxed),
        }
    }

    pub(super) fn bounds(&self) -> Bounds {
        // With `tighten`, `expanded` and `first_in` in one order for all threads: see
        // `Graph::expand`.
        unpack(self.bounds.load(Ordering::SeqCst))
    }

    /// Takes bounds into account that are proven, too; returns whether that changed anything.
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

    /// Has a thread look for the children; `false` if another one does or did.
    pub(super) fn take(&self) -> bool {
        let (order, otherwise) = (Ordering::Acquire, Ordering::Relaxed);
        let taken = self.state.compare_exchange(LEAF, TAKEN, order, otherwise);
        taken.is_ok()
    }

    /// Gives the node up, without children.
    pub(super) fn give_back(&self) {
        self.state.store(LEAF, Ordering::Release);
    }

    /// The children of a node that was taken.
    pub(super) fn expanded(&self, first_out: u32, open: u8, outside: Bounds) {
        self.first_out.store(first_out, Ordering::Relaxed);
        self.open.store(open, Ordering::Relaxed);
        self.outside.store(pack(outside), Ordering::Relaxed);
        self.state.store(EXPANDED, Ordering::SeqCst);
    }

    /// The first edge from here; there are [`open`](Node::open).
    pub(super) fn first_out(&self) -> u32 {
        self.first_out.load(Ordering::Relaxed)
    }

    pub(super) fn first_in(&self) -> u32 {
        self.first_in.load(Ordering::SeqCst)
    }

    /// Makes an edge the first that leads here. `link` gets the one that was the first so far.
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

    /// Changes a note. `alone` is whether no other thread works on the graph, which takes less
    /// time.
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

    /// Forgets the notes for which `is_vain` holds. Only where no thread looks at a question.
    pub(super) fn forget(&mut self, is_vain: impl Fn(&Note) -> bool) {
        for packed in &mut self.notes {
            let packed = packed.get_mut();
            if is_vain(&Note::unpack(*packed)) {
                *packed = Note::BLANK.pack();
            }
        }
    }
}

/// A move from one position of the graph to another.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) parent: Number,
    pub(super) child: Number,
    /// The next edge to the same child.
    pub(super) next_in: u32,
    pub(super) gain: i8,
}

/// A place for an edge.
pub(super) struct EdgePlace {
    parent: AtomicU32,
    child: AtomicU32,
    next_in: AtomicU32,
    gain: AtomicI8,
}

impl EdgePlace {
    pub(super) fn blank() -> EdgePlace {
        EdgePlace {
            parent: AtomicU32::new(NONE),
            child: AtomicU32::new(NONE),
            next_in: AtomicU32::new(NONE),
            gain: AtomicI8::new(0),
        }
    }

    pub(super) fn get(&self) -> Edge {
        Edge {
            parent: self.parent.load(Ordering::Relaxed),
            child: self.child.load(Ordering::Relaxed),
            next_in: self.next_in.load(Ordering::Relaxed),
            gain: self.gain.load(Ordering::Relaxed),
        }
    }

    pub(super) fn set(&self, edge: Edge) {
        self.parent.store(edge.parent, Ordering::Relaxed);
        self.child.store(edge.child, Ordering::Relaxed);
        self.next_in.store(edge.next_in, Ordering::Relaxed);
        self.gain.store(edge.gain, Ordering::Relaxed);
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

    #[test]
    fn notes_and_bounds_are_kept_in_a_word() {
        for (least, proof, disproof) in [(-48, 0, 65_000), (48, 60_000, 1), (-1, 7, 0), (0, 9, 8)] {
            for threads in [0, 1, 1 << (MOST_THREADS - 1), (1 << MOST_THREADS) - 1] {
                let note = Note {
                    least,
                    proof,
                    disproof,
                    threads,
                };
                assert_eq!(Note::unpack(note.pack()), note);
            }
        }
        for (low, high) in [(-48, 48), (-100, -100), (0, 1), (-1, 0)] {
            let bounds = Bounds { low, high };
            assert_eq!(unpack(pack(bounds)), bounds);
        }
    }
}

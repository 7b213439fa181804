//! Positions beyond the tables, the moves between them, and proven bounds of each.
//!
//! Several threads may add positions and tighten bounds at a time. Bounds only ever get closer, and
//! each follows from other bounds that hold, so no order of events makes a bound wrong. To make
//! room, or to look at the graph as a whole, a thread needs the graph for itself.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::node::{Edge, EdgePlace, NONE, Node, NodeIndex};
use super::oracle::{Bounds, NOTHING, OnePlyBounds, Oracle};
use super::proof::Ended;
use granero_game::Position;
use granero_table::TableError;

/// The most memory that a node takes, with two edges and its places in the hash table.
const NODE_BYTES: u64 = 116;

/// The most children of a node.
const CHILDREN: usize = 6;

/// The places for nodes and for edges when a graph first grows: enough for most short searches.
const FIRST_PLACES: usize = 2048;

/// Why a thread looks no further at present.
pub(super) enum Halt {
    /// The search ends.
    End(Result<Ended, TableError>),
    /// Another thread has ended the search.
    Over,
    /// Another thread needs the graph for itself.
    Pause,
    /// The graph must [grow](Graph::grow).
    NoRoom,
}

impl From<TableError> for Halt {
    fn from(error: TableError) -> Halt {
        Halt::End(Err(error))
    }
}

pub(super) struct Graph<'a> {
    pub(super) oracle: Oracle<'a>,
    nodes: Vec<Node>,
    /// The number of nodes in use. The rest of `nodes` is room for more; edges likewise.
    len: AtomicU32,
    edges: Vec<EdgePlace>,
    edges_len: AtomicU32,
    /// The hash table that finds nodes by their positions: open addressing, a power of two places.
    places: Vec<AtomicU32>,
    most: usize,
    /// The places that must be free before a node is expanded: for each thread, the children of a
    /// node.
    spare: usize,
    /// The number of positions looked at.
    seen: AtomicU64,
}

impl<'a> Graph<'a> {
    /// Creates a graph with one position, which is number 0, for one thread.
    pub(super) fn new(
        oracle: Oracle<'a>,
        root: &Position,
        memory: u64,
    ) -> Result<Graph<'a>, TableError> {
        let most = (memory / NODE_BYTES).clamp(1, u64::from(NONE / 8)) as usize;
        let mut graph = Graph {
            oracle,
            nodes: vec![],
            len: AtomicU32::new(0),
            edges: vec![],
            edges_len: AtomicU32::new(0),
            places: vec![],
            most,
            spare: CHILDREN,
            seen: AtomicU64::new(1),
        };
        let found = oracle.one_ply(root)?;
        // Room for the root alone.
        graph.nodes.push(Node::blank());
        graph.places.resize_with(16, || AtomicU32::new(NONE));
        graph.add(root, &found);
        Ok(graph)
    }

    /// Prepares the graph for several threads.
    pub(super) fn share(&mut self, threads: usize) {
        self.spare = CHILDREN * threads;
    }

    pub(super) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed) as usize
    }

    /// The number of positions looked at.
    pub(super) fn seen(&self) -> u64 {
        self.seen.load(Ordering::Relaxed)
    }

    pub(super) fn node(&self, number: NodeIndex) -> &Node {
        &self.nodes[number as usize]
    }

    pub(super) fn nodes_mut(&mut self) -> &mut [Node] {
        let len = self.len();
        &mut self.nodes[..len]
    }

    pub(super) fn bounds(&self, number: NodeIndex) -> Bounds {
        self.node(number).bounds()
    }

    /// The edges from a node.
    pub(super) fn edges_from(&self, number: NodeIndex) -> impl Iterator<Item = Edge> + '_ {
        let node = self.node(number);
        let edges = if node.is_expanded() {
            let first = node.first_out() as usize;
            &self.edges[first..first + usize::from(node.open())]
        } else {
            &[]
        };
        edges.iter().map(EdgePlace::get)
    }

    /// The node with this position.
    #[inline]
    pub(super) fn find(&self, position: &Position) -> Option<NodeIndex> {
        self.place(position).ok()
    }

    /// The node with this position, or else the place in the hash table where it belongs.
    // Inlined, so that the processor waits for the places of several children at a time: a fifth less time.
    #[inline(always)]
    fn place(&self, position: &Position) -> Result<NodeIndex, usize> {
        let mask = self.places.len() - 1;
        let mut place = position.hash_code() as usize & mask;
        // To compare words takes less than to make positions of them.
        let words = position.words();
        loop {
            let number = self.places[place].load(Ordering::Acquire);
            if number == NONE {
                return Err(place);
            }
            if self.node(number).words() == words {
                return Ok(number);
            }
            place = (place + 1) & mask;
        }
    }

    /// The node with this position, which is added if it is new. There must be room for it.
    fn add(&self, position: &Position, found: &OnePlyBounds) -> NodeIndex {
        let number = self.len.fetch_add(1, Ordering::Relaxed);
        let node = self.node(number);
        node.fill(position, found);
        loop {
            match self.place(position) {
                // Another thread was quicker.
                Ok(other) => {
                    node.clear();
                    return other;
                }
                Err(place) => {
                    let (order, otherwise) = (Ordering::AcqRel, Ordering::Relaxed);
                    let place = &self.places[place];
                    if (place.compare_exchange(NONE, number, order, otherwise)).is_ok() {
                        return number;
                    }
                }
            }
        }
    }

    /// Checks that there is room for the children of a node.
    fn has_room(&self) -> Result<(), Halt> {
        // Adding 0 reads the latest value, which a mere load need not see yet. Each of the other
        // threads may be adding children, but it has passed this check before.
        let last = |len: &AtomicU32| len.fetch_add(0, Ordering::Relaxed) as usize;
        let nodes = last(&self.len) + self.spare;
        let edges = last(&self.edges_len) + self.spare;
        if nodes > self.most || edges > 2 * self.most {
            return Err(Halt::End(Ok(Ended::Memory)));
        }
        let suffices =
            nodes <= self.nodes.len() && edges <= self.edges.len() && 2 * nodes < self.places.len();
        if suffices { Ok(()) } else { Err(Halt::NoRoom) }
    }

    /// Makes room for more children if necessary; returns false if the graph is full or out of
    /// memory.
    pub(super) fn grow(&mut self) -> bool {
        match self.has_room() {
            Ok(()) => return true,
            Err(Halt::NoRoom) => {}
            Err(_) => return false,
        }
        let nodes = larger(self.nodes.len(), self.len() + self.spare, self.most);
        let edges = *self.edges_len.get_mut() as usize + self.spare;
        let edges = larger(self.edges.len(), edges, 2 * self.most);
        extend(&mut self.nodes, nodes, Node::blank)
            && extend(&mut self.edges, edges, EdgePlace::blank)
            && self.grow_hash_table()
    }

    /// Grows the hash table to fit the node capacity; returns false if out of memory.
    fn grow_hash_table(&mut self) -> bool {
        let length = (2 * self.nodes.len() + 1).next_power_of_two();
        if length <= self.places.len() {
            return true;
        }
        let more = length - self.places.len();
        if self.places.try_reserve_exact(more).is_err() {
            return false;
        }
        self.places.clear();
        self.places.resize_with(length, || AtomicU32::new(NONE));
        for number in 0..self.len() as NodeIndex {
            if let Err(place) = self.place(&self.node(number).position()) {
                *self.places[place].get_mut() = number;
            }
        }
        true
    }

    /// Adds the children of a node, and proves what follows from their bounds. Afterwards the
    /// node is expanded, unless there was an obstacle or another thread is expanding it.
    /// `changed` is an empty list before and after.
    pub(super) fn expand(
        &self,
        number: NodeIndex,
        changed: &mut Vec<NodeIndex>,
    ) -> Result<(), Halt> {
        self.has_room()?;
        let node = self.node(number);
        if !node.take() {
            return Ok(());
        }
        let children = self.children(number).inspect_err(|_| node.give_back())?;
        let Children {
            found,
            open,
            outside,
        } = children;
        let open_edges = u32::from(open);
        let first_out = self.edges_len.fetch_add(open_edges, Ordering::Relaxed);
        for (edge, &(child, gain)) in (first_out..first_out + open_edges).zip(&found) {
            self.node(child).add_in(edge, |next_in| {
                self.edges[edge as usize].set(Edge {
                    parent: number,
                    child,
                    next_in,
                    gain,
                });
            });
        }
        node.expanded(first_out, open, outside);
        // A thread that tightens the bounds of a child either sees that this node is
        // expanded, and updates it; or it was earlier, and we see its bounds.
        if self.follow(number) {
            changed.push(number);
            self.propagate(changed);
        }
        Ok(())
    }

    /// Finds the children of a node, and adds those whose bounds do not meet.
    fn children(&self, number: NodeIndex) -> Result<Children, TableError> {
        let node = self.node(number);
        let mut children = Children {
            found: [(NONE, 0); CHILDREN],
            open: 0,
            outside: Bounds::exact(NOTHING),
        };
        let outside = &mut children.outside;
        let mut seen = 0;
        let plays = self.oracle.rules.moves(&node.position());
        for play in &plays {
            // This also finds a child that two moves of the position share.
            let child = match self.find(&play.position) {
                Some(child) => {
                    let bounds = self.bounds(child);
                    if bounds.meet() {
                        outside.join(play.gain(), bounds);
                        continue;
                    }
                    child
                }
                None => {
                    if let Some(bounds) = self.oracle.look_up(&play.position)? {
                        outside.join(play.gain(), bounds);
                        continue;
                    }
                    let found = self.oracle.one_ply(&play.position)?;
                    seen += 1;
                    if found.bounds.meet() {
                        outside.join(play.gain(), found.bounds);
                        continue;
                    }
                    self.add(&play.position, &found)
                }
            };
            children.found[usize::from(children.open)] = (child, play.gain());
            children.open += 1;
        }
        if plays.is_empty() {
            *outside = node.outside();
        }
        self.seen.fetch_add(seen, Ordering::Relaxed);
        Ok(children)
    }

    /// The bounds of a node that follow from its children.
    pub(super) fn followed(
        &self,
        number: NodeIndex,
        of_child: impl Fn(NodeIndex) -> Bounds,
    ) -> Bounds {
        let mut bounds = self.node(number).outside();
        for edge in self.edges_from(number) {
            bounds.join(edge.gain, of_child(edge.child));
        }
        bounds
    }

    /// Tightens the bounds of an expanded node by the bounds of its children; returns true if they
    /// changed.
    fn follow(&self, number: NodeIndex) -> bool {
        let followed = self.followed(number, |child| self.bounds(child));
        self.node(number).tighten(followed)
    }

    /// Proves what follows from the bounds of nodes that have changed.
    pub(super) fn propagate(&self, changed: &mut Vec<NodeIndex>) {
        while let Some(number) = changed.pop() {
            let child = self.bounds(number);
            for edge in self.edges_to(number) {
                let Edge { parent, gain, .. } = edge;
                let bounds = self.bounds(parent);
                // The parent's high bound falls only if no other move holds it up.
                let may_change = gain - child.high > bounds.low || gain - child.low < bounds.high;
                // A thread that is expanding the parent updates it afterwards.
                let is_expanded = || self.node(parent).is_expanded();
                if may_change && !bounds.meet() && is_expanded() && self.follow(parent) {
                    changed.push(parent);
                }
            }
        }
    }

    /// The edges that lead to a node.
    pub(super) fn edges_to(&self, number: NodeIndex) -> impl Iterator<Item = Edge> + '_ {
        let mut edge = self.node(number).first_in();
        std::iter::from_fn(move || {
            let there = self.edges.get(edge as usize)?.get();
            edge = there.next_in;
            Some(there)
        })
    }
}

/// The children of a node.
struct Children {
    /// The children in the graph, and the seeds that their moves gain.
    found: [(NodeIndex, i8); CHILDREN],
    /// The number of these.
    open: u8,
    /// The bounds by the other moves.
    outside: Bounds,
}

/// The number of places to grow to if `needed` are needed, at most `most`. It grows by half, because
/// all places are written to, and few may be used.
fn larger(places: usize, needed: usize, most: usize) -> usize {
    (places + places / 2)
        .max(needed)
        .max(FIRST_PLACES)
        .min(most)
}

/// Makes a list longer; returns false if out of memory.
fn extend<T>(list: &mut Vec<T>, length: usize, blank: impl Fn() -> T) -> bool {
    let more = length.saturating_sub(list.len());
    let has_memory = list.try_reserve_exact(more).is_ok();
    if has_memory {
        list.extend((0..more).map(|_| blank()));
    }
    has_memory
}

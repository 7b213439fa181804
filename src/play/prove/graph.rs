//! Positions beyond the tables, the moves between them, and proven bounds of each.
//!
//! Several threads may add positions and tighten bounds at a time. Bounds only ever get closer,
//! and each rests on others that hold, too, so that no order of events makes a bound wrong. To get
//! more room, or to look at the graph as a whole, a thread needs it for itself.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::node::{Edge, EdgePlace, NONE, Node, Number};
use super::source::{Bounds, Glance, NOTHING, Source};
use granero_game::rules::board::Board;
use granero_table::TableError;

/// What a node takes in memory at most, with two edges and its places in the table.
const NODE_BYTES: u64 = 116;

/// The most children of a node.
const CHILDREN: usize = 6;

/// The places for nodes and for edges when a graph first grows: enough for most searches that are
/// over soon.
const FIRST_PLACES: usize = 2048;

/// Why a position cannot be expanded.
pub(super) enum Obstacle {
    /// The graph must [grow](Graph::grow) first.
    NoRoom,
    /// The graph has no room for more positions, nor may it get more.
    Full,
    Table(TableError),
}

impl From<TableError> for Obstacle {
    fn from(error: TableError) -> Obstacle {
        Obstacle::Table(error)
    }
}

pub(super) struct Graph<'a> {
    source: Source<'a>,
    nodes: Vec<Node>,
    /// How many of them there are. The others are room for more, as with edges.
    len: AtomicU32,
    edges: Vec<EdgePlace>,
    edges_len: AtomicU32,
    /// Finds nodes by their boards: open addressing, a power of two places.
    places: Vec<AtomicU32>,
    most: usize,
    /// The places that must be free before a node is expanded, for the children of one node for
    /// each thread.
    spare: usize,
    /// The number of positions looked at.
    seen: AtomicU64,
}

impl<'a> Graph<'a> {
    /// A graph with one position, which is number 0, for one thread.
    pub(super) fn new(
        source: Source<'a>,
        root: Board,
        memory: u64,
    ) -> Result<Graph<'a>, TableError> {
        let most = (memory / NODE_BYTES).clamp(1, u64::from(NONE / 8)) as usize;
        let mut graph = Graph {
            source,
            nodes: vec![],
            len: AtomicU32::new(0),
            edges: vec![],
            edges_len: AtomicU32::new(0),
            places: vec![],
            most,
            spare: CHILDREN,
            seen: AtomicU64::new(1),
        };
        let glance = source.glance(root)?;
        // The least that there can be.
        graph.nodes.push(Node::blank());
        graph.places.resize_with(16, || AtomicU32::new(NONE));
        graph.add(root, &glance);
        Ok(graph)
    }

    /// Has some threads work on the graph from now on.
    pub(super) fn share(&mut self, threads: usize) {
        self.spare = CHILDREN * threads;
    }

    pub(super) fn source(&self) -> &Source<'a> {
        &self.source
    }

    pub(super) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed) as usize
    }

    /// The number of positions looked at.
    pub(super) fn seen(&self) -> u64 {
        self.seen.load(Ordering::Relaxed)
    }

    pub(super) fn node(&self, number: Number) -> &Node {
        &self.nodes[number as usize]
    }

    pub(super) fn nodes_mut(&mut self) -> &mut [Node] {
        let len = self.len();
        &mut self.nodes[..len]
    }

    pub(super) fn bounds(&self, number: Number) -> Bounds {
        self.node(number).bounds()
    }

    /// The edges from a node.
    pub(super) fn edges_from(&self, number: Number) -> impl Iterator<Item = Edge> + '_ {
        let node = self.node(number);
        let edges = match node.is_expanded() {
            true => {
                let first = node.first_out() as usize;
                &self.edges[first..first + usize::from(node.open())]
            }
            false => &[],
        };
        edges.iter().map(EdgePlace::get)
    }

    /// The node with this board.
    pub(super) fn find(&self, board: Board) -> Option<Number> {
        self.place(board).ok()
    }

    /// The node with this board, or else the place where it belongs.
    fn place(&self, board: Board) -> Result<Number, usize> {
        let mask = self.places.len() - 1;
        let mut place = board.hash() as usize & mask;
        loop {
            let number = self.places[place].load(Ordering::Acquire);
            if number == NONE {
                return Err(place);
            }
            if self.node(number).board() == board {
                return Ok(number);
            }
            place = (place + 1) & mask;
        }
    }

    /// The node with this board, which is added if it is not there. There must be room for it.
    fn add(&self, board: Board, glance: &Glance) -> Number {
        let number = self.len.fetch_add(1, Ordering::Relaxed);
        let node = self.node(number);
        node.fill(board, glance);
        loop {
            match self.place(board) {
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

    /// Whether there is room for the children of a node.
    fn has_room(&self) -> Result<(), Obstacle> {
        // To add nothing reads what was written last, which a mere load need not see yet. Each of the
        // other threads may be adding children, but has been here before.
        let last = |len: &AtomicU32| len.fetch_add(0, Ordering::Relaxed) as usize;
        let nodes = last(&self.len) + self.spare;
        let edges = last(&self.edges_len) + self.spare;
        if nodes > self.most || edges > 2 * self.most {
            return Err(Obstacle::Full);
        }
        let suffices =
            nodes <= self.nodes.len() && edges <= self.edges.len() && 2 * nodes < self.places.len();
        if suffices {
            Ok(())
        } else {
            Err(Obstacle::NoRoom)
        }
    }

    /// Makes room for more children, if that is needed; `false` if there may be no more, or the
    /// machine has no memory for it.
    pub(super) fn grow(&mut self) -> bool {
        match self.has_room() {
            Ok(()) => return true,
            Err(Obstacle::NoRoom) => {}
            Err(_) => return false,
        }
        let nodes = larger(self.nodes.len(), self.len() + self.spare, self.most);
        let edges = *self.edges_len.get_mut() as usize + self.spare;
        let edges = larger(self.edges.len(), edges, 2 * self.most);
        extend(&mut self.nodes, nodes, Node::blank)
            && extend(&mut self.edges, edges, EdgePlace::blank)
            && self.find_anew()
    }

    /// Doubles the places by which nodes are found until they suffice for all nodes that there is
    /// room for, if there is memory for it.
    fn find_anew(&mut self) -> bool {
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
        for number in 0..self.len() as Number {
            if let Err(place) = self.place(self.node(number).board()) {
                *self.places[place].get_mut() = number;
            }
        }
        true
    }

    /// Adds the children of a node, and proves what follows from their bounds. Afterwards the
    /// node is expanded, unless there was an obstacle or another thread is about to expand it.
    /// `changed` is an empty list, and is one again afterwards.
    pub(super) fn expand(&self, number: Number, changed: &mut Vec<Number>) -> Result<(), Obstacle> {
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
        // Another thread that has just tightened the bounds of a child either sees that this node
        // is expanded, and follows; or it did so before, and we see its bounds.
        if self.follow(number) {
            changed.push(number);
            self.propagate(changed);
        }
        Ok(())
    }

    /// Finds the children of a node, and adds those of which too little is known.
    fn children(&self, number: Number) -> Result<Children, TableError> {
        let node = self.node(number);
        let mut children = Children {
            found: [(NONE, 0); CHILDREN],
            open: 0,
            outside: Bounds::exact(NOTHING),
        };
        let outside = &mut children.outside;
        let mut seen = 0;
        let steps = node.board().moves(self.source.rules.variation());
        for step in steps.iter() {
            // A transposition within the moves of one position is found like any other.
            let child = match self.find(step.board) {
                Some(child) => {
                    let bounds = self.bounds(child);
                    if bounds.meet() {
                        outside.join(step.gain, bounds);
                        continue;
                    }
                    child
                }
                None => {
                    if let Some(bounds) = self.source.look_up(step.board)? {
                        outside.join(step.gain, bounds);
                        continue;
                    }
                    let glance = self.source.glance(step.board)?;
                    seen += 1;
                    if glance.bounds.meet() {
                        outside.join(step.gain, glance.bounds);
                        continue;
                    }
                    self.add(step.board, &glance)
                }
            };
            children.found[usize::from(children.open)] = (child, step.gain);
            children.open += 1;
        }
        if steps.is_empty() {
            *outside = node.outside();
        }
        self.seen.fetch_add(seen, Ordering::Relaxed);
        Ok(children)
    }

    /// What follows for a node from its children.
    pub(super) fn followed(&self, number: Number, of_child: impl Fn(Number) -> Bounds) -> Bounds {
        let mut bounds = self.node(number).outside();
        for edge in self.edges_from(number) {
            bounds.join(edge.gain, of_child(edge.child));
        }
        bounds
    }

    /// Tightens the bounds of an expanded node by those of its children; returns whether they
    /// changed.
    fn follow(&self, number: Number) -> bool {
        let followed = self.followed(number, |child| self.bounds(child));
        self.node(number).tighten(followed)
    }

    /// Proves what follows from the bounds of nodes that have changed.
    pub(super) fn propagate(&self, changed: &mut Vec<Number>) {
        while let Some(number) = changed.pop() {
            let child = self.bounds(number);
            for edge in self.edges_to(number) {
                let Edge { parent, gain, .. } = edge;
                let bounds = self.bounds(parent);
                // The parent's high bound falls only if no other move holds it up.
                let may_change = gain - child.high > bounds.low || gain - child.low < bounds.high;
                // A thread that is just expanding it follows afterwards.
                let is_expanded = || self.node(parent).is_expanded();
                if may_change && !bounds.meet() && is_expanded() && self.follow(parent) {
                    changed.push(parent);
                }
            }
        }
    }

    /// The edges that lead to a node.
    pub(super) fn edges_to(&self, number: Number) -> impl Iterator<Item = Edge> + '_ {
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
    /// Those in the graph, and what the moves gain.
    found: [(Number, i8); CHILDREN],
    /// How many they are.
    open: u8,
    /// What the other moves give.
    outside: Bounds,
}

/// How many places there should be, where there are some and others are needed, but at most
/// `most`. Not twice as many at once: all are written to, and few may be needed.
fn larger(places: usize, needed: usize, most: usize) -> usize {
    (places + places / 2)
        .max(needed)
        .max(FIRST_PLACES)
        .min(most)
}

/// Makes a list longer; says whether there was memory for it.
fn extend<T>(list: &mut Vec<T>, length: usize, blank: impl Fn() -> T) -> bool {
    let more = length.saturating_sub(list.len());
    let has_memory = list.try_reserve_exact(more).is_ok();
    if has_memory {
        list.extend((0..more).map(|_| blank()));
    }
    has_memory
}

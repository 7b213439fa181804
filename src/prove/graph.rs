//! Positions beyond the tables, the moves between them, and proven bounds of each.

use super::source::{Bounds, Glance, NOTHING, Source};
use crate::board::Board;
use crate::table::TableError;

/// The number of a position in the graph.
pub(super) type Number = u32;

/// No position, no edge.
pub(super) const NONE: u32 = u32::MAX;

/// A position and what is proven of it.
pub(super) struct Node {
    pub(super) board: Board,
    /// The first edge that leads here.
    first_in: u32,
    /// The first edge that leads from here; the others follow it.
    first_out: u32,
    /// How far the search got with questions about this position.
    pub(super) notes: [Note; 4],
    /// What is proven.
    pub(super) bounds: Bounds,
    /// What the moves give that need no further search.
    pub(super) outside: Bounds,
    /// What holds if some other claims hold; see [`safety`](super::safety).
    pub(super) claims: Bounds,
    /// The number of edges from here, or of moves that will be edges.
    pub(super) open: u8,
    pub(super) expanded: bool,
    /// By note: whether the search is just looking at this question.
    pub(super) on_path: u8,
    pub(super) queued: bool,
}

/// What the search found out about the question whether a position is worth at least `least`.
#[derive(Clone, Copy)]
pub(super) struct Note {
    pub(super) least: i8,
    pub(super) proof: u16,
    pub(super) disproof: u16,
}

impl Note {
    pub(super) const BLANK: Note = Note {
        least: i8::MIN,
        proof: 0,
        disproof: 0,
    };
}

/// A move from one position of the graph to another.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    parent: Number,
    pub(super) child: Number,
    /// The next edge to the same child.
    next_in: u32,
    pub(super) gain: i8,
}

/// What a node takes in memory at most, with two edges and its places in the table.
const NODE_BYTES: u64 = 116;

/// Why a position cannot be expanded.
pub(super) enum Obstacle {
    /// The graph has no room for more positions.
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
    pub(super) nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Finds nodes by their boards: open addressing, a power of two places.
    places: Vec<u32>,
    most: usize,
    /// Nodes whose parents do not know of their bounds yet.
    changed: Vec<Number>,
    /// The number of positions looked at.
    pub(super) seen: u64,
}

impl<'a> Graph<'a> {
    /// A graph with one position, which is number 0.
    pub(super) fn new(
        source: Source<'a>,
        root: Board,
        memory: u64,
    ) -> Result<Graph<'a>, TableError> {
        let most = (memory / NODE_BYTES).clamp(1, u64::from(NONE / 8)) as usize;
        let mut graph = Graph {
            source,
            nodes: Vec::new(),
            edges: Vec::new(),
            places: vec![NONE; 16],
            most,
            changed: Vec::new(),
            seen: 1,
        };
        let glance = source.glance(root)?;
        graph.add(root, &glance);
        Ok(graph)
    }

    pub(super) fn source(&self) -> &Source<'a> {
        &self.source
    }

    pub(super) fn bounds(&self, number: Number) -> Bounds {
        self.nodes[number as usize].bounds
    }

    /// The edges from a node.
    pub(super) fn edges_from(&self, number: Number) -> &[Edge] {
        let node = &self.nodes[number as usize];
        if node.expanded {
            let first = node.first_out as usize;
            &self.edges[first..first + usize::from(node.open)]
        } else {
            &[]
        }
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
            let number = self.places[place];
            if number == NONE {
                return Err(place);
            }
            if self.nodes[number as usize].board == board {
                return Ok(number);
            }
            place = (place + 1) & mask;
        }
    }

    /// Adds a board that is not there yet. There must be room for it.
    fn add(&mut self, board: Board, glance: &Glance) -> Number {
        let number = self.nodes.len() as Number;
        if let Err(place) = self.place(board) {
            self.places[place] = number;
        }
        self.nodes.push(Node {
            board,
            first_in: NONE,
            first_out: 0,
            notes: [Note::BLANK; 4],
            bounds: glance.bounds,
            outside: glance.outside,
            claims: glance.bounds,
            open: glance.open,
            expanded: glance.open == 0,
            on_path: 0,
            queued: false,
        });
        number
    }

    /// Makes room for the children of a node; says whether there is some. There may be less memory
    /// than the graph is allowed.
    fn make_room(&mut self) -> bool {
        const MORE: usize = 6;
        let (nodes, edges) = (self.nodes.len(), self.edges.len());
        if nodes + MORE > self.most || edges + MORE > 2 * self.most {
            return false;
        }
        // Not twice as much at once, if that is more than there may be.
        let more = nodes.min(self.most - nodes).max(MORE);
        let room = |capacity: usize, len: usize| capacity - len >= MORE;
        (room(self.nodes.capacity(), nodes) || self.nodes.try_reserve_exact(more).is_ok())
            && (room(self.edges.capacity(), edges) || self.edges.try_reserve(more).is_ok())
            && (2 * (nodes + MORE) < self.places.len() || self.grow())
    }

    /// Doubles the places by which nodes are found, if there is memory for it.
    fn grow(&mut self) -> bool {
        let length = self.places.len() * 2;
        if self
            .places
            .try_reserve_exact(length - self.places.len())
            .is_err()
        {
            return false;
        }
        self.places.clear();
        self.places.resize(length, NONE);
        for number in 0..self.nodes.len() {
            if let Err(place) = self.place(self.nodes[number].board) {
                self.places[place] = number as Number;
            }
        }
        true
    }

    /// Adds the children of a node, and proves what follows from their bounds. Afterwards the
    /// node is expanded, unless there was an obstacle.
    pub(super) fn expand(&mut self, number: Number) -> Result<(), Obstacle> {
        if self.nodes[number as usize].expanded {
            return Ok(());
        }
        if !self.make_room() {
            return Err(Obstacle::Full);
        }
        let node = &self.nodes[number as usize];
        let mut outside = Bounds::exact(NOTHING);
        let steps = node.board.steps(self.source.rules.variation());
        let mut found = [(NONE, 0); 6];
        let mut open = 0;
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
                    self.seen += 1;
                    if glance.bounds.meet() {
                        outside.join(step.gain, glance.bounds);
                        continue;
                    }
                    self.add(step.board, &glance)
                }
            };
            found[open] = (child, step.gain);
            open += 1;
        }
        if steps.is_empty() {
            outside = self.nodes[number as usize].outside;
        }
        let first_out = self.edges.len() as u32;
        for &(child, gain) in &found[..open] {
            let edge = self.edges.len() as u32;
            let next_in = std::mem::replace(&mut self.nodes[child as usize].first_in, edge);
            self.edges.push(Edge {
                parent: number,
                child,
                next_in,
                gain,
            });
        }
        let node = &mut self.nodes[number as usize];
        node.first_out = first_out;
        node.open = open as u8;
        node.outside = outside;
        node.expanded = true;
        if self.follow(number) {
            self.changed.push(number);
            self.propagate();
        }
        Ok(())
    }

    /// What follows for a node from its children.
    pub(super) fn followed(&self, number: Number, of_child: impl Fn(&Node) -> Bounds) -> Bounds {
        let mut bounds = self.nodes[number as usize].outside;
        for edge in self.edges_from(number) {
            bounds.join(edge.gain, of_child(&self.nodes[edge.child as usize]));
        }
        bounds
    }

    /// Tightens the bounds of an expanded node by those of its children; returns whether they
    /// changed.
    fn follow(&mut self, number: Number) -> bool {
        let followed = self.followed(number, |child| child.bounds);
        let bounds = &mut self.nodes[number as usize].bounds;
        let before = *bounds;
        bounds.low = bounds.low.max(followed.low);
        bounds.high = bounds.high.min(followed.high);
        before != *bounds
    }

    /// Takes better bounds of a node for granted; [`propagate`](Graph::propagate) draws the
    /// conclusions.
    pub(super) fn settle(&mut self, number: Number, bounds: Bounds) {
        let node = &mut self.nodes[number as usize];
        if node.bounds != bounds {
            node.bounds = bounds;
            self.changed.push(number);
        }
    }

    /// Proves what follows from changed bounds.
    pub(super) fn propagate(&mut self) {
        while let Some(number) = self.changed.pop() {
            let child = self.bounds(number);
            let mut edge = self.nodes[number as usize].first_in;
            while edge != NONE {
                let Edge {
                    parent,
                    next_in,
                    gain,
                    ..
                } = self.edges[edge as usize];
                edge = next_in;
                let bounds = self.bounds(parent);
                // The parent's high bound falls only if no other move holds it up.
                let may_change = gain - child.high > bounds.low || gain - child.low < bounds.high;
                if may_change && !bounds.meet() && self.follow(parent) {
                    self.changed.push(parent);
                }
            }
        }
    }

    /// Calls `visit` with the parents of a node.
    pub(super) fn parents(&self, number: Number) -> impl Iterator<Item = Number> + '_ {
        let mut edge = self.nodes[number as usize].first_in;
        std::iter::from_fn(move || {
            let there = self.edges.get(edge as usize)?;
            edge = there.next_in;
            Some(there.parent)
        })
    }
}

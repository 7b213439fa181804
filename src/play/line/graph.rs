//! Positions of one layer, the quiet moves between them, and distances along these.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

use granero_game::Position;
use granero_game::rules::Move;

/// Some positions of a layer, each with a player who moves there. Number 0 is where a search begins.
#[derive(Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    /// Numbers of nodes by the position, and by whether the player hurries.
    numbers: HashMap<(Position, bool), usize>,
}

pub(super) struct Node {
    pub(super) position: Position,
    /// True if the player to move looks for the shortest way.
    pub(super) hurries: bool,
    /// True if the game is over.
    pub(super) over: bool,
    /// The move that leaves the layer.
    pub(super) exit: Option<Move>,
    /// The moves that stay in the layer, and the nodes they lead to; none if the player to move leaves it at once.
    pub(super) quiet: Vec<(Move, usize)>,
    /// The nodes with a quiet move to this one.
    pub(super) before: Vec<usize>,
}

/// The move that captures most, and of several the one of the first house.
pub(crate) fn largest_capture(moves: impl Iterator<Item = Move>) -> Option<Move> {
    moves.max_by_key(|play| (play.captured, Reverse(play.house)))
}

impl Graph {
    /// The number of a node, which is added if it is new.
    pub(super) fn number(&mut self, position: Position, hurries: bool) -> usize {
        *self.numbers.entry((position, hurries)).or_insert_with(|| {
            self.nodes.push(Node {
                position,
                hurries,
                over: false,
                exit: None,
                quiet: Vec::new(),
                before: Vec::new(),
            });
            self.nodes.len() - 1
        })
    }

    /// Adds a quiet move to a node.
    pub(super) fn add(&mut self, number: usize, play: Move, next_hurries: bool) {
        let child = self.number(play.position, next_hurries);
        self.nodes[child].before.push(number);
        self.nodes[number].quiet.push((play, child));
    }

    /// By node: the number of quiet moves.
    pub(super) fn quiet_moves(&self) -> Vec<usize> {
        self.nodes.iter().map(|node| node.quiet.len()).collect()
    }

    /// Finds the distances of nodes from those of their children, beginning with the nodes in `queue`. A node whose
    /// `hurries` is as given goes to the child that has a distance first, and another node to the last. `open` has
    /// the number of quiet moves to children that are not dealt with, and `further` adds a move to a distance.
    pub(super) fn spread<D: Copy>(
        &self,
        mut queue: VecDeque<usize>,
        hurries: bool,
        open: &mut [usize],
        distances: &mut [Option<D>],
        further: impl Fn(D) -> D,
    ) {
        while let Some(number) = queue.pop_front() {
            let distance = distances[number].map(&further);
            for &before in &self.nodes[number].before {
                open[before] -= 1;
                let is_reached = self.nodes[before].hurries == hurries || open[before] == 0;
                if distances[before].is_none() && is_reached {
                    distances[before] = distance;
                    queue.push_back(before);
                }
            }
        }
    }
}

//! The part of a layer that best play reaches where endless play is shared, and the way out of it.
//!
//! Values say which moves are best, but not which of them make progress: a winner who makes any
//! best moves may shuffle endlessly and never win. So we explore the positions of the layer that
//! quiet best moves reach, and find for each the number of moves to leave the layer by a capture,
//! or to end the game. The winner **hurries**, the loser **delays**; both make best moves only, so
//! this costs neither of them a seed. The line takes the whole way, and a [player](crate::player)
//! its first move.
//!
//! The winner can always force the way out: some strategy reaches a value above 0 after a
//! limited number of moves (`docs/solver.md`), and all its moves are best. In a draw neither player
//! can be forced, and endless play is worth as much as an end: both players hurry, and play
//! is endless only where no best moves lead out.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

use granero_game::rules::Move;
use granero_game::{Position, Value};
use granero_table::error::NotYet;
use granero_table::index::Layer;
use granero_table::{Assessment, TableError, Tables};

/// Positions of one layer, explored from the first one by best moves, nearer ones first.
pub(crate) struct SplitGraph {
    nodes: Vec<Node>,
    numbers: HashMap<Position, usize>,
    /// True if all positions that best moves reach are explored.
    whole: bool,
}

struct Node {
    position: Position,
    /// True if the player to move hurries.
    hurries: bool,
    /// True if the game is over.
    over: bool,
    /// The best move that leaves the layer.
    capture: Option<Move>,
    /// The best moves that stay in the layer, and the nodes they lead to; empty if the
    /// player to move hurries and can capture.
    quiet: Vec<(Move, usize)>,
    /// The nodes with a quiet move to this one.
    before: Vec<usize>,
    /// The number of moves to leave the layer or to end the game, if it is known yet.
    distance: Option<usize>,
}

/// The best move that leaves the layer; of several, the one that captures most.
pub(super) fn best_capture(assessment: &Assessment) -> Option<Move> {
    assessment
        .best()
        .map(|best| best.play)
        .filter(|play| play.captured > 0)
        .max_by_key(|play| (play.captured, Reverse(play.house)))
}

/// The value of a position, perhaps cut off: enough to tell the winner.
pub(super) fn cut_off(assessment: &Assessment) -> Option<Value> {
    assessment.clamped?.numbers().value()
}

impl SplitGraph {
    fn new() -> SplitGraph {
        SplitGraph {
            nodes: Vec::new(),
            numbers: HashMap::new(),
            whole: false,
        }
    }

    /// Explores from a position until the way out is known, or there is none, or `limit`
    /// positions have been seen. `go_on` gets the number of positions explored so far; the search
    /// ends if it returns false.
    pub(crate) fn explore(
        tables: &Tables,
        position: &Position,
        limit: usize,
        go_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<SplitGraph, TableError> {
        let mut graph = SplitGraph::new();
        let worth = cut_off(&tables.assess(position)?);
        graph.number(*position, worth >= Some(Value::ZERO));
        let mut explored = 0;
        let mut solved = 0;
        // A round takes all positions at the same distance from the first.
        'rounds: for reach in 1.. {
            let round = explored..graph.nodes.len();
            graph.whole = round.is_empty();
            if graph.whole || round.end > limit {
                break;
            }
            explored = round.end;
            let mut later = NotYet::default();
            for number in round {
                if !go_on(number) {
                    break 'rounds;
                }
                later.keep(graph.expand(number, tables))?;
            }
            later.end()?;
            // Solving whenever the graph has grown by a quarter takes only a few times
            // as long as solving it once.
            if explored > solved + solved / 4 {
                solved = explored;
                graph.solve();
                // Such a short way out depends on explored positions only.
                if graph.nodes[0].distance.is_some_and(|moves| moves <= reach) {
                    return Ok(graph);
                }
            }
        }
        graph.solve();
        Ok(graph)
    }

    /// Explores a whole layer: its positions become the nodes, in the order of the index.
    pub(super) fn of_layer(tables: &Tables, layer: Layer) -> Result<SplitGraph, TableError> {
        let mut graph = SplitGraph::new();
        for position in layer.positions() {
            let worth = tables.clamped_worth(&position)?;
            let worth = worth.and_then(|worth| worth.numbers().value());
            graph.number(position, worth >= Some(Value::ZERO));
        }
        for number in 0..graph.nodes.len() {
            graph.expand(number, tables)?;
        }
        graph.whole = true;
        graph.solve();
        Ok(graph)
    }

    /// The distance of each node, in their order.
    pub(super) fn distances(&self) -> impl Iterator<Item = Option<usize>> {
        self.nodes.iter().map(|node| node.distance)
    }

    /// Returns true if all positions that best moves reach are explored. If then no way out was
    /// found, there is none.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Returns the best way from the first position out of its layer or to the end of the game;
    /// `None` if none was found. If the search reached its limit, the player who hurries can force
    /// this way out, but there may be a shorter one.
    pub(crate) fn way_out(&self) -> Option<Vec<Move>> {
        let mut node = &self.nodes[0];
        let mut moves = Vec::with_capacity(node.distance?);
        loop {
            let steps = node.quiet.iter().filter_map(|&(play, child)| {
                let distance = self.nodes[child].distance?;
                Some((distance, play, child))
            });
            let step = if node.hurries {
                steps.min_by_key(|&(distance, play, _)| (distance, play.house))
            } else {
                steps.max_by_key(|&(distance, play, _)| (distance, Reverse(play.house)))
            };
            let Some((_, play, child)) = step else {
                moves.extend(node.capture);
                return Some(moves);
            };
            moves.push(play);
            node = &self.nodes[child];
        }
    }

    /// The number of the node with a position, which is added if it is new.
    fn number(&mut self, position: Position, hurries: bool) -> usize {
        *self.numbers.entry(position).or_insert_with(|| {
            self.nodes.push(Node {
                position,
                hurries,
                over: false,
                capture: None,
                quiet: Vec::new(),
                before: Vec::new(),
                distance: None,
            });
            self.nodes.len() - 1
        })
    }

    /// Finds the best moves of a node.
    fn expand(&mut self, number: usize, tables: &Tables) -> Result<(), TableError> {
        let node = &mut self.nodes[number];
        let assessment = tables.assess(&node.position)?;
        node.over = assessment.over.is_some();
        node.capture = best_capture(&assessment);
        if node.hurries && node.capture.is_some() {
            return Ok(());
        }
        let next_hurries = cut_off(&assessment) <= Some(Value::ZERO);
        for best in assessment.best().filter(|best| best.play.captured == 0) {
            let child = self.number(best.play.position, next_hurries);
            self.nodes[child].before.push(number);
            self.nodes[number].quiet.push((best.play, child));
        }
        Ok(())
    }

    /// Finds the distances, short ones first.
    fn solve(&mut self) {
        let mut queue = VecDeque::new();
        let mut open = Vec::with_capacity(self.nodes.len());
        for (number, node) in self.nodes.iter_mut().enumerate() {
            open.push(node.quiet.len());
            node.distance = None;
            if node.over {
                node.distance = Some(0);
                queue.push_front(number);
            } else if node.capture.is_some() && node.quiet.is_empty() {
                node.distance = Some(1);
                queue.push_back(number);
            }
        }
        while let Some(number) = queue.pop_front() {
            let distance = self.nodes[number].distance.map(|distance| distance + 1);
            for index in 0..self.nodes[number].before.len() {
                let before = self.nodes[number].before[index];
                open[before] -= 1;
                let node = &mut self.nodes[before];
                if node.distance.is_none() && (node.hurries || open[before] == 0) {
                    node.distance = distance;
                    queue.push_back(before);
                }
            }
        }
    }
}

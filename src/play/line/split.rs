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
//! limited number of moves (`docs/internals/solver.md`), and all its moves are best. In a draw neither player
//! can be forced, and endless play is worth as much as an end: both players hurry, and play
//! is endless only where no best moves lead out.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::graph::{Graph, largest_capture};
use granero_game::rules::Move;
use granero_game::{Position, Value};
use granero_table::error::NotYet;
use granero_table::index::Layer;
use granero_table::{Assessment, TableError, Tables};

/// Positions of one layer, explored from the first one by best moves, nearer ones first.
#[derive(Default)]
pub(crate) struct SplitGraph {
    reached: Graph,
    /// By node: the number of moves to leave the layer or to end the game, if it is known yet.
    pub(super) distances: Vec<Option<usize>>,
    /// True if all positions that best moves reach are explored. If then no way out was found, there is none.
    pub(super) whole: bool,
}

/// The best move that leaves the layer; of several, the one that captures most.
pub(super) fn best_capture(assessment: &Assessment) -> Option<Move> {
    let best = assessment.best().map(|best| best.play);
    largest_capture(best.filter(|play| play.captured > 0))
}

/// The value of a position, perhaps cut off: enough to tell the winner.
pub(super) fn cut_off(assessment: &Assessment) -> Option<Value> {
    assessment.clamped?.numbers().value()
}

impl SplitGraph {
    /// Explores from a position until the way out is known, or there is none, or `limit`
    /// positions have been seen. `go_on` gets the number of positions explored so far; the search
    /// ends if it returns false.
    pub(crate) fn explore(
        tables: &Tables,
        position: &Position,
        limit: usize,
        go_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<SplitGraph, TableError> {
        let mut graph = SplitGraph::default();
        let value = cut_off(&tables.assess(position)?);
        graph.reached.number(*position, value >= Some(Value::ZERO));
        let mut explored = 0;
        let mut solved = 0;
        // A round takes all positions at the same distance from the first.
        'rounds: for reach in 1.. {
            let round = explored..graph.reached.nodes.len();
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
                if graph.distances[0].is_some_and(|moves| moves <= reach) {
                    return Ok(graph);
                }
            }
        }
        graph.solve();
        Ok(graph)
    }

    /// Explores a whole layer: its positions become the nodes, in the order of the index.
    pub(super) fn of_layer(tables: &Tables, layer: Layer) -> Result<SplitGraph, TableError> {
        let mut graph = SplitGraph::default();
        for position in layer.positions() {
            let value = tables.clamped_value(&position)?;
            let value = value.and_then(|value| value.numbers().value());
            graph.reached.number(position, value >= Some(Value::ZERO));
        }
        for number in 0..graph.reached.nodes.len() {
            graph.expand(number, tables)?;
        }
        graph.whole = true;
        graph.solve();
        Ok(graph)
    }

    /// Returns the best way from the first position out of its layer or to the end of the game;
    /// `None` if none was found. If the search reached its limit, the player who hurries can force
    /// this way out, but there may be a shorter one.
    pub(crate) fn way_out(&self) -> Option<Vec<Move>> {
        let mut node = &self.reached.nodes[0];
        let mut moves = Vec::with_capacity(self.distances[0]?);
        loop {
            let steps = node.quiet.iter().filter_map(|&(play, child)| {
                let distance = self.distances[child]?;
                Some((distance, play, child))
            });
            let step = if node.hurries {
                steps.min_by_key(|&(distance, play, _)| (distance, play.house))
            } else {
                steps.max_by_key(|&(distance, play, _)| (distance, Reverse(play.house)))
            };
            let Some((_, play, child)) = step else {
                moves.extend(node.exit);
                return Some(moves);
            };
            moves.push(play);
            node = &self.reached.nodes[child];
        }
    }

    /// Finds the best moves of a node.
    fn expand(&mut self, number: usize, tables: &Tables) -> Result<(), TableError> {
        let node = &mut self.reached.nodes[number];
        let assessment = tables.assess(&node.position)?;
        node.over = assessment.over.is_some();
        node.exit = best_capture(&assessment);
        if node.hurries && node.exit.is_some() {
            return Ok(());
        }
        let next_hurries = cut_off(&assessment) <= Some(Value::ZERO);
        for best in assessment.best().filter(|best| best.play.captured == 0) {
            self.reached.add(number, best.play, next_hurries);
        }
        Ok(())
    }

    /// Finds the distances, short ones first.
    fn solve(&mut self) {
        let mut queue = VecDeque::new();
        self.distances.clear();
        for (number, node) in self.reached.nodes.iter().enumerate() {
            self.distances.push(if node.over {
                queue.push_front(number);
                Some(0)
            } else if node.exit.is_some() && node.quiet.is_empty() {
                queue.push_back(number);
                Some(1)
            } else {
                None
            });
        }
        let (mut open, distances) = (self.reached.quiet_moves(), &mut self.distances);
        let further = |distance| distance + 1;
        self.reached
            .spread(queue, true, &mut open, distances, further);
    }
}

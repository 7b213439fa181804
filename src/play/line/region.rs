//! The part of a layer that best play can reach, and the way out of it.
//!
//! Values say which moves are best, but not which of them make progress: a winner who
//! plays any best moves may shuffle endlessly and never win. So we explore the positions of
//! the layer that quiet best moves lead to, and find for each how many moves it takes to
//! leave the layer by a capture, or to end the game. The winner **hurries**, the loser
//! **delays**; both play best moves only, so this costs neither of them a seed. The line
//! takes the whole way, and a [player](crate::player) its first move.
//!
//! The winner can always force the way out: some strategy reaches a value above 0 after a
//! limited number of moves (`docs/solver.md`), and all its moves are best. In a draw nobody
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
pub(crate) struct Region {
    nodes: Vec<Node>,
    numbers: HashMap<Position, usize>,
    /// Whether all positions that best moves reach are explored.
    whole: bool,
}

/// A position of the region.
struct Node {
    position: Position,
    /// Whether the player to move hurries.
    hurries: bool,
    /// Whether the game is over.
    over: bool,
    /// The best move that leaves the layer.
    capture: Option<Move>,
    /// The best moves that stay in the layer, and the nodes they lead to; empty where the
    /// player to move hurries and can capture.
    quiet: Vec<(Move, usize)>,
    /// The nodes that have this one among `quiet`.
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

/// What a position is worth, cut off where the tables do: that tells the winner.
pub(super) fn cut_off(assessment: &Assessment) -> Option<Value> {
    assessment.clamped?.numbers().value()
}

impl Region {
    fn new() -> Region {
        Region {
            nodes: Vec::new(),
            numbers: HashMap::new(),
            whole: false,
        }
    }

    /// Explores from a position until the way out is known, or there is none, or `limit`
    /// positions have been seen. `go_on` gets the number of positions explored so far, and
    /// returns whether to go on.
    pub(crate) fn explore(
        tables: &Tables,
        position: &Position,
        limit: usize,
        go_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Region, TableError> {
        let mut region = Region::new();
        let worth = cut_off(&tables.assess(position)?);
        region.number(*position, worth >= Some(Value::ZERO));
        let mut explored = 0;
        let mut solved = 0;
        // A round takes all positions at the same distance from the first.
        'rounds: for reach in 1.. {
            let round = explored..region.nodes.len();
            region.whole = round.is_empty();
            if region.whole || round.end > limit {
                break;
            }
            explored = round.end;
            let mut later = NotYet::default();
            for number in round {
                if !go_on(number) {
                    break 'rounds;
                }
                later.keep(region.expand(number, tables))?;
            }
            later.end()?;
            // Solving whenever the region has grown by a quarter takes only a few times
            // as long as solving it once.
            if explored > solved + solved / 4 {
                solved = explored;
                region.solve();
                // Everything that such a short way out depends on is explored.
                if region.nodes[0].distance.is_some_and(|moves| moves <= reach) {
                    return Ok(region);
                }
            }
        }
        region.solve();
        Ok(region)
    }

    /// Explores a whole layer: its positions are the nodes, in the order of the index.
    pub(super) fn of_layer(tables: &Tables, layer: Layer) -> Result<Region, TableError> {
        let mut region = Region::new();
        for position in layer.positions() {
            let worth = tables.clamped_worth(&position)?;
            let worth = worth.and_then(|worth| worth.numbers().value());
            region.number(position, worth >= Some(Value::ZERO));
        }
        for number in 0..region.nodes.len() {
            region.expand(number, tables)?;
        }
        region.whole = true;
        region.solve();
        Ok(region)
    }

    /// How many moves each node is from the way out, in their order.
    pub(super) fn distances(&self) -> impl Iterator<Item = Option<usize>> {
        self.nodes.iter().map(|node| node.distance)
    }

    /// Whether all positions that best moves reach are explored. If so, and no way out was
    /// found, there is none.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// The best way from the first position out of its layer or to the end of the game; `None`
    /// if none was found. If the search reached its limit, the player who hurries can force
    /// the way out, but there may be a shorter one.
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

    /// The number of the node with this position, which is added if it is new.
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

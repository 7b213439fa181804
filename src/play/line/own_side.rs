//! Best play within a layer where endless play gives each player the seeds on their own side.
//!
//! One player is *favoured*: in a cycle, the position that is best for this player counts. The low
//! bound of a position favours the opponent, the high bound the player to move. From each position
//! and side to move, the favoured player gets a certain *result*, and both players play only moves
//! that keep it. We explore the positions of the layer that such moves reach. A player who has such
//! a move out of the layer plays it. Otherwise,
//!
//! * the favoured player takes the shortest way to a *goal*, whatever the other player does: a
//!   position where play leaves the layer, or where the difference between the two sides is at
//!   least the result. From there it goes to the next goal;
//! * the other player goes to a *refuge*: positions where the difference never again exceeds the
//!   result. Refuges have stages: the favoured player can leave a refuge of a later stage, but only
//!   for an earlier one, so the other player goes from one to the next.
//!
//! Both choose by the position alone, so they leave the layer or enter a cycle. The best
//! difference in the cycle is the result: it is no less, because goals recur, and no more,
//! because the cycle lies in a refuge. The result is exact because every position has a way to a
//! goal and to a refuge: `docs/internals/solver.md` has the proof.
//!
//! A result that deciding tables have cut off is kept in the same way: the player who has decided the
//! game has a way, to goals or to refuges, and the other player may make any move.

use std::collections::HashMap;

use super::graph::{Graph, Node, largest_capture};
use super::{LineEnd, Way};
use granero_game::rules::Move;
use granero_game::{Clamped, Measured, Position, Value};
use granero_table::error::NotYet;
use granero_table::{TableError, Tables};

/// The positions of one layer, each with the player to move, that moves which keep the result
/// reach from the first one.
pub(super) struct OwnSideGraph {
    /// The favoured player hurries, to the next goal.
    reached: Graph,
    /// By node: the number of moves that the favoured player needs to reach a goal.
    to_goal: Vec<Option<usize>>,
    /// By node: the stage of the refuge, and the number of moves that the other player needs to reach it.
    to_refuge: Vec<Option<(usize, usize)>>,
    /// The favoured player's result from each of these positions.
    result: Value,
}

/// Returns true if play ends at a node or leaves the layer.
fn is_last(node: &Node) -> bool {
    node.over || node.exit.is_some()
}

/// The seeds on the favoured player's side minus those on the other side.
fn difference(node: &Node) -> Value {
    let [own, opponents] = [node.position.own_seeds(), node.position.opponents_seeds()];
    let movers = Value::of_shares(own, opponents);
    if node.hurries { movers } else { -movers }
}

/// The bound that the player to move gets.
fn of_mover(value: Measured<Clamped>, favoured: bool) -> Clamped {
    if favoured { value.high() } else { value.low() }
}

impl OwnSideGraph {
    /// Explores the positions that best play reaches; `None` if there are more than `limit`.
    pub(super) fn explore(
        tables: &Tables,
        position: &Position,
        favoured: bool,
        limit: usize,
        watch: &mut dyn FnMut(usize),
    ) -> Result<Option<OwnSideGraph>, TableError> {
        let Some(value) = tables.assess(position)?.clamped else {
            return Ok(None);
        };
        let movers = of_mover(value, favoured).number();
        let mut graph = OwnSideGraph {
            reached: Graph::default(),
            to_goal: Vec::new(),
            to_refuge: Vec::new(),
            result: if favoured { movers } else { -movers },
        };
        graph.reached.number(*position, favoured);
        let mut explored = 0;
        let mut later = NotYet::default();
        while explored < graph.reached.nodes.len() {
            if graph.reached.nodes.len() > limit {
                return Ok(None);
            }
            watch(explored);
            later.keep(graph.expand(explored, tables))?;
            explored += 1;
        }
        later.end()?;
        graph.find_goals();
        graph.find_refuges();
        Ok(Some(graph))
    }

    /// Follows best play out of the layer, to the end of the game, or into a cycle.
    pub(super) fn way(&self) -> Way {
        let mut moves = Vec::new();
        let mut seen = HashMap::new();
        let mut number = 0;
        loop {
            if let Some(from) = seen.insert(number, moves.len()) {
                let proven = true;
                return (moves, Some(LineEnd::Cycle { from, proven }));
            }
            let node = &self.reached.nodes[number];
            let step = node.quiet.iter().min_by_key(|&&(play, child)| {
                let way = if node.hurries {
                    self.to_goal[child].map(|moves| (0, moves))
                } else {
                    self.to_refuge[child]
                };
                // Without a way, the result is cut off, and any of these moves keeps it; or the
                // tables are damaged.
                (way.unwrap_or((usize::MAX, 0)), play.house)
            });
            let Some(&(play, child)) = step else {
                moves.extend(node.exit);
                return (moves, None);
            };
            moves.push(play);
            number = child;
        }
    }

    /// Finds the moves of a node that keep the result.
    fn expand(&mut self, number: usize, tables: &Tables) -> Result<(), TableError> {
        let node = &mut self.reached.nodes[number];
        let favoured = node.hurries;
        let assessment = tables.assess(&node.position)?;
        node.over = assessment.over.is_some();
        let result =
            |value: Option<Measured<Clamped>>| value.map(|value| of_mover(value, favoured));
        let keeping = assessment.moves.iter();
        let keeping =
            keeping.filter(|assessed| result(assessed.clamped) == result(assessment.clamped));
        let (exits, quiet): (Vec<Move>, Vec<Move>) = keeping
            .map(|assessed| assessed.play)
            .partition(|play| play.captured > 0);
        node.exit = largest_capture(exits.into_iter());
        if node.exit.is_some() {
            return Ok(());
        }
        for play in quiet {
            self.reached.add(number, play, !favoured);
        }
        Ok(())
    }

    /// Finds the favoured player's distance to a goal for each node, short distances first.
    fn find_goals(&mut self) {
        let is_goal = |node: &Node| is_last(node) || difference(node) >= self.result;
        let nodes = self.reached.nodes.iter();
        self.to_goal = nodes.map(|node| is_goal(node).then_some(0)).collect();
        let goals = (0..self.to_goal.len()).filter(|&number| self.to_goal[number].is_some());
        let (queue, mut open) = (goals.collect(), self.reached.quiet_moves());
        let to_goal = &mut self.to_goal;
        let further = |moves| moves + 1;
        self.reached
            .spread(queue, true, &mut open, to_goal, further);
    }

    /// Finds the refuges, stage by stage, and the other player's distance to them.
    fn find_refuges(&mut self) {
        // By node: the moves that do not lead to a refuge found so far.
        let mut open = self.reached.quiet_moves();
        self.to_refuge = vec![None; open.len()];
        for stage in 0.. {
            let refuge = self.refuge();
            if refuge.is_empty() {
                break;
            }
            for &number in &refuge {
                self.to_refuge[number] = Some((stage, 0));
            }
            let ways = &mut self.to_refuge;
            let further = |(stage, moves)| (stage, moves + 1);
            self.reached
                .spread(refuge.into(), false, &mut open, ways, further);
        }
    }

    /// The next refuge, among the nodes without a way to one: all nodes from which the other
    /// player can keep the difference at or below the result, for ever or until play leaves the
    /// layer or reaches an earlier refuge.
    fn refuge(&self) -> Vec<usize> {
        let nodes = &self.reached.nodes;
        let is_open = |number: &usize| self.to_refuge[*number].is_none();
        let numbers = || (0..nodes.len()).filter(is_open);
        let mut is_in = vec![false; nodes.len()];
        let mut choices = vec![0; nodes.len()];
        let mut removed = Vec::new();
        for number in numbers() {
            let node = &nodes[number];
            choices[number] = node.quiet.len();
            is_in[number] = is_last(node) || difference(node) <= self.result;
            if !is_in[number] {
                removed.push(number);
            }
        }
        while let Some(number) = removed.pop() {
            for &before in &nodes[number].before {
                choices[before] -= usize::from(is_open(&before));
                // The favoured player would go there; the other player needs a move that stays.
                let stays = !nodes[before].hurries && choices[before] > 0;
                if is_in[before] && !stays {
                    is_in[before] = false;
                    removed.push(before);
                }
            }
        }
        numbers().filter(|&number| is_in[number]).collect()
    }
}

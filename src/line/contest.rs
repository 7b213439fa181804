//! Where best play goes within a layer if an endless cycle gives each player the seeds on the
//! own side.
//!
//! One player is *favoured*: of the positions of a cycle, the one counts that is best for this
//! player. For the low bound of a position that is the opponent, for the high one the player to
//! move. Of a position and who is to move in it, the favoured player gets a certain *result*,
//! and both play only moves that keep it. From a position on, those of its layer are explored
//! that such moves lead to. Whoever has such a move out of the layer plays it. Where there is
//! none,
//!
//! * the favoured player goes the shortest way, whatever the other one does, to where play leaves
//!   the layer or to a position in which the difference between the two sides is as good as the
//!   result: a *goal*. From there on it goes to the next one;
//! * the other player goes where the difference stays for ever no better than that: a *refuge*.
//!   There need not be a way to it from everywhere, for the favoured player may have to be
//!   driven from one to the next. So these have stages: the later ones can be left by the
//!   favoured player, but only towards earlier ones.
//!
//! Both choose by the position alone. So they leave the layer, or come to a cycle. The best
//! difference in it is the result: it is no less, for goals come again and again, and no more,
//! for the cycle lies in a refuge. That there is a way to a goal and to a refuge from everywhere
//! is what makes the result exact: `docs/algorithm.md` has the proof.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

use super::Way;
use crate::measured::Measured;
use crate::position::Position;
use crate::rules::Move;
use crate::table::{TableError, Tables};
use crate::value::Value;

/// Positions of one layer, each with who is to move in it, explored from the first one by moves
/// that keep the result.
pub(super) struct Contest {
    nodes: Vec<Node>,
    /// By the position, and whether the favoured player is to move.
    numbers: HashMap<(Position, bool), usize>,
    /// What the favoured player gets of all these.
    result: Value,
}

struct Node {
    position: Position,
    /// Whether the favoured player is to move.
    favoured: bool,
    /// Whether the game is over.
    over: bool,
    /// The move that leaves the layer.
    exit: Option<Move>,
    /// The moves that stay in the layer, and the nodes they lead to; left out where the player
    /// to move leaves.
    quiet: Vec<(Move, usize)>,
    /// The nodes that have this one among `quiet`.
    before: Vec<usize>,
    /// How many moves it takes the favoured player to come to a goal.
    to_goal: Option<usize>,
    /// The stage of the refuge, and how many moves it takes the other player to come there.
    to_refuge: Option<(usize, usize)>,
}

impl Node {
    /// Whether play ends here, as far as this layer goes.
    fn is_last(&self) -> bool {
        self.over || self.exit.is_some()
    }

    /// What the favoured player has more on the own side than the other one.
    fn difference(&self) -> Value {
        let [own, opponents] = [self.position.own_seeds(), self.position.opponents_seeds()];
        let movers = Value::of_shares(own, opponents);
        if self.favoured { movers } else { -movers }
    }
}

/// What the player to move gets, if it is the favoured one or if it is not.
fn of_mover(worth: Measured<Value>, favoured: bool) -> Value {
    if favoured { worth.high() } else { worth.low() }
}

impl Contest {
    /// Explores what best play can come to; `None` if that is more than `limit` nodes.
    pub(super) fn explore(
        tables: &Tables,
        position: &Position,
        favoured: bool,
        limit: usize,
        watch: &mut dyn FnMut(usize),
    ) -> Result<Option<Contest>, TableError> {
        let Some(worth) = tables.assess(position)?.worth else {
            return Ok(None);
        };
        let movers = of_mover(worth, favoured);
        let mut contest = Contest {
            nodes: Vec::new(),
            numbers: HashMap::new(),
            result: if favoured { movers } else { -movers },
        };
        contest.number(*position, favoured);
        let mut explored = 0;
        while explored < contest.nodes.len() {
            if contest.nodes.len() > limit {
                return Ok(None);
            }
            watch(explored);
            contest.expand(explored, tables)?;
            explored += 1;
        }
        contest.find_goals();
        contest.find_refuges();
        Ok(Some(contest))
    }

    /// The way out of the layer, to the end of the game, or into a cycle.
    pub(super) fn way(&self) -> Way {
        let mut moves = Vec::new();
        let mut seen = HashMap::new();
        let mut number = 0;
        loop {
            if let Some(from) = seen.insert(number, moves.len()) {
                return Way::Cycle {
                    moves,
                    from,
                    proven: true,
                };
            }
            let node = &self.nodes[number];
            let step = node.quiet.iter().min_by_key(|(play, child)| {
                let way = match node.favoured {
                    true => self.nodes[*child].to_goal.map(|moves| (0, moves)),
                    false => self.nodes[*child].to_refuge,
                };
                // Only damaged tables leave it open.
                (way.unwrap_or((usize::MAX, 0)), play.house)
            });
            let Some(&(play, child)) = step else {
                moves.extend(node.exit);
                return Way::Out(moves);
            };
            moves.push(play);
            number = child;
        }
    }

    /// The number of the node, which is a new one if need be.
    fn number(&mut self, position: Position, favoured: bool) -> usize {
        *self.numbers.entry((position, favoured)).or_insert_with(|| {
            self.nodes.push(Node {
                position,
                favoured,
                over: false,
                exit: None,
                quiet: Vec::new(),
                before: Vec::new(),
                to_goal: None,
                to_refuge: None,
            });
            self.nodes.len() - 1
        })
    }

    /// Finds the moves of a node that keep the result.
    fn expand(&mut self, number: usize, tables: &Tables) -> Result<(), TableError> {
        let node = &mut self.nodes[number];
        let favoured = node.favoured;
        let assessment = tables.assess(&node.position)?;
        node.over = assessment.over.is_some();
        let result = |worth: Option<Measured<Value>>| worth.map(|worth| of_mover(worth, favoured));
        let moves = assessment.moves.iter();
        let keeping: Vec<Move> = moves
            .filter(|assessed| result(assessed.worth) == result(assessment.worth))
            .map(|assessed| assessed.play)
            .collect();
        let (exits, quiet): (Vec<Move>, Vec<Move>) =
            keeping.into_iter().partition(|play| play.captured > 0);
        node.exit = exits
            .into_iter()
            .max_by_key(|play| (play.captured, Reverse(play.house)));
        if node.exit.is_some() {
            return Ok(());
        }
        for play in quiet {
            let child = self.number(play.position, !favoured);
            self.nodes[child].before.push(number);
            self.nodes[number].quiet.push((play, child));
        }
        Ok(())
    }

    /// Finds how far the goals are for the favoured player, the near ones first.
    fn find_goals(&mut self) {
        let mut queue = VecDeque::new();
        let mut open: Vec<usize> = self.nodes.iter().map(|node| node.quiet.len()).collect();
        for (number, node) in self.nodes.iter_mut().enumerate() {
            if node.is_last() || node.difference() >= self.result {
                node.to_goal = Some(0);
                queue.push_back(number);
            }
        }
        while let Some(number) = queue.pop_front() {
            let distance = self.nodes[number].to_goal.map(|moves| moves + 1);
            for index in 0..self.nodes[number].before.len() {
                let before = self.nodes[number].before[index];
                open[before] -= 1;
                let node = &mut self.nodes[before];
                if node.to_goal.is_none() && (node.favoured || open[before] == 0) {
                    node.to_goal = distance;
                    queue.push_back(before);
                }
            }
        }
    }

    /// Finds the refuges, stage by stage, and how far they are for the other player.
    fn find_refuges(&mut self) {
        // Moves that do not lead to refuges found so far.
        let mut open: Vec<usize> = self.nodes.iter().map(|node| node.quiet.len()).collect();
        for stage in 0.. {
            let mut queue = VecDeque::from(self.refuge());
            if queue.is_empty() {
                break;
            }
            for &number in &queue {
                self.nodes[number].to_refuge = Some((stage, 0));
            }
            while let Some(number) = queue.pop_front() {
                let way = self.nodes[number].to_refuge;
                let way = way.map(|(stage, moves)| (stage, moves + 1));
                for index in 0..self.nodes[number].before.len() {
                    let before = self.nodes[number].before[index];
                    open[before] -= 1;
                    let node = &mut self.nodes[before];
                    if node.to_refuge.is_none() && (!node.favoured || open[before] == 0) {
                        node.to_refuge = way;
                        queue.push_back(before);
                    }
                }
            }
        }
    }

    /// Of the nodes from which no refuge is known: all where the difference can be kept, by the
    /// other player, no better than the result for ever, or until play leaves the layer or
    /// comes to earlier refuges.
    fn refuge(&self) -> Vec<usize> {
        let is_open = |number: &usize| self.nodes[*number].to_refuge.is_none();
        let numbers = || (0..self.nodes.len()).filter(is_open);
        let mut is_in = vec![false; self.nodes.len()];
        let mut choices = vec![0; self.nodes.len()];
        let mut left_out = Vec::new();
        for number in numbers() {
            let node = &self.nodes[number];
            choices[number] = node.quiet.len();
            is_in[number] = node.is_last() || node.difference() <= self.result;
            if !is_in[number] {
                left_out.push(number);
            }
        }
        while let Some(number) = left_out.pop() {
            for &before in &self.nodes[number].before {
                choices[before] -= usize::from(is_open(&before));
                // The favoured player would go there; the other one needs a way to stay.
                let stays = !self.nodes[before].favoured && choices[before] > 0;
                if is_in[before] && !stays {
                    is_in[before] = false;
                    left_out.push(before);
                }
            }
        }
        numbers().filter(|&number| is_in[number]).collect()
    }
}

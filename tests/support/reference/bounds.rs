//! A slow solver for bounds, written from their definition, on top of the twin's plain rules.

use std::collections::HashMap;

use super::{Node, boards, nodes};

/// The bounds `(low, high)` of all positions with up to some number of seeds.
///
/// One player is favoured, and gets at least `v` from an endless line if *good* positions recur: positions
/// in which the seeds on this player's side, minus the seeds on the opponent's side, are at least `v`. Let
/// `again` be the positions from which the player can visit a good position `k` times. A position allows
/// `k + 1` visits if the player can force a result of `v`, or a good position from which the opponent
/// cannot avoid `again`. As `k` grows, `again` becomes the set of positions that allow endless visits.
///
/// `high` is the mover's result if the mover is favoured, `low` if the opponent is.
pub fn reference(ruleset: &str, max_seeds: usize) -> HashMap<[u8; 12], (i32, i32)> {
    let mut bounds: HashMap<[u8; 12], (i32, i32)> = HashMap::new();
    for seeds in 0..=max_seeds {
        let mut positions = Vec::new();
        boards(&mut [0; 12], 0, seeds, &mut positions);
        let game = Game::new(ruleset, &positions, &bounds);
        let mut found = vec![(i32::MIN, i32::MIN); positions.len()];
        let seeds = seeds as i32;
        let mut gets = vec![[true; 2]; positions.len()];
        for v in -seeds..=seeds {
            // A player who can get more can get less.
            gets = game.who_gets(v, gets);
            for (number, (low, high)) in found.iter_mut().enumerate() {
                if gets[number][MOVER] {
                    *high = v;
                }
                // The opponent, favoured, gets -low.
                if gets[number][OPPONENT] {
                    *low = -v;
                }
            }
            // `low` is minus the largest such `v`, which the loop wrote last.
        }
        bounds.extend(positions.into_iter().zip(found));
    }
    bounds
}

/// The favoured player: the player to move, or the opponent.
const MOVER: usize = 0;
const OPPONENT: usize = 1;

/// The moves of a position: the results of moves that leave the layer, as bounds of the mover; and the
/// children of other moves.
type Moves = (Vec<(i32, i32)>, Vec<usize>);

/// A layer.
struct Game {
    moves: Vec<Moves>,
    /// The mover's seeds minus the opponent's.
    differences: Vec<i32>,
}

impl Game {
    fn new(ruleset: &str, positions: &[[u8; 12]], smaller: &HashMap<[u8; 12], (i32, i32)>) -> Game {
        let numbers: HashMap<[u8; 12], usize> = positions.iter().copied().zip(0..).collect();
        let moves = nodes(ruleset, positions, |after| after)
            .into_iter()
            .map(|node| match node {
                Node::Over(value) => (vec![(value, value)], Vec::new()),
                Node::Moves(moves) => {
                    let mut results = Vec::new();
                    let mut children = Vec::new();
                    for (at_once, after) in moves {
                        match numbers.get(&after) {
                            Some(&child) => children.push(child),
                            None => {
                                let (low, high) = smaller[&after];
                                results.push((at_once - high, at_once - low));
                            }
                        }
                    }
                    (results, children)
                }
            });
        let sum = |houses: &[u8]| houses.iter().map(|&seeds| i32::from(seeds)).sum::<i32>();
        Game {
            moves: moves.collect(),
            differences: positions
                .iter()
                .map(|board| sum(&board[..6]) - sum(&board[6..]))
                .collect(),
        }
    }

    /// By position, then by favoured player: true if this player gets `v`. `again` includes these positions.
    fn who_gets(&self, v: i32, mut again: Vec<[bool; 2]>) -> Vec<[bool; 2]> {
        loop {
            // The positions from which it can reach a good position in some number of moves.
            let mut comes = vec![[false; 2]; self.moves.len()];
            while self.one_move_more(v, &again, &mut comes) {}
            if comes == again {
                return again;
            }
            again = comes;
        }
    }

    /// Adds to `comes`; returns false if there was nothing to add.
    fn one_move_more(&self, v: i32, again: &[[bool; 2]], comes: &mut [[bool; 2]]) -> bool {
        let mut added = false;
        for (number, (results, children)) in self.moves.iter().enumerate() {
            for favoured in [MOVER, OPPONENT] {
                let difference = self.differences[number] * if favoured == MOVER { 1 } else { -1 };
                let wanted = if difference >= v { again } else { &*comes };
                // In a child, the other player is to move.
                let child = |&child: &usize| wanted[child][1 - favoured];
                let gets = if favoured == MOVER {
                    results.iter().any(|&(_, high)| high >= v) || children.iter().any(child)
                } else {
                    // The mover, not favoured, can choose a move that gives it `low`.
                    results.iter().all(|&(low, _)| -low >= v) && children.iter().all(child)
                };
                added |= gets && !comes[number][favoured];
                comes[number][favoured] |= gets;
            }
        }
        added
    }
}

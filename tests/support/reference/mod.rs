//! A slow solver, written from the definition of values, on top of the twin's plain rules.

pub mod bounds;

use std::collections::HashMap;

use super::twin::{self, TwinTurn};

/// A position: the immediate gain and the child of each move.
enum Node<C> {
    Over(i32),
    Moves(Vec<(i32, C)>),
}

/// The nodes of some positions; `child` maps the position after a move.
fn nodes<C>(ruleset: &str, positions: &[[u8; 12]], child: impl Fn([u8; 12]) -> C) -> Vec<Node<C>> {
    let node = |&board: &[u8; 12]| match twin::turn(ruleset, board) {
        TwinTurn::Over { value } => Node::Over(value),
        TwinTurn::Moves(moves) => Node::Moves(
            moves
                .iter()
                .map(|play| {
                    let at_once = i32::from(play.captured) - i32::from(play.conceded);
                    (at_once, child(play.after))
                })
                .collect(),
        ),
    };
    positions.iter().map(node).collect()
}

/// The values of all positions with up to some number of seeds, from the definition.
///
/// Stop a game after a number of moves, and share the seeds on the board equally. With 0 moves left, a
/// position is worth 0; with one more, the best of a move's capture minus the opponent's value after it. A
/// win (or loss) that can be forced at all can be forced in some number of moves, and stays a win with more.
/// Endless play is worth 0, like a game that is stopped. So when one more move changes nothing, these are
/// the values.
pub fn reference(ruleset: &str, max_seeds: usize) -> HashMap<[u8; 12], i32> {
    let mut positions = Vec::new();
    for seeds in 0..=max_seeds {
        boards(&mut [0; 12], 0, seeds, &mut positions);
    }
    let numbers: HashMap<[u8; 12], usize> = positions.iter().copied().zip(0..).collect();
    let nodes = nodes(ruleset, &positions, |after| numbers[&after]);

    let mut values = vec![0; nodes.len()];
    loop {
        let next: Vec<i32> = nodes
            .iter()
            .map(|node| match node {
                Node::Over(value) => *value,
                Node::Moves(moves) => moves
                    .iter()
                    .map(|&(at_once, child)| at_once - values[child])
                    .max()
                    .expect("there is a move"),
            })
            .collect();
        if next == values {
            return positions.into_iter().zip(values).collect();
        }
        values = next;
    }
}

/// All ways to put seeds into the houses from `house` on.
fn boards(board: &mut [u8; 12], house: usize, seeds: usize, all: &mut Vec<[u8; 12]>) {
    if house == 11 {
        board[11] = seeds as u8;
        all.push(*board);
        return;
    }
    for here in 0..=seeds {
        board[house] = here as u8;
        boards(board, house + 1, seeds - here, all);
    }
    board[house] = 0;
}

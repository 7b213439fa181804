//! Best lines keep their promises: every move is best, all together take the value of the position, and they
//! make progress as fast as the definition says.

use std::collections::{HashMap, HashSet};

use granero::index::Layer;
use granero::judge::{JudgedMove, Judgement};
use granero::line::{Line, LineEnd};
use granero::{Bound, Position, Ruleset, Situation, Value};

use crate::support::reference::reference;
use crate::support::tables::{build, opened};
use crate::support::twin;
use crate::support::twin::TwinTurn;

type Board = [u8; 12];

/// The values and distances of positions by the definition.
struct Truth {
    values: HashMap<Board, i32>,
    best_moves: HashMap<Board, Vec<(bool, Board)>>,
    distances: HashMap<Board, usize>,
}

impl Truth {
    fn new(ruleset: Ruleset, seeds: u8) -> Truth {
        let values = reference(ruleset.name(), seeds.into());
        let best = |&board: &Board| (board, best_moves(ruleset.name(), &values, board));
        let best_moves = values.keys().map(best).collect();
        let distances = distances(&values, &best_moves);
        Truth {
            values,
            best_moves,
            distances,
        }
    }
}

/// The moves of a position that lose nothing: for each, true if it captures, and the board after it.
fn best_moves(ruleset: &str, values: &HashMap<Board, i32>, board: Board) -> Vec<(bool, Board)> {
    match twin::turn(ruleset, board) {
        TwinTurn::Over { .. } => Vec::new(),
        TwinTurn::Moves(moves) => moves
            .iter()
            .filter(|play| {
                let at_once = i32::from(play.captured) - i32::from(play.conceded);
                at_once - values[&play.after] == values[&board]
            })
            .map(|play| (play.captured > 0, play.after))
            .collect(),
    }
}

/// The number of moves to the next capture or the end, from the definition: first the positions that need no
/// move, then one, and so on, until another move changes nothing.
fn distances(
    values: &HashMap<Board, i32>,
    choices: &HashMap<Board, Vec<(bool, Board)>>,
) -> HashMap<Board, usize> {
    let mut within: HashMap<Board, usize> = choices
        .iter()
        .filter(|(_, moves)| moves.is_empty())
        .map(|(&board, _)| (board, 0))
        .collect();
    let mut open: Vec<(&Board, &Vec<(bool, Board)>)> = choices
        .iter()
        .filter(|(_, moves)| !moves.is_empty())
        .collect();
    for moves in 1.. {
        let (next, rest): (Vec<_>, Vec<_>) = open.iter().partition(|(board, best)| {
            let mut reaches = best
                .iter()
                .map(|(captures, child)| *captures || within.contains_key(child));
            if values[*board] < 0 {
                reaches.all(|reaches| reaches)
            } else {
                reaches.any(|reaches| reaches)
            }
        });
        if next.is_empty() {
            break;
        }
        within.extend(next.into_iter().map(|(&board, _)| (board, moves)));
        open = rest;
    }
    within
}

/// Replays a line and checks all that it promises.
fn check(ruleset: Ruleset, truth: &Truth, start: &Position, line: &Line) {
    let Truth {
        values,
        best_moves,
        distances,
    } = truth;
    let what = format!("{start} under {ruleset}: {line:?}");
    let value = values[&start.houses()];
    assert_eq!(i32::from(line.value.seeds()), value, "{what}");
    let mut now = *start;
    let mut positions = vec![now];
    // The seeds of the player who moves first, minus the opponent's.
    let mut score = 0;
    let mut sign = 1;
    let mut since_capture = 0;
    let mut expected = distances.get(&now.houses()).copied();
    for play in &line.moves {
        assert_eq!(ruleset.play(&now, play.house).as_ref(), Ok(play), "{what}");
        let played = (play.captured > 0, play.position.houses());
        assert!(best_moves[&now.houses()].contains(&played), "{what}");
        score += sign * (i32::from(play.captured) - i32::from(play.conceded));
        sign = -sign;
        now = play.position;
        positions.push(now);
        since_capture += 1;
        if play.captured > 0 {
            assert_eq!(Some(since_capture), expected, "{what}");
            since_capture = 0;
            expected = distances.get(&now.houses()).copied();
        }
    }
    match line.end {
        LineEnd::Over(over) => {
            assert_eq!(since_capture, expected.unwrap(), "{what}");
            assert_eq!(ruleset.turn(&now), granero::Turn::Over(over), "{what}");
            score += sign * i32::from(over.value.seeds());
        }
        LineEnd::GrandSlam => assert!(line.moves.last().unwrap().ends_game, "{what}"),
        LineEnd::Cycle { from, proven } => {
            assert!(proven, "{what}");
            assert_eq!(expected, None, "{what}");
            assert_eq!(positions.pop(), Some(positions[from]), "{what}");
            assert_eq!(line.moves.len() % 2, from % 2, "{what}");
        }
        LineEnd::Unexplored | LineEnd::Unproven(_) => panic!("{what}"),
    }
    assert_eq!(score, value, "{what}");
    let distinct: HashSet<(usize, Board)> = positions
        .iter()
        .enumerate()
        .map(|(index, position)| (index % 2, position.houses()))
        .collect();
    assert_eq!(distinct.len(), positions.len(), "{what}");
}

/// Checks all positions of layers up to `every` seeds, and some of larger ones.
#[test]
fn every_line_takes_what_the_position_is_worth_as_fast_as_can_be() {
    let (every, most) = (3, 5);
    let mut cycles = 0;
    for ruleset in Ruleset::ALL {
        let truth = Truth::new(ruleset, most);
        let (_place, tables) = opened(build(ruleset, most));
        for seeds in 0..=most {
            let layer = Layer::new(seeds).unwrap();
            let step = if seeds <= every { 1 } else { 97 };
            for start in layer.positions().step_by(step) {
                let line = Line::best(&tables, &start).unwrap().unwrap();
                check(ruleset, &truth, &start, &line);
                let judgement = Judgement::new(&tables, &line.game(Situation::open(start)));
                let judged = judgement.unwrap().moves;
                assert_eq!(judged.len(), line.moves.len());
                assert!(judged.iter().all(JudgedMove::is_best), "{line:?}");
                cycles += usize::from(matches!(line.end, LineEnd::Cycle { .. }));
            }
        }
    }
    assert!(cycles > 0);
}

/// Unexplored positions are reported and never guessed: the line ends early, or is equal.
#[test]
fn a_limit_makes_lines_shorter_but_never_wrong() {
    let Truth {
        values, distances, ..
    } = Truth::new(Ruleset::Abapa, 6);
    let (_place, tables) = opened(build(Ruleset::Abapa, 6));
    let layer = Layer::new(6).unwrap();
    let (mut unexplored, mut proven_cycles) = (0, 0);
    // Positions for which a cycle is not proven to be best: some are cycles, some are not.
    let mut unproven = [0; 2];
    for start in layer.positions().step_by(211) {
        let whole = Line::best(&tables, &start).unwrap().unwrap();
        for limit in [0, 1, 10, 100] {
            let line = Line::best_within(&tables, &start, Bound::Low, limit, &mut |_| {});
            let line = line.unwrap().unwrap();
            let end = line.moves.last().map_or(start, |last| last.position);
            match line.end {
                LineEnd::Unexplored => {
                    assert!(whole.moves.starts_with(&line.moves) || line.value == Value::ZERO);
                    assert_ne!(values[&end.houses()], 0);
                    unexplored += 1;
                }
                LineEnd::Cycle { proven, .. } => {
                    assert_eq!(values[&end.houses()], 0);
                    let is_all = !distances.contains_key(&end.houses());
                    if proven {
                        assert!(is_all, "{start}, limit {limit}");
                        proven_cycles += 1;
                    } else {
                        unproven[usize::from(is_all)] += 1;
                    }
                }
                _ => {}
            }
        }
    }
    assert!(unexplored > 0 && proven_cycles > 0, "{proven_cycles}");
    assert!(unproven.iter().all(|&cycles| cycles > 0), "{unproven:?}");
}

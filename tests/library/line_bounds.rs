//! Best lines if endless play gives each player the seeds on their own side: each realises its bound
//! exactly.

use std::collections::HashMap;

use granero::index::Layer;
use granero::judge::{JudgedMove, Judgement};
use granero::line::{Line, LineEnd};
use granero::{
    AssessedMove, Bound, Measure, Measured, Position, Ruleset, Side, Situation, TableOptions,
    Tables, Value,
};
use tempfile::TempDir;

use crate::support::tables::build_bounds;

/// Opens tables with layers in memory, because the tests look up many positions.
fn open(place: &TempDir) -> Tables {
    TableOptions::new().in_memory(9).open(place.path()).unwrap()
}

/// The bound of the player who moves first, also if it is the opponent's turn: the low bound of one player is
/// the negated high bound of the other.
fn of_starter(value: Measured<Value>, measure: Measure, starters_turn: bool) -> i8 {
    let value = if starters_turn {
        value
    } else {
        value.of_parent().map(|bound| -bound)
    };
    value.get(measure.bound()).seeds()
}

/// Replays a line: every move keeps the bound, and the captures and the end add up to it. Returns true if it
/// ends in a cycle.
fn check(tables: &Tables, start: &Position, line: &Line) -> bool {
    let what = format!("{start} under {}: {line:?}", tables.rules());
    let bounds = tables.value(start).unwrap().unwrap();
    let value = of_starter(bounds, line.measure, true);
    assert_eq!(line.value.seeds(), value, "{what}");
    let mut now = *start;
    // The lead of the player who moves first: in captured seeds, and for each position in seeds on the own
    // side.
    let mut captured = 0;
    let mut differences = Vec::new();
    let mut came = HashMap::new();
    for (number, play) in line.moves.iter().enumerate() {
        let starters_turn = number % 2 == 0;
        let sign = if starters_turn { 1 } else { -1 };
        assert_eq!(came.insert((now, starters_turn), number), None, "{what}");
        differences.push(sign * (now.own_seeds() as i8 - now.opponents_seeds() as i8));
        let assessment = tables.assess(&now).unwrap();
        let is_played = |found: &&AssessedMove| found.play == *play;
        let played = assessment.moves.iter().find(is_played).expect(&what);
        let kept = of_starter(played.value.unwrap(), line.measure, starters_turn);
        assert_eq!(captured + kept, line.value.seeds(), "{what}");
        captured += sign * (play.captured as i8 - play.conceded as i8);
        now = play.position;
    }
    let starters_turn = line.moves.len().is_multiple_of(2);
    match line.end {
        LineEnd::Over(over) => {
            let value = over.value.seeds();
            captured += if starters_turn { value } else { -value };
        }
        LineEnd::GrandSlam => assert!(line.moves.last().unwrap().ends_game, "{what}"),
        LineEnd::Cycle { from, .. } => {
            assert_eq!(came.get(&(now, starters_turn)), Some(&from), "{what}");
            let cycle = differences[from..].iter().copied();
            captured += match line.measure {
                Measure::Low => cycle.min().unwrap(),
                _ => cycle.max().unwrap(),
            };
        }
        LineEnd::Unexplored | LineEnd::Unproven(_) => panic!("{what}"),
    }
    assert_eq!(captured, line.value.seeds(), "{what}");
    // Some of the positions, each with one of the players to move.
    if start.own_seeds().is_multiple_of(3) {
        let to_move = match start.own()[0] {
            0 => Side::South,
            _ => Side::North,
        };
        let situation = Situation::new(*start, to_move, 48 - start.seeds(), 0).unwrap();
        let judgement = Judgement::new(tables, &line.game(situation)).unwrap();
        assert_eq!(judgement.moves.len(), line.moves.len(), "{what}");
        assert!(judgement.moves.iter().all(JudgedMove::is_best), "{what}");
    }
    matches!(line.end, LineEnd::Cycle { .. })
}

fn lines(tables: &Tables, start: &Position) -> [Line; 2] {
    [Bound::Low, Bound::High].map(|bound| {
        let line = Line::best_within(tables, start, bound, Line::LIMIT, &mut |_| {});
        line.unwrap().unwrap()
    })
}

/// Checks all positions of layers up to `every` seeds, and some of larger ones.
#[test]
fn every_line_comes_to_its_bound() {
    for ruleset in Ruleset::ALL {
        let most = if ruleset == Ruleset::Abapa { 5 } else { 4 };
        let place = build_bounds(ruleset, most);
        let tables = open(&place);
        let mut cycles = 0;
        for layer in Layer::all().take(usize::from(most) + 1) {
            let step = match layer.seeds() {
                ..=3 => 1,
                _ => layer.len() as usize / 200,
            };
            for start in layer.positions().step_by(step) {
                for line in lines(&tables, &start) {
                    cycles += usize::from(check(&tables, &start, &line));
                }
            }
        }
        assert!(cycles > 0, "{ruleset}");
    }
}

/// The continuation of a line does not depend on earlier moves: both players choose by the position alone.
#[test]
fn a_line_goes_on_as_the_line_from_there_does() {
    let place = build_bounds(Ruleset::Abapa, 5);
    let tables = open(&place);
    let layer = Layer::new(5).unwrap();
    for start in layer.positions().step_by(97) {
        for line in lines(&tables, &start) {
            let Some(first) = line.moves.first() else {
                continue;
            };
            let other = match line.measure {
                Measure::Low => 1,
                _ => 0,
            };
            let rest = &lines(&tables, &first.position)[other];
            // A cycle from the start returns to the first move.
            let whole_cycle = matches!(line.end, LineEnd::Cycle { from: 0, .. });
            let after = line.moves[1..]
                .iter()
                .chain(line.moves.first().filter(|_| whole_cycle));
            assert!(after.eq(&rest.moves), "{start}");
        }
    }
}

/// Unexplored positions are reported and never guessed: the line ends early, or is equal.
#[test]
fn a_limit_makes_lines_shorter_but_never_wrong() {
    let place = build_bounds(Ruleset::Abapa, 6);
    let tables = open(&place);
    let layer = Layer::new(6).unwrap();
    let mut unexplored = 0;
    for start in layer.positions().step_by(211) {
        for whole in lines(&tables, &start) {
            for limit in [0, 1, 10, 100] {
                let line =
                    Line::best_within(&tables, &start, whole.measure.bound(), limit, &mut |_| {});
                let line = line.unwrap().unwrap();
                if line.end == LineEnd::Unexplored {
                    assert!(whole.moves.starts_with(&line.moves));
                    assert_eq!(line.value, whole.value);
                    unexplored += 1;
                } else {
                    assert_eq!(line, whole);
                }
            }
        }
    }
    assert!(unexplored > 0);
}

/// In tables of values both bounds are the value.
#[test]
fn a_line_shows_what_the_tables_hold() {
    let start = "0 0 0 1 1 1 / 1 1 0 2 1 0".parse().unwrap();
    let sample = Tables::sample();
    let [low, high] = lines(sample, &start);
    assert_eq!(low.measure, Measure::Value);
    assert_eq!(low, high);
    let place = build_bounds(Ruleset::Abapa, 8);
    let tables = open(&place);
    let first = Line::best(&tables, &start).unwrap().unwrap();
    assert_eq!(first.measure, Measure::Low);
}

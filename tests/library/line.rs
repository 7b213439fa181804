//! Best lines keep their promises: every move is best, all together realise the value or the bound of the position, and
//! with values they make progress as fast as the definition says.

use std::collections::{HashMap, HashSet};

use granero::index::Layer;
use granero::judge::{JudgedMove, Judgement};
use granero::line::{Line, LineEnd};
use granero::{
    AssessedMove, Bound, Cycles, Measure, Measured, Position, Ruleset, Side, Situation,
    TableOptions, Tables, Value,
};
use test_case::test_case;

use crate::support::tables::{build_bounds, build_kind, opened};

/// The number of moves to the next capture or the end.
type Distances = HashMap<Position, usize>;

/// The distances of all positions, from the definition: first those that need no move, then one, and so on, until
/// another move changes nothing.
fn distances(tables: &Tables) -> Distances {
    let layers = Layer::all().take(tables.manifest().finished().into());
    let look_up = |position| {
        let assessment = tables.assess(&position).unwrap();
        let best = assessment.best().map(|best| best.play);
        let best = best.map(|play| (play.captured > 0, play.position));
        (position, (assessment.exact().unwrap(), best.collect()))
    };
    let all: HashMap<Position, (Value, Vec<_>)> =
        layers.flat_map(Layer::positions).map(look_up).collect();
    let (over, mut open): (Vec<_>, Vec<_>) = all.iter().partition(|(_, (_, best))| best.is_empty());
    let mut within: Distances = over.into_iter().map(|(over, _)| (*over, 0)).collect();
    for moves in 1.. {
        let (next, rest): (Vec<_>, Vec<_>) = open.iter().partition(|(_, (value, best))| {
            let mut reaches = best
                .iter()
                .map(|(captures, child)| *captures || within.contains_key(child));
            if *value < Value::ZERO {
                reaches.all(|reaches| reaches)
            } else {
                reaches.any(|reaches| reaches)
            }
        });
        if next.is_empty() {
            break;
        }
        within.extend(next.into_iter().map(|(position, _)| (*position, moves)));
        open = rest;
    }
    within
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

/// Replays a line: every move keeps the value or bound, and the captures and the end add up to it; `distances` are known
/// with values. Returns true if it ends in a cycle.
fn check(tables: &Tables, start: &Position, line: &Line, distances: Option<&Distances>) -> bool {
    let what = format!("{start} under {}: {line:?}", tables.rules());
    let bounds = tables.value(start).unwrap().unwrap();
    let value = of_starter(bounds, line.measure, true);
    assert_eq!(line.value.seeds(), value, "{what}");
    let distance = |now: &Position| distances.and_then(|distances| distances.get(now).copied());
    let (mut now, mut expected, mut since_capture) = (*start, distance(start), 0);
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
        since_capture += 1;
        if play.captured > 0 {
            assert!(
                expected.is_none_or(|moves| moves == since_capture),
                "{what}"
            );
            assert_eq!(expected.is_some(), distances.is_some(), "{what}");
            (since_capture, expected) = (0, distance(&now));
        }
    }
    let starters_turn = line.moves.len().is_multiple_of(2);
    match line.end {
        LineEnd::Over(over) => {
            assert_eq!(expected, distances.map(|_| since_capture), "{what}");
            assert_eq!(
                tables.rules().turn(&now),
                granero::Turn::Over(over),
                "{what}"
            );
            let value = over.value.seeds();
            captured += if starters_turn { value } else { -value };
        }
        LineEnd::GrandSlam => assert!(line.moves.last().unwrap().ends_game, "{what}"),
        LineEnd::Cycle { from, proven } => {
            assert!(proven && expected.is_none(), "{what}");
            assert_eq!(came.get(&(now, starters_turn)), Some(&from), "{what}");
            let cycle = differences[from..].iter().copied();
            captured += match line.measure {
                Measure::Value => 0,
                Measure::Low => cycle.min().unwrap(),
                Measure::High => cycle.max().unwrap(),
            };
        }
        LineEnd::Unexplored | LineEnd::Unproven(_) => panic!("{what}"),
    }
    assert_eq!(captured, line.value.seeds(), "{what}");
    let to_move = [Side::South, Side::North][usize::from(start.own()[0] > 0)];
    let situation = Situation::new(*start, to_move, 48 - start.seeds(), 0).unwrap();
    let judgement = Judgement::new(tables, &line.game(situation)).unwrap();
    assert_eq!(judgement.moves.len(), line.moves.len(), "{what}");
    assert!(judgement.moves.iter().all(JudgedMove::is_best), "{what}");
    matches!(line.end, LineEnd::Cycle { .. })
}

fn line_within(tables: &Tables, start: &Position, bound: Bound, limit: usize) -> Line {
    let line = Line::keeping(tables, start, bound, limit, &mut |_| {});
    line.unwrap().unwrap()
}

fn lines(tables: &Tables, start: &Position) -> [Line; 2] {
    [Bound::Low, Bound::High].map(|bound| line_within(tables, start, bound, Line::LIMIT))
}

/// Opens tables with layers in memory, because the tests look up many positions.
pub(crate) fn in_memory(rules: Ruleset, cycles: Cycles, seeds: u8) -> Tables {
    let place = build_kind((rules, cycles), seeds);
    let options = TableOptions::new().in_memory(seeds);
    options.open(place.path()).unwrap()
}

/// Checks all positions of layers up to three seeds, and one in `step` of larger ones.
#[test_case(4, 29)]
#[test_case(5, 7 => ignore["slow: .ci/run has it"] ())]
fn every_line_takes_what_the_position_is_worth_as_fast_as_can_be(seeds: u8, step: usize) {
    for cycles in Cycles::ALL {
        for rules in Ruleset::ALL {
            let most = match (cycles, rules) {
                (Cycles::Split, _) | (_, Ruleset::Abapa) => seeds,
                _ => 4,
            };
            let tables = in_memory(rules, cycles, most);
            let distances = (cycles == Cycles::Split).then(|| distances(&tables));
            let mut in_cycles = 0;
            for layer in Layer::all().take(usize::from(most) + 1) {
                let step = if layer.seeds() <= 3 { 1 } else { step };
                for start in layer.positions().step_by(step) {
                    for line in lines(&tables, &start) {
                        in_cycles += usize::from(check(&tables, &start, &line, distances.as_ref()));
                    }
                }
            }
            assert!(in_cycles > 0, "{rules}, {cycles}");
        }
    }
}

/// The continuation of a line does not depend on earlier moves: both players choose by the position alone.
#[test]
fn a_line_goes_on_as_the_line_from_there_does() {
    let tables = in_memory(Ruleset::Abapa, Cycles::OwnSide, 5);
    let layer = Layer::new(5).unwrap();
    for start in layer.positions().step_by(97) {
        for (line, other) in lines(&tables, &start).into_iter().zip([1, 0]) {
            let Some(first) = line.moves.first() else {
                continue;
            };
            let rest = &lines(&tables, &first.position)[other];
            // A cycle from the start returns to the first move.
            let whole_cycle = matches!(line.end, LineEnd::Cycle { from: 0, .. });
            let again = line.moves.first().filter(|_| whole_cycle);
            let after = line.moves[1..].iter().chain(again);
            assert!(after.eq(&rest.moves), "{start}");
        }
    }
}

/// Unexplored positions are reported and never guessed: the line ends early, or is equal. With values, a cycle may
/// not be proven to be best.
#[test]
fn a_limit_makes_lines_shorter_but_never_wrong() {
    for cycles in Cycles::ALL {
        let tables = in_memory(Ruleset::Abapa, cycles, 6);
        let distances = (cycles == Cycles::Split).then(|| distances(&tables));
        let layer = Layer::new(6).unwrap();
        let (mut unexplored, mut proven_cycles) = (0, 0);
        // Positions for which a cycle is not proven to be best: some are cycles, some are not.
        let mut unproven = HashSet::new();
        let starts = layer.positions().step_by(211);
        for (start, whole) in
            starts.flat_map(|start| lines(&tables, &start).map(|line| (start, line)))
        {
            for limit in [0, 1, 10, 100] {
                let line = line_within(&tables, &start, whole.measure.bound(), limit);
                let begins_alike = whole.moves.starts_with(&line.moves);
                let Some(distances) = &distances else {
                    let is_cut = line.end == LineEnd::Unexplored;
                    assert!(line == whole || is_cut && begins_alike && line.value == whole.value);
                    unexplored += usize::from(is_cut);
                    continue;
                };
                let end = line.moves.last().map_or(start, |last| last.position);
                let value = tables.value(&end).unwrap().unwrap().low();
                match line.end {
                    LineEnd::Unexplored => {
                        assert!(begins_alike || line.value == Value::ZERO);
                        assert_ne!(value, Value::ZERO);
                        unexplored += 1;
                    }
                    LineEnd::Cycle { proven, .. } => {
                        assert_eq!(value, Value::ZERO);
                        let is_all = !distances.contains_key(&end);
                        assert!(is_all || !proven, "{start}, limit {limit}");
                        proven_cycles += usize::from(proven);
                        unproven.extend((!proven).then_some(is_all));
                    }
                    _ => {}
                }
            }
        }
        assert!(unexplored > 0);
        let is_right = proven_cycles > 0 && unproven.len() == 2;
        assert_eq!(
            is_right,
            cycles == Cycles::Split,
            "{proven_cycles}, {unproven:?}"
        );
    }
}

/// In tables of values both bounds are the value.
#[test]
fn a_line_shows_what_the_tables_hold() {
    let start = "0 0 0 1 1 1 / 1 1 0 2 1 0".parse().unwrap();
    let sample = Tables::sample();
    let [low, high] = lines(sample, &start);
    assert_eq!(low.measure, Measure::Value);
    assert_eq!(low, high);
    let (_place, tables) = opened(build_bounds(Ruleset::Abapa, 8));
    let first = Line::best(&tables, &start, Bound::Low).unwrap().unwrap();
    assert_eq!(first.measure, Measure::Low);
}

//! Tables against the solved layers from which they were made: every value or bound, by every kind of look-up.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};

use granero::index::Layer;
use granero::{
    Access, AssessedMove, Clamped, Cycles, Extent, Measured, Position, Ruleset, TableError,
    TableOptions, Tables, Turn, Value,
};
use test_case::test_case;

use crate::support::solved::Solved;

/// The most seeds of the tables in which tests look up all positions.
const SEEDS: u8 = 5;

/// Solved layers of all rulesets and conventions: of values up to `most` seeds, of bounds up to one less.
fn of_all_kinds(most: u8) -> impl Iterator<Item = Solved> {
    let kinds = Ruleset::ALL
        .into_iter()
        .flat_map(|rules| Cycles::ALL.map(|cycles| (rules, cycles)));
    kinds.map(move |(rules, cycles)| Solved::of(rules, cycles, most_of(cycles, most)))
}

fn most_of(cycles: Cycles, most: u8) -> u8 {
    match cycles {
        Cycles::Split => most,
        Cycles::OwnSide => most - 1,
    }
}

/// Ways to open tables.
fn options() -> [TableOptions; 5] {
    let options = TableOptions::new;
    [
        options(),
        options().cache_bytes(0),
        options().access(Access::Read),
        options().in_memory(5),
        options().in_memory(48).cache_bytes(0),
    ]
}

fn assert_same_values(tables: &Tables, solved: &Solved, positions: impl Iterator<Item = Position>) {
    for position in positions {
        let value = tables.value(&position).unwrap();
        let rules = solved.rules;
        assert_eq!(value, solved.value(&position), "{position} under {rules}");
    }
}

#[test_case(SEEDS)]
#[test_case(8 => ignore["slow: .ci/run has it"] ())]
fn every_value_is_the_solved_one_however_tables_are_opened(most: u8) {
    for solved in of_all_kinds(most) {
        let (rules, cycles) = (solved.rules, solved.cycles);
        let most = most_of(cycles, most);
        let place = solved.write();
        for options in options() {
            let tables = options.open(place.path()).unwrap();
            assert_eq!((tables.rules(), tables.cycles()), (rules, cycles));
            assert_eq!(tables.max_seeds(), Some(most));
            // Blocks are decoded only as far as necessary, so the order of look-ups matters: here from the last
            // position to the first, and from one layer to the next.
            let mut positions: Vec<Position> = solved.positions().collect();
            positions.reverse();
            assert_same_values(&tables, &solved, positions.iter().copied());
            shuffle(&mut positions);
            assert_same_values(&tables, &solved, positions.into_iter());
        }
        let mut tables = Tables::open(place.path()).unwrap();
        // Decode twice, the second time more layers than there are.
        for seeds in [most / 2, u8::MAX] {
            tables.keep_in_memory(seeds).unwrap();
            assert_same_values(&tables, &solved, solved.positions());
        }
    }
}

/// Rulesets and conventions for tests of some kinds of tables.
const SOME_KINDS: [(Ruleset, Cycles); 4] = [
    (Ruleset::Abapa, Cycles::Split),
    (Ruleset::SlamEnds, Cycles::Split),
    (Ruleset::Awari, Cycles::Split),
    (Ruleset::Awari, Cycles::OwnSide),
];

/// `assess_cached` agrees with `assess`, and finds positions that were just looked up if the cache has room.
#[test_case(SEEDS)]
#[test_case(7 => ignore["slow: .ci/run has it"] ())]
fn cached_answers_are_those_of_a_look_up(most: u8) {
    for (rules, cycles) in SOME_KINDS {
        let solved = Solved::of(rules, cycles, most);
        let directory = solved.write();
        let beyond = Layer::new(most + 1).unwrap().positions().step_by(7);
        let positions: Vec<Position> = solved.positions().chain(beyond).collect();
        for options in options() {
            let tables = options.open(directory.path()).unwrap();
            let mut cached = 0;
            for position in &positions {
                let found = tables.assess_cached(position).unwrap();
                cached += u32::from(found.is_some());
                let looked_up = tables.assess(position).unwrap();
                assert!(found.is_none_or(|found| found == looked_up), "{position}");
            }
            assert!(cached > 0);
        }
        let tables = Tables::open(directory.path()).unwrap();
        let position = "1 1 0 1 0 0 1 1 0 0 0 0".parse().unwrap();
        assert_eq!(tables.assess_cached(&position).unwrap(), None);
        for position in &positions {
            let assessment = tables.assess(position).unwrap();
            assert_eq!(tables.assess_cached(position).unwrap(), Some(assessment));
        }
    }
}

#[test_case(SEEDS)]
#[test_case(9 => ignore["slow: .ci/run has it"] ())]
fn whole_layers_are_the_solved_ones(most: u8) {
    let with_deciding = |full: Solved| {
        let extent = Extent::deciding(full.layers.len() as u8).unwrap();
        let most = most_of(full.cycles, most);
        let deciding = Solved::of_kind((full.rules, full.cycles, extent), most);
        [full, deciding]
    };
    for solved in of_all_kinds(most).flat_map(with_deciding) {
        let (rules, cycles) = (solved.rules, solved.cycles);
        let most = most_of(cycles, most);

        let directory = solved.write();
        for access in [Access::Map, Access::Read] {
            let tables = TableOptions::new().access(access).open(directory.path());
            let tables = tables.unwrap();
            let mut read = 0;
            for (seeds, layer) in (0..).zip(tables.layers()) {
                let (layer, values) = layer.unwrap();
                assert_eq!(layer.seeds(), seeds);
                assert!(
                    values == solved.layers[usize::from(seeds)],
                    "{rules}, {cycles}"
                );
                assert!(values == tables.layer(seeds).unwrap(), "{rules}, {seeds}");
                read += 1;
            }
            assert_eq!(read, solved.layers.len());
            let verified = AtomicU64::new(0);
            let report = |bytes| {
                verified.fetch_add(bytes, Ordering::Relaxed);
            };
            tables.verify_files(report).unwrap();
            let bytes = tables.manifest().files().map(|file| file.bytes);
            assert_eq!(verified.into_inner(), bytes.sum::<u64>());
            let beyond = tables.layer(most + 1).unwrap_err();
            assert!(matches!(
                beyond,
                TableError::NoSuchLayer { seeds, max_seeds: Some(max) } if (seeds, max) == (most + 1, most)
            ));
        }
    }
}

/// Shuffles positions, always in the same way.
fn shuffle(positions: &mut [Position]) {
    positions.sort_by_cached_key(|position| {
        let houses = position.houses().into_iter();
        houses.fold(0u64, |hash, seeds| {
            (hash ^ u64::from(seeds)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3
        })
    });
}

#[test_case(SEEDS)]
#[test_case(7 => ignore["slow: .ci/run has it"] ())]
fn many_values_at_once_are_those_of_one_at_a_time(most: u8) {
    for (rules, cycles) in SOME_KINDS {
        let solved = Solved::of(rules, cycles, most);
        let directory = solved.write();
        let mut positions: Vec<Position> = solved.positions().collect();
        for beyond in [most + 1, 24, 48] {
            let layer = Layer::new(beyond).unwrap();
            let places = (0..layer.len()).step_by((layer.len() / 500) as usize);
            positions.extend(places.map(|place| layer.position(place).unwrap()));
        }
        positions.extend(positions.clone().iter().step_by(3));
        shuffle(&mut positions);
        let expected: Vec<_> = positions.iter().map(|p| solved.value(p)).collect();
        for options in options() {
            let tables = options.open(directory.path()).unwrap();
            assert!(tables.values(&positions).unwrap() == expected, "{rules}");
            assert_eq!(tables.values(&[]).unwrap(), []);
            let some = &positions[..1000];
            let each = some.iter().map(|position| tables.assess(position).unwrap());
            assert!(
                tables.assess_all(some).unwrap() == each.collect::<Vec<_>>(),
                "{rules}"
            );
        }
    }
}

/// The moves of a position with their value, from the value of the children.
fn assessed(solved: &Solved, position: &Position) -> Vec<AssessedMove> {
    let moves = solved.rules.moves(position);
    let value = |play: &granero::Move| {
        let gain = play.captured as i8 - play.conceded as i8;
        let after = |child: Value| Value::new(gain - child.seeds()).unwrap();
        Some(match solved.value(&play.position)? {
            Measured::Value(child) => Measured::Value(after(child)),
            // The low bound of one player is the high bound of the other.
            Measured::Bounds { low, high } => Measured::Bounds {
                low: after(high),
                high: after(low),
            },
        })
    };
    let values: Vec<Option<Measured<Value>>> = moves.iter().map(value).collect();
    let best = values.iter().max().copied().flatten();
    let all_known = values.iter().all(Option::is_some);
    let mut assessed: Vec<AssessedMove> = moves
        .iter()
        .zip(values)
        .map(|(&play, value)| AssessedMove {
            play,
            value,
            clamped: value.map(|value| value.map(Clamped::Exactly)),
            best: all_known && value == best,
        })
        .collect();
    // Moves of unknown value come last.
    assessed.sort_by_key(|assessed| (Reverse(assessed.value), assessed.play.house));
    assessed
}

#[test_case(SEEDS, 5)]
#[test_case(SEEDS, 1 => ignore["slow: .ci/run has it"] ())]
#[test_case(7, 1 => ignore["slow: .ci/run has it"] ())]
fn assessments_follow_from_the_values_of_the_children(most: u8, step: usize) {
    for solved in of_all_kinds(most) {
        let (rules, cycles) = (solved.rules, solved.cycles);
        let directory = solved.write();
        let tables = Tables::open(directory.path()).unwrap();
        // Also beyond the tables, if some or all captures lead into them.
        for seeds in [0, 1, 5, 6, 7, 8, 9, 11] {
            let step = match seeds {
                ..=5 => 1,
                6..=7 => step,
                8..=9 => 7 * step,
                _ => 97 * step,
            };
            let layer = Layer::new(seeds).unwrap();
            for position in layer.positions().step_by(step) {
                let said = format!("{position} under {rules}, {cycles}");
                let assessment = tables.assess(&position).unwrap();
                let moves = assessed(&solved, &position);
                let over = match rules.turn(&position) {
                    Turn::Over(over) => Some(over),
                    Turn::Play(_) => None,
                };
                let values: Option<Vec<_>> = moves.iter().map(|assessed| assessed.value).collect();
                // The best move may guarantee most, and another one allow most.
                let best = values.map(|values| {
                    cycles.measures().map(|measure| {
                        let of_moves = values.iter().map(|value| *value.get(measure.bound()));
                        over.map_or_else(|| of_moves.max().unwrap(), |over| over.value)
                    })
                });
                if seeds <= most_of(cycles, most) {
                    assert_eq!(best, solved.value(&position), "{said}");
                }
                assert_eq!(assessment.position, position);
                assert_eq!(assessment.value, best, "{said}");
                assert_eq!(assessment.moves, moves, "{said}");
                assert_eq!(assessment.over, over, "{said}");
            }
        }
    }
}

/// With 13 seeds or more, a sowing can go around the board and capture.
#[test]
#[ignore = "slow: .ci/run has it"]
fn values_are_the_solved_ones_where_houses_go_around() {
    let solved = Solved::new(Ruleset::Abapa, 13);

    let directory = solved.write();
    for options in [
        TableOptions::new(),
        TableOptions::new().access(Access::Read),
    ] {
        let tables = options.open(directory.path()).unwrap();
        let some: Vec<Position> = solved.positions().step_by(97).collect();
        let large = solved
            .positions()
            .filter(|position| position.houses().iter().any(|&seeds| seeds >= 12));
        assert_same_values(&tables, &solved, large);
        assert_same_values(&tables, &solved, some.iter().copied());
        let expected: Vec<_> = some.iter().map(|p| solved.value(p)).collect();
        assert!(tables.values(&some).unwrap() == expected);
    }
    let tables = Tables::open(directory.path()).unwrap();
    assert!(tables.layer(13).unwrap() == solved.layers[13]);
}

#[test]
fn tables_without_a_layer_know_nothing() {
    let directory = tempfile::tempdir().unwrap();
    drop(Solved::new(Ruleset::Abapa, 0).writer(directory.path()));
    for options in options() {
        let tables = options.open(directory.path()).unwrap();
        assert_eq!(tables.max_seeds(), None);
        assert_eq!(tables.value(&Position::EMPTY).unwrap(), None);
        assert_eq!(tables.layers().count(), 0);
        assert_eq!(tables.values(&[Position::START]).unwrap(), [None]);
        tables.verify_files(|_| {}).unwrap();
    }
}

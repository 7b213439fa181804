//! Positions that satisfy a condition, and the distance to the next capture.

use crate::line::in_memory;
use crate::support::tables::{build_deciding, opened};
use crate::support::twin::{TwinMove, TwinTurn, turn};
use granero::find::{self, Condition, MoveKind, Sampler, stake};
use granero::index::Layer;
use granero::line::{Distance, Line, LineEnd};
use granero::{Assessment, Bound, Cycles, Measured, Position, Ruleset, Tables};

/// The moves of a position by the text of the rules.
fn twin_moves(rules: &str, position: &Position) -> Vec<TwinMove> {
    match turn(rules, position.houses()) {
        TwinTurn::Moves(moves) => moves,
        TwinTurn::Over { .. } => Vec::new(),
    }
}

/// The least and the most that a value can be.
fn ends(value: Measured<granero::Clamped>, seeds: u8) -> (i8, i8) {
    let [least, most] = value.range(seeds);
    (least.seeds(), most.seeds())
}

/// A condition in plain words.
type Plain = fn(&Tables, &Assessment) -> bool;

fn moves(assessment: &Assessment) -> Vec<(i8, i8)> {
    let seeds = assessment.position.seeds();
    let moves = assessment.moves.iter();
    moves
        .map(|play| ends(play.clamped.unwrap(), seeds))
        .collect()
}

fn value(assessment: &Assessment) -> (i8, i8) {
    ends(assessment.clamped.unwrap(), assessment.position.seeds())
}

/// The houses of the best moves.
fn best(found: &Assessment) -> impl Iterator<Item = usize> {
    found.best().map(|best| best.play.house.index())
}

fn with(set: impl FnOnce(&mut Condition)) -> Condition {
    let mut condition = Condition::default();
    set(&mut condition);
    condition
}

fn conditions() -> Vec<(Condition, Plain)> {
    vec![
        (Condition::default(), |_, _| true),
        (with(|wanted| wanted.value = Some(2..=4)), |_, found| {
            value(found).0 >= 2 && value(found).1 <= 4
        }),
        (
            with(|wanted| {
                wanted.low = Some(-48..=-1);
                wanted.high = Some(0..=48);
            }),
            |_, found| value(found).0 < 0 && value(found).1 >= 0,
        ),
        (with(|wanted| wanted.gap = Some(2..=48)), |_, found| {
            value(found).1 - value(found).0 >= 2
        }),
        (
            with(|wanted| {
                wanted.legal_moves = Some(3..=6);
                wanted.best_moves = Some(2..=6);
            }),
            |_, found| found.moves.len() >= 3 && best(found).count() >= 2,
        ),
        (with(|wanted| wanted.stake = Some(3..=9)), |_, found| {
            let moves = moves(found);
            let low = || moves.iter().map(|value| value.0);
            let ends = low().max().zip(low().min());
            ends.is_some_and(|(most, least)| (3..=9).contains(&(most - least)))
        }),
        (with(|wanted| wanted.only_winning = true), |_, found| {
            let mut moves = moves(found);
            moves.sort_by_key(|ends| std::cmp::Reverse(ends.0));
            moves.len() > 1 && moves[0].0 > 0 && moves[1..].iter().all(|ends| ends.1 <= 0)
        }),
        (with(|wanted| wanted.zugzwang = true), |tables, found| {
            let turned = tables.assess(&found.position.turned()).unwrap();
            value(found).1 < 0 && value(&turned).1 <= 0
        }),
        (
            with(|wanted| wanted.best_is = Some(MoveKind::GrandSlam)),
            |_, found| {
                let takes_all = |house: usize| {
                    let moves = twin_moves("slam-captures", &found.position);
                    let play = moves.into_iter().find(|play| play.house == house);
                    play.is_some_and(|play| play.captured > 0 && play.after[..6] == [0; 6])
                };
                !found.moves.is_empty() && best(found).all(takes_all)
            },
        ),
        (
            with(|wanted| {
                wanted.best_is = Some(MoveKind::Sacrifice);
                wanted.value = Some(1..=48);
            }),
            |tables, found| {
                let rules = tables.rules().name();
                let gives = |play: &TwinMove| {
                    let after = Position::new(play.after).unwrap();
                    let replies = twin_moves(rules, &after);
                    // After a grand slam that ends the game, there is no reply.
                    replies.iter().any(|reply| reply.captured > play.captured)
                };
                let moves = twin_moves(rules, &found.position);
                let gives_in = |house: usize| {
                    let play = moves.iter().find(|play| play.house == house);
                    play.is_some_and(gives)
                };
                value(found).0 > 0
                    && best(found).all(gives_in)
                    && moves.iter().any(|play| !gives(play))
            },
        ),
    ]
}

/// Also returns the positions found for each condition.
fn assert_finds_what_the_plain_words_say(tables: &Tables, seeds: u8) -> Vec<Vec<u64>> {
    let layer = Layer::new(seeds).unwrap();
    let assessments = layer
        .positions()
        .map(|position| tables.assess(&position).unwrap());
    let assessments: Vec<Assessment> = assessments.collect();
    let mut all = Vec::new();
    for (condition, plain) in conditions() {
        let (mut found, mut looked_at) = (Vec::new(), 0);
        let each = find::each(
            tables,
            layer,
            &condition,
            |one| found.push(one),
            |n| looked_at += n,
        );
        each.unwrap();
        assert_eq!(looked_at, layer.len());
        let numbers: Vec<u64> = found.iter().map(|found| found.index).collect();
        if tables.extent().is_full() {
            let expected = (0..).zip(&assessments);
            let expected = expected.filter(|(_, found)| plain(tables, found));
            let expected: Vec<u64> = expected.map(|(index, _)| index).collect();
            let said = format!("{condition:?}, {} {seeds}", tables.rules());
            assert_eq!(numbers, expected, "{said}");
        }
        for one in found {
            let assessment = &assessments[one.index as usize];
            assert_eq!(one.position, assessment.position);
            assert_eq!(Some(one.value), assessment.clamped);
        }
        all.push(numbers);
    }
    all
}

#[test]
fn what_is_found_is_what_the_words_say_for_all_rulesets() {
    for rules in Ruleset::ALL {
        let tables = in_memory(rules, Cycles::Split, 6);
        assert_finds_what_the_plain_words_say(&tables, 6);
    }
}

/// Where values are cut off, only what they certainly satisfy is found.
#[test]
fn what_is_found_is_what_the_words_say_with_bounds_and_where_values_are_cut_off() {
    let seeds = 6;
    for cycles in Cycles::ALL {
        let in_full = assert_finds_what_the_plain_words_say(Tables::sample_of(cycles), seeds);
        let (_place, tables) = opened(build_deciding(Ruleset::Abapa, cycles, seeds, seeds));
        let certain = assert_finds_what_the_plain_words_say(&tables, seeds);
        for (certain, in_full) in certain.iter().zip(&in_full) {
            assert!(
                certain
                    .iter()
                    .all(|number| in_full.binary_search(number).is_ok())
            );
        }
    }
}

#[test]
fn a_layer_beyond_the_tables_is_an_error() {
    let layer = Layer::new(9).unwrap();
    let condition = Condition::default();
    assert!(find::each(Tables::sample(), layer, &condition, |_| (), |_| ()).is_err());
    let beyond = Tables::sample().assess(&Position::START).unwrap();
    assert_eq!(stake(&beyond), None);
}

/// The first position of a layer with the largest number of some kind, and this number.
fn record<T: Ord + Copy>(of_layer: impl Iterator<Item = Option<T>>) -> (u64, T) {
    let known = (0..)
        .zip(of_layer)
        .filter_map(|(number, much)| Some((number, much?)));
    known
        .reduce(|most, next| if next.1 > most.1 { next } else { most })
        .unwrap()
}

#[test]
fn the_records_are_those_of_the_document() {
    let document = include_str!("../../docs/results.md");
    let tables = Tables::sample();
    for seeds in 3..=8 {
        let layer = Layer::new(seeds).unwrap();
        let (stakes, most_to_lose) = record(layer.positions().map(|position| {
            let [least, _] = stake(&tables.assess(&position).unwrap())?;
            Some(least)
        }));
        let distances = Distance::of_layer(tables, layer).unwrap().unwrap();
        let (farthest, moves) = record(distances.into_iter().map(Distance::moves));
        let [stakes, farthest] = [stakes, farthest].map(|index| layer.position(index).unwrap());
        let row =
            format!("| {seeds} | {most_to_lose} | `{stakes}` | {moves} moves | `{farthest}` |");
        assert!(document.contains(&row), "{row}");
    }
}

#[test]
fn each_selection_is_equally_likely() {
    let mut counts = [0; 10];
    for seed in 0..3000 {
        let mut sampler = Sampler::new(3, seed);
        (0..10).for_each(|number| sampler.offer(number));
        let drawn = sampler.drawn();
        assert_eq!(drawn.len(), 3);
        drawn
            .into_iter()
            .for_each(|number: usize| counts[number] += 1);
    }
    assert!(
        counts.iter().all(|count| (800..=1000).contains(count)),
        "{counts:?}"
    );
    let mut few = Sampler::new(5, 1);
    few.offer('a');
    assert_eq!(few.drawn(), ['a']);
}

#[test]
fn the_next_capture_is_as_far_as_in_the_line() {
    for cycles in Cycles::ALL {
        let tables = Tables::sample_of(cycles);
        let some = |seeds| {
            let step = if seeds <= 3 { 1 } else { 29 };
            Layer::new(seeds).unwrap().positions().step_by(step)
        };
        let of_layer = |seeds| Distance::of_layer(tables, Layer::new(seeds).unwrap()).unwrap();
        let layers: Vec<Option<Vec<Distance>>> = (0..=5).map(of_layer).collect();
        for position in (0..=5).flat_map(some) {
            let found = Distance::of(tables, &position, 1_000_000).unwrap();
            match &layers[usize::from(position.seeds())] {
                None => assert_eq!(cycles, Cycles::OwnSide),
                Some(distances) => {
                    let layer = Layer::new(position.seeds()).unwrap();
                    let number = layer.index(&position) as usize;
                    assert_eq!(distances[number], found, "{position}");
                }
            }
            let value = tables.value(&position).unwrap().unwrap();
            let line = Line::best(tables, &position, Bound::Low).unwrap().unwrap();
            let captures = line.moves.iter().position(|play| play.captured > 0);
            let expected = match (captures, line.end) {
                _ if value.exact().is_none() => Distance::Unknown,
                (Some(before), _) => Distance::Moves(before + 1),
                (None, LineEnd::Cycle { .. }) => Distance::Endless,
                (None, _) => Distance::Moves(line.moves.len()),
            };
            assert_eq!(found, expected, "{position}, {cycles}");
            if value.exact().is_some() {
                assert_eq!(line.distance(), expected, "{position}, {cycles}");
            }
        }
    }
    assert!(Distance::of_layer(Tables::sample(), Layer::new(9).unwrap()).is_err());
    let beyond = Distance::of(Tables::sample(), &Position::START, 10).unwrap();
    assert_eq!(beyond, Distance::Unknown);
}

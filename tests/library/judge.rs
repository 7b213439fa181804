//! Judging games against values and bounds from the definition.

use std::collections::HashMap;

use granero::index::Layer;
use granero::judge::{Count, JudgedMove, Judgement};
use granero::prove::{Budget, Prover};
use granero::{Game, Measured, PlayedMove, PlayerHouse, Ruleset, Side, Situation, Tables, Value};
use test_case::test_case;

use crate::prove::go_on;
use crate::support::reference;
use crate::support::reference::reference;
use crate::support::tables::{build, build_bounds, opened};
use crate::support::twin;
use crate::support::twin::TwinTurn;

/// A game of up to `length` arbitrary legal moves, equal every time.
fn game(ruleset: Ruleset, start: Situation, mut seed: u64, length: usize) -> Game {
    let mut now = start;
    let mut moves = Vec::new();
    for _ in 0..length {
        let legal = ruleset.moves(&now.position());
        if legal.is_empty() {
            break;
        }
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let house = legal[(seed >> 33) as usize % legal.len()].house;
        let side = now.to_move();
        moves.push(PlayedMove::from(PlayerHouse { side, house }));
        (_, now) = now.play(ruleset, house).unwrap();
    }
    Game {
        start,
        moves,
        ..Game::default()
    }
}

/// The games begin with so many seeds, the tables with one less.
#[test_case(6, 171)]
#[test_case(7, 471 => ignore["slow: .ci/run has it"] ())]
fn every_move_is_worth_what_the_definition_says(seeds: u8, step: usize) {
    for ruleset in Ruleset::ALL {
        let values = reference(ruleset.name(), seeds.into()).into_iter();
        let values = values.map(|(board, value)| (board, (value, value)));
        let (_place, tables) = opened(build(ruleset, seeds - 1));
        let found = judges_as_the_definition_says(&tables, &values.collect(), seeds, step);
        assert!(found.beyond > 0 && found.given_away > 0, "{ruleset}");
        assert_eq!(found.given_up, 0);
    }
}

/// Guaranteed and attainable seeds follow from the definition of bounds.
#[test]
fn a_move_is_wrong_if_it_gives_away_what_is_guaranteed_or_gives_up_what_is_attainable() {
    for ruleset in [Ruleset::Abapa, Ruleset::SlamEnds, Ruleset::Awari] {
        let bounds = reference::bounds::reference(ruleset.name(), 5);
        let (_place, tables) = opened(build_bounds(ruleset, 5));
        let found = judges_as_the_definition_says(&tables, &bounds, 5, 37);
        assert!(found.given_away > 0 && found.given_up > 0, "{ruleset}");
    }
}

/// The moves beyond the tables, and the seeds that the others gave away and gave up.
#[derive(Default)]
struct JudgedGames {
    beyond: usize,
    given_away: usize,
    given_up: usize,
}

/// Judges games from every `step`-th position with some number of seeds; `values` has the low and the high
/// bound of each position.
fn judges_as_the_definition_says(
    tables: &Tables,
    values: &HashMap<[u8; 12], (i32, i32)>,
    seeds: u8,
    step: usize,
) -> JudgedGames {
    let ruleset = tables.rules();
    let pair = |value: Measured<Value>| (value.low().seeds().into(), value.high().seeds().into());
    let mut all = JudgedGames::default();
    let layer = Layer::new(seeds).unwrap();
    for index in (0..layer.len()).step_by(step) {
        let side = [Side::South, Side::North][index as usize % 2];
        let position = layer.position(index).unwrap();
        let start = Situation::new(position, side, 20, 28 - seeds).unwrap();
        let game = game(ruleset, start, index, 60);
        let judgement = Judgement::new(tables, &game).unwrap();
        assert_eq!(judgement.error, None);
        assert_eq!(judgement.beyond + judgement.moves.len(), game.moves.len());
        let plies = game.replay(ruleset).unwrap();
        let (beyond, within) = plies.split_at(judgement.beyond);
        for ply in beyond {
            assert!(
                Some(ply.before.position().seeds()) > tables.max_seeds(),
                "{game:?}"
            );
        }
        let mut gifts = [Vec::new(), Vec::new()];
        for (number, (judged, ply)) in (beyond.len()..).zip(judgement.moves.iter().zip(within)) {
            assert_eq!(judged.number, number + 1);
            assert_eq!(judged.ply, *ply);
            let board = ply.before.position().houses();
            let TwinTurn::Moves(moves) = twin::turn(ruleset.name(), board) else {
                panic!("{game:?}");
            };
            let value = |play: &twin::TwinMove| {
                let at_once = i32::from(play.captured) - i32::from(play.conceded);
                let (low, high) = values[&play.after];
                (at_once - high, at_once - low)
            };
            let house = ply.play.house.index();
            let played = value(moves.iter().find(|play| play.house == house).unwrap());
            let all_values = || moves.iter().map(value);
            let best = all_values().max().unwrap();
            let most = all_values().map(|(_, high)| high).max().unwrap();
            assert_eq!(pair(judged.value), (best.0, most));
            assert_eq!(pair(judged.played), played);
            let is_kept = played.0 == best.0;
            let given_up = if is_kept { best.1 - played.1 } else { 0 };
            assert_eq!(i32::from(judged.lost_at_least()), best.0 - played.0);
            assert_eq!(judged.lost_at_most(), judged.lost_at_least());
            assert_eq!(judged.given_up().map(i32::from), Some(given_up));
            assert_eq!(judged.is_best(), played == best);
            let best_moves = moves.iter().filter(|play| value(play) == best);
            let found = judged.best().into_iter().map(|best| best.house.index());
            assert!(found.eq(best_moves.map(|play| play.house)), "{game:?}");
            assert_eq!(judged.side(), game.moves[number].sown.side);
            let gift = (judged.lost_at_least(), given_up as u8);
            gifts[judged.side() as usize].push((judged.number, gift));
        }
        for side in [Side::South, Side::North] {
            let gifts = &gifts[side as usize];
            let player = judgement.player(side);
            assert_eq!(player.judged, gifts.len());
            let is_best = |gift: &&(usize, (u8, u8))| gift.1 == (0, 0);
            assert_eq!(player.best, gifts.iter().filter(is_best).count());
            let given_away: usize = gifts.iter().map(|(_, gift)| usize::from(gift.0)).sum();
            let given_up: usize = gifts.iter().map(|(_, gift)| usize::from(gift.1)).sum();
            let exactly = |number| Count {
                least: number,
                most: number,
            };
            assert_eq!(player.lost, exactly(given_away));
            assert_eq!(player.given_up, exactly(given_up));
            // Of several, the first.
            let most = gifts.iter().map(|(_, gift)| *gift).max();
            let worst = gifts
                .iter()
                .find(|gift| Some(gift.1) == most && !is_best(gift));
            let found = player.worst;
            let gift = |worst: &JudgedMove| (worst.lost_at_least(), worst.given_up().unwrap());
            let found = found.map(|worst| (worst.number, gift(worst)));
            assert_eq!(found.as_ref(), worst);
            all.given_away += given_away;
            all.given_up += given_up;
        }
        all.beyond += beyond.len();
    }
    all
}

/// Judgements of moves beyond the tables agree with larger tables, or are less precise.
#[test]
fn proofs_judge_moves_beyond_the_tables() {
    for ruleset in Ruleset::ALL {
        for build in [build, build_bounds] {
            let built = [4, 6].map(|seeds| opened(build(ruleset, seeds)));
            let [(_, tables), (_, truth)] = &built;
            let layer = Layer::new(6).unwrap();
            let mut settled = 0;
            for index in (0..layer.len()).step_by(911) {
                let position = layer.position(index).unwrap();
                // Some of them are decided.
                let south = [21, 23, 25][index as usize % 3];
                let start = Situation::new(position, Side::North, south, 42 - south).unwrap();
                let game = game(ruleset, start, index, 20);
                let prover = Prover::new(tables);
                let budget = Budget::nodes(index % 200);
                let prove = |position: &_| prover.prove(position, budget, go_on).map(Some);
                let judgement = Judgement::with_proofs(tables, &game, prove).unwrap();
                assert_eq!(judgement.moves.len(), game.moves.len());
                let without = Judgement::new(tables, &game).unwrap();
                let by_tables = |judged: &&JudgedMove| judged.proof().is_none();
                assert!(judgement.moves.iter().filter(by_tables).eq(&without.moves));
                assert!(without.moves.iter().all(|judged| by_tables(&judged)));
                let whole = Judgement::new(truth, &game).unwrap();
                for (judged, whole) in judgement.moves.iter().zip(&whole.moves) {
                    let Some(proof) = judged.proof() else {
                        continue;
                    };
                    let said = format!("{ruleset}, {game:?}: {judged:?}");
                    assert_eq!((judged.number, judged.ply), (whole.number, whole.ply));
                    for (range, value) in
                        [(judged.value, whole.value), (judged.played, whole.played)]
                    {
                        let is_within = range.low() <= value.low() && value.high() <= range.high();
                        assert!(is_within, "{said}");
                    }
                    for (ends, whole) in [
                        (judged.promised(), whole.promised()),
                        (judged.left(), whole.left()),
                    ] {
                        let [low, high, least, most] =
                            [ends.low(), ends.high(), whole.low(), whole.high()]
                                .map(|end| end.seeds(judged.side()));
                        assert!(low <= least && most <= high, "{said}");
                    }
                    let lost = whole.lost_at_least();
                    let certain = judged.lost_at_least()..=judged.lost_at_most();
                    assert!(certain.contains(&lost), "{lost}: {said}");
                    assert!(!judged.is_best() || whole.is_best(), "{said}");
                    let class = whole.class().unwrap();
                    let certain = judged.class();
                    assert!(certain.is_none_or(|certain| certain == class), "{said}");
                    let classes = judged.class_at_least()..=judged.class_at_most();
                    assert!(classes.contains(&class), "{said}");
                    // Certainly best moves are best; likely ones promise as much.
                    let best = whole.best();
                    let certain = judged.best();
                    assert!(certain.iter().all(|play| best.contains(play)), "{said}");
                    let mut known = proof.best_known();
                    assert!(known.all(|known| known.low == judged.value.low()), "{said}");
                    settled += usize::from(judged.class().is_some());
                }
                // No position is known more precisely than the move that leads to it.
                for pair in judgement.moves.windows(2) {
                    if pair[0].proof().is_none() {
                        continue;
                    }
                    let (range, next) = (pair[0].played, pair[0].ply.play.value(pair[1].value));
                    let is_within = next.low() <= range.low() && range.high() <= next.high();
                    assert!(is_within, "{ruleset}, {game:?}: {pair:?}");
                }
                for side in [Side::South, Side::North] {
                    let (player, whole) = (judgement.player(side), whole.player(side));
                    for (count, whole) in player.wrong.into_iter().zip(whole.wrong) {
                        let is_within = count.least <= whole.least && whole.least <= count.most;
                        assert!(is_within && whole.least == whole.most, "{game:?}");
                    }
                }
            }
            assert!(settled > 0);
        }
    }
}

//! Judging games against values and bounds from the definition.

use std::ops::ControlFlow;

use granero::index::Layer;
use granero::judge::{JudgedMove, Judgement};
use granero::prove::{Budget, Prover};
use granero::{
    Game, Measured, Move, PlayedMove, PlayerHouse, ReplayErrorReason, Ruleset, Side, Situation,
    Tables, Value,
};

use crate::support::reference;
use crate::support::reference::reference;
use crate::support::tables::{build, build_bounds};
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

#[test]
fn every_move_is_worth_what_the_definition_says() {
    every_move_is_worth_what_the_definition_says_in_games_from_every(471);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn every_move_is_worth_what_the_definition_says_in_many_games() {
    every_move_is_worth_what_the_definition_says_in_games_from_every(157);
}

fn every_move_is_worth_what_the_definition_says_in_games_from_every(step: usize) {
    for ruleset in Ruleset::ALL {
        let values = reference(ruleset.name(), 7);
        // The games begin with seven seeds, the tables with six.
        let place = build(ruleset, 6);
        let tables = Tables::open(place.path()).unwrap();
        let layer = Layer::new(7).unwrap();
        let (mut beyond, mut judged, mut given_away) = (0, 0, 0);
        for index in (0..layer.len()).step_by(step) {
            let side = if index % 2 == 0 {
                Side::South
            } else {
                Side::North
            };
            let position = layer.position(index).unwrap();
            let start = Situation::new(position, side, 20, 21).unwrap();
            let game = game(ruleset, start, index, 60);
            let judgement = Judgement::new(&tables, &game).unwrap();
            assert_eq!(judgement.error, None);
            assert_eq!(judgement.beyond + judgement.moves.len(), game.moves.len());
            let plies = game.replay(ruleset).unwrap();
            for (number, ply) in (1..=judgement.beyond).zip(&plies) {
                assert_eq!(
                    ply.before.position().seeds(),
                    7,
                    "move {number} of {game:?}"
                );
            }
            let mut gifts = [Vec::new(), Vec::new()];
            for (judged, (index, ply)) in judgement
                .moves
                .iter()
                .zip(plies.iter().enumerate().skip(judgement.beyond))
            {
                assert_eq!(judged.number, index + 1);
                assert_eq!(judged.ply, *ply);
                let board = ply.before.position().houses();
                let TwinTurn::Moves(moves) = twin::turn(ruleset.name(), board) else {
                    panic!("{game:?}");
                };
                let worth = |play: &twin::TwinMove| {
                    i32::from(play.captured) - i32::from(play.conceded) - values[&play.after]
                };
                let best = moves.iter().map(worth).max().unwrap();
                let house = ply.play.house.index();
                let played = moves
                    .iter()
                    .find(|play| play.house == house)
                    .map(worth)
                    .unwrap();
                let exact = |worth: Measured<Value>| worth.exact().unwrap().seeds();
                assert_eq!(i32::from(exact(judged.worth)), best);
                assert_eq!(i32::from(exact(judged.played)), played);
                assert_eq!(i32::from(judged.given_away()), best - played);
                assert_eq!(judged.given_up(), 0);
                let best: Vec<usize> = moves
                    .iter()
                    .filter(|play| worth(play) == best)
                    .map(|play| play.house)
                    .collect();
                let found = judged.assessment.best().map(|best| best.play.house.index());
                assert_eq!(found.collect::<Vec<_>>(), best);
                assert_eq!(judged.side(), game.moves[index].sown.side);
                gifts[judged.side() as usize].push((judged.number, judged.given_away()));
            }
            for side in [Side::South, Side::North] {
                let gifts = &gifts[side as usize];
                let player = judgement.player(side);
                assert_eq!(player.judged, gifts.len());
                assert_eq!(player.best, gifts.iter().filter(|gift| gift.1 == 0).count());
                let sum = gifts.iter().map(|gift| u32::from(gift.1)).sum::<u32>();
                assert_eq!(player.given_away, sum);
                let most = gifts
                    .iter()
                    .map(|gift| gift.1)
                    .max()
                    .filter(|&most| most > 0);
                let worst = gifts.iter().find(|gift| Some(gift.1) == most);
                let found = player.worst.map(|worst| (worst.number, worst.given_away()));
                assert_eq!(found.as_ref(), worst);
                given_away += sum;
            }
            beyond += judgement.beyond;
            judged += judgement.moves.len();
        }
        assert!(beyond > 0 && judged > 0 && given_away > 0, "{ruleset}");
    }
}

/// Guaranteed and attainable seeds follow from the definition of bounds.
#[test]
fn a_move_is_wrong_if_it_gives_away_what_is_guaranteed_or_gives_up_what_is_attainable() {
    for ruleset in [Ruleset::Abapa, Ruleset::SlamEnds, Ruleset::Awari] {
        let bounds = reference::bounds::reference(ruleset.name(), 5);
        let place = build_bounds(ruleset, 5);
        let tables = Tables::open(place.path()).unwrap();
        let layer = Layer::new(5).unwrap();
        let (mut given_away, mut given_up) = (0, 0);
        for index in (0..layer.len()).step_by(37) {
            let position = layer.position(index).unwrap();
            let start = Situation::new(position, Side::North, 21, 22).unwrap();
            let game = game(ruleset, start, index, 60);
            let judgement = Judgement::new(&tables, &game).unwrap();
            assert_eq!(judgement.moves.len(), game.moves.len());
            for judged in &judgement.moves {
                let board = judged.assessment.position.houses();
                let TwinTurn::Moves(moves) = twin::turn(ruleset.name(), board) else {
                    panic!("{game:?}");
                };
                let worth = |play: &twin::TwinMove| {
                    let at_once = i32::from(play.captured) - i32::from(play.conceded);
                    let (low, high) = bounds[&play.after];
                    (at_once - high, at_once - low)
                };
                let house = judged.ply.play.house.index();
                let played = moves.iter().find(|play| play.house == house);
                let (low, high) = worth(played.unwrap());
                let all = || moves.iter().map(worth);
                let guaranteed = all().map(|(low, _)| low).max().unwrap();
                let keeping = all().filter(|&(low, _)| low == guaranteed);
                let attainable = keeping.map(|(_, high)| high).max().unwrap();
                let gives_up = if low == guaranteed {
                    attainable - high
                } else {
                    0
                };
                assert_eq!(i32::from(judged.given_away()), guaranteed - low);
                assert_eq!(i32::from(judged.given_up()), gives_up);
                let best = (low, high) == (guaranteed, attainable);
                assert_eq!(judged.is_best(), best);
                given_away += guaranteed - low;
                given_up += gives_up;
            }
            for side in [Side::South, Side::North] {
                let moves = || {
                    judgement
                        .moves
                        .iter()
                        .filter(|judged| judged.side() == side)
                };
                let player = judgement.player(side);
                let sum = |gift: &dyn Fn(&JudgedMove) -> u8| -> u32 {
                    moves().map(|judged| u32::from(gift(judged))).sum()
                };
                assert_eq!(player.given_away, sum(&JudgedMove::given_away));
                assert_eq!(player.given_up, sum(&JudgedMove::given_up));
                let best = moves().filter(|judged| judged.is_best());
                assert_eq!(player.best, best.count());
                let gifts = moves().map(|judged| (judged.given_away(), judged.given_up()));
                let worst = gifts.max().filter(|&most| most != (0, 0));
                let found = player.worst;
                let found = found.map(|worst| (worst.given_away(), worst.given_up()));
                assert_eq!(found, worst);
            }
        }
        assert!(given_away > 0 && given_up > 0, "{ruleset}");
    }
}

#[test]
fn a_game_with_an_illegal_move_is_judged_up_to_there() {
    let place = build(Ruleset::Abapa, 6);
    let tables = Tables::open(place.path()).unwrap();
    let game: Game = "0-0-0-0-0-5-1-0-0-0-0-0-20-22-N aEbC".parse().unwrap();
    let judgement = Judgement::new(&tables, &game).unwrap();
    assert_eq!(judgement.moves.len(), 1);
    let error = judgement.error.unwrap();
    assert_eq!(error.number, 2);
    assert!(matches!(error.reason, ReplayErrorReason::Illegal { .. }));
}

/// Judgements of moves beyond the tables agree with larger tables, or are less precise.
#[test]
fn proofs_judge_moves_beyond_the_tables() {
    let go_on = |_: &_| ControlFlow::Continue(());
    for ruleset in Ruleset::ALL {
        for build in [build, build_bounds] {
            let (place, truth) = (build(ruleset, 4), build(ruleset, 6));
            let tables = Tables::open(place.path()).unwrap();
            let truth = Tables::open(truth.path()).unwrap();
            let layer = Layer::new(6).unwrap();
            let mut settled = 0;
            for index in (0..layer.len()).step_by(911) {
                let position = layer.position(index).unwrap();
                // Some of them are decided.
                let south = [21, 23, 25][index as usize % 3];
                let start = Situation::new(position, Side::North, south, 42 - south).unwrap();
                let game = game(ruleset, start, index, 20);
                let prover = Prover::new(&tables);
                let budget = Budget::nodes(index % 200);
                let prove = |position: &_| prover.prove(position, budget, go_on).map(Some);
                let judgement = Judgement::with_proofs(&tables, &game, prove).unwrap();
                assert_eq!(judgement.proven.len(), judgement.beyond);
                let without = Judgement::new(&tables, &game).unwrap();
                assert_eq!(judgement.moves, without.moves);
                assert!(without.proven.is_empty());
                let whole = Judgement::new(&truth, &game).unwrap();
                for (judged, whole) in judgement.proven.iter().zip(&whole.moves) {
                    let said = format!("{ruleset}, {game:?}: {judged:?}");
                    assert_eq!((judged.number, judged.ply), (whole.number, whole.ply));
                    for (range, worth) in
                        [(judged.worth, whole.worth), (judged.played, whole.played)]
                    {
                        assert!(
                            range.low() <= worth.low() && worth.high() <= range.high(),
                            "{said}"
                        );
                    }
                    let lost = whole.given_away();
                    let certain = judged.given_away_at_least()..=judged.given_away_at_most();
                    assert!(certain.contains(&lost), "{lost}: {said}");
                    assert!(!judged.is_best() || whole.is_best(), "{said}");
                    let class = whole.class();
                    assert!(
                        judged.class().is_none_or(|certain| certain == class),
                        "{said}"
                    );
                    assert!(
                        judged.class_at_least() <= class && class <= judged.class_at_most(),
                        "{said}"
                    );
                    // Certainly best moves are best; likely ones promise as much.
                    let best: Vec<Move> = whole.best().map(|best| best.play).collect();
                    let mut certain = judged.proof.best().map(|best| best.play);
                    assert!(certain.all(|play| best.contains(&play)), "{said}");
                    let mut known = judged.proof.best_known();
                    assert!(known.all(|known| known.low == judged.worth.low()), "{said}");
                    settled += usize::from(judged.class().is_some());
                }
                // No position is known more precisely than the move that leads to it.
                for pair in judgement.proven.windows(2) {
                    let (range, next) = (pair[0].played, pair[0].ply.play.worth(pair[1].worth));
                    let is_within = next.low() <= range.low() && range.high() <= next.high();
                    assert!(is_within, "{ruleset}, {game:?}: {pair:?}");
                }
                for side in [Side::South, Side::North] {
                    let (player, whole) = (judgement.player(side), whole.player(side));
                    let changed = player.wrong[0] + player.by_proof.wrong[0];
                    let certain = changed..=changed + player.by_proof.unsettled[0];
                    assert!(certain.contains(&whole.wrong[0]), "{game:?}");
                }
            }
            assert!(settled > 0);
        }
    }
}

//! The library's rules against the simple twin in `twin/`, for every ruleset.

use granero::index::Layer;
use granero::rules::{EndReason, Refusal};
use granero::{Cycles, House, Position, Ruleset, Turn};
use proptest::prelude::*;
use test_case::test_case;

use crate::support::twin;
use crate::support::twin::{TwinMove, TwinTurn};

/// The library's turn, in the twin's types.
fn library_turn(ruleset: Ruleset, position: &Position) -> TwinTurn {
    match ruleset.turn(position) {
        Turn::Play(moves) => TwinTurn::Moves(
            moves
                .iter()
                .map(|play| TwinMove {
                    house: play.house.index(),
                    captured: play.captured,
                    conceded: play.conceded,
                    after: play.position.houses(),
                })
                .collect(),
        ),
        Turn::Over(over) => TwinTurn::Over {
            value: over.value.seeds().into(),
        },
    }
}

/// Compares the two in all rulesets, and checks that the library's answers about houses agree with its moves.
fn check(position: &Position) {
    for ruleset in Ruleset::ALL {
        let turn = library_turn(ruleset, position);
        let expected = twin::turn(ruleset.name(), position.houses());
        assert_eq!(turn, expected, "{position} under {ruleset}");

        let moves = ruleset.moves(position);
        for play in &moves {
            let seeds = play.captured + play.conceded + play.position.seeds();
            assert_eq!(seeds, position.seeds(), "{position} under {ruleset}");
        }
        for house in House::ALL {
            let listed = moves.iter().find(|play| play.house == house);
            let played = ruleset.play(position, house);
            assert_eq!(played.ok().as_ref(), listed, "{position} under {ruleset}");
            if let Err(illegal) = played {
                let why = refusal(ruleset, position, house);
                assert_eq!(illegal.refusal, why, "{position} {house} under {ruleset}");
            }
        }
    }
}

/// The reason why a house cannot be played, from the seeds on the board.
fn refusal(ruleset: Ruleset, position: &Position, house: House) -> Refusal {
    let own = position.own_seeds();
    let opponents = position.opponents_seeds();
    let gives = usize::from(position.seeds_in(house)) + house.index() > 5;
    if ruleset.moves(position).is_empty() {
        Refusal::GameOver(match (own, opponents) {
            (0, _) => EndReason::NoSeeds,
            (_, 0) => EndReason::CannotFeed,
            _ => EndReason::OnlyGrandSlams,
        })
    } else if position.seeds_in(house) == 0 {
        Refusal::EmptyHouse
    } else if opponents == 0 && !gives {
        Refusal::MustFeed
    } else {
        Refusal::GrandSlam
    }
}

#[test]
fn all_positions_with_up_to_six_seeds() {
    for layer in Layer::all().take(7) {
        layer.positions().for_each(|position| check(&position));
    }
}

/// Positions with up to 48 seeds. In most positions few seeds lie in many houses, so this draws
/// the numbers of seeds and of houses first.
fn positions() -> impl Strategy<Value = Position> {
    (0..=48usize, 1..=12usize)
        .prop_flat_map(|(seeds, houses)| {
            let houses = prop::sample::subsequence((0..12).collect::<Vec<usize>>(), houses);
            (
                houses,
                prop::collection::vec(any::<prop::sample::Index>(), seeds),
            )
        })
        .prop_map(|(houses, seeds)| {
            let mut board = [0; 12];
            for seed in seeds {
                board[houses[seed.index(houses.len())]] += 1;
            }
            Position::new(board).unwrap()
        })
}

/// Positions in which moves are likely to take all the opponent's seeds, or to give none: the
/// opponent has seeds only in houses that one move could capture together.
fn sharp_positions() -> impl Strategy<Value = Position> {
    let own = prop::array::uniform6(prop_oneof![3 => 0..=3u8, 2 => 4..=11u8, 1 => 12..=33u8]);
    let opponents = prop::array::uniform6(0..=2u8);
    (own, opponents, 0..=6usize).prop_filter_map("too many seeds", |(own, mut opponents, held)| {
        opponents[held..].fill(0);
        let houses = [own, opponents].concat();
        Position::new(houses.try_into().ok()?).ok()
    })
}

#[test_case(2_000)]
#[test_case(20_000 => ignore["slow: .ci/run has it"] ())]
fn random_positions(cases: u32) {
    let cases = ProptestConfig::with_cases(cases);
    proptest!(cases, |(any in positions(), sharp in sharp_positions())| {
        check(&any);
        check(&sharp);
    });
}

/// One granary feeds the opponent and captures it all again: two seeds in each of
/// the six houses, or three.
#[test]
fn granaries_that_feed_and_slam_at_once() {
    let mut slams = 0;
    for house in House::ALL {
        for seeds in [22 - house.index(), 33 - house.index()] {
            for other in House::ALL {
                for more in 0..=6 {
                    let mut houses = [0; 12];
                    houses[house.index()] = seeds as u8;
                    if other != house {
                        houses[other.index()] = more;
                    }
                    let position = Position::new(houses).unwrap();
                    check(&position);
                    let captures = Ruleset::SlamCaptures.play(&position, house).unwrap();
                    assert!(captures.captured == 12 || captures.captured == 18);
                    assert_eq!(captures.position.own_seeds(), 0);
                    slams += 1;
                }
            }
        }
    }
    assert_eq!(slams, 504);
}

#[test]
fn names_are_read() {
    for ruleset in Ruleset::ALL {
        assert_eq!(ruleset.name().parse(), Ok(ruleset));
    }
    assert!("Abapa".parse::<Ruleset>().is_err());
}

/// Names may come from files, and errors show them on terminals.
#[test]
fn unknown_names_are_shown_without_control_characters() {
    let name = "\u{1b}[31mkalah\u{7}";
    let rules = name.parse::<Ruleset>().unwrap_err().to_string();
    let cycles = name.parse::<Cycles>().unwrap_err().to_string();
    for error in [rules, cycles] {
        assert!(error.contains(r"`\u{1b}[31mkalah\u{7}`"), "{error}");
        assert!(!error.contains(char::is_control), "{error}");
    }
}

//! The numbers of positions are a bijection in every layer, in the documented order; and the
//! tables of half-boards agree with the rules.

use granero::index::{Crossing, HalfMoves, Layer, arrivals, half};
use granero::{House, Position, Ruleset};
use proptest::prelude::*;

#[test]
fn every_layer_up_to_nine_seeds_is_numbered_without_gaps() {
    for layer in Layer::all().take(10) {
        let mut count = 0;
        for (index, position) in (0..).zip(layer.positions()) {
            assert_eq!(position.seeds(), layer.seeds());
            assert_eq!(layer.index(&position), index);
            assert_eq!(layer.position(index), Some(position));
            count += 1;
        }
        assert_eq!(count, layer.len());
        assert_eq!(layer.position(count), None);
    }
}

/// The order as the documentation words it: by the mover's seeds, then lexicographically by
/// the twelve houses.
#[test]
fn the_order_is_the_documented_one() {
    for layer in Layer::all().take(8) {
        let positions: Vec<Position> = layer.positions().collect();
        let mut sorted = positions.clone();
        sorted.sort_by_key(|position| (position.own_seeds(), position.houses()));
        assert_eq!(positions, sorted);
        sorted.dedup();
        assert_eq!(sorted.len() as u64, layer.len());
    }
}

#[test]
fn the_ends_of_every_layer() {
    for layer in Layer::all() {
        let seeds = layer.seeds();
        let mut first = [0; 12];
        first[11] = seeds;
        let mut last = [0; 12];
        last[0] = seeds;
        assert_eq!(layer.position(0).unwrap().houses(), first);
        assert_eq!(layer.position(layer.len() - 1).unwrap().houses(), last);
        assert_eq!(layer.index(&Position::new(first).unwrap()), 0);
        assert_eq!(layer.index(&Position::new(last).unwrap()), layer.len() - 1);
        assert_eq!(layer.position(layer.len()), None);
        assert_eq!(layer.position(u64::MAX), None);
    }
}

#[test]
fn matrices_begin_and_end_where_they_should() {
    for layer in Layer::all() {
        let seeds = layer.seeds();
        assert_eq!(layer.matrix_start(0), 0);
        assert_eq!(layer.matrix_start(seeds + 1), layer.len());
        for own in 0..=seeds {
            let start = layer.matrix_start(own);
            let end = layer.matrix_start(own + 1);
            let rows = u64::from(half::count(own));
            assert_eq!(end - start, rows * u64::from(half::count(seeds - own)));
            assert_eq!(layer.position(start).unwrap().own_seeds(), own);
            assert_eq!(layer.position(end - 1).unwrap().own_seeds(), own);
        }
    }
}

#[test]
fn half_boards_are_numbered_in_lexicographic_order() {
    for seeds in 0..=14 {
        let all: Vec<[u8; 6]> = half::all(seeds).collect();
        assert_eq!(all.len(), half::count(seeds) as usize);
        assert!(all.is_sorted());
        for (rank, &houses) in (0..).zip(&all) {
            assert_eq!(half::rank(houses), rank);
            assert_eq!(half::unrank(seeds, rank), houses);
        }
    }
    for seeds in 0..=48 {
        assert_eq!(half::rank(half::first(seeds)), 0);
        assert_eq!(half::rank([seeds, 0, 0, 0, 0, 0]), half::count(seeds) - 1);
    }
}

fn any_index() -> impl Strategy<Value = (Layer, u64)> {
    (0..=48u8).prop_flat_map(|seeds| {
        let layer = Layer::new(seeds).unwrap();
        (Just(layer), 0..layer.len())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100_000))]

    #[test]
    fn positions_and_numbers_are_each_others_inverse((layer, index) in any_index()) {
        let position = layer.position(index).unwrap();
        prop_assert_eq!(position.seeds(), layer.seeds());
        prop_assert_eq!(layer.index(&position), index);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn iteration_goes_on_from_the_middle((layer, index) in any_index()) {
        // The next position in the order has the next number.
        let mut rest = layer.positions_from(index);
        prop_assert_eq!(rest.len() as u64, layer.len() - index);
        for index in index..(index + 100).min(layer.len()) {
            prop_assert_eq!(rest.next(), layer.position(index));
        }
        prop_assert!(index + 100 < layer.len() || rest.next().is_none());
    }
}

/// Sowing by half-boards reaches the same position as sowing the board: the move of
/// the mover's half, and the arrival on the other side.
#[test]
fn half_moves_and_arrivals_make_whole_moves() {
    let half_moves = HalfMoves::up_to(20);
    let mut quiet = 0;
    for layer in Layer::all().take(7).chain(Layer::new(20)) {
        // All positions of the small layers, and a sample of a larger one.
        let step = if layer.seeds() < 7 { 1 } else { 99_991 };
        for index in (0..layer.len()).step_by(step) {
            let position = layer.position(index).unwrap();
            let (own, opponents) = (position.own(), position.opponents());
            let (own_seeds, other_seeds) = (position.own_seeds(), position.opponents_seeds());
            for house in House::ALL {
                let half_move = half_moves.get(own_seeds, half::rank(own), house);
                assert_eq!(half_move.is_none(), position.seeds_in(house) == 0);
                let Some(half_move) = half_move else { continue };

                let sown = granero::rules::sowing::sow(&position, house);
                let after = Position::new(sown.houses()).unwrap();
                assert_eq!(half_move.seeds, after.own_seeds());
                assert_eq!(half_move.rank, half::rank(after.own()));
                let crossing = half_move.crossing;
                assert_eq!(crossing.ends_there, sown.last() >= 6);
                assert_eq!(other_seeds + crossing.seeds, after.opponents_seeds());
                let column = half::rank(opponents) as usize;
                let arrived = arrivals(other_seeds, crossing).nth(column);
                assert_eq!(arrived, Some(half::rank(after.opponents())));

                if let Ok(play) = Ruleset::Abapa.play(&position, house)
                    && play.captured == 0
                {
                    assert_eq!(play.position.turned(), after);
                    quiet += 1;
                }
            }
        }
    }
    assert!(quiet > 30_000, "{quiet} moves were compared");
}

#[test]
fn numbers_of_seeds_beyond_the_game_are_refused() {
    fn panics<T>(run: impl FnOnce() -> T + std::panic::UnwindSafe) -> bool {
        std::panic::catch_unwind(run).is_err()
    }
    assert!(panics(|| half::count(49)));
    assert!(panics(|| half::rank([255; 6])));
    assert!(panics(|| half::unrank(2, 21)));
    assert!(panics(|| half::next([0, 0, 0, 0, 255, 1])));
    assert!(panics(|| half::first(49)));
    assert!(panics(|| HalfMoves::up_to(49)));
    let crossing = Crossing {
        seeds: 9,
        ends_there: true,
    };
    assert!(panics(|| drop(arrivals(40, crossing))));
    assert!(panics(|| Layer::new(3).unwrap().index(&Position::START)));
    assert!(panics(|| Layer::new(3).unwrap().matrix_start(5)));
}

#[test]
fn arrivals_keep_the_order() {
    for seeds in 0..=8 {
        for crossing_seeds in 0..=20 {
            let crossing = Crossing {
                seeds: crossing_seeds,
                ends_there: false,
            };
            let ranks: Vec<u32> = arrivals(seeds, crossing).collect();
            assert_eq!(ranks.len(), half::count(seeds) as usize);
            assert!(ranks.is_sorted_by(|a, b| a < b));
            assert_eq!(crossing.pattern().iter().sum::<u8>(), crossing_seeds);
        }
    }
}

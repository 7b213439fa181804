//! The numbers of positions are a bijection in every layer, in the documented order; and the
//! tables of half-boards agree with the rules.

use granero::Position;
use granero::index::{Layer, half};
use proptest::prelude::*;

#[test]
fn every_layer_up_to_nine_seeds_is_numbered_in_order_without_gaps() {
    for layer in Layer::all().take(10) {
        // The order as the documentation words it: by the mover's seeds, then lexicographically by the twelve houses.
        let mut before = None;
        let mut count = 0;
        for (index, position) in (0..).zip(layer.positions()) {
            let place = Some((position.own_seeds(), position.houses()));
            assert!(before < place, "{position}");
            before = place;
            assert_eq!(position.seeds(), layer.seeds());
            assert_eq!(layer.index(&position), index);
            assert_eq!(layer.position(index), Some(position));
            count += 1;
        }
        assert_eq!(count, layer.len());
        assert_eq!(layer.position(count), None);
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
        for (rank, &houses) in (0..).map(half::Rank).zip(&all) {
            assert_eq!(half::rank(houses), rank);
            assert_eq!(half::unrank(seeds, rank), houses);
        }
    }
    for seeds in 0..=48 {
        assert_eq!(half::rank(half::first(seeds)), half::Rank(0));
        assert_eq!(half::rank([seeds, 0, 0, 0, 0, 0]).0, half::count(seeds) - 1);
    }
}

fn any_index() -> impl Strategy<Value = (Layer, u64)> {
    (0..=48u8).prop_flat_map(|seeds| {
        let layer = Layer::new(seeds).unwrap();
        (Just(layer), 0..layer.len())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn positions_and_numbers_are_each_others_inverse((layer, index) in any_index()) {
        // The next position in the order has the next number.
        let mut rest = layer.positions_from(index);
        for index in index..(index + 100).min(layer.len()) {
            let position = layer.position(index).unwrap();
            prop_assert_eq!(rest.next(), Some(position));
            prop_assert_eq!(position.seeds(), layer.seeds());
            prop_assert_eq!(layer.index(&position), index);
        }
        prop_assert!(index + 100 < layer.len() || rest.next().is_none());
    }
}

#[test]
fn numbers_of_seeds_beyond_the_game_are_refused() {
    fn panics<T>(run: impl FnOnce() -> T + std::panic::UnwindSafe) -> bool {
        std::panic::catch_unwind(run).is_err()
    }
    assert!(panics(|| half::count(49)));
    assert!(panics(|| half::rank([255; 6])));
    assert!(panics(|| half::unrank(2, half::Rank(21))));
    assert!(panics(|| half::next([0, 0, 0, 0, 255, 1])));
    assert!(panics(|| half::first(49)));
    assert!(panics(|| Layer::new(3).unwrap().index(&Position::START)));
    assert!(panics(|| Layer::new(3).unwrap().matrix_start(5)));
}

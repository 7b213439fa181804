//! Random positions, equal on every machine.

use super::Layer;
use granero_game::Position;
use granero_game::random::SplitMix64;

/// Draws positions with 1 to `seeds` seeds, without end. All positions are equally likely, so most have
/// nearly `seeds` seeds. Equal `seed`s draw equal positions.
///
/// If `seeds` is 0, draws none.
///
/// ```
/// use granero::index::draw;
///
/// let some: Vec<_> = draw(12, 7).take(3).collect();
/// assert_eq!(some, draw(12, 7).take(3).collect::<Vec<_>>());
/// assert!(some.iter().all(|position| position.seeds() <= 12));
/// ```
///
/// # Panics
///
/// If `seeds` is above 48.
pub fn draw(seeds: u8, seed: u64) -> impl Iterator<Item = Position> {
    let layers: Vec<Layer> = Layer::all().take(usize::from(seeds) + 1).skip(1).collect();
    assert!(layers.len() == usize::from(seeds), "at most 48 seeds");
    let all = layers.iter().map(|layer| layer.len()).sum();
    let mut random = SplitMix64::new(seed);
    let numbers = std::iter::from_fn(move || (all > 0).then(|| random.below(all)));
    numbers.filter_map(move |mut number| {
        for layer in &layers {
            match number.checked_sub(layer.len()) {
                Some(rest) => number = rest,
                None => return layer.position(number),
            }
        }
        None
    })
}

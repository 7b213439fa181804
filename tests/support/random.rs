//! Random positions, the same on every machine.

use granero::Position;
use granero::index::Layer;
use granero::random::SplitMix64;

/// Draws a position with 0 to `seeds` seeds; all numbers of seeds are equally likely.
pub fn position(random: &mut SplitMix64, seeds: u8) -> Position {
    let layer = Layer::new(random.below(u64::from(seeds) + 1) as u8).unwrap();
    layer.position(random.below(layer.len())).unwrap()
}

/// Draws some of these positions.
pub fn positions(number: usize, seeds: u8, seed: u64) -> Vec<Position> {
    let mut random = SplitMix64::new(seed);
    let positions = (0..number).map(|_| position(&mut random, seeds));
    positions.collect()
}

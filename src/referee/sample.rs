//! Positions drawn at random, the same on every machine.

use super::open_for;
use crate::house::Side;
use crate::index::Layer;
use crate::random::SplitMix64;
use crate::rules::{Ruleset, Turn};
use crate::situation::Situation;

/// Draws positions with up to `seeds` seeds for ever, those in which the game is not over:
/// each is as likely as any other, so that most have about as many seeds as they may. The
/// same `seed` draws the same positions. South and North are to move in turn; the seeds that
/// are not on the board are shared equally.
///
/// Nothing is drawn from positions with 0 seeds.
///
/// ```
/// use granero::Ruleset;
/// use granero::referee::draw;
///
/// let some: Vec<_> = draw(Ruleset::Abapa, 12, 7).take(3).collect();
/// let same: Vec<_> = draw(Ruleset::Abapa, 12, 7).take(3).collect();
/// assert_eq!(some, same);
/// assert!(some.iter().all(|situation| situation.position().seeds() <= 12));
/// ```
///
/// # Panics
///
/// If there are more than 48 seeds.
pub fn draw(ruleset: Ruleset, seeds: u8, seed: u64) -> impl Iterator<Item = Situation> {
    let layers: Vec<Layer> = Layer::all().take(usize::from(seeds) + 1).skip(1).collect();
    assert!(layers.len() == usize::from(seeds), "at most 48 seeds");
    let all = layers.iter().map(|layer| layer.len()).sum();
    let mut random = SplitMix64::new(seed);
    let numbers = std::iter::from_fn(move || (all > 0).then(|| random.below(all)));
    let positions = numbers.filter_map(move |mut number| {
        for layer in &layers {
            match number.checked_sub(layer.len()) {
                Some(rest) => number = rest,
                None => return layer.position(number),
            }
        }
        None
    });
    positions
        .filter(move |position| matches!(ruleset.turn(position), Turn::Play(_)))
        .zip([Side::South, Side::North].into_iter().cycle())
        .map(|(position, side)| open_for(position, side))
}

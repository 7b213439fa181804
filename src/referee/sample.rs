//! Positions drawn at random, the same on every machine.

use super::open_for;
use crate::house::Side;
use crate::index::Layer;
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
    let mut random = SplitMix64 { state: seed };
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

/// The generator SplitMix64 of Steele, Lea and Flood: small, well known, and good enough to
/// draw positions with.
struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below another, each as likely as any.
    fn below(&mut self, end: u64) -> u64 {
        // The last numbers are too few to go around once more.
        let last_round = u64::MAX - u64::MAX % end;
        loop {
            let number = self.next();
            if number < last_round {
                return number % end;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_the_published_numbers() {
        let mut random = SplitMix64 { state: 1_234_567 };
        let numbers = [(); 5].map(|()| random.next());
        assert_eq!(
            numbers,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821,
            ]
        );
    }
}

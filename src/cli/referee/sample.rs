//! Random positions, the same on every machine.

use granero::{Ruleset, Side, Situation, Turn, index};

use super::open_for;

/// Draws an endless sequence of positions with up to `seeds` seeds in which the game is not over, all equally
/// likely. The same `seed` draws the same positions. South and North are to move in turn; the seeds that are not
/// on the board are shared equally.
///
/// Draws nothing if `seeds` is 0.
///
/// # Panics
///
/// If `seeds` is above 48.
pub fn draw(ruleset: Ruleset, seeds: u8, seed: u64) -> impl Iterator<Item = Situation> {
    index::draw(seeds, seed)
        .filter(move |position| matches!(ruleset.turn(position), Turn::Play(_)))
        .zip([Side::South, Side::North].into_iter().cycle())
        .map(|(position, side)| open_for(position, side))
}

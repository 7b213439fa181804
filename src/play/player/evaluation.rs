//! Two estimates of the value of a position beyond the tables, without looking ahead.
//!
//! `learned` is a network with one hidden layer, whose weights `tools/weights.py` learns from games that the search
//! plays against itself; it plays better. `plain` counts houses with seeds, by weights from an older fit. Searches to a
//! set depth use it: they grade puzzles, play below full strength, answer `go depth` and estimate judged moves, and
//! should not change with each new set of weights. `docs/engines.md` has both.

use granero_game::Position;

/// A value in hundredths of a seed.
pub(super) type Score = i16;

/// The score of a seed.
pub(super) const SEED: Score = 100;

/// The number of hidden units.
const UNITS: usize = 16;

/// The number of rows for a house: one for each number of seeds, the last for all larger ones.
const ROWS: usize = 16;

/// Rows of a weight for each unit: by house, the mover's first, and by the seeds in it; then a row of the weights of
/// the units, and the constant.
static WEIGHTS: &[u8; (12 * ROWS + 1) * UNITS + 1] = include_bytes!("weights.bin");

/// The number that stands for 1 in weights and in units.
const ONE: i16 = 64;

/// The score of a sum of 1.
const UNIT_SCORE: i32 = 8 * SEED as i32;

/// Estimates the value of a position to the player to move, by what was learned from games.
pub(super) fn learned(position: &Position) -> Score {
    let (rows, constant) = WEIGHTS.as_chunks::<UNITS>();
    let weight = |byte: u8| i16::from(byte as i8);
    let mut units = [0; UNITS];
    for (rows, house) in rows.chunks_exact(ROWS).zip(position.houses()) {
        let row = &rows[usize::from(house).min(ROWS - 1)];
        for (unit, &byte) in units.iter_mut().zip(row) {
            *unit += weight(byte);
        }
    }
    let terms = units.iter().zip(rows[12 * ROWS]);
    let terms = terms.map(|(&unit, byte)| i32::from(unit.clamp(0, ONE)) * i32::from(weight(byte)));
    let one = i32::from(ONE);
    let sum = terms.sum::<i32>() + one * i32::from(weight(constant[0]));
    let most = i32::from(seeds(position.seeds() as i8));
    (sum * UNIT_SCORE / (one * one)).clamp(-most, most) as Score
}

/// The score of a house with seeds, by the number of the house. The player with more of them has
/// more moves to choose from and fewer houses where a capture can begin or go on. The houses furthest
/// back count most: they are hard to fill again once they are empty.
const OCCUPIED: [Score; 6] = [250, 200, 150, 120, 90, 90];

/// The score of a house whose sowing goes around the board: the seeds are safe there, and its move
/// drops two into houses that were empty.
const LARGE: Score = 120;

/// The fewest seeds of a large house.
const LARGE_SEEDS: u8 = 12;

/// Estimates the value of a position to the player to move, for searches to a depth that the caller sets. The turned
/// one has the opposite estimate.
pub(super) fn plain(position: &Position) -> Score {
    let score = half(position.own()) - half(position.opponents());
    let most = seeds(position.seeds() as i8);
    score.clamp(-most, most)
}

/// The score of a half-board for its owner.
fn half(houses: [u8; 6]) -> Score {
    let weights = OCCUPIED.iter().zip(houses);
    let score = weights.map(|(&occupied, house)| match house {
        0 => 0,
        1..LARGE_SEEDS => occupied,
        LARGE_SEEDS.. => occupied + LARGE,
    });
    score.sum()
}

/// The score of some seeds.
pub(super) fn seeds(number: i8) -> Score {
    SEED * Score::from(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use granero_table::index::draw;

    #[test]
    fn neither_side_is_favoured() {
        for position in draw(48, 16).take(10_000) {
            assert_eq!(plain(&position), -plain(&position.turned()), "{position}");
            assert!(plain(&position).abs() <= seeds(position.seeds() as i8));
        }
        assert_eq!(plain(&Position::START), 0);
    }

    /// The learned estimate, with fractions and without loops over rows.
    #[test]
    fn the_network_is_what_its_file_says() {
        let bytes = include_bytes!("weights.bin").map(|byte| f64::from(byte as i8) / 64.0);
        let (rows, output) = bytes.split_at(12 * ROWS * UNITS);
        for position in draw(48, 16).take(1_000) {
            let houses = position.own().into_iter().chain(position.opponents());
            let mut sum = output[UNITS];
            for unit in 0..UNITS {
                let row = |(number, house): (usize, u8)| ROWS * number + usize::from(house.min(15));
                let inputs = houses
                    .clone()
                    .enumerate()
                    .map(|house| rows[row(house) * UNITS + unit]);
                sum += output[unit] * inputs.sum::<f64>().clamp(0.0, 1.0);
            }
            let most = f64::from(position.seeds());
            let expected = (8.0 * sum).clamp(-most, most) * f64::from(SEED);
            let found = f64::from(learned(&position));
            assert!(
                (found - expected).abs() < 1.0,
                "{position}: {found}, {expected}"
            );
        }
    }
}

//! An estimate of the worth of a position beyond the tables, without looking ahead.
//!
//! The weights began as a least-squares fit to the results of games that the search played against
//! itself; `docs/engines.md` says what matches showed of each weight.

use granero_game::rules::board::Board;

/// A value in hundredths of a seed.
pub(super) type Score = i16;

/// The score of a seed.
pub(super) const SEED: Score = 100;

/// The score of a house with seeds, by the number of the house. The player with more of them has
/// more moves to choose from and fewer houses where a capture can begin or go on. The houses furthest
/// back count most: they are hard to fill again once they are empty.
const OCCUPIED: [Score; 6] = [250, 200, 150, 120, 90, 90];

/// The score of a house whose sowing goes around the board: the seeds are safe there, and its move
/// drops two into houses that were empty.
const LARGE: Score = 120;

/// The fewest seeds of a large house.
const LARGE_SEEDS: u8 = 12;

/// Estimates the worth of a board to the player to move. The turned board has the opposite estimate.
pub(super) fn evaluate(board: Board) -> Score {
    let score = half(board.own) - half(board.opponents);
    let most = seeds(board.seeds() as i8);
    score.clamp(-most, most)
}

/// The score of some seeds.
pub(super) fn seeds(number: i8) -> Score {
    SEED * Score::from(number)
}

/// The score of a half-board for its owner.
fn half(half: u64) -> Score {
    let houses = half.to_le_bytes();
    let weights = OCCUPIED.iter().zip(houses);
    let score = weights.map(|(&occupied, house)| match house {
        0 => 0,
        1..LARGE_SEEDS => occupied,
        LARGE_SEEDS.. => occupied + LARGE,
    });
    score.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use granero_table::index::draw;

    #[test]
    fn neither_side_is_favoured() {
        for position in draw(48, 16).take(10_000) {
            let board = Board::of(&position);
            let turned = Board {
                own: board.opponents,
                opponents: board.own,
            };
            assert_eq!(evaluate(board), -evaluate(turned), "{position}");
            assert!(evaluate(board).abs() <= seeds(position.seeds() as i8));
        }
        assert_eq!(evaluate(Board::of(&granero_game::Position::START)), 0);
    }

    #[test]
    fn houses_count_for_their_owner() {
        let score = |text: &str| evaluate(Board::of(&text.parse().unwrap()));
        assert_eq!(score("0 0 0 0 0 0 / 0 0 9 0 0 0"), OCCUPIED[2]);
        assert_eq!(score("0 0 0 0 0 9 / 0 0 0 0 0 0"), -OCCUPIED[0]);
        assert_eq!(
            score("0 0 0 0 0 0 / 0 11 0 0 12 13"),
            OCCUPIED[1] + OCCUPIED[4] + OCCUPIED[5] + 2 * LARGE
        );
        assert_eq!(score("0 0 0 0 0 0 / 48 0 0 0 0 0"), OCCUPIED[0] + LARGE);
        // No more than there is on the board.
        assert_eq!(score("0 0 0 0 0 0 / 1 0 0 0 0 0"), seeds(1));
    }
}

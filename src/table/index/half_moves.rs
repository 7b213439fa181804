//! A table of the effects of moves on half-boards.
//!
//! The effect on the mover's half does not depend on the opponent's half: [`half_moves`] tabulates it. The
//! seeds that cross to the other side are a [`Crossing`], which adds a fixed pattern to the opponent's half.
//! So a whole row of positions, one half-board of the mover against all of the opponent's, moves at once.

use super::half::{self, Rank};
use granero_game::position::join;
use granero_game::{House, MAX_SEEDS, Position};

/// The seeds that a move sends across: twice their number, plus one if the last seed of the move is among them. All
/// moves with the same crossing do the same to the opponent's half-board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Crossing(u8);

impl Crossing {
    /// No seed crosses.
    pub const NONE: Crossing = Crossing(0);

    /// The crossing of `seeds` seeds; `ends_there` if the last seed of the move is among them.
    pub const fn new(seeds: u8, ends_there: bool) -> Crossing {
        Crossing(2 * seeds + ends_there as u8)
    }

    /// All crossings of at most `seeds` seeds, in the order of their indices.
    pub fn up_to(seeds: u8) -> impl ExactSizeIterator<Item = Crossing> {
        (0..2 * seeds + 2).map(Crossing)
    }

    /// The number of seeds that fall into the opponent's houses.
    #[inline]
    pub fn seeds(self) -> u8 {
        self.0 / 2
    }

    /// True if the last seed of the move is among them, so that it may capture.
    #[inline]
    pub fn ends_there(self) -> bool {
        self.0 % 2 == 1
    }

    /// The number of the crossing, from 0.
    #[inline]
    pub fn index(self) -> usize {
        self.0.into()
    }

    /// The seeds that each of the opponent's houses gets.
    pub(crate) fn pattern(self) -> [u8; 6] {
        let (laps, rest) = (self.seeds() / 6, self.seeds() % 6);
        std::array::from_fn(|house| laps + u8::from(house < usize::from(rest)))
    }

    /// The opponent's houses after the seeds have crossed.
    pub fn added_to(self, houses: [u8; 6]) -> [u8; 6] {
        let pattern = self.pattern();
        std::array::from_fn(|house| houses[house] + pattern[house])
    }

    /// The opponent's houses before the seeds have crossed; `None` if they were not there.
    #[inline]
    pub fn taken_from(self, houses: [u8; 6]) -> Option<[u8; 6]> {
        let pattern = self.pattern();
        let are_there = houses.iter().zip(pattern).all(|(&seeds, of)| seeds >= of);
        are_there.then(|| std::array::from_fn(|house| houses[house] - pattern[house]))
    }

    /// The opponent's house into which the last of the crossing seeds falls. At least one seed must cross.
    pub fn last_house(self) -> House {
        House::ALL[usize::from((self.seeds() - 1) % 6)]
    }
}

/// The effect of sowing a house on the mover's half-board, or none if the house is empty, in four bytes: the crossing, and
/// the rank after the move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfMove(u32);

const RANK_BITS: u32 = 24;
const _: () = assert!(half::count(MAX_SEEDS) < 1 << RANK_BITS);

impl HalfMove {
    const NONE: HalfMove = HalfMove(u32::MAX);

    fn of(houses: [u8; 6], house: House) -> HalfMove {
        // The opponent's seeds make no difference; leave them out.
        let position = Position::from_valid(join(houses, [0; 6]));
        if position.seeds_in(house) == 0 {
            return HalfMove::NONE;
        }
        let (sown, last) = position.sown(house);
        let crossing = Crossing::new(sown.opponents_seeds(), last >= 6);
        HalfMove(u32::from(crossing.0) << RANK_BITS | half::rank(sown.own()).0)
    }

    /// The move of a half-board with `seeds` seeds: the seeds and the rank of the half-board after it, and the crossing.
    #[inline(always)]
    pub(crate) fn unpack(self, seeds: u8) -> Option<(u8, Rank, Crossing)> {
        if self.0 == HalfMove::NONE.0 {
            return None;
        }
        let crossing = Crossing((self.0 >> RANK_BITS) as u8);
        let rank = Rank(self.0 & ((1 << RANK_BITS) - 1));
        Some((seeds - crossing.seeds(), rank, crossing))
    }
}

/// The moves of all half-boards with some number of seeds, by rank and house.
///
/// There are `C(n + 6, 6)` half-boards with up to `n` seeds, of 24 bytes each: with up to 24 seeds 593,775 take 14 MB,
/// with up to 48 seeds 25.8 million take 620 MB.
pub(crate) fn half_moves(seeds: u8) -> Vec<[HalfMove; 6]> {
    let moves_of = |houses| House::ALL.map(|house| HalfMove::of(houses, house));
    half::all(seeds).map(moves_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Layer;
    use crate::rows::RowMoves;
    use granero_game::Cycles;
    use granero_game::rules::Ruleset;

    /// Sowing by half-boards, with the move of the mover's half and the crossing, reaches the position
    /// that sowing the board reaches.
    #[test]
    fn half_moves_and_crossings_make_whole_moves() {
        let half_moves: Vec<Vec<[HalfMove; 6]>> = (0..=20).map(half_moves).collect();
        let mut quiet = 0;
        for layer in Layer::all().take(7).chain(Layer::new(20)) {
            // All positions of the small layers, and a sample of a larger one.
            let step = if layer.seeds() < 7 { 1 } else { 99_991 };
            for index in (0..layer.len()).step_by(step) {
                let position = layer.position(index).unwrap();
                let (own, opponents) = (position.own(), position.opponents());
                let (own_seeds, other_seeds) = (position.own_seeds(), position.opponents_seeds());
                for house in House::ALL {
                    let of_half = half_moves[usize::from(own_seeds)][half::rank(own).0 as usize];
                    let half_move = of_half[house.index()].unpack(own_seeds);
                    assert_eq!(half_move.is_none(), position.seeds_in(house) == 0);
                    let Some((seeds, rank, crossing)) = half_move else {
                        continue;
                    };

                    let (after, last) = position.sown(house);
                    assert_eq!(seeds, after.own_seeds());
                    assert_eq!(rank, half::rank(after.own()));
                    assert_eq!(crossing.ends_there(), last >= 6);
                    assert_eq!(other_seeds + crossing.seeds(), after.opponents_seeds());
                    assert_eq!(crossing.added_to(opponents), after.opponents());
                    if crossing.ends_there() {
                        assert_eq!(6 + crossing.last_house() as u8, last);
                    }

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
    #[should_panic(expected = "49 seeds")]
    fn there_are_no_half_boards_of_more_seeds_than_the_game_has() {
        RowMoves::new((Ruleset::Abapa, Cycles::Split), MAX_SEEDS + 1);
    }

    #[test]
    fn crossings_keep_the_order() {
        for seeds in 0..=8 {
            for crossing_seeds in 0..=20 {
                let crossing = Crossing::new(crossing_seeds, false);
                let after = half::all(seeds).map(|houses| crossing.added_to(houses));
                let ranks: Vec<Rank> = after.map(half::rank).collect();
                assert!(ranks.is_sorted_by(|a, b| a < b));
                assert_eq!(crossing.pattern().iter().sum::<u8>(), crossing_seeds);
            }
        }
    }
}

//! Which half-boards of the mover a rank owns, and with them the rows of positions, where several
//! processes solve a layer together.
//!
//! The owners are the same in all layers. Rows of one tile of a layer file have one owner, so they
//! come in *bands*. Moves from a house after B leave the houses A and B as they are, so bands with
//! the same seeds in these go to one owner if that is possible: then fewer ranks must know of a
//! settled position.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::graph::by_seeds::BySeeds;
use crate::graph::numbering::{Number, Numbering};
use granero_table::index::{Subset, half};

/// What one rank owns.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    /// By half-board: its owner.
    owners: Vec<u16>,
    /// By seeds: the numbers of its half-boards.
    own: Vec<Subset>,
    /// By seeds: how many half-boards have fewer, and how many of them this rank owns.
    first: BySeeds,
    first_own: BySeeds,
    /// The same numbers, by seeds, ascending.
    numbers: Vec<Number>,
    rank: u16,
}

/// Rows of the mover that have one owner: half-boards with some number of seeds, by rank.
struct Band {
    seeds: u8,
    ranks: Range<u32>,
    /// What it takes: positions in the largest layer.
    positions: u64,
    /// The first half-board.
    houses: [u8; 6],
}

/// A group of bands that is larger than such a part of what each rank should have is divided.
const PARTS: u64 = 8;

impl Share {
    /// What a rank owns of the layers up to some number of seeds. `bands` divides the half-boards
    /// with some number of seeds.
    pub(crate) fn new<B: Iterator<Item = Range<u32>>>(
        numbering: &Numbering,
        rank: usize,
        ranks: usize,
        bands: impl Fn(u8) -> B,
    ) -> Share {
        assert!(rank < ranks && ranks <= usize::from(u16::MAX));
        let max_seeds = numbering.max_seeds();
        let all = (0..=max_seeds).flat_map(|seeds| {
            bands(seeds).map(move |ranks| Band {
                seeds,
                positions: u64::from(half::count(max_seeds - seeds)) * ranks.len() as u64,
                houses: half::unrank(seeds, ranks.start),
                ranks,
            })
        });
        let all: Vec<Band> = all.collect();
        let mut owners = vec![0; numbering.half_boards()];
        for (band, owner) in owned(&all, ranks) {
            for rank in band.ranks.clone() {
                let number = numbering.number(band.seeds, rank);
                owners[numbering.half_board(band.seeds, number).0] = owner;
            }
        }
        let rank = rank as u16;
        let mut numbers = Vec::new();
        let mut own = Vec::new();
        let mut own_counts = Vec::new();
        for seeds in 0..=max_seeds {
            let before = numbers.len();
            let count = half::count(seeds);
            let is_own = |number| owners[numbering.half_board(seeds, number).0] == rank;
            numbers.extend((0..count).filter(|&number| is_own(number)));
            own.push(Subset::new(count, is_own));
            own_counts.push(numbers.len() - before);
        }
        numbers.shrink_to_fit();
        Share {
            owners,
            own,
            first: BySeeds::sums((0..=max_seeds).map(|seeds| half::count(seeds) as usize)),
            first_own: BySeeds::sums(own_counts),
            numbers,
            rank,
        }
    }

    /// This rank.
    pub(crate) fn rank(&self) -> usize {
        self.rank.into()
    }

    /// How many half-boards with `seeds` seeds this rank owns.
    pub(crate) fn rows(&self, seeds: u8) -> u32 {
        (self.first_own.get(seeds + 1) - self.first_own.get(seeds)) as u32
    }

    /// The number of a half-board, given its number among those that this rank owns.
    #[inline(always)]
    pub(crate) fn number(&self, seeds: u8, row: u32) -> Number {
        self.numbers[self.first_own.get(seeds) + row as usize]
    }

    /// The rank that owns a half-board.
    pub(crate) fn owner(&self, seeds: u8, number: Number) -> usize {
        self.owners[self.first.get(seeds) + number as usize].into()
    }

    /// The number among those that this rank owns, if it does.
    pub(crate) fn row(&self, seeds: u8, number: Number) -> Option<u32> {
        self.own[usize::from(seeds)].place(number)
    }
}

/// The owner of each band.
fn owned(bands: &[Band], ranks: usize) -> impl Iterator<Item = (&Band, u16)> {
    let all: u64 = bands.iter().map(|band| band.positions).sum();
    let most = all / (PARTS * ranks as u64);
    let mut groups: Vec<(u64, Vec<&Band>)> = Vec::new();
    divide(bands.iter().collect(), 2, most, &mut groups);
    // The largest first; equal ones in their order.
    groups.sort_by_key(|&(positions, _)| Reverse(positions));
    let mut load = vec![0; ranks];
    let mut owners = Vec::new();
    for (positions, bands) in groups {
        let least = (0..).zip(&load).min_by_key(|&(_, load)| load);
        let (owner, _) = least.expect("a rank");
        load[usize::from(owner)] += positions;
        owners.extend(bands.into_iter().map(|band| (band, owner)));
    }
    owners.into_iter()
}

/// Divides bands by the seeds in their first houses into groups, of at most `most` positions as far
/// as possible.
fn divide<'b>(
    bands: Vec<&'b Band>,
    houses: usize,
    most: u64,
    groups: &mut Vec<(u64, Vec<&'b Band>)>,
) {
    let mut by_houses: BTreeMap<&[u8], Vec<&Band>> = BTreeMap::new();
    for band in bands {
        let first = &band.houses[..houses];
        by_houses.entry(first).or_default().push(band);
    }
    for (_, bands) in by_houses {
        let positions = bands.iter().map(|band| band.positions).sum();
        if positions > most && houses < 6 {
            divide(bands, houses + 1, most, groups);
        } else if positions > most {
            groups.extend(bands.into_iter().map(|band| (band.positions, vec![band])));
        } else {
            groups.push((positions, bands));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_half_board_has_one_owner_and_each_owner_as_much() {
        const SEEDS: u8 = 16;
        let numbering = Numbering::new(SEEDS);
        let bands = |seeds| {
            let count = half::count(seeds);
            (0..count)
                .step_by(32)
                .map(move |first| first..count.min(first + 32))
        };
        for ranks in [1, 2, 3, 7] {
            let shares: Vec<Share> = (0..ranks)
                .map(|rank| Share::new(&numbering, rank, ranks, bands))
                .collect();
            for seeds in 0..=SEEDS {
                let mut next = vec![0; ranks];
                for number in 0..half::count(seeds) {
                    let owner = shares[0].owner(seeds, number);
                    let row = next[owner];
                    next[owner] += 1;
                    for share in &shares {
                        assert_eq!(share.owner(seeds, number), owner);
                        let own = (share.rank() == owner).then_some(row);
                        assert_eq!(share.row(seeds, number), own);
                    }
                    assert_eq!(shares[owner].number(seeds, row), number);
                }
                for share in &shares {
                    assert_eq!(share.rows(seeds), next[share.rank()]);
                }
                for band in bands(seeds) {
                    let owner = |rank| shares[0].owner(seeds, numbering.number(seeds, rank));
                    let first = owner(band.start);
                    assert!(band.clone().all(|rank| owner(rank) == first));
                }
            }
            let positions = |share: &Share| -> u64 {
                (0..=SEEDS)
                    .map(|seeds| {
                        u64::from(share.rows(seeds)) * u64::from(half::count(SEEDS - seeds))
                    })
                    .sum()
            };
            let all: u64 = shares.iter().map(positions).sum();
            let most = shares.iter().map(positions).max().unwrap();
            assert!(most * ranks as u64 <= all * 101 / 100, "{ranks}");
        }
    }
}

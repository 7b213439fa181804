//! The process that owns each half-board of the mover, and with it the row of positions that begins
//! with it.
//!
//! The owners are the same in all layers. The rows of one tile of a layer file have one owner. Moves
//! from a house after B leave the houses A and B as they are, so rows with the same seeds in these go
//! to one owner if that is possible: then fewer processes must know of a settled position.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use granero_solver::graph::{BySeeds, Number, Numbering, Share};
use granero_table::index::half;

/// The owners of all half-boards.
#[derive(Clone, Debug)]
pub(crate) struct Owners {
    /// By half-board.
    owners: Vec<u16>,
    /// By seeds: how many half-boards have fewer.
    first: BySeeds,
    process: u16,
}

/// Rows of the mover that have one owner: half-boards with some number of seeds, by rank.
struct TileRows {
    seeds: u8,
    ranks: Range<u32>,
    /// Its positions in the largest layer.
    positions: u64,
    /// The first half-board.
    houses: [u8; 6],
}

/// A group is divided if it is larger than this part of what each process should have.
const PARTS: u64 = 8;

impl Owners {
    /// Gives the half-boards of the layers up to some number of seeds to `processes` processes, of
    /// which this is number `process`. `tile_rows` divides the half-boards with some number of seeds.
    pub(crate) fn new<S: Iterator<Item = Range<u32>>>(
        numbering: &Numbering,
        process: usize,
        processes: usize,
        tile_rows: impl Fn(u8) -> S,
    ) -> Owners {
        assert!(process < processes && processes <= usize::from(u16::MAX));
        let max_seeds = numbering.max_seeds();
        let all = (0..=max_seeds).flat_map(|seeds| {
            tile_rows(seeds).map(move |ranks| TileRows {
                seeds,
                positions: u64::from(half::count(max_seeds - seeds)) * ranks.len() as u64,
                houses: half::unrank(seeds, ranks.start),
                ranks,
            })
        });
        let all: Vec<TileRows> = all.collect();
        let mut owners = vec![0; numbering.half_boards()];
        for (rows, owner) in owned(&all, processes) {
            for rank in rows.ranks.clone() {
                let number = numbering.number(rows.seeds, rank);
                owners[numbering.half_board(rows.seeds, number).0] = owner;
            }
        }
        Owners {
            owners,
            first: BySeeds::sums((0..=max_seeds).map(|seeds| half::count(seeds) as usize)),
            process: process as u16,
        }
    }

    /// The half-boards of this process.
    pub(crate) fn share(&self, numbering: &Numbering) -> Share {
        Share::new(numbering, |seeds, number| {
            self.owner(seeds, number) == self.process()
        })
    }

    pub(crate) fn process(&self) -> usize {
        self.process.into()
    }

    /// The process that owns a half-board.
    pub(crate) fn owner(&self, seeds: u8, number: Number) -> usize {
        self.owners[self.first.get(seeds) + number as usize].into()
    }
}

fn owned(all: &[TileRows], processes: usize) -> impl Iterator<Item = (&TileRows, u16)> {
    let positions: u64 = all.iter().map(|rows| rows.positions).sum();
    let most = positions / (PARTS * processes as u64);
    let mut groups: Vec<(u64, Vec<&TileRows>)> = Vec::new();
    divide(all.iter().collect(), 2, most, &mut groups);
    // The largest first; equal ones in their order.
    groups.sort_by_key(|&(positions, _)| Reverse(positions));
    let mut load = vec![0; processes];
    let mut owners = Vec::new();
    for (positions, all) in groups {
        let least = (0..).zip(&load).min_by_key(|&(_, load)| load);
        let (owner, _) = least.expect("a process");
        load[usize::from(owner)] += positions;
        owners.extend(all.into_iter().map(|rows| (rows, owner)));
    }
    owners.into_iter()
}

/// Divides rows by the seeds in their first houses into groups, of at most `most` positions as far
/// as possible.
fn divide<'s>(
    all: Vec<&'s TileRows>,
    houses: usize,
    most: u64,
    groups: &mut Vec<(u64, Vec<&'s TileRows>)>,
) {
    let mut by_houses: BTreeMap<&[u8], Vec<&TileRows>> = BTreeMap::new();
    for rows in all {
        let first = &rows.houses[..houses];
        by_houses.entry(first).or_default().push(rows);
    }
    for (_, all) in by_houses {
        let positions = all.iter().map(|rows| rows.positions).sum();
        if positions > most && houses < 6 {
            divide(all, houses + 1, most, groups);
        } else if positions > most {
            groups.extend(all.into_iter().map(|rows| (rows.positions, vec![rows])));
        } else {
            groups.push((positions, all));
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
        let tile_rows = |seeds| {
            let count = half::count(seeds);
            (0..count)
                .step_by(32)
                .map(move |first| first..count.min(first + 32))
        };
        for processes in [1, 2, 3, 7] {
            let all: Vec<(Owners, Share)> = (0..processes)
                .map(|process| {
                    let owners = Owners::new(&numbering, process, processes, tile_rows);
                    let share = owners.share(&numbering);
                    (owners, share)
                })
                .collect();
            for seeds in 0..=SEEDS {
                let mut next = vec![0; processes];
                for number in 0..half::count(seeds) {
                    let owner = all[0].0.owner(seeds, number);
                    let row = next[owner];
                    next[owner] += 1;
                    for (owners, share) in &all {
                        assert_eq!(owners.owner(seeds, number), owner);
                        let own = (owners.process() == owner).then_some(row);
                        assert_eq!(share.row(seeds, number), own);
                    }
                    assert_eq!(all[owner].1.number(seeds, row), number);
                }
                for (owners, share) in &all {
                    assert_eq!(share.rows(seeds), next[owners.process()]);
                }
                for rows in tile_rows(seeds) {
                    let owner = |rank| all[0].0.owner(seeds, numbering.number(seeds, rank));
                    let first = owner(rows.start);
                    assert!(rows.clone().all(|rank| owner(rank) == first));
                }
            }
            let positions = |share: &Share| -> u64 {
                (0..=SEEDS)
                    .map(|seeds| {
                        u64::from(share.rows(seeds)) * u64::from(half::count(SEEDS - seeds))
                    })
                    .sum()
            };
            let sum: u64 = all.iter().map(|(_, share)| positions(share)).sum();
            let most = all.iter().map(|(_, share)| positions(share)).max().unwrap();
            assert!(most * processes as u64 <= sum * 101 / 100, "{processes}");
        }
    }
}

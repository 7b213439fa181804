//! The rows that each process has in the end, to encode them.

use std::ops::Range;

use granero_table::codec::tiling::tile_row_ranks;

/// By process, then by the mover's seeds: the ranks of the mover's half-boards. The rows of a tile of a layer file go to
/// one process.
#[derive(Clone, Debug)]
pub(crate) struct Owners(pub(crate) Vec<Vec<Range<u32>>>);

impl Owners {
    /// Divides the half-boards with up to some number of seeds.
    pub(crate) fn new(max_seeds: u8, processes: usize) -> Owners {
        let rows = |process, seeds| {
            let tiles: Vec<Range<u32>> = tile_row_ranks(seeds).collect();
            let border = |process| (process * tiles.len() + processes / 2) / processes;
            let rank = |tile: usize| match tiles.get(tile) {
                Some(ranks) => ranks.start,
                None => tiles[tiles.len() - 1].end,
            };
            rank(border(process))..rank(border(process + 1))
        };
        let of = |process| (0..=max_seeds).map(|seeds| rows(process, seeds)).collect();
        Owners((0..processes).map(of).collect())
    }

    /// The process that has a row.
    pub(crate) fn owner(&self, own_seeds: u8, rank: u32) -> usize {
        let own = usize::from(own_seeds);
        self.0.partition_point(|rows| rows[own].end <= rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use granero_table::index::half;

    #[test]
    fn each_row_has_one_owner_and_each_tile_too() {
        for processes in [1, 2, 3, 7] {
            let owners = Owners::new(20, processes);
            for seeds in 0..=20 {
                let mut next = 0;
                for process in 0..processes {
                    let rows = owners.0[process][usize::from(seeds)].clone();
                    assert_eq!(rows.start, next);
                    next = rows.end;
                    assert!(
                        rows.into_iter()
                            .all(|rank| owners.owner(seeds, rank) == process)
                    );
                }
                assert_eq!(next, half::count(seeds));
                for rows in tile_row_ranks(seeds) {
                    let first = owners.owner(seeds, rows.start);
                    assert_eq!(owners.owner(seeds, rows.end - 1), first);
                }
            }
        }
    }
}

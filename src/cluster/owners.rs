//! The rows that each process has in the end, to encode them.

use std::ops::Range;

/// By the mover's seeds, then by process: the ranks of the mover's half-boards. The rows of a tile of a layer file go to
/// one process.
#[derive(Clone, Debug)]
pub(crate) struct Owners(Vec<Vec<Range<u32>>>);

impl Owners {
    /// Divides the half-boards with up to some number of seeds; `tile_rows` divides those with one number.
    pub(crate) fn new<S: Iterator<Item = Range<u32>>>(
        max_seeds: u8,
        processes: usize,
        tile_rows: impl Fn(u8) -> S,
    ) -> Owners {
        let divide = |seeds| {
            let tiles: Vec<Range<u32>> = tile_rows(seeds).collect();
            let border = |process| (process * tiles.len() + processes / 2) / processes;
            let rank = |tile: usize| match tiles.get(tile) {
                Some(ranks) => ranks.start,
                None => tiles[tiles.len() - 1].end,
            };
            (0..processes)
                .map(|process| rank(border(process))..rank(border(process + 1)))
                .collect()
        };
        Owners((0..=max_seeds).map(divide).collect())
    }

    /// The rows of a process.
    pub(crate) fn rows(&self, process: usize, own_seeds: u8) -> Range<u32> {
        self.0[usize::from(own_seeds)][process].clone()
    }

    /// The process that has a row.
    pub(crate) fn owner(&self, own_seeds: u8, rank: u32) -> usize {
        let all = &self.0[usize::from(own_seeds)];
        all.partition_point(|ranks| ranks.end <= rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_one_owner_and_each_tile_too() {
        let tile_rows = |seeds: u8| {
            let count = 10 * u32::from(seeds) + 1;
            let first = (0..count).step_by(4);
            first.map(move |first| first..count.min(first + 4))
        };
        for processes in [1, 2, 3, 7] {
            let owners = Owners::new(9, processes, tile_rows);
            for seeds in 0..=9 {
                let mut next = 0;
                for process in 0..processes {
                    let rows = owners.rows(process, seeds);
                    assert_eq!(rows.start, next);
                    next = rows.end;
                    assert!(
                        rows.into_iter()
                            .all(|rank| owners.owner(seeds, rank) == process)
                    );
                }
                assert_eq!(next, 10 * u32::from(seeds) + 1);
                for rows in tile_rows(seeds) {
                    let first = owners.owner(seeds, rows.start);
                    assert_eq!(owners.owner(seeds, rows.end - 1), first);
                }
            }
        }
    }
}

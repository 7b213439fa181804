//! Which worker owns which half-boards.
//!
//! A worker alone touches the rows of positions whose mover has a half-board that it owns,
//! and the news of positions whose opponent has one. So workers share no memory, and need
//! neither locks nor atomics.

/// Half-boards next to each other go to one worker in chunks, because a move maps
/// neighbours onto neighbours.
const CHUNK: u32 = 16;

/// The number of a half-board among those with as many seeds that the same worker owns.
///
/// Without an owner, a half-board is given by its seeds and its rank (see [`half`]), which is
/// a plain number throughout the solver.
///
/// [`half`]: crate::index::half
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Local(pub(super) u32);

/// Deals the half-boards out to the workers, those with each number of seeds in the same way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ownership {
    workers: u32,
    /// Just above 2^32 / workers: multiplying is faster than dividing.
    reciprocal: u64,
}

impl Ownership {
    pub(super) fn among(workers: usize) -> Ownership {
        assert!((1..=256).contains(&workers));
        Ownership {
            workers: workers as u32,
            reciprocal: (1 << 32) / workers as u64 + 1,
        }
    }

    pub(super) fn workers(self) -> usize {
        self.workers as usize
    }

    /// The worker that owns the half-board with this rank, and its number there.
    #[inline(always)]
    pub(super) fn place(self, rank: u32) -> (usize, Local) {
        let chunk = rank / CHUNK;
        // Exact, for there are fewer than 2^24 chunks and 2^8 workers.
        let round = ((u64::from(chunk) * self.reciprocal) >> 32) as u32;
        let owner = chunk - round * self.workers;
        (owner as usize, Local(round * CHUNK + rank % CHUNK))
    }

    /// The rank of a half-board that a worker owns: the inverse of `place`.
    #[inline(always)]
    pub(super) fn rank(self, owner: usize, Local(local): Local) -> u32 {
        (local / CHUNK * self.workers + owner as u32) * CHUNK + local % CHUNK
    }

    /// How many of the first `count` half-boards a worker owns.
    pub(super) fn count(self, owner: usize, count: u32) -> u32 {
        let round = CHUNK * self.workers;
        let left = (count % round).saturating_sub(owner as u32 * CHUNK);
        count / round * CHUNK + left.min(CHUNK)
    }
}

#[cfg(test)]
mod tests {
    use super::{Local, Ownership};

    #[test]
    fn every_half_board_has_one_place() {
        for workers in [1, 2, 3, 4, 5, 7, 16, 63, 64, 255, 256] {
            let ownership = Ownership::among(workers);
            for count in [0, 1, 15, 16, 17, 33, 100, 1000, 658_008] {
                let mut next = vec![0; workers];
                for rank in 0..count {
                    let (owner, local) = ownership.place(rank);
                    assert_eq!(local, Local(next[owner]));
                    assert_eq!(ownership.rank(owner, local), rank);
                    next[owner] += 1;
                }
                for (owner, &owned) in next.iter().enumerate() {
                    assert_eq!(ownership.count(owner, count), owned);
                }
            }
        }
    }
}

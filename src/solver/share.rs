//! How half-boards are shared out among workers.
//!
//! A worker owns half-boards: it alone touches the row of positions whose mover has
//! that half-board, and the news of positions whose opponent has it. So workers share
//! no memory, and need neither locks nor atomics on it.

/// Half-boards next to each other go to one worker in chunks, because a move maps
/// neighbours onto neighbours.
const CHUNK: u32 = 16;

/// Shares the half-boards of every number of seeds out among some workers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    workers: u32,
    /// Just above 2^32 / workers: multiplying is faster than dividing.
    reciprocal: u64,
}

impl Share {
    pub(super) fn among(workers: usize) -> Share {
        assert!((1..=256).contains(&workers));
        Share {
            workers: workers as u32,
            reciprocal: (1 << 32) / workers as u64 + 1,
        }
    }

    pub(super) fn workers(self) -> usize {
        self.workers as usize
    }

    /// Who owns the half-board with this rank, and its number among those with as many
    /// seeds that the owner has.
    #[inline(always)]
    pub(super) fn place(self, rank: u32) -> (usize, u32) {
        let chunk = rank / CHUNK;
        // Exact, for there are fewer than 2^24 chunks and 2^8 workers.
        let round = ((u64::from(chunk) * self.reciprocal) >> 32) as u32;
        let owner = chunk - round * self.workers;
        (owner as usize, round * CHUNK + rank % CHUNK)
    }

    /// The rank of a worker's half-board: the inverse of `place`.
    #[inline(always)]
    pub(super) fn rank(self, owner: usize, local: u32) -> u32 {
        (local / CHUNK * self.workers + owner as u32) * CHUNK + local % CHUNK
    }

    /// How many of the first `count` half-boards a worker has.
    pub(super) fn count(self, owner: usize, count: u32) -> u32 {
        let round = CHUNK * self.workers;
        let left = (count % round).saturating_sub(owner as u32 * CHUNK);
        count / round * CHUNK + left.min(CHUNK)
    }
}

#[cfg(test)]
mod tests {
    use super::Share;

    #[test]
    fn every_half_board_has_one_place() {
        for workers in [1, 2, 3, 4, 5, 7, 16, 63, 64, 255, 256] {
            let share = Share::among(workers);
            for count in [0, 1, 15, 16, 17, 33, 100, 1000, 658_008] {
                let mut next = vec![0; workers];
                for rank in 0..count {
                    let (owner, local) = share.place(rank);
                    assert_eq!(local, next[owner]);
                    assert_eq!(share.rank(owner, local), rank);
                    next[owner] += 1;
                }
                for (owner, &owned) in next.iter().enumerate() {
                    assert_eq!(share.count(owner, count), owned);
                }
            }
        }
    }
}

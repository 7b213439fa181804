//! The cache of decoded blocks.

use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use crate::file::layer_file::Cached;

/// The number of blocks in a set.
const WAYS: usize = 8;

/// The memory for a block in the cache besides its bytes.
const OVERHEAD: u64 = 128;

/// A bounded number of decoded blocks, in sets. Each set has its own lock.
///
/// A block belongs to one set, where it replaces the block that was used least recently.
#[derive(Debug)]
pub(super) struct Cache<B> {
    sets: Box<[Mutex<Set<B>>]>,
    /// The process that made it.
    process: u32,
}

/// The most recently used block comes first.
type Set<B> = Vec<(Key, B)>;

/// The name of a block: its layer and tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) seeds: u8,
    pub(super) tile: u64,
}

impl<B> Cache<B> {
    /// A cache of `bytes` bytes, for blocks of at most `block_bytes` bytes. It has at least one set.
    pub(super) fn new(bytes: u64, block_bytes: u64) -> Cache<B> {
        let sets = bytes / ((block_bytes + OVERHEAD) * WAYS as u64);
        let set = |_| Mutex::new(Set::new());
        Cache {
            sets: (0..sets.clamp(1, 1 << 20)).map(set).collect(),
            process: this_process(),
        }
    }

    /// Looks up a value: `read` reads it from a block. If the block is not in the cache, or the value is missing there,
    /// `make` makes a block with it.
    pub(super) fn value<V, E>(
        &self,
        key: Key,
        read: impl Fn(&B) -> Option<V>,
        make: impl FnOnce(Cached) -> Result<B, E>,
    ) -> Result<V, E> {
        let mut set = self.set(key);
        let block = set.as_mut().and_then(|set| find(set, key));
        let cached = match block.map(&read) {
            Some(Some(value)) => return Ok(value),
            Some(None) => Cached::Part,
            None => Cached::Nothing,
        };
        drop(set);
        // The lock is free, so other threads need not wait. Two threads may make the same block, which
        // does no harm.
        let block = make(cached)?;
        let value = read(&block).expect("a block with the value");
        if let Some(mut set) = self.set(key) {
            set.retain(|(there, _)| *there != key);
            set.truncate(WAYS - 1);
            set.insert(0, (key, block));
        }
        Ok(value)
    }

    /// Locks the set of a block. No thread panics while it holds the lock, and even then the set would be
    /// sound. `None` in a child of `fork`, which lacks the threads of its parent, if one of these may have locked it.
    fn set(&self, key: Key) -> Option<MutexGuard<'_, Set<B>>> {
        let set = &self.sets[key.set(self.sets.len())];
        match set.try_lock() {
            Ok(set) => Some(set),
            Err(TryLockError::Poisoned(set)) => Some(set.into_inner()),
            Err(TryLockError::WouldBlock) if self.process == this_process() => {
                Some(set.lock().unwrap_or_else(PoisonError::into_inner))
            }
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// The number of this process. Only Unix has `fork`, and in WebAssembly there are no such numbers.
fn this_process() -> u32 {
    if cfg!(unix) { process::id() } else { 0 }
}

impl Key {
    fn set(self, sets: usize) -> usize {
        // Fibonacci hashing: neighbouring tiles go to different sets.
        let hash = (self.tile << 6 | u64::from(self.seeds)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((u128::from(hash) * sets as u128) >> 64) as usize
    }
}

/// The block of a set, which becomes the most recently used one.
fn find<B>(set: &mut Set<B>, key: Key) -> Option<&B> {
    let place = set.iter().position(|(there, _)| *there == key)?;
    set[..=place].rotate_right(1);
    Some(&set[0].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(tile: u64) -> Key {
        Key { seeds: 5, tile }
    }

    /// Asks for a block that holds the number of its tile.
    fn ask(cache: &Cache<u64>, tile: u64) -> (u64, Option<Cached>) {
        let mut made = None;
        let value = cache.value(
            key(tile),
            |&block| Some(block),
            |cached| {
                made = Some(cached);
                Ok::<_, ()>(tile)
            },
        );
        (value.unwrap(), made)
    }

    #[test]
    fn blocks_are_kept_and_the_oldest_go_first() {
        let cache = Cache::new(0, 10);
        for tile in 0..8 {
            assert_eq!(ask(&cache, tile), (tile, Some(Cached::Nothing)));
        }
        for tile in 0..8 {
            assert_eq!(ask(&cache, tile), (tile, None));
        }
        // A ninth takes the place of the first.
        assert_eq!(ask(&cache, 8), (8, Some(Cached::Nothing)));
        for tile in 1..9 {
            assert_eq!(ask(&cache, tile), (tile, None));
        }
        assert_eq!(ask(&cache, 0), (0, Some(Cached::Nothing)));
    }

    #[test]
    fn a_part_is_replaced_by_the_whole() {
        let cache: Cache<Vec<u8>> = Cache::new(0, 10);
        let ask = |place: usize, block: Vec<u8>| {
            let read = |block: &Vec<u8>| block.get(place).copied();
            cache.value(key(1), read, |cached| match cached {
                Cached::Nothing => Ok(block),
                Cached::Part => Err(block),
            })
        };
        assert_eq!(ask(0, vec![7]), Ok(7));
        assert_eq!(ask(0, vec![]), Ok(7));
        assert_eq!(ask(1, vec![7, 8]), Err(vec![7, 8]));
    }

    #[test]
    fn a_failure_leaves_nothing_behind() {
        let cache: Cache<u64> = Cache::new(0, 10);
        let failed = cache.value(key(3), |_| Some(()), |_| Err("no"));
        assert_eq!(failed, Err("no"));
        assert_eq!(ask(&cache, 3), (3, Some(Cached::Nothing)));
    }

    #[test]
    fn memory_is_bounded() {
        let cache = Cache::new(100_000, 1000);
        for tile in 0..10_000 {
            ask(&cache, tile);
        }
        let sets = cache.sets.iter().map(|set| set.lock().unwrap());
        let held: usize = sets.map(|set| set.len()).sum();
        assert!((50..=100).contains(&held), "{held}");
    }

    #[test]
    fn a_child_waits_for_no_thread_of_its_parent() {
        let mut cache = Cache::new(0, 10);
        ask(&cache, 1);
        // Now the cache is as a child of `fork` finds it.
        cache.process += 1;
        assert_eq!(ask(&cache, 1), (1, None));
        let parents = cache.sets[0].lock();
        assert_eq!(ask(&cache, 1), (1, Some(Cached::Nothing)));
        drop(parents);
    }
}

//! Decoded blocks, kept as long as there is room.

use crate::measured::Measure;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Blocks that are kept together compete for their places.
const WAYS: usize = 8;

/// What it takes to keep a block, beside its bytes.
const OVERHEAD: u64 = 128;

/// Decoded blocks, kept as long as there is room: a bounded number of them, in sets that
/// threads lock one at a time.
///
/// A block can be in one set only, and replaces the one there that has not been asked for
/// the longest.
#[derive(Debug)]
pub(super) struct Cache<B> {
    sets: Box<[Mutex<Set<B>>]>,
}

#[derive(Debug)]
struct Set<B> {
    /// The block used last comes first.
    blocks: Vec<(Key, B)>,
}

/// A block: the layer, the file, and the number of the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) seeds: u8,
    /// Which file of the layer.
    pub(super) measure: Measure,
    pub(super) tile: u64,
}

/// What the cache knows of a block that has to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Nobody has asked for it lately.
    New,
    /// It is there, but what was asked for is not in it.
    InPart,
}

impl<B> Cache<B> {
    /// A cache for so many bytes, in blocks of so many bytes at most. It holds one set at
    /// least.
    pub(super) fn new(bytes: u64, block_bytes: u64) -> Cache<B> {
        let sets = bytes / ((block_bytes + OVERHEAD) * WAYS as u64);
        let sets = sets.clamp(1, 1 << 20);
        let set = || Mutex::new(Set { blocks: Vec::new() });
        Cache {
            sets: (0..sets).map(|_| set()).collect(),
        }
    }

    /// What `read` finds in a block. If that is not here, or `read` does not find it there,
    /// `make` makes the block; what it makes must have it.
    pub(super) fn value<V, E>(
        &self,
        key: Key,
        read: impl Fn(&B) -> Option<V>,
        make: impl FnOnce(Known) -> Result<(B, V), E>,
    ) -> Result<V, E> {
        let set = &self.sets[key.set(self.sets.len())];
        let known = match lock(set).get(key).map(read) {
            Some(Some(value)) => return Ok(value),
            Some(None) => Known::InPart,
            None => Known::New,
        };
        // Without the lock: others need not wait, and if they make the same block, that
        // does no harm.
        let (block, value) = make(known)?;
        lock(set).put(key, block);
        Ok(value)
    }
}

/// No one panics while holding a lock, and if so, a set is as good as before.
fn lock<B>(set: &Mutex<Set<B>>) -> MutexGuard<'_, Set<B>> {
    set.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Key {
    fn set(self, sets: usize) -> usize {
        // Fibonacci hashing: tiles next to each other go to different sets.
        let layer = u64::from(self.seeds) << 1 | u64::from(self.measure == Measure::High);
        let hash = (self.tile << 7 | layer).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((u128::from(hash) * sets as u128) >> 64) as usize
    }
}

impl<B> Set<B> {
    fn get(&mut self, key: Key) -> Option<&B> {
        let place = self.blocks.iter().position(|(there, _)| *there == key)?;
        self.blocks[..=place].rotate_right(1);
        Some(&self.blocks[0].1)
    }

    fn put(&mut self, key: Key, block: B) {
        self.blocks.retain(|(there, _)| *there != key);
        self.blocks.truncate(WAYS - 1);
        self.blocks.insert(0, (key, block));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(tile: u64) -> Key {
        Key {
            seeds: 5,
            measure: Measure::Value,
            tile,
        }
    }

    /// Asks for a block that holds the number of its tile.
    fn ask(cache: &Cache<u64>, tile: u64) -> (u64, Option<Known>) {
        let mut made = None;
        let value = cache.value(
            key(tile),
            |&block| Some(block),
            |known| {
                made = Some(known);
                Ok::<_, ()>((tile, tile))
            },
        );
        (value.unwrap(), made)
    }

    #[test]
    fn blocks_are_kept_and_the_oldest_go_first() {
        let cache = Cache::new(0, 10);
        for tile in 0..8 {
            assert_eq!(ask(&cache, tile), (tile, Some(Known::New)));
        }
        for tile in 0..8 {
            assert_eq!(ask(&cache, tile), (tile, None));
        }
        // A ninth takes the place of the first.
        assert_eq!(ask(&cache, 8), (8, Some(Known::New)));
        for tile in 1..9 {
            assert_eq!(ask(&cache, tile), (tile, None));
        }
        assert_eq!(ask(&cache, 0), (0, Some(Known::New)));
    }

    #[test]
    fn a_part_is_replaced_by_the_whole() {
        let cache: Cache<Vec<u8>> = Cache::new(0, 10);
        let ask = |place: usize, block: Vec<u8>| {
            let read = |block: &Vec<u8>| block.get(place).copied();
            cache.value(key(1), read, |known| {
                let value = *block.get(place).ok_or(None)?;
                if known == Known::New {
                    Ok((block, value))
                } else {
                    Err(Some((block, value)))
                }
            })
        };
        assert_eq!(ask(0, vec![7]), Ok(7));
        assert_eq!(ask(0, vec![]), Ok(7));
        assert_eq!(ask(1, vec![7, 8]), Err(Some((vec![7, 8], 8))));
    }

    #[test]
    fn a_failure_leaves_nothing_behind() {
        let cache: Cache<u64> = Cache::new(0, 10);
        let failed = cache.value(key(3), |_| Some(()), |_| Err("no"));
        assert_eq!(failed, Err("no"));
        assert_eq!(ask(&cache, 3), (3, Some(Known::New)));
    }

    #[test]
    fn memory_is_bounded() {
        let cache = Cache::new(100_000, 1000);
        for tile in 0..10_000 {
            ask(&cache, tile);
        }
        let held: usize = cache.sets.iter().map(|set| lock(set).blocks.len()).sum();
        assert!((50..=100).contains(&held), "{held}");
    }
}

//! News that waits for the bands of its predecessors: in memory while there is room, then on the disk.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::scratch_file::ScratchFile;
use crate::graph::Number;
use crate::known::{NewsRow, write_list};
use granero_table::TableError;
use granero_table::first_error::lock;
use granero_table::rows::CrossingClass;

/// More bytes than a list has, which may end behind its block.
pub(super) const LIST: usize = 4 << 10;

/// By band: the news that waits.
#[derive(Debug)]
pub(super) struct Queues {
    bands: Vec<Queue>,
    store: Mutex<Store>,
    /// The bytes with which a block is full.
    block: usize,
    /// The number of full blocks that may be in memory.
    room: usize,
}

/// The news that waits for a band.
#[derive(Debug, Default)]
struct Queue {
    /// Tells without a lock that there is none. Where it is not set, there may be none, too.
    is_empty: AtomicBool,
    /// By thread: threads that share a block wait for each other.
    filling: Vec<Filling>,
    full: Mutex<VecDeque<Block>>,
    /// The bytes of full blocks.
    full_bytes: AtomicU64,
}

/// A block of a thread, in lines of the cache that no other thread changes.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Filling(Mutex<Vec<u8>>);

#[derive(Debug)]
enum Block {
    InMemory(Vec<u8>),
    InFile {
        place: u64,
        length: usize,
        checksum: u32,
    },
}

/// Blocks that are full.
#[derive(Debug)]
struct Store {
    file: ScratchFile,
    in_memory: usize,
    /// Places in the file that hold no block, and where it ends.
    free: Vec<u64>,
    end: u64,
    taken: u64,
}

impl Queues {
    /// Empty queues, with blocks of `block` bytes. When `room` blocks are in memory, further ones are written.
    pub(super) fn new(bands: usize, block: usize, room: usize, file: ScratchFile) -> Queues {
        let threads = rayon::current_num_threads();
        let queue = || Queue {
            is_empty: AtomicBool::new(true),
            filling: std::iter::repeat_with(Filling::default)
                .take(threads)
                .collect(),
            ..Queue::default()
        };
        Queues {
            bands: std::iter::repeat_with(queue).take(bands).collect(),
            store: Mutex::new(Store {
                file,
                in_memory: 0,
                free: Vec::new(),
                end: 0,
                taken: 0,
            }),
            block,
            room,
        }
    }

    /// The bytes that wait for a band.
    pub(super) fn waiting(&self, band: usize) -> u64 {
        let queue = &self.bands[band];
        let filling = queue
            .filling
            .iter()
            .map(|block| lock(&block.0).len() as u64);
        queue.full_bytes.load(Ordering::Relaxed) + filling.sum::<u64>()
    }

    /// The bytes that have waited, and those of them that were written.
    pub(super) fn moved(&self) -> (u64, u64) {
        let store = lock(&self.store);
        (store.taken, store.file.moved().1)
    }

    /// Queues a list of half-boards for a band.
    pub(super) fn push(
        &self,
        band: usize,
        row: NewsRow,
        class: CrossingClass,
        numbers: &[Number],
    ) -> Result<(), TableError> {
        let queue = &self.bands[band];
        let thread = rayon::current_thread_index().unwrap_or(0);
        let mut filling = lock(&queue.filling[thread].0);
        if filling.capacity() == 0 {
            filling.reserve(self.block + LIST);
        }
        write_list(&mut filling, row, class, numbers);
        if queue.is_empty.load(Ordering::Relaxed) {
            queue.is_empty.store(false, Ordering::Relaxed);
        }
        if filling.len() < self.block {
            return Ok(());
        }
        let full = std::mem::take(&mut *filling);
        drop(filling);
        queue
            .full_bytes
            .fetch_add(full.len() as u64, Ordering::Relaxed);
        let slot = (self.block + LIST) as u64;
        let block = lock(&self.store).put(full, self.room, slot)?;
        lock(&queue.full).push_back(block);
        Ok(())
    }

    /// Takes rows that wait for a band; returns `None` if there are none.
    pub(super) fn take(&self, band: usize) -> Result<Option<Vec<u8>>, TableError> {
        let queue = &self.bands[band];
        if queue.is_empty.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let block = lock(&queue.full).pop_front();
        let rows = match block {
            None => (queue.filling.iter())
                .map(|block| std::mem::take(&mut *lock(&block.0)))
                .find(|rows| !rows.is_empty())
                .unwrap_or_default(),
            Some(block) => {
                let rows = lock(&self.store).get(block)?;
                queue
                    .full_bytes
                    .fetch_sub(rows.len() as u64, Ordering::Relaxed);
                rows
            }
        };
        queue.is_empty.store(rows.is_empty(), Ordering::Relaxed);
        lock(&self.store).taken += rows.len() as u64;
        Ok((!rows.is_empty()).then_some(rows))
    }
}

impl Store {
    fn put(&mut self, rows: Vec<u8>, room: usize, slot_len: u64) -> Result<Block, TableError> {
        if self.in_memory < room {
            self.in_memory += 1;
            return Ok(Block::InMemory(rows));
        }
        let place = self.free.pop().unwrap_or_else(|| {
            self.end += slot_len;
            self.end - slot_len
        });
        self.file.write(place, &rows)?;
        Ok(Block::InFile {
            place,
            length: rows.len(),
            checksum: crc32fast::hash(&rows),
        })
    }

    fn get(&mut self, block: Block) -> Result<Vec<u8>, TableError> {
        match block {
            Block::InMemory(rows) => {
                self.in_memory -= 1;
                Ok(rows)
            }
            Block::InFile {
                place,
                length,
                checksum,
            } => {
                let mut rows = vec![0; length];
                self.file.read(place, &mut rows)?;
                if crc32fast::hash(&rows) != checksum {
                    return Err(self.file.damaged());
                }
                self.free.push(place);
                Ok(rows)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::packed_news::read_list;
    use granero_table::bytes::open_directory::OpenDirectory;
    use granero_table::parallel;
    use std::sync::Arc;

    /// Lists for two bands come back, most of them from the file.
    #[test]
    fn what_is_queued_is_taken_and_damage_is_found() {
        let place = tempfile::tempdir().unwrap();
        let directory = Arc::new(OpenDirectory::open(place.path()).unwrap());
        let file = ScratchFile::new(directory, "news").unwrap();
        let queues = Queues::new(2, 50, 1, file);
        let lists: [&[Number]; 4] = [&[7], &[0, 1, 130, 9, u32::MAX, 0], &[], &[3; 40]];
        let class = CrossingClass::of_code(3);
        let push_all = || {
            for number in 0..100 {
                let row = NewsRow::of_number(number);
                queues
                    .push(number % 2, row, class, lists[number % 4])
                    .unwrap();
            }
        };
        push_all();
        for band in 0..2 {
            let mut next = (band..100).step_by(2);
            while let Some(bytes) = queues.take(band).unwrap() {
                let mut rest = &bytes[..];
                while !rest.is_empty() {
                    let mut numbers = Vec::new();
                    let list;
                    (list, rest) = read_list(rest, &mut numbers).unwrap();
                    let number = next.next().unwrap();
                    assert_eq!((list.row.number(), list.class), (number, class));
                    assert_eq!(list.count as usize, numbers.len());
                    assert_eq!(numbers, lists[number % 4]);
                }
            }
            assert_eq!(next.next(), None);
        }
        assert!(queues.moved().1 > 0);

        push_all();
        {
            let store = lock(&queues.store);
            store.file.write(0, &vec![0; store.end as usize]).unwrap();
        }
        let found = (0..100).find_map(|_| queues.take(0).err());
        assert!(
            matches!(found, Some(TableError::Damaged { .. })),
            "{found:?}"
        );
    }

    #[test]
    fn all_that_several_threads_queue_is_taken_once() {
        let place = tempfile::tempdir().unwrap();
        let directory = Arc::new(OpenDirectory::open(place.path()).unwrap());
        let file = ScratchFile::new(directory, "news").unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build();
        pool.unwrap().install(|| {
            let queues = Queues::new(1, 50, 1, file);
            parallel::for_each(0..1000, |number| {
                let (row, class) = (NewsRow::of_number(number), CrossingClass::of_code(3));
                queues.push(0, row, class, &[number as Number]).unwrap();
            });
            let waiting = queues.waiting(0);
            let (mut taken, mut found) = (0, Vec::new());
            while let Some(bytes) = queues.take(0).unwrap() {
                taken += bytes.len() as u64;
                let mut rest = &bytes[..];
                while !rest.is_empty() {
                    rest = read_list(rest, &mut found).unwrap().1;
                }
            }
            found.sort_unstable();
            assert!(found.into_iter().eq(0..1000));
            assert_eq!((taken, queues.waiting(0)), (waiting, 0));
        });
    }
}

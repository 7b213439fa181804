//! News that waits for the bands of its predecessors: in memory while there is room, then on the disk.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::scratch_file::ScratchFile;
use crate::graph::numbering::Number;
use crate::known::news::NewsRow;
use crate::known::packed_news::write_list;
use granero_table::TableError;
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
    filling: Mutex<Vec<u8>>,
    full: Mutex<VecDeque<Block>>,
}

#[derive(Debug)]
enum Block {
    InMemory(Vec<u8>),
    InFile { place: u64, length: usize },
}

/// Blocks that are full.
#[derive(Debug)]
struct Store {
    file: ScratchFile,
    in_memory: usize,
    /// Places in the file that hold no block, and where it ends.
    free: Vec<u64>,
    end: u64,
    /// The bytes that were taken.
    taken: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Queues {
    /// Empty queues, with blocks of `block` bytes. When `room` blocks are in memory, further ones are written.
    pub(super) fn new(bands: usize, block: usize, room: usize, file: ScratchFile) -> Queues {
        Queues {
            bands: (0..bands).map(|_| Queue::default()).collect(),
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

    /// The bytes that wait for a band, about.
    pub(super) fn waiting(&self, band: usize) -> u64 {
        let Queue { filling, full } = &self.bands[band];
        let full = lock(full).len() * self.block;
        (full + lock(filling).len()) as u64
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
        let mut filling = lock(&queue.filling);
        if filling.capacity() == 0 {
            filling.reserve(self.block + LIST);
        }
        write_list(&mut filling, row, class, numbers);
        if filling.len() < self.block {
            return Ok(());
        }
        let full = std::mem::take(&mut *filling);
        drop(filling);
        let slot = (self.block + LIST) as u64;
        let block = lock(&self.store).put(full, self.room, slot)?;
        lock(&queue.full).push_back(block);
        Ok(())
    }

    /// Takes rows that wait for a band; returns `None` if there are none.
    pub(super) fn take(&self, band: usize) -> Result<Option<Vec<u8>>, TableError> {
        let queue = &self.bands[band];
        let block = lock(&queue.full).pop_front();
        let rows = match block {
            None => std::mem::take(&mut *lock(&queue.filling)),
            Some(block) => lock(&self.store).get(block)?,
        };
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
        let length = rows.len();
        Ok(Block::InFile { place, length })
    }

    fn get(&mut self, block: Block) -> Result<Vec<u8>, TableError> {
        match block {
            Block::InMemory(rows) => {
                self.in_memory -= 1;
                Ok(rows)
            }
            Block::InFile { place, length } => {
                let mut rows = vec![0; length];
                self.file.read(place, &mut rows)?;
                self.free.push(place);
                Ok(rows)
            }
        }
    }
}

//! News that waits for the bands of its predecessors: in memory while there is room, then on the disk.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::scratch_file::ScratchFile;
use crate::graph::numbering::Number;
use crate::known::news::NewsRow;
use crate::known::packed_news::write_list;
use granero_table::TableError;
use granero_table::rows::CrossingClass;

/// The bytes with which a block of rows is full. Its last row may end behind these.
pub(super) const BLOCK: usize = 64 << 10;

/// The most bytes of a block: room for a row that ends behind [`BLOCK`].
const MOST: usize = BLOCK + (4 << 10);

/// By band: the news that waits.
#[derive(Debug)]
pub(super) struct Queues {
    bands: Vec<Queue>,
    store: Mutex<Store>,
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
    /// In a slot of the file.
    InFile {
        slot: u64,
        length: usize,
    },
}

/// Blocks that are full.
#[derive(Debug)]
struct Store {
    file: ScratchFile,
    in_memory: usize,
    /// Slots of the file that hold nothing.
    free: Vec<u64>,
    slots: u64,
    /// The bytes that were ever taken.
    queued: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Queues {
    /// Empty queues, which have `room` full blocks in memory.
    pub(super) fn new(bands: usize, room: usize, file: ScratchFile) -> Queues {
        Queues {
            bands: (0..bands).map(|_| Queue::default()).collect(),
            store: Mutex::new(Store {
                file,
                in_memory: 0,
                free: Vec::new(),
                slots: 0,
                queued: 0,
            }),
            room,
        }
    }

    /// The bytes that wait for a band.
    pub(super) fn waiting(&self, band: usize) -> u64 {
        let Queue { filling, full } = &self.bands[band];
        let full = lock(full).len() * BLOCK;
        (full + lock(filling).len()) as u64
    }

    /// The bytes that were ever queued.
    pub(super) fn queued(&self) -> u64 {
        lock(&self.store).queued
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
            filling.reserve(MOST);
        }
        write_list(&mut filling, row, class, numbers);
        if filling.len() < BLOCK {
            return Ok(());
        }
        let full = std::mem::take(&mut *filling);
        drop(filling);
        let block = lock(&self.store).put(full, self.room)?;
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
        // Count.
        if !rows.is_empty() {
            lock(&self.store).queued += rows.len() as u64;
        }
        Ok((!rows.is_empty()).then_some(rows))
    }
}

impl Store {
    fn put(&mut self, rows: Vec<u8>, room: usize) -> Result<Block, TableError> {
        if self.in_memory < room {
            self.in_memory += 1;
            return Ok(Block::InMemory(rows));
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        });
        self.file.write(slot * MOST as u64, &rows)?;
        let length = rows.len();
        Ok(Block::InFile { slot, length })
    }

    fn get(&mut self, block: Block) -> Result<Vec<u8>, TableError> {
        match block {
            Block::InMemory(rows) => {
                self.in_memory -= 1;
                Ok(rows)
            }
            Block::InFile { slot, length } => {
                let mut rows = vec![0; length];
                self.file.read(slot * MOST as u64, &mut rows)?;
                self.free.push(slot);
                Ok(rows)
            }
        }
    }
}

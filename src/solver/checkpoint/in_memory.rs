//! Checkpoints in memory, for tests.

use super::state::{Batch, CheckpointStore, State};
use granero_table::first_error::Stopped;

/// The phase and the bytes of a checkpoint.
pub(crate) type Kept = (u32, Vec<u8>);

/// Keeps a checkpoint whenever it can, and goes on from one.
#[derive(Default)]
pub(crate) struct InMemory {
    pub(crate) kept: Vec<Kept>,
    /// The checkpoint to go on from.
    pub(crate) resume: Option<Kept>,
    /// The number of bytes that can be kept or read; `None` for all.
    pub(crate) most: Option<usize>,
}

impl InMemory {
    pub(crate) fn from(checkpoint: &Kept) -> InMemory {
        InMemory {
            resume: Some(checkpoint.clone()),
            ..InMemory::default()
        }
    }

    fn fits(&self, length: usize) -> bool {
        self.most.is_none_or(|most| length <= most)
    }
}

impl CheckpointStore for InMemory {
    fn is_due(&self) -> bool {
        true
    }

    fn write(&mut self, phase: u32, state: &mut dyn State) -> Result<(), Stopped> {
        let mut bytes = Vec::new();
        for batch in Batch::all(state.sizes(), 2) {
            let begin = bytes.len();
            bytes.resize(begin + batch.length(), 0);
            state.copy_rows(&batch, &mut bytes[begin..])?;
        }
        if self.fits(bytes.len()) {
            self.kept.push((phase, bytes));
        }
        Ok(())
    }

    fn phase(&mut self) -> Option<u32> {
        self.resume.as_ref().map(|&(phase, _)| phase)
    }

    fn read(&mut self, state: &mut dyn State) -> Result<bool, Stopped> {
        let (_, mut bytes) = self.resume.take().expect("a checkpoint");
        let is_whole = self.fits(bytes.len());
        if !is_whole {
            bytes[self.most.unwrap_or(0)..].fill(0);
        }
        let mut rest = &bytes[..];
        for batch in Batch::all(state.sizes(), 2) {
            let now = rest.split_off(..batch.length()).expect("all rows");
            state.take_rows(&batch, now)?;
        }
        assert!(rest.is_empty());
        Ok(is_whole)
    }
}

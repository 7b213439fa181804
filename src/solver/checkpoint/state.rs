//! Checkpoints as bytes, wherever they are kept.

use granero_table::first_error::Stopped;

/// Stores checkpoints of a layer as bytes: some lists, and parts with bytes for each row of positions.
pub trait CheckpointStore {
    fn is_due(&self) -> bool;

    /// Writes a checkpoint in place of the one before, with parts of these lengths. Only an error of
    /// `parts` is returned, and then the one before stays.
    fn write(
        &mut self,
        lists: &[u8],
        lengths: &[usize],
        parts: &mut dyn Source,
    ) -> Result<(), Stopped>;

    /// Passes the last checkpoint to `to`, if there is one with parts of these lengths. Returns false
    /// if that was not done to its end: then `to` has nothing useful. Only an error of `to` is
    /// returned.
    fn read(&mut self, lengths: &[usize], to: &mut dyn Sink) -> Result<bool, Stopped>;
}

/// Gives the parts of a checkpoint, one after the other.
pub trait Source {
    /// The next bytes, which are all of one part.
    fn next(&mut self, length: usize) -> Result<&[u8], Stopped>;
}

/// Takes a checkpoint.
pub trait Sink {
    /// Takes the lists, which come first. Returns whether the layer can have such lists.
    fn begin(&mut self, lists: &[u8]) -> Result<bool, Stopped>;

    /// The place for the next bytes, which are all of one part. They are taken when the next place is
    /// asked for, or when all is done.
    fn next(&mut self, length: usize) -> Result<&mut [u8], Stopped>;
}

/// Stores nothing.
pub struct NoCheckpoints;

impl CheckpointStore for NoCheckpoints {
    fn is_due(&self) -> bool {
        false
    }

    fn write(&mut self, _: &[u8], _: &[usize], _: &mut dyn Source) -> Result<(), Stopped> {
        Ok(())
    }

    fn read(&mut self, _: &[usize], _: &mut dyn Sink) -> Result<bool, Stopped> {
        Ok(false)
    }
}

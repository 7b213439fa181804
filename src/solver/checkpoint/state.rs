//! What a checkpoint holds, wherever it is kept.

use std::ops::Range;

use granero_table::first_error::Stopped;

/// The state of a layer in progress: matrices of bytes. If several processes have it, all copy or take all rows, in
/// their order, but not in the same batches.
pub trait State {
    /// By matrix: the number of rows, and the bytes of each. They follow from the layer and the phase.
    fn sizes(&self) -> Vec<(usize, usize)>;

    fn copy_rows(&mut self, batch: &Batch, to: &mut [u8]) -> Result<(), Stopped>;

    fn take_rows(&mut self, batch: &Batch, from: &[u8]) -> Result<(), Stopped>;
}

/// Keeps the last checkpoint of a layer: the number of the phase, and the state.
pub trait CheckpointStore {
    fn is_due(&self) -> bool;

    /// Writes a checkpoint in place of the one before, which stays if that fails. Copies all rows in any case, because
    /// other processes send theirs. Only an error of `state` is returned.
    fn write(&mut self, phase: u32, state: &mut dyn State) -> Result<(), Stopped>;

    /// The phase of the last checkpoint, if there is one.
    fn phase(&mut self) -> Option<u32>;

    /// Lets the state take all rows of the checkpoint whose phase was asked for. Returns false if they mean nothing,
    /// because they could not be read. Only an error of `state` is returned.
    fn read(&mut self, state: &mut dyn State) -> Result<bool, Stopped>;
}

/// The bytes of rows that are compressed together, unless a single row has more.
pub(crate) const PIECE: usize = 1 << 20;

/// Rows that are worked on at a time.
pub struct Batch {
    pub matrix: usize,
    pub rows: Range<usize>,
    /// The bytes of a row.
    pub row: usize,
    /// The bytes of rows that are compressed together.
    pub piece: usize,
}

impl Batch {
    /// Divides matrices into batches of up to so many pieces, in order.
    pub fn all(sizes: Vec<(usize, usize)>, pieces: usize) -> impl Iterator<Item = Batch> {
        let matrices = sizes.into_iter().enumerate();
        matrices.flat_map(move |(matrix, (rows, row))| {
            let of_piece = (PIECE / row).max(1);
            let at_once = of_piece * pieces;
            (0..rows).step_by(at_once).map(move |first| Batch {
                matrix,
                rows: first..rows.min(first + at_once),
                row,
                piece: of_piece * row,
            })
        })
    }

    /// The bytes of all rows.
    pub fn length(&self) -> usize {
        self.rows.len() * self.row
    }
}

/// Keeps nothing. As one of several processes, it sends its rows to the one that keeps them, and takes them back.
pub struct NoCheckpoints;

impl CheckpointStore for NoCheckpoints {
    fn is_due(&self) -> bool {
        false
    }

    fn write(&mut self, _: u32, state: &mut dyn State) -> Result<(), Stopped> {
        let mut all = Batch::all(state.sizes(), 1);
        all.try_for_each(|batch| state.copy_rows(&batch, &mut vec![0; batch.length()]))
    }

    fn phase(&mut self) -> Option<u32> {
        None
    }

    fn read(&mut self, state: &mut dyn State) -> Result<bool, Stopped> {
        let mut all = Batch::all(state.sizes(), 1);
        all.try_for_each(|batch| state.take_rows(&batch, &vec![0; batch.length()]))?;
        Ok(true)
    }
}

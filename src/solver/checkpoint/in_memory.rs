//! Checkpoints in memory, for tests.

use super::state::{CheckpointStore, Sink, Source};
use granero_table::first_error::Stopped;

/// The lists and the parts of a checkpoint.
pub type Kept = (Vec<u8>, Vec<Vec<u8>>);

/// Keeps a checkpoint whenever it can, and goes on from one.
#[derive(Default)]
pub struct InMemory {
    pub kept: Vec<Kept>,
    /// The checkpoint to go on from.
    pub resume: Option<Kept>,
    /// The number of bytes of parts that can be kept or read; `None` for all.
    pub most: Option<usize>,
}

impl InMemory {
    pub fn from(checkpoint: &Kept) -> InMemory {
        InMemory {
            resume: Some(checkpoint.clone()),
            ..InMemory::default()
        }
    }

    /// The pieces in which parts can be kept or read, and whether these are all: part and length.
    fn pieces(&self, lengths: &[usize]) -> (Vec<(usize, usize)>, bool) {
        const PIECE: usize = 997;
        let pieces = lengths.iter().enumerate().flat_map(|(part, &length)| {
            let pieces = (0..length).step_by(PIECE);
            pieces.map(move |begin| (part, PIECE.min(length - begin)))
        });
        let (mut all, mut left) = (pieces.collect::<Vec<_>>(), self.most);
        let count = all.len();
        all.retain(|&(_, length)| {
            left = left.map(|left| left.saturating_sub(length));
            left != Some(0)
        });
        let is_all = all.len() == count;
        (all, is_all)
    }
}

impl CheckpointStore for InMemory {
    fn is_due(&self) -> bool {
        true
    }

    fn write(
        &mut self,
        lists: &[u8],
        lengths: &[usize],
        from: &mut dyn Source,
    ) -> Result<(), Stopped> {
        let mut parts = vec![Vec::new(); lengths.len()];
        let (pieces, is_all) = self.pieces(lengths);
        for (part, length) in pieces {
            parts[part].extend_from_slice(from.next(length)?);
        }
        if is_all {
            self.kept.push((lists.to_vec(), parts));
        }
        Ok(())
    }

    fn read(&mut self, lengths: &[usize], to: &mut dyn Sink) -> Result<bool, Stopped> {
        let Some((lists, parts)) = self.resume.take() else {
            return Ok(false);
        };
        assert!(parts.iter().map(Vec::len).eq(lengths.iter().copied()));
        if !to.begin(&lists)? {
            return Ok(false);
        }
        let (pieces, is_all) = self.pieces(lengths);
        let mut rest: Vec<&[u8]> = parts.iter().map(|part| &part[..]).collect();
        for (part, length) in pieces {
            let (now, later) = rest[part].split_at(length);
            to.next(length)?.copy_from_slice(now);
            rest[part] = later;
        }
        Ok(is_all)
    }
}

//! Checkpoints of the layer that is being solved, in a file beside the files of finished layers.
//!
//! It is a file of pieces, in the order of the matrices. Its label is the phase, from which follows what sizes the matrices
//! have. No other program reads such a file, and it is gone when its layer is finished.

use std::io;
use std::time::{Duration, Instant};

use super::state::{Batch, CheckpointStore, PIECE, State};
use crate::pieces::{NotRead, Pieces};
use granero_table::bytes::open_directory::is_absent;
use granero_table::bytes::source::FileSource;
use granero_table::file::manifest::checkpoint_name;
use granero_table::file::sha256::Sha256;
use granero_table::first_error::Stopped;
use granero_table::index::Layer;
use granero_table::write::durable::Target;
use granero_table::write::lock::Lock;
use granero_table::{TableError, TableWriter};

/// Raise the number with every change of the state that the solver keeps.
const VERSION: &[u8] = b"granero checkpoint 6 ";

/// The memory in bytes for pieces, while a part of a temporary file is written or read: as they are, compressed, and
/// what zstd takes.
pub fn pieces_memory(threads: usize) -> u64 {
    // Measured: 0.6 MiB for a piece of 1 MiB.
    (3 * threads * PIECE) as u64
}

/// An event in the life of a layer's checkpoint.
#[derive(Debug)]
#[non_exhaustive]
pub enum Checkpoint {
    /// It was written, in place of the one before.
    Written,
    /// It could not be written. The one before stays, and the build goes on.
    NotWritten(TableError),
    /// The build goes on from it.
    Resumed,
    /// It cannot be used, so the layer begins again.
    Refused(TableError),
}

/// Keeps the checkpoints of a layer in a directory.
pub struct LayerCheckpoints<'t> {
    lock: &'t Lock,
    layer: Layer,
    fingerprint: Sha256,
    interval: Option<Duration>,
    /// When the last one was written, or the work on the layer began.
    last: Instant,
    /// The checkpoint to go on from.
    found: Option<(FileSource, Pieces)>,
    note: &'t dyn Fn(Checkpoint),
}

impl<'t> LayerCheckpoints<'t> {
    /// Keeps them beside these tables, at this interval; `None` for none. `note` is told of each.
    pub fn new(
        tables: &'t TableWriter,
        layer: Layer,
        interval: Option<Duration>,
        note: &'t dyn Fn(Checkpoint),
    ) -> LayerCheckpoints<'t> {
        LayerCheckpoints {
            lock: tables.lock(),
            layer,
            fingerprint: tables.manifest().fingerprint(),
            interval,
            last: Instant::now(),
            found: None,
            note,
        }
    }
}

impl CheckpointStore for LayerCheckpoints<'_> {
    fn is_due(&self) -> bool {
        self.interval
            .is_some_and(|interval| self.last.elapsed() >= interval)
    }

    fn write(&mut self, phase: u32, state: &mut dyn State) -> Result<(), Stopped> {
        let (mut pieces, holds) = (Pieces::default(), self.holds());
        let mut left = Batch::all(state.sizes(), at_once());
        let mut get = |batch: &Batch| {
            let mut bytes = vec![0; batch.length()];
            state.copy_rows(batch, &mut bytes).map(|()| bytes)
        };
        let mut stopped = None;
        let write = |file: &mut dyn Target| {
            left.try_for_each(|batch| {
                let bytes = get(&batch).map_err(|found| {
                    stopped = Some(found);
                    io::Error::other("the rows of other processes cannot be collected")
                })?;
                pieces.write(file, &bytes, batch.piece)
            })?;
            pieces.end(file, phase, &holds)
        };
        let written = self.lock.write_durably(&self.name(), write);
        if let Some(stopped) = stopped {
            return Err(stopped);
        }
        left.try_for_each(|batch| get(&batch).map(drop))?;
        (self.note)(match written {
            Ok(()) => Checkpoint::Written,
            Err(error) => Checkpoint::NotWritten(error),
        });
        self.last = Instant::now();
        Ok(())
    }

    fn phase(&mut self) -> Option<u32> {
        let file = match self.lock.directory.open_regular(&self.name()) {
            Err(found) if is_absent(&found) => return None,
            file => file.and_then(FileSource::of).map_err(NotRead::from),
        };
        let found = file.and_then(|file| {
            let (phase, pieces) = Pieces::of(&file, &self.holds())?;
            self.found = Some((file, pieces));
            Ok(phase)
        });
        found.map_err(|found| self.refuse(found)).ok()
    }

    fn read(&mut self, state: &mut dyn State) -> Result<bool, Stopped> {
        let (file, pieces) = self.found.take().expect("a checkpoint with a phase");
        let (mut next, mut read) = (0, Ok(()));
        for batch in Batch::all(state.sizes(), at_once()) {
            let mut bytes = vec![0; batch.length()];
            if read.is_ok() {
                read = pieces.read(&file, next, bytes.chunks_mut(batch.piece));
            }
            next += bytes.len().div_ceil(batch.piece);
            state.take_rows(&batch, &bytes)?;
        }
        if next != pieces.count() {
            read = read.and(Err(NotRead::Damaged));
        }
        let is_whole = read.is_ok();
        match read {
            Ok(()) => (self.note)(Checkpoint::Resumed),
            Err(found) => self.refuse(found),
        }
        Ok(is_whole)
    }
}

impl LayerCheckpoints<'_> {
    fn name(&self) -> String {
        checkpoint_name(self.layer.seeds())
    }

    /// All that must be the same in the next build.
    fn holds(&self) -> Vec<u8> {
        [VERSION, self.name().as_bytes(), self.fingerprint.as_bytes()].concat()
    }

    fn refuse(&self, found: NotRead) {
        let path = self.lock.directory.path_of(&self.name());
        (self.note)(Checkpoint::Refused(match found {
            NotRead::Damaged => {
                let what = "it is damaged, or of another layer, ruleset or version";
                TableError::damaged(&path, what)
            }
            found => found.of(&path),
        }));
    }
}

/// The pieces that are compressed, or read, before the next are.
fn at_once() -> usize {
    rayon::current_num_threads()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::fs;
    use std::ops::Range;
    use std::path::Path;

    use super::*;
    use granero_game::Cycles;
    use granero_game::rules::Ruleset;
    use granero_table::first_error::FirstError;

    /// In two pieces, in one with the shorter rows, and in one for each of the longer rows.
    const SIZES: [(usize, usize); 3] = [(PIECE / 1000 + 7, 1000), (5, 3), (2, PIECE + 10)];

    /// A state of matrices, of which so many batches can be copied.
    #[derive(Clone, Debug, PartialEq)]
    struct Found {
        sizes: Vec<(usize, usize)>,
        bytes: Vec<u8>,
        left: usize,
    }

    impl Found {
        fn new(sizes: &[(usize, usize)]) -> Found {
            let sizes = sizes.to_vec();
            let length = sizes.iter().map(|(rows, row)| rows * row).sum();
            Found {
                sizes,
                bytes: vec![0; length],
                left: usize::MAX,
            }
        }

        fn filled(left: usize) -> Found {
            let mut found = Found::new(&SIZES);
            let mut number = 1u32;
            for byte in &mut found.bytes {
                number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                *byte = (number >> 28) as u8;
            }
            Found { left, ..found }
        }

        fn place(&self, batch: &Batch) -> Range<usize> {
            let before = self.sizes[..batch.matrix].iter();
            let before: usize = before.map(|(rows, row)| rows * row).sum();
            let begin = before + batch.rows.start * batch.row;
            begin..begin + batch.length()
        }
    }

    impl State for Found {
        fn sizes(&self) -> Vec<(usize, usize)> {
            self.sizes.clone()
        }

        fn copy_rows(&mut self, batch: &Batch, to: &mut [u8]) -> Result<(), Stopped> {
            let left = self.left.checked_sub(1);
            self.left = left.ok_or_else(|| FirstError::none().keep(()))?;
            to.copy_from_slice(&self.bytes[self.place(batch)]);
            Ok(())
        }

        fn take_rows(&mut self, batch: &Batch, from: &[u8]) -> Result<(), Stopped> {
            let place = self.place(batch);
            self.bytes[place].copy_from_slice(from);
            Ok(())
        }
    }

    /// The checkpoints of the next layer.
    fn of_next<'t>(
        tables: &'t TableWriter,
        interval: Option<Duration>,
        note: &'t dyn Fn(Checkpoint),
    ) -> LayerCheckpoints<'t> {
        let layer = Layer::new(tables.manifest().finished()).unwrap();
        LayerCheckpoints::new(tables, layer, interval, note)
    }

    /// The phase and the bytes of the checkpoint.
    fn resume(
        tables: &TableWriter,
        sizes: &[(usize, usize)],
        notes: &RefCell<Vec<Checkpoint>>,
    ) -> Option<(u32, Vec<u8>)> {
        let note = |note| notes.borrow_mut().push(note);
        let mut checkpoints = of_next(tables, None, &note);
        let phase = checkpoints.phase()?;
        let mut found = Found::new(sizes);
        let is_whole = checkpoints.read(&mut found).unwrap();
        is_whole.then_some((phase, found.bytes))
    }

    fn open(place: &Path) -> TableWriter {
        TableWriter::open(place, (Ruleset::Abapa, Cycles::Split)).unwrap()
    }

    #[test]
    fn what_is_kept_is_resumed_and_nothing_else() {
        what_is_kept_is_resumed(9, 10);
    }

    #[test]
    #[ignore = "slow: .ci/run has it"]
    fn what_is_kept_is_resumed_and_nothing_else_wherever_it_is_damaged() {
        what_is_kept_is_resumed(1, 100);
    }

    /// Damages one byte in each `step` of the first, and about `others` of the rest.
    fn what_is_kept_is_resumed(step: usize, others: usize) {
        let place = tempfile::tempdir().unwrap();
        let tables = open(place.path());
        let notes = RefCell::default();
        assert_eq!(resume(&tables, &SIZES, &notes), None);
        assert!(notes.borrow().is_empty());

        let kept: RefCell<Vec<Checkpoint>> = RefCell::default();
        let note = |note| kept.borrow_mut().push(note);
        let mut checkpoints = of_next(&tables, Some(Duration::ZERO), &note);
        assert!(checkpoints.is_due());
        let mut keep = |phase, batches| checkpoints.write(phase, &mut Found::filled(batches));
        keep(1, usize::MAX).unwrap();
        keep(2, usize::MAX).unwrap();
        // The one before stays.
        keep(3, 1).unwrap_err();
        assert!(matches!(
            kept.borrow()[..],
            [Checkpoint::Written, Checkpoint::Written]
        ));
        let bytes = Found::filled(0).bytes;
        assert!(resume(&tables, &SIZES, &notes) == Some((2, bytes)));
        assert!(matches!(notes.take()[..], [Checkpoint::Resumed]));

        let path = place.path().join(checkpoint_name(0));
        let good = fs::read(&path).unwrap();
        let refused = |bytes: &[u8], sizes: &[(usize, usize)]| {
            fs::write(&path, bytes).unwrap();
            assert!(resume(&tables, sizes, &notes).is_none());
            assert!(matches!(
                notes.take()[..],
                [Checkpoint::Refused(TableError::Damaged { .. })]
            ));
        };
        let first = (0..200).step_by(step);
        for place in first.chain((200..good.len()).step_by(good.len() / others)) {
            let mut damaged = good.clone();
            damaged[place] ^= 1 << (place % 8);
            refused(&damaged, &SIZES);
            refused(&good[..place], &SIZES);
        }
        refused(&[&good[..], &[0]].concat(), &SIZES);
        // Fewer pieces, more, and shorter ones.
        let [first, second, third] = SIZES;
        let shorter = (first.0, first.1 - 1);
        for sizes in [
            &[first, second][..],
            &[first, second, third, (1, 1)],
            &[shorter, second, third],
        ] {
            refused(&good, sizes);
        }
    }

    #[test]
    fn a_checkpoint_that_leads_to_impossible_values_is_an_error_and_gone() {
        let place = tempfile::tempdir().unwrap();
        let mut tables = open(place.path());
        let path = place.path().join(checkpoint_name(0));
        fs::write(&path, "").unwrap();
        let impossible = granero_game::Measured::Value(vec![1]);
        let error = tables.add_layer(&impossible).unwrap_err();
        assert!(matches!(error, TableError::Damaged { path: found, .. } if found == path));
        assert!(!path.exists());
        assert_eq!(tables.manifest().finished(), 0);
    }

    #[test]
    fn a_checkpoint_is_gone_when_its_layer_is_finished() {
        let place = tempfile::tempdir().unwrap();
        let mut tables = open(place.path());
        let keep = |tables: &TableWriter| {
            let mut checkpoints = of_next(tables, Some(Duration::ZERO), &|_| {});
            checkpoints.write(0, &mut Found::new(&[])).unwrap();
        };
        let is_there = |seeds| place.path().join(checkpoint_name(seeds)).exists();
        keep(&tables);
        assert!(is_there(0));
        let empty = granero_game::Measured::Value(vec![0]);
        tables.add_layer(&empty).unwrap();
        assert!(!is_there(0));
        // One of a finished layer, and one of the next.
        fs::write(place.path().join(checkpoint_name(0)), "").unwrap();
        keep(&tables);
        drop(tables);
        drop(open(place.path()));
        assert!(!is_there(0));
        assert!(is_there(1));
    }
}

//! Checkpoints of the layer that is being solved, in a file beside the files of finished layers.
//!
//! ```text
//! 8a 67 63 70 0d 0a 1a 0a       "gcp" among bytes that text transfers change
//! version, seeds                u32 each
//! fingerprint                   32 bytes, as in the layer's files
//! lengths                       u64 each: the lists, then the bytes of the solver
//! CRC of all before             u32
//! pieces                        each: its length and CRC (u32 each), then a frame of zstd
//! ```
//!
//! No other program reads such a file, and it is gone when its layer is finished. Raise the version with
//! every change of the state that the solver keeps.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use super::state::{CheckpointStore, Sink, Source};
use crate::compression::{compress, compress_bound, decompress};
use granero_table::TableError;
use granero_table::bytes::open_directory::is_absent;
use granero_table::file::directory::error;
use granero_table::file::manifest::checkpoint_name;
use granero_table::file::sha256::Sha256;
use granero_table::first_error::Stopped;
use granero_table::index::Layer;
use granero_table::parallel;
use granero_table::write::durable::Target;
use granero_table::write::lock::Lock;

const MAGIC: [u8; 8] = *b"\x8agcp\r\n\x1a\n";
const VERSION: u32 = 3;

/// The bytes of a piece, unless it is the last one of its part.
const PIECE: usize = 1 << 20;

/// The pieces that are compressed, or read, before the next are.
const PIECES_A_THREAD: usize = 2;

/// The memory in bytes for compressed pieces, while a checkpoint is written or read, or a part of a
/// temporary file.
pub fn pieces_memory(threads: usize) -> u64 {
    // Measured: zstd itself takes 0.6 MiB.
    buffer_memory(threads) + (threads * PIECE) as u64
}

/// The memory in bytes for the pieces of a checkpoint that are compressed, or read, before the next
/// are, where they do not lie in the memory of the layer.
pub fn buffer_memory(threads: usize) -> u64 {
    (threads * PIECES_A_THREAD * PIECE) as u64
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
    note: &'t dyn Fn(Checkpoint),
}

impl<'t> LayerCheckpoints<'t> {
    /// Keeps them at this interval; `None` for none. `note` is told of each.
    pub fn new(
        (lock, fingerprint): (&'t Lock, Sha256),
        layer: Layer,
        interval: Option<Duration>,
        note: &'t dyn Fn(Checkpoint),
    ) -> LayerCheckpoints<'t> {
        LayerCheckpoints {
            lock,
            layer,
            fingerprint,
            interval,
            last: Instant::now(),
            note,
        }
    }
}

impl CheckpointStore for LayerCheckpoints<'_> {
    fn is_due(&self) -> bool {
        self.interval
            .is_some_and(|interval| self.last.elapsed() >= interval)
    }

    fn write(
        &mut self,
        lists: &[u8],
        lengths: &[usize],
        parts: &mut dyn Source,
    ) -> Result<(), Stopped> {
        let name = checkpoint_name(self.layer.seeds());
        let mut stopped = None;
        let write = |file: &mut dyn Target| {
            file.write_all(&self.header(lists.len() as u64, lengths))?;
            write_pieces(file, lists)?;
            for &length in lengths {
                let mut left = length;
                while left > 0 {
                    let now = left.min(PIECE * at_once());
                    let bytes = parts.next(now).map_err(|found| {
                        stopped = Some(found);
                        io::Error::other("the rows of other processes cannot be collected")
                    })?;
                    write_pieces(file, bytes)?;
                    left -= now;
                }
            }
            Ok(())
        };
        let written = self.lock.write_durably(&name, write);
        if let Some(stopped) = stopped {
            return Err(stopped);
        }
        (self.note)(match written {
            Ok(()) => Checkpoint::Written,
            Err(error) => Checkpoint::NotWritten(error),
        });
        self.last = Instant::now();
        Ok(())
    }

    fn read(&mut self, lengths: &[usize], to: &mut dyn Sink) -> Result<bool, Stopped> {
        let directory = &self.lock.directory;
        let name = checkpoint_name(self.layer.seeds());
        let path = directory.path_of(&name);
        let read = match directory.open_regular(&name) {
            Err(found) if is_absent(&found) => return Ok(false),
            Err(found) => Err(found.into()),
            Ok(mut file) => self.read_file(&mut file, lengths, to),
        };
        let refused = match read {
            Ok(()) => {
                (self.note)(Checkpoint::Resumed);
                return Ok(true);
            }
            Err(NotRead::Stopped(stopped)) => return Err(stopped),
            Err(NotRead::Damaged(what)) => TableError::damaged(&path, what),
            Err(NotRead::Io(found)) if found.kind() == io::ErrorKind::UnexpectedEof => {
                TableError::damaged(&path, "it is too short")
            }
            Err(NotRead::Io(found)) => error("read", &path)(found),
        };
        (self.note)(Checkpoint::Refused(refused));
        Ok(false)
    }
}

/// Reasons why a checkpoint is not read to its end.
#[derive(Debug)]
enum NotRead {
    Io(io::Error),
    Damaged(&'static str),
    /// The bytes are not wanted any more.
    Stopped(Stopped),
}

impl From<io::Error> for NotRead {
    fn from(error: io::Error) -> NotRead {
        NotRead::Io(error)
    }
}

impl LayerCheckpoints<'_> {
    fn header(&self, lists: u64, lengths: &[usize]) -> Vec<u8> {
        let mut header = MAGIC.to_vec();
        header.extend(VERSION.to_le_bytes());
        header.extend(u32::from(self.layer.seeds()).to_le_bytes());
        header.extend(self.fingerprint.as_bytes());
        header.extend(lists.to_le_bytes());
        let lengths = lengths.iter().map(|&length| length as u64);
        header.extend(lengths.flat_map(u64::to_le_bytes));
        header.extend(crc32fast::hash(&header).to_le_bytes());
        header
    }

    fn read_file(
        &self,
        file: &mut impl Read,
        lengths: &[usize],
        to: &mut dyn Sink,
    ) -> Result<(), NotRead> {
        // The same header except the length of the lists.
        let lists_at = MAGIC.len() + 2 * size_of::<u32>() + self.fingerprint.as_bytes().len();
        let mut found = vec![0; self.header(0, lengths).len()];
        file.read_exact(&mut found)?;
        let (length, _) = found[lists_at..].split_first_chunk().expect("a length");
        let length = u64::from_le_bytes(*length);
        if found != self.header(length, lengths) {
            let what = "it is damaged, or of another layer, ruleset or version";
            return Err(NotRead::Damaged(what));
        }
        // They can be shorter than the header says.
        let mut lists = Vec::new();
        while (lists.len() as u64) < length {
            let begin = lists.len();
            let now = (length - begin as u64).min((PIECE * at_once()) as u64);
            lists.resize(begin + now as usize, 0);
            read_pieces(file, &mut lists[begin..])?;
        }
        if !to.begin(&lists).map_err(NotRead::Stopped)? {
            let what = "its lists are not of this layer";
            return Err(NotRead::Damaged(what));
        }
        drop(lists);
        for &length in lengths {
            let mut left = length;
            while left > 0 {
                let now = left.min(PIECE * at_once());
                read_pieces(file, to.next(now).map_err(NotRead::Stopped)?)?;
                left -= now;
            }
        }
        let mut more = Vec::new();
        file.take(1).read_to_end(&mut more)?;
        if more.is_empty() {
            Ok(())
        } else {
            Err(NotRead::Damaged("it is too long"))
        }
    }
}

fn at_once() -> usize {
    PIECES_A_THREAD * rayon::current_num_threads()
}

fn write_pieces(file: &mut dyn Target, bytes: &[u8]) -> io::Result<()> {
    for pieces in bytes.chunks(PIECE * at_once()) {
        for piece in compress(pieces, PIECE)? {
            file.write_all(&(piece.len() as u32).to_le_bytes())?;
            file.write_all(&crc32fast::hash(&piece).to_le_bytes())?;
            file.write_all(&piece)?;
        }
    }
    Ok(())
}

fn read_number(file: &mut impl Read) -> io::Result<u32> {
    let mut number = [0; 4];
    file.read_exact(&mut number)?;
    Ok(u32::from_le_bytes(number))
}

/// Reads the pieces of these bytes, which are all bytes of a part, or as many as are compressed
/// together.
fn read_pieces(file: &mut impl Read, bytes: &mut [u8]) -> Result<(), NotRead> {
    const DAMAGED: NotRead = NotRead::Damaged("it is not what was written");
    let mut pieces = Vec::new();
    for _ in 0..bytes.len().div_ceil(PIECE) {
        let [length, checksum] = [read_number(file)?, read_number(file)?];
        if length as usize > compress_bound(PIECE) {
            return Err(DAMAGED);
        }
        let mut piece = vec![0; length as usize];
        file.read_exact(&mut piece)?;
        if crc32fast::hash(&piece) != checksum {
            return Err(DAMAGED);
        }
        pieces.push(piece);
    }
    let pieces = pieces.iter().zip(bytes.chunks_mut(PIECE));
    parallel::try_for_each(pieces, |(piece, bytes)| {
        if decompress(piece, bytes)? {
            Ok(())
        } else {
            Err(DAMAGED)
        }
    })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::fs;
    use std::path::Path;

    use super::*;
    use granero_game::Cycles;
    use granero_game::rules::Ruleset;
    use granero_table::TableWriter;
    use granero_table::first_error::FirstError;

    const LISTS: &[u8] = b"lists";
    const LENGTHS: [usize; 2] = [PIECE + 10, 3];

    fn bytes() -> [Vec<u8>; 2] {
        let mut number = 1u32;
        LENGTHS.map(|length| {
            let byte = |_| {
                number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (number >> 28) as u8
            };
            (0..length).map(byte).collect()
        })
    }

    /// The checkpoints of the next layer.
    fn of_next<'t>(
        tables: &'t mut TableWriter,
        interval: Option<Duration>,
        note: &'t dyn Fn(Checkpoint),
    ) -> LayerCheckpoints<'t> {
        let layer = Layer::new(tables.manifest().finished()).unwrap();
        let of_tables = (&**tables.lock(), tables.manifest().fingerprint());
        LayerCheckpoints::new(of_tables, layer, interval, note)
    }

    /// Takes a checkpoint with the right lists.
    #[derive(Default)]
    struct Found {
        parts: Vec<u8>,
    }

    impl Sink for Found {
        fn begin(&mut self, lists: &[u8]) -> Result<bool, Stopped> {
            Ok(lists == LISTS)
        }

        fn next(&mut self, length: usize) -> Result<&mut [u8], Stopped> {
            let begin = self.parts.len();
            self.parts.resize(begin + length, 0);
            Ok(&mut self.parts[begin..])
        }
    }

    /// All parts of the checkpoint.
    fn resume(
        tables: &mut TableWriter,
        lengths: &[usize],
        notes: &RefCell<Vec<Checkpoint>>,
    ) -> Option<Vec<u8>> {
        let note = |note| notes.borrow_mut().push(note);
        let mut found = Found::default();
        let resumed = of_next(tables, None, &note).read(lengths, &mut found);
        resumed.unwrap().then_some(found.parts)
    }

    /// Gives bytes, or some of them until the work is stopped.
    struct Given<'a>(&'a [u8]);

    impl Source for Given<'_> {
        fn next(&mut self, length: usize) -> Result<&[u8], Stopped> {
            let Some((next, rest)) = self.0.split_at_checked(length) else {
                return Err(FirstError::none().keep(()));
            };
            self.0 = rest;
            Ok(next)
        }
    }

    fn open(place: &Path) -> TableWriter {
        TableWriter::open(place, (Ruleset::Abapa, Cycles::Split)).unwrap()
    }

    #[test]
    fn what_is_kept_is_resumed_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let mut tables = open(place.path());
        let notes = RefCell::default();
        assert_eq!(resume(&mut tables, &LENGTHS, &notes), None);
        assert!(notes.borrow().is_empty());

        let kept: RefCell<Vec<Checkpoint>> = RefCell::default();
        let note = |note| kept.borrow_mut().push(note);
        let mut checkpoints = of_next(&mut tables, Some(Duration::ZERO), &note);
        assert!(checkpoints.is_due());
        let bytes = bytes().concat();
        let mut keep = |lists: &[u8], bytes| checkpoints.write(lists, &LENGTHS, &mut Given(bytes));
        keep(b"others", &bytes).unwrap();
        keep(LISTS, &bytes).unwrap();
        // The one before stays.
        keep(b"others", &bytes[..PIECE + 12]).unwrap_err();
        assert!(matches!(
            kept.borrow()[..],
            [Checkpoint::Written, Checkpoint::Written]
        ));
        assert!(resume(&mut tables, &LENGTHS, &notes) == Some(bytes));
        assert!(matches!(notes.take()[..], [Checkpoint::Resumed]));

        let path = place.path().join(checkpoint_name(0));
        let good = fs::read(&path).unwrap();
        let mut refused = |bytes: &[u8], lengths: &[usize]| {
            fs::write(&path, bytes).unwrap();
            assert!(resume(&mut tables, lengths, &notes).is_none());
            assert!(matches!(
                notes.take()[..],
                [Checkpoint::Refused(TableError::Damaged { .. })]
            ));
        };
        for lengths in [&LENGTHS[..1], &[PIECE + 9, 3], &[PIECE + 10, 3, 0]] {
            refused(&good, lengths);
        }
        let step = good.len() / 300;
        for place in (0..200).chain((200..good.len()).step_by(step)) {
            let mut damaged = good.clone();
            damaged[place] ^= 1 << (place % 8);
            refused(&damaged, &LENGTHS);
            refused(&good[..place], &LENGTHS);
        }
        refused(&[&good[..], &[0]].concat(), &LENGTHS);
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
        let keep = |tables: &mut TableWriter| {
            let mut checkpoints = of_next(tables, Some(Duration::ZERO), &|_| {});
            checkpoints.write(LISTS, &[], &mut Given(&[])).unwrap();
        };
        let is_there = |seeds| place.path().join(checkpoint_name(seeds)).exists();
        keep(&mut tables);
        assert!(is_there(0));
        let empty = granero_game::Measured::Value(vec![0]);
        tables.add_layer(&empty).unwrap();
        assert!(!is_there(0));
        // One of a finished layer, and one of the next.
        fs::write(place.path().join(checkpoint_name(0)), "").unwrap();
        keep(&mut tables);
        drop(tables);
        drop(open(place.path()));
        assert!(!is_there(0));
        assert!(is_there(1));
    }
}

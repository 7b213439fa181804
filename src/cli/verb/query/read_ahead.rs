//! Reads ahead while earlier lines are answered.

use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread;

use granero_answer::batch::LineBuffer;

/// The bytes that are read at a time: the size of a pipe.
const AT_A_TIME: usize = 1 << 16;

/// The lines of an input that a thread reads.
pub(super) struct ReadAhead {
    /// Ends behind an error.
    pieces: Receiver<io::Result<Vec<u8>>>,
    lines: LineBuffer,
    /// The bytes of a chunk.
    most: usize,
    /// True if each chunk waits until it is full: for files. Typed lines get answers at once.
    patient: bool,
    /// The error behind the lines that were returned.
    failed: Option<io::Error>,
}

impl ReadAhead {
    /// Reads about `most` bytes ahead.
    pub(super) fn new(
        mut input: impl Read + Send + 'static,
        most: usize,
        patient: bool,
    ) -> io::Result<ReadAhead> {
        let (sender, pieces) = sync_channel(most / AT_A_TIME);
        thread::Builder::new().spawn(move || {
            let mut piece = vec![0; AT_A_TIME];
            loop {
                let read = match input.read(&mut piece) {
                    Ok(0) => break,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    read => read.map(|length| piece[..length].to_vec()),
                };
                let has_failed = read.is_err();
                if sender.send(read).is_err() || has_failed {
                    break;
                }
            }
        })?;
        Ok(ReadAhead {
            pieces,
            lines: LineBuffer::default(),
            most,
            patient,
            failed: None,
        })
    }

    /// Returns the next lines, each with its end, which the last line may lack; `None` at the end.
    pub(super) fn next_chunk(&mut self) -> io::Result<Option<Vec<u8>>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let mut at_end = false;
        while !at_end && !self.lines.is_full(self.most) {
            let piece = if self.patient || !self.lines.has_line() {
                self.pieces.recv().map_err(TryRecvError::from)
            } else {
                self.pieces.try_recv()
            };
            match piece {
                Ok(Ok(piece)) => self.lines.push(&piece),
                Ok(Err(error)) if !self.lines.has_line() => return Err(error),
                Ok(Err(error)) => {
                    self.failed = Some(error);
                    break;
                }
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => at_end = true,
            }
        }
        let lines = self.lines.take(at_end);
        Ok(Some(lines).filter(|lines| !lines.is_empty()))
    }
}

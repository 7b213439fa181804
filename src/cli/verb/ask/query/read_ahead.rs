//! Reads ahead from a pipe while earlier lines are answered.

use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// The bytes that are read at a time: the size of a pipe.
const AT_A_TIME: usize = 1 << 16;

/// An input that a thread reads. A call to `read` waits only if nothing has arrived, and returns all that has
/// arrived and fits.
pub(super) struct ReadAhead {
    /// Ends behind an error.
    pieces: Receiver<io::Result<Vec<u8>>>,
    /// The piece in use, of which this number of bytes were read.
    piece: Vec<u8>,
    used: usize,
    error: Option<io::Error>,
}

impl ReadAhead {
    /// Reads about `most` bytes ahead.
    pub(super) fn new(mut input: impl Read + Send + 'static, most: usize) -> io::Result<ReadAhead> {
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
            piece: Vec::new(),
            used: 0,
            error: None,
        })
    }
}

impl Read for ReadAhead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let mut filled = 0;
        while filled < buffer.len() {
            if self.used == self.piece.len() {
                let next = match filled {
                    0 => self.pieces.recv().ok(),
                    _ => self.pieces.try_recv().ok(),
                };
                match next {
                    None => break,
                    Some(Ok(piece)) => (self.piece, self.used) = (piece, 0),
                    Some(Err(error)) if filled == 0 => return Err(error),
                    Some(Err(error)) => {
                        self.error = Some(error);
                        break;
                    }
                }
            }
            let read = (&self.piece[self.used..]).read(&mut buffer[filled..])?;
            self.used += read;
            filled += read;
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Gives a few bytes at a time, and then an error.
    struct Failing(Vec<u8>);

    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Err(io::Error::other("the end of the tape"));
            }
            let length = buffer.len().min(self.0.len()).min(7);
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0.drain(..length);
            Ok(length)
        }
    }

    #[test]
    fn all_that_comes_is_read_in_order_and_then_the_error() {
        let sent: Vec<u8> = (0..=255).cycle().take(10_000).collect();
        let mut ahead = ReadAhead::new(Failing(sent.clone()), 100).unwrap();
        let (mut got, mut buffer) = (Vec::new(), [0; 33]);
        let error = loop {
            match ahead.read(&mut buffer) {
                Ok(length) => got.extend_from_slice(&buffer[..length]),
                Err(error) => break error,
            }
        };
        assert_eq!(got, sent);
        assert_eq!(error.to_string(), "the end of the tape");
        assert_eq!(ahead.read(&mut buffer).unwrap(), 0);
    }

    /// Counts the bytes that are read.
    struct Endless(Arc<AtomicUsize>);

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.fetch_add(buffer.len(), Ordering::Relaxed);
            Ok(buffer.len())
        }
    }

    #[test]
    fn endless_input_takes_bounded_memory() {
        let count = Arc::new(AtomicUsize::new(0));
        let mut ahead = ReadAhead::new(Endless(Arc::clone(&count)), 4 * AT_A_TIME).unwrap();
        let (mut buffer, mut used) = ([0; 5000], 0);
        for _ in 0..100 {
            used += ahead.read(&mut buffer).unwrap();
            let ahead = count.load(Ordering::Relaxed) - used;
            assert!(ahead <= 7 * AT_A_TIME, "{ahead}");
        }
    }
}

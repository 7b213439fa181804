//! Reads ahead from a pipe while earlier lines are answered.

use std::io::{self, ErrorKind, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The bytes that are read at a time: the size of a pipe.
const AT_A_TIME: usize = 1 << 16;

/// An input that a thread reads. A call to `read` waits only if nothing has come, and returns all that has come.
pub(super) struct Ahead {
    shared: Arc<Shared>,
}

struct Shared {
    come: Mutex<Come>,
    changed: Condvar,
    most: usize,
}

#[derive(Default)]
struct Come {
    bytes: Vec<u8>,
    /// True if no more will come: at the end, or after an error.
    ended: bool,
    error: Option<io::Error>,
    /// True if the reader is gone.
    left: bool,
}

impl Ahead {
    /// Reads up to `most` bytes ahead.
    pub(super) fn new(mut input: impl Read + Send + 'static, most: usize) -> io::Result<Ahead> {
        let shared = Arc::new(Shared {
            come: Mutex::default(),
            changed: Condvar::new(),
            most,
        });
        let reader = Arc::clone(&shared);
        thread::Builder::new().spawn(move || {
            let mut piece = vec![0; AT_A_TIME.min(most)];
            loop {
                let read = match input.read(&mut piece) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    read => read,
                };
                if !reader.put(read.map(|length| &piece[..length])) {
                    break;
                }
            }
        })?;
        Ok(Ahead { shared })
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Come> {
        // No thread panics while it holds the lock; even then, the state would be whole.
        self.come.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, come: MutexGuard<'a, Come>) -> MutexGuard<'a, Come> {
        let waited = self.changed.wait(come);
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes bytes as soon as there is room; returns true if more should be read.
    fn put(&self, read: io::Result<&[u8]>) -> bool {
        let mut come = self.lock();
        match read {
            Ok(bytes) => {
                while !come.left
                    && !come.bytes.is_empty()
                    && come.bytes.len() + bytes.len() > self.most
                {
                    come = self.wait(come);
                }
                come.bytes.extend_from_slice(bytes);
                come.ended = bytes.is_empty();
            }
            Err(error) => {
                come.error = Some(error);
                come.ended = true;
            }
        }
        self.changed.notify_all();
        !come.ended && !come.left
    }
}

impl Read for Ahead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut come = self.shared.lock();
        while come.bytes.is_empty() && !come.ended {
            come = self.shared.wait(come);
        }
        if come.bytes.is_empty() {
            return come.error.take().map_or(Ok(0), Err);
        }
        let length = buffer.len().min(come.bytes.len());
        buffer[..length].copy_from_slice(&come.bytes[..length]);
        come.bytes.drain(..length);
        self.shared.changed.notify_all();
        Ok(length)
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.shared.lock().left = true;
        self.shared.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut ahead = Ahead::new(Failing(sent.clone()), 100).unwrap();
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

    #[test]
    fn endless_input_takes_bounded_memory() {
        let mut ahead = Ahead::new(io::repeat(7), 1000).unwrap();
        let mut buffer = [0; 5000];
        for _ in 0..100 {
            let length = ahead.read(&mut buffer).unwrap();
            assert!((1..=1000).contains(&length));
            assert!(buffer[..length].iter().all(|&byte| byte == 7));
        }
    }
}

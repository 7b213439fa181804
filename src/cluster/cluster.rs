//! A process among others: the bytes that it sends them and takes from them.
//!
//! All processes go through the same steps in the same order, and the bytes from one to another arrive as they were
//! sent. So nothing says to which step they belong.

use std::error::Error;
use std::fmt;
use std::iter;
use std::time::{Duration, Instant};

use zerocopy::IntoBytes;

use crate::carrier::{Carrier, ClusterError, bad};
use granero_solver::tuning::Tuning;

/// The bytes with which a message is full.
pub(crate) const MESSAGE: usize = 32 << 10;

/// The most messages from one process to another that the other one has not begun to take.
pub(crate) const UNDER_WAY: usize = 4;

/// Gets a process, and the time for which it has been waited for.
type Tell = Box<dyn FnMut(usize, Duration) + Send>;

/// A process among others, with which it builds tables.
pub struct Cluster {
    carrier: Box<dyn Carrier>,
    /// The bytes with which a message of changes is full. If it is small, as in tests, processes wait for each other all
    /// the time.
    pub(crate) message: usize,
    /// The sizes in which this process divides its work.
    pub(crate) tuning: Tuning,
    /// By process: bytes that are not sent yet.
    written: Vec<Vec<u8>>,
    /// By process: the message that is being read, and the length that was read of it.
    read: Vec<(Vec<u8>, usize)>,
    /// The time to wait before someone is told, and who is told.
    silence: Option<(Duration, Tell)>,
    /// The bytes that this process has sent; after a build, those of all.
    sent: u64,
}

/// The counts that are added up at a time.
const AT_ONCE: usize = 1 << 16;

/// The exchange with another process.
#[derive(Default)]
struct With {
    /// A message that is not sent yet.
    message: Option<Vec<u8>>,
    /// The last message was made.
    has_ended: bool,
    /// The last message has arrived.
    has_come: bool,
}

/// Waiting without any sign of the others.
#[derive(Default)]
struct Wait {
    looks: u32,
    pause: Duration,
    since: Option<Instant>,
    /// When someone is told.
    next: Duration,
}

impl Wait {
    /// The most time between two messages about the same wait.
    const RARELY: Duration = Duration::from_secs(60 * 60);

    /// Waits until something may have arrived, each time a little longer: a quarter of the pause before. So waiting takes
    /// hardly any processor time, and not much longer than it must.
    fn wait(&mut self) {
        const SHORTEST: Duration = Duration::from_micros(100);
        const LONGEST: Duration = Duration::from_millis(5);
        self.looks += 1;
        if self.looks == 1 {
            std::thread::yield_now();
        } else {
            self.pause = (self.pause * 5 / 4).clamp(SHORTEST, LONGEST);
            std::thread::sleep(self.pause);
        }
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster")
            .field("process", &self.process())
            .field("processes", &self.processes())
            .finish_non_exhaustive()
    }
}

impl Cluster {
    /// Joins the other processes that `carrier` reaches.
    pub fn new(carrier: impl Carrier + 'static) -> Cluster {
        Cluster::with(carrier, MESSAGE, Tuning::USUAL)
    }

    /// Like [`new`](Cluster::new), with messages of another size, and work that is divided in another way.
    pub(crate) fn with(carrier: impl Carrier + 'static, message: usize, tuning: Tuning) -> Cluster {
        let processes = carrier.processes();
        Cluster {
            carrier: Box::new(carrier),
            message,
            tuning,
            written: vec![Vec::new(); processes],
            read: vec![(Vec::new(), 0); processes],
            silence: None,
            sent: 0,
        }
    }

    /// The number of this process.
    pub fn process(&self) -> usize {
        self.carrier.process()
    }

    /// The number of processes.
    pub fn processes(&self) -> usize {
        self.carrier.processes()
    }

    /// The bytes that all processes have sent each other, after a build.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Adds up what all have sent.
    pub(crate) fn add_up_sent(&mut self) -> Result<(), ClusterError> {
        self.sent = self.swap(self.sent, &mut |_, _| false, &mut |_, _| Some(()))?;
        Ok(())
    }

    /// Calls `tell` after `after` of waiting for other processes without a sign of them, then at doubling intervals of at
    /// most an hour: with each such process and the time. The wait goes on, because the other process may have been
    /// stopped, or have much to do.
    pub fn on_silence(
        &mut self,
        after: Duration,
        tell: impl FnMut(usize, Duration) + Send + 'static,
    ) {
        self.silence = Some((after.max(Duration::from_millis(1)), Box::new(tell)));
    }

    /// Tells the others that this process fails and why, if the carrier has a way. Returns the error of a
    /// process that has failed before, if one is known.
    pub(crate) fn fail(&mut self, error: &(dyn Error + 'static)) -> Option<ClusterError> {
        self.carrier.fail(&with_causes(error))
    }

    pub(crate) fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let process = self.process();
        (0..self.processes()).filter(move |&other| other != process)
    }

    /// Waits for processes, and tells of it if it takes long.
    fn wait(&mut self, wait: &mut Wait, others: impl IntoIterator<Item = usize>) {
        wait.wait();
        let Some((after, tell)) = &mut self.silence else {
            return;
        };
        let waited = wait.since.get_or_insert_with(Instant::now).elapsed();
        if waited >= wait.next.max(*after) {
            wait.next = (2 * waited).min(waited + Wait::RARELY);
            others.into_iter().for_each(|other| tell(other, waited));
        }
    }

    /// Begins to send a message, or gives it back.
    fn try_send(&mut self, to: usize, message: Vec<u8>) -> Result<Option<Vec<u8>>, ClusterError> {
        let length = message.len() as u64;
        let back = self.carrier.send(to, message)?;
        if back.is_none() {
            self.sent += length;
        }
        Ok(back)
    }

    /// Sends the bytes for a process, and waits until that has begun.
    fn send(&mut self, to: usize) -> Result<(), ClusterError> {
        let (mut message, mut wait) = (std::mem::take(&mut self.written[to]), Wait::default());
        while let Some(back) = self.try_send(to, message)? {
            message = back;
            self.wait(&mut wait, [to]);
        }
        Ok(())
    }

    /// Adds bytes for a process, and sends what fills a message.
    pub(crate) fn write(&mut self, to: usize, bytes: &[u8]) -> Result<(), ClusterError> {
        for piece in bytes.chunks(MESSAGE) {
            self.written[to].extend_from_slice(piece);
            if self.written[to].len() >= MESSAGE {
                self.send(to)?;
            }
        }
        Ok(())
    }

    /// Adds bytes for each other process.
    pub(crate) fn write_to_all(&mut self, bytes: &[u8]) -> Result<(), ClusterError> {
        let mut others = self.others();
        others.try_for_each(|other| self.write(other, bytes))
    }

    /// Sends the rest of what was written.
    pub(crate) fn flush(&mut self) -> Result<(), ClusterError> {
        for other in self.others() {
            if !self.written[other].is_empty() {
                self.send(other)?;
            }
        }
        Ok(())
    }

    /// Reads the next bytes that a process has written, and waits for them.
    pub(crate) fn read(&mut self, from: usize, mut bytes: &mut [u8]) -> Result<(), ClusterError> {
        let mut wait = Wait::default();
        while !bytes.is_empty() {
            let (message, read) = &mut self.read[from];
            if *read < message.len() {
                let rest = &message[*read..];
                let (now, later) = bytes.split_at_mut(rest.len().min(bytes.len()));
                now.copy_from_slice(&rest[..now.len()]);
                *read += now.len();
                bytes = later;
            } else if let Some(message) = self.carrier.receive(from)? {
                self.read[from] = (message, 0);
                wait = Wait::default();
            } else {
                self.wait(&mut wait, [from]);
            }
        }
        Ok(())
    }

    pub(crate) fn read_number(&mut self, from: usize) -> Result<u32, ClusterError> {
        let mut number = [0; 4];
        self.read(from, &mut number)?;
        Ok(u32::from_le_bytes(number))
    }

    /// Adds bytes that [`read_all`](Cluster::read_all) reads.
    fn write_all(&mut self, to: usize, bytes: &[u8]) -> Result<(), ClusterError> {
        self.write(to, &(bytes.len() as u32).to_le_bytes())?;
        self.write(to, bytes)
    }

    fn read_all(&mut self, from: usize) -> Result<Vec<u8>, ClusterError> {
        let length = self.read_number(from)? as usize;
        let mut bytes = Vec::new();
        while bytes.len() < length {
            let begin = bytes.len();
            bytes.resize(length.min(begin + MESSAGE), 0);
            self.read(from, &mut bytes[begin..])?;
        }
        Ok(bytes)
    }

    /// Sends messages to all others and takes theirs, as all processes do at the same time. Returns the sum of the
    /// `count`s of all.
    ///
    /// * `next` adds a few bytes for a process to a message, or tells that there are no more.
    /// * `take` gets the messages, with the process that has sent them. It returns `None` if they are impossible.
    pub(crate) fn swap(
        &mut self,
        count: u64,
        next: &mut dyn FnMut(usize, &mut Vec<u8>) -> bool,
        take: &mut dyn FnMut(usize, &[u8]) -> Option<()>,
    ) -> Result<u64, ClusterError> {
        let mut left: Vec<(usize, With)> = self
            .others()
            .map(|other| (other, With::default()))
            .collect();
        if let Some(from) = self.read.iter().position(|(all, read)| *read < all.len()) {
            return Err(bad(from, "has more than was expected"));
        }
        let (mut sum, mut wait) = (count, Wait::default());
        while !left.is_empty() {
            let mut any = false;
            for (other, with) in &mut left {
                while with.message.is_some() || !with.has_ended {
                    let message = with.message.take().unwrap_or_else(|| {
                        let mut message = Vec::new();
                        while message.len() < self.message && !with.has_ended {
                            with.has_ended = !next(*other, &mut message);
                        }
                        if with.has_ended {
                            message.extend(count.to_le_bytes());
                        }
                        message.push(with.has_ended.into());
                        message
                    });
                    with.message = self.try_send(*other, message)?;
                    if with.message.is_some() {
                        break;
                    }
                    any = true;
                }
                while !with.has_come {
                    let Some(message) = self.carrier.receive(*other)? else {
                        break;
                    };
                    any = true;
                    let mut body = &message[..];
                    with.has_come = body.split_off_last() == Some(&1);
                    let mut made = Some(0);
                    if with.has_come {
                        let count = body.split_last_chunk();
                        made = count.map(|(_, count)| u64::from_le_bytes(*count));
                        body = count.map_or(body, |(rest, _)| rest);
                    }
                    let made = made.filter(|_| take(*other, body).is_some());
                    sum += made.ok_or(bad(*other, "has changes that the layer cannot have"))?;
                }
            }
            left.retain(|(_, with)| with.message.is_some() || !with.has_ended || !with.has_come);
            if any {
                wait = Wait::default();
            } else {
                self.wait(&mut wait, left.iter().map(|(other, _)| *other));
            }
        }
        Ok(sum)
    }

    /// Gets the bytes of all processes, as all do.
    fn all(&mut self, own: &[u8]) -> Result<Vec<Vec<u8>>, ClusterError> {
        let mut all = vec![Vec::new(); self.processes()];
        all[self.process()].extend(own);
        let mut left = vec![own.chunks(MESSAGE); all.len()];
        let mut next = |to: usize, message: &mut Vec<u8>| {
            let piece = left[to].next();
            message.extend(piece.into_iter().flatten());
            piece.is_some()
        };
        self.swap(0, &mut next, &mut |from, bytes| {
            all[from].extend(bytes);
            Some(())
        })?;
        Ok(all)
    }

    /// Compares what all processes are about to do.
    pub(crate) fn agree_on(&mut self, what: &str) -> Result<(), ClusterError> {
        let all = self.all(what.as_bytes())?;
        let text = |process: usize| String::from_utf8_lossy(&all[process]).into_owned();
        match all.iter().position(|other| *other != all[0]) {
            None => Ok(()),
            Some(process) => Err(ClusterError::Different {
                process,
                other: text(process),
                first: text(0),
            }),
        }
    }

    /// Gives each process the bytes of process 0.
    pub(crate) fn spread(&mut self, bytes: Vec<u8>) -> Result<Vec<u8>, ClusterError> {
        if self.process() > 0 {
            return self.read_all(0);
        }
        let mut others = self.others();
        others.try_for_each(|other| self.write_all(other, &bytes))?;
        self.flush()?;
        Ok(bytes)
    }

    /// Adds up counts of all processes, of which most are 0; each gets the sums. A sum that is too large becomes the
    /// largest number.
    pub(crate) fn add_up(&mut self, counts: &mut [u32]) -> Result<(), ClusterError> {
        for piece in counts.chunks_mut(AT_ONCE) {
            if self.process() > 0 {
                self.write_all(0, &compressed(piece)?)?;
                self.flush()?;
                self.read_counts(0, piece)?;
                continue;
            }
            let mut more = vec![0; piece.len()];
            for other in self.others() {
                self.read_counts(other, &mut more)?;
                for (sum, more) in piece.iter_mut().zip(&more) {
                    *sum = sum.saturating_add(*more);
                }
            }
            self.spread(compressed(piece)?)?;
        }
        Ok(())
    }

    fn read_counts(&mut self, from: usize, counts: &mut [u32]) -> Result<(), ClusterError> {
        let bytes = self.read_all(from)?;
        let length = zstd::bulk::decompress_to_buffer(&bytes, counts.as_mut_bytes());
        match length {
            Ok(length) if length == size_of_val(counts) => Ok(()),
            _ => Err(bad(from, "has damaged counts")),
        }
    }
}

fn compressed(counts: &[u32]) -> Result<Vec<u8>, ClusterError> {
    let compressed = zstd::bulk::compress(counts.as_bytes(), 1);
    compressed.map_err(|error| ClusterError::Carrier(error.into()))
}

/// An error with its causes.
pub(crate) fn with_causes(error: &(dyn Error + 'static)) -> String {
    let errors = iter::successors(Some(error), |&error| error.source());
    let messages: Vec<String> = errors.map(ToString::to_string).collect();
    messages.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::channels;

    /// What a process says of bytes of another one.
    fn said<T: std::fmt::Debug>(
        sent: &[u8],
        take: impl FnOnce(&mut Cluster) -> Result<T, ClusterError>,
    ) -> String {
        let [mut first, second] = channels(2).try_into().unwrap();
        first.send(1, sent.to_vec()).unwrap();
        let taken = take(&mut Cluster::new(second));
        taken.unwrap_err().to_string()
    }

    #[test]
    fn messages_that_are_not_what_was_expected_are_refused() {
        let says = |what: &str| format!("a message from process 0 {what}");
        for sent in [&b""[..], b"\x01", b"1234567\x01", b"impossible\x00"] {
            assert_eq!(
                said(sent, |cluster| {
                    cluster.swap(0, &mut |_, _| false, &mut |_, _| None)
                }),
                says("has changes that the layer cannot have")
            );
        }
        assert_eq!(
            said(b"\x02\0\0\0ab!", |cluster| {
                cluster.spread(Vec::new())?;
                cluster.agree_on("this")
            }),
            says("has more than was expected")
        );
        assert_eq!(
            said(b"\x02\0\0\0ab", |cluster| cluster.add_up(&mut [7, 8])),
            says("has damaged counts")
        );
        for length in [0, 1, 3, 1000] {
            let counts = compressed(&vec![9; length]).unwrap();
            let sent = [&(counts.len() as u32).to_le_bytes(), &counts[..]].concat();
            assert_eq!(
                said(&sent, |cluster| cluster.add_up(&mut [7, 8])),
                says("has damaged counts")
            );
        }
    }

    #[test]
    fn processes_add_up_counts() {
        let counts = |process: u32| -> Vec<u32> {
            let of = |at: u32| match at % 1000 {
                0 => at + process,
                1 => u32::MAX - process,
                _ => 0,
            };
            (0..2 * AT_ONCE as u32 + 3).map(of).collect()
        };
        let mut expected = counts(0);
        for more in [counts(1), counts(2)] {
            let sums = expected.iter_mut().zip(more);
            sums.for_each(|(sum, more)| *sum = sum.saturating_add(more));
        }
        std::thread::scope(|scope| {
            for (process, carrier) in (0..).zip(channels(3)) {
                let expected = &expected;
                scope.spawn(move || {
                    let mut found = counts(process);
                    Cluster::new(carrier).add_up(&mut found).unwrap();
                    assert!(found == *expected);
                });
            }
        });
    }
}

//! The steps that all processes go through together, and the messages that belong to each.

use std::error::Error;
use std::fmt;
use std::iter;
use std::time::Duration;

use super::carrier::{Carrier, ClusterError, bad};
use super::message::{MESSAGE, Message, Purpose, Sizes};
use super::silence::Silence;
use granero_solver::tuning::Tuning;

/// A process among others, with which it builds tables.
pub struct Cluster {
    carrier: Box<dyn Carrier>,
    /// The sizes in which changes are sent.
    pub(crate) sizes: Sizes,
    /// The sizes in which this process divides its work.
    pub(crate) tuning: Tuning,
    /// The seeds of the layer that is being built.
    pub(crate) seeds: u8,
    /// All processes go through the same steps in the same order.
    step: u64,
    /// By process: a message of a later step that has arrived already. What follows it is not taken.
    held: Vec<Option<(u64, Received)>>,
    pub(crate) silence: Silence,
    traffic: Traffic,
}

/// The messages that a process has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// All messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The bytes of messages with changes, and of captures and values, which other processes need.
    pub changes: u64,
}

/// The counts that are added up at a time.
const AT_ONCE: usize = 1 << 16;

/// A message that was taken.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) purpose: Purpose,
    pub(crate) message: Message,
}

/// Waits until something may have arrived.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    looks: u32,
    sleep: Duration,
}

impl Patience {
    /// Waits, each time a little longer: an eighth of the time so far. So waiting takes hardly any
    /// processor time, and hardly longer than it must.
    pub(crate) fn wait(&mut self) {
        const SHORTEST: Duration = Duration::from_micros(50);
        const LONGEST: Duration = Duration::from_millis(5);
        self.looks += 1;
        if self.looks <= 8 {
            std::thread::yield_now();
        } else {
            self.sleep = (self.sleep * 9 / 8).clamp(SHORTEST, LONGEST);
            std::thread::sleep(self.sleep);
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
        Cluster::with(carrier, Sizes::USUAL, Tuning::USUAL)
    }

    /// Like [`new`](Cluster::new), with messages of other sizes, and work that is divided in another way.
    pub(crate) fn with(carrier: impl Carrier + 'static, sizes: Sizes, tuning: Tuning) -> Cluster {
        let processes = carrier.processes();
        Cluster {
            carrier: Box::new(carrier),
            sizes,
            tuning,
            seeds: 0,
            step: 0,
            held: (0..processes).map(|_| None).collect(),
            silence: Silence::new(processes),
            traffic: Traffic::default(),
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

    /// The messages that this process has sent so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Calls `tell` after `after` of waiting for another process without a sign of it, then at doubling
    /// intervals of at most an hour: with that process and the time. The wait goes on, because the other
    /// process may have been stopped, or have much to do.
    pub fn on_silence(
        &mut self,
        after: Duration,
        tell: impl FnMut(usize, Duration) + Send + 'static,
    ) {
        self.silence.tell(after, Box::new(tell));
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

    /// Begins the next step, as all processes do.
    pub(crate) fn begin_step(&mut self) {
        self.step += 1;
        self.silence.is_over();
    }

    /// Begins to send a message of this step. Returns false if that is not possible now; then the
    /// message stays.
    pub(crate) fn try_send(
        &mut self,
        to: usize,
        purpose: Purpose,
        message: &mut Option<Message>,
    ) -> Result<bool, ClusterError> {
        let Some(sent) = message.take() else {
            return Ok(true);
        };
        let bytes = sent.address(purpose, self.seeds, self.step);
        let length = bytes.len() as u64;
        if let Some(back) = self.carrier.send(to, bytes)? {
            let (.., back) = Message::arrived(back, to)?;
            *message = Some(back);
            self.silence.waits_for(to);
            return Ok(false);
        }
        self.silence.sign_of(to);
        self.traffic.messages += 1;
        self.traffic.bytes += length;
        if purpose != Purpose::Bytes {
            self.traffic.changes += length;
        }
        Ok(true)
    }

    /// Sends a message of this step, and waits until that has begun.
    pub(crate) fn send(
        &mut self,
        to: usize,
        purpose: Purpose,
        message: Message,
    ) -> Result<(), ClusterError> {
        let mut message = Some(message);
        let mut patience = Patience::default();
        while !self.try_send(to, purpose, &mut message)? {
            patience.wait();
        }
        Ok(())
    }

    /// The next message of another process, if it has arrived and belongs to this step.
    pub(crate) fn take(&mut self, from: usize) -> Result<Option<Received>, ClusterError> {
        let (step, taken) = match self.held[from].take() {
            Some(held) => held,
            None => {
                let Some(bytes) = self.carrier.receive(from)? else {
                    return Ok(None);
                };
                self.silence.sign_of(from);
                let (purpose, seeds, step, message) = Message::arrived(bytes, from)?;
                if step < self.step {
                    return Err(bad(from, "is of a step that is over"));
                }
                if step == self.step && seeds != u32::from(self.seeds) {
                    return Err(bad(from, "is of another layer"));
                }
                (step, Received { purpose, message })
            }
        };
        if step > self.step {
            self.held[from] = Some((step, taken));
            return Ok(None);
        }
        Ok(Some(taken))
    }

    /// Waits for the next message of another process, which must have this purpose.
    pub(super) fn wait_for(
        &mut self,
        from: usize,
        purpose: Purpose,
    ) -> Result<Message, ClusterError> {
        let mut patience = Patience::default();
        loop {
            match self.take(from)? {
                Some(taken) if taken.purpose == purpose => return Ok(taken.message),
                Some(_) => return Err(bad(from, "is not what was expected")),
                None => {
                    self.silence.waits_for(from);
                    patience.wait();
                }
            }
        }
    }

    /// Sends bytes to another process, in several messages if necessary.
    pub(crate) fn send_bytes(&mut self, to: usize, bytes: &[u8]) -> Result<(), ClusterError> {
        let length = (bytes.len() as u64).to_le_bytes();
        self.send(to, Purpose::Bytes, Message::of(&length))?;
        for piece in bytes.chunks(MESSAGE) {
            self.send(to, Purpose::Bytes, Message::of(piece))?;
        }
        Ok(())
    }

    /// Waits for bytes of another process.
    pub(crate) fn take_bytes(&mut self, from: usize) -> Result<Vec<u8>, ClusterError> {
        let length = self.wait_for(from, Purpose::Bytes)?;
        let length: [u8; 8] = (length.body().try_into()).map_err(|_| bad(from, "has no length"))?;
        let length = u64::from_le_bytes(length);
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < length {
            let piece = self.wait_for(from, Purpose::Bytes)?;
            bytes.extend_from_slice(piece.body());
            if piece.is_empty() || bytes.len() as u64 > length {
                return Err(bad(from, "is not of the length that was announced"));
            }
        }
        Ok(bytes)
    }

    /// Steps in which all processes compare what they are about to do.
    pub(crate) fn agree_on(&mut self, what: &str) -> Result<(), ClusterError> {
        let all = self.gather(what.into())?;
        let different = all.iter().position(|other| other != what.as_bytes());
        let mut verdict = Vec::new();
        if let Some(process) = different {
            verdict.extend((process as u64).to_le_bytes());
            verdict.extend((what.len() as u64).to_le_bytes());
            verdict.extend(what.as_bytes());
            verdict.extend(&all[process]);
        }
        let verdict = self.spread(verdict)?;
        let Some((numbers, texts)) = verdict.split_first_chunk::<16>() else {
            return Ok(());
        };
        let process = u64::from_le_bytes(*numbers.first_chunk().expect("eight bytes"));
        let length = u64::from_le_bytes(*numbers[8..].first_chunk().expect("eight bytes"));
        let (first, other) = texts.split_at(texts.len().min(length as usize));
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Err(ClusterError::Different {
            process: process as usize,
            other: text(other),
            first: text(first),
        })
    }

    /// A step in which each process gets the bytes that process 0 gives.
    pub(crate) fn spread(&mut self, bytes: Vec<u8>) -> Result<Vec<u8>, ClusterError> {
        self.begin_step();
        if self.process() > 0 {
            return self.take_bytes(0);
        }
        for other in self.others() {
            self.send_bytes(other, &bytes)?;
        }
        Ok(bytes)
    }

    /// A step in which process 0 gets the bytes of each process, by process; the others get nothing.
    pub(crate) fn gather(&mut self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, ClusterError> {
        self.begin_step();
        if self.process() > 0 {
            self.send_bytes(0, &bytes)?;
            return Ok(Vec::new());
        }
        let mut all = vec![bytes];
        for other in self.others() {
            all.push(self.take_bytes(other)?);
        }
        Ok(all)
    }

    /// Steps in which all processes add up their numbers; each gets the sums.
    pub(crate) fn sum(&mut self, numbers: Vec<u64>) -> Result<Vec<u64>, ClusterError> {
        let mut sums = numbers;
        self.begin_step();
        if self.process() > 0 {
            self.send_bytes(0, &to_bytes(&sums))?;
        } else {
            // One after the other, because the numbers may be many.
            for other in self.others() {
                let more = from_bytes(&self.take_bytes(other)?, sums.len(), other)?;
                for (sum, more) in sums.iter_mut().zip(more) {
                    *sum = sum.wrapping_add(more);
                }
            }
        }
        let length = sums.len();
        let bytes = self.spread(to_bytes(&sums))?;
        from_bytes(&bytes, length, 0)
    }

    /// Steps in which process 0 adds up the counts of all processes, which may be very many; the counts of
    /// the others stay. A sum that is too large becomes the largest number.
    pub(crate) fn add_up(&mut self, counts: &mut [u32]) -> Result<(), ClusterError> {
        for piece in counts.chunks_mut(AT_ONCE) {
            self.begin_step();
            if self.process() > 0 {
                self.send_bytes(0, &shorten(piece))?;
                continue;
            }
            for other in self.others() {
                let more = lengthen(&self.take_bytes(other)?, piece.len(), other)?;
                for (sum, more) in piece.iter_mut().zip(more) {
                    *sum = sum.saturating_add(more);
                }
            }
        }
        Ok(())
    }
}

pub(crate) fn with_causes(error: &(dyn Error + 'static)) -> String {
    let errors = iter::successors(Some(error), |&error| error.source());
    let messages: Vec<String> = errors.map(ToString::to_string).collect();
    messages.join(": ")
}

/// Writes counts, of which most are small and many are 0, with 7 bits a byte, low bits first. After a 0
/// follows the number of further zeros, in the same way.
fn shorten(counts: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for same in counts.chunk_by(|a, b| (a, b) == (&0, &0)) {
        write_number(&mut bytes, same[0]);
        if same[0] == 0 {
            write_number(&mut bytes, same.len() as u32 - 1);
        }
    }
    bytes
}

/// Reads `count` counts that [`shorten`] has written.
fn lengthen(mut bytes: &[u8], count: usize, from: usize) -> Result<Vec<u32>, ClusterError> {
    let bad = || bad(from, "has damaged counts");
    let mut next = || {
        let (number, rest) = read_number(bytes)?;
        bytes = rest;
        Some(number)
    };
    let mut counts = Vec::with_capacity(count);
    while counts.len() < count {
        let number = next().ok_or_else(bad)?;
        let more = match number {
            0 => next().ok_or_else(bad)? as usize,
            _ => 0,
        };
        if more >= count - counts.len() {
            return Err(bad());
        }
        counts.resize(counts.len() + 1 + more, number);
    }
    if bytes.is_empty() {
        Ok(counts)
    } else {
        Err(bad())
    }
}

/// Writes a number with 7 bits a byte, low bits first.
fn write_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a number; returns it and the bytes behind it.
fn read_number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let mut number = 0;
    for (place, &byte) in bytes.iter().take(5).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            return Some((u32::try_from(number).ok()?, &bytes[place + 1..]));
        }
    }
    None
}

fn to_bytes(numbers: &[u64]) -> Vec<u8> {
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
    bytes.collect()
}

/// Reads `count` numbers of a message.
fn from_bytes(bytes: &[u8], count: usize, from: usize) -> Result<Vec<u64>, ClusterError> {
    match bytes.as_chunks() {
        (numbers, []) if numbers.len() == count => Ok(numbers
            .iter()
            .map(|&number| u64::from_le_bytes(number))
            .collect()),
        _ => Err(bad(from, "has more or fewer numbers than expected")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_they_were_written_and_others_are_refused() {
        let counts = [0, 0, 0, 1, 127, 0, 128, u32::MAX, u32::MAX - 1, 0, 0];
        let bytes = shorten(&counts);
        let read = |bytes: &[u8], count| lengthen(bytes, count, 1).ok();
        assert_eq!(read(&bytes, counts.len()), Some(counts.to_vec()));
        assert_eq!(read(&[], 0), Some(Vec::new()));
        for count in [0, 3, counts.len() - 1, counts.len() + 1] {
            assert_eq!(read(&bytes, count), None, "{count}");
        }
        for length in 0..bytes.len() {
            assert_eq!(read(&bytes[..length], counts.len()), None);
        }
        // A run that is too long, and a number that is too large.
        assert_eq!(read(&[0, 11], counts.len()), None);
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0x10], 1), None);
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0xff, 0], 1), None);
    }
}

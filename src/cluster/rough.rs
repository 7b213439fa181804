//! A carrier for tests, with which things go wrong.

use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::carrier::{Carrier, ClusterError};
use crate::channels::{Channels, channels_for};

/// The ways in which a process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Death {
    /// Nothing can be carried any more.
    Cut,
    /// It ends without a word, as when it is killed.
    Killed,
}

/// Changes a message that arrives.
type Arrives = dyn FnMut(&mut Vec<u8>) + Send;

/// Carries messages like [`channels()`](crate::channels()), but fails when told to.
pub(crate) struct Rough {
    process: usize,
    /// `None` when it was killed.
    channels: Option<Channels>,
    /// Held by all that were not dropped.
    alive: Arc<()>,
    /// By other process and direction: the calls since the carrier last acted.
    asked: Vec<[u32; 2]>,
    /// Test hook: this acts only each time it was asked so often.
    pub(crate) slow: u32,
    /// The number of messages that this carries until the process ends.
    pub(crate) death: Option<(u64, Death)>,
    /// Called with each message that arrives.
    pub(crate) arrives: Box<Arrives>,
    /// The number of messages that were sent or received.
    pub(crate) carried: Arc<AtomicU64>,
    /// The number of times that a message could not be sent at once.
    pub(crate) held_up: Arc<AtomicU64>,
}

/// Returns carriers between processes, which fail only when told to.
pub(crate) fn rough(processes: usize, under_way: usize) -> Vec<Rough> {
    let alive = Arc::new(());
    let all = channels_for(processes, under_way).into_iter();
    let rough = all.map(|channels| Rough {
        alive: alive.clone(),
        process: channels.process(),
        channels: Some(channels),
        asked: vec![[0; 2]; processes],
        slow: 1,
        death: None,
        arrives: Box::new(|_| ()),
        carried: Arc::default(),
        held_up: Arc::default(),
    });
    rough.collect()
}

impl Rough {
    fn channels(&mut self) -> &mut Channels {
        self.channels
            .as_mut()
            .expect("a process that was not killed")
    }

    /// Drops nothing until the others have ended, as when a process is killed.
    fn be_killed(&mut self) -> ! {
        self.channels = None;
        while Arc::strong_count(&self.alive) > 1 {
            thread::sleep(Duration::from_millis(1));
        }
        // Without the message of a panic.
        panic::resume_unwind(Box::new("killed"))
    }

    /// Returns whether the carrier acts this time.
    fn is_ready(&mut self, other: usize, direction: usize) -> Result<bool, ClusterError> {
        if let Some((messages, death)) = self.death
            && self.carried.load(Ordering::Relaxed) >= messages
        {
            match death {
                Death::Cut => return Err(ClusterError::Carrier("the cable is cut".into())),
                Death::Killed => self.be_killed(),
            }
        }
        let asked = &mut self.asked[other][direction];
        *asked = (*asked + 1) % self.slow;
        Ok(*asked == 0)
    }
}

impl Carrier for Rough {
    fn process(&self) -> usize {
        self.process
    }

    fn processes(&self) -> usize {
        self.asked.len()
    }

    fn send(&mut self, to: usize, message: Vec<u8>) -> Result<Option<Vec<u8>>, ClusterError> {
        let back = if self.is_ready(to, 0)? {
            self.channels().send(to, message)?
        } else {
            Some(message)
        };
        match &back {
            None => self.carried.fetch_add(1, Ordering::Relaxed),
            Some(_) => self.held_up.fetch_add(1, Ordering::Relaxed),
        };
        Ok(back)
    }

    fn receive(&mut self, from: usize) -> Result<Option<Vec<u8>>, ClusterError> {
        let mut arrived = if self.is_ready(from, 1)? {
            self.channels().receive(from)?
        } else {
            None
        };
        if let Some(message) = &mut arrived {
            self.carried.fetch_add(1, Ordering::Relaxed);
            (self.arrives)(message);
        }
        Ok(arrived)
    }

    fn fail(&mut self, why: &str) -> Option<ClusterError> {
        self.channels().fail(why)
    }
}

//! The layout of messages: plain bytes, little-endian.
//!
//! ```text
//! magic      "gp"
//! version    u8
//! purpose    u8
//! seeds      u32    the layer
//! step       u64
//! length     u32    the bytes that follow
//! ```

use super::carrier::{ClusterError, bad};

/// The bytes with which a message is full. Its last part may end behind these.
pub(crate) const MESSAGE: usize = 32 << 10;

/// The most bytes of a message: room for a part that ends behind [`MESSAGE`].
const MOST: usize = 2 * MESSAGE;

/// Sizes in which changes are sent. With small sizes, as in tests, processes wait for each other all the time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// The bytes with which a message of changes is full.
    pub(crate) message: usize,
    /// The most messages from one process to another that the other one has not begun to take.
    pub(crate) under_way: usize,
}

impl Sizes {
    /// The sizes outside tests.
    pub(crate) const USUAL: Sizes = Sizes {
        message: MESSAGE,
        under_way: 4,
    };
}

const MAGIC: [u8; 2] = *b"gp";

/// Raise this with every change of what processes send each other.
const VERSION: u8 = 6;

const HEADER: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Changes.
    Changes = 1,
    /// The last changes of a step.
    LastChanges = 2,
    /// A part of bytes that both processes know how to read.
    Bytes = 3,
}

const PURPOSES: [Purpose; 3] = [Purpose::Changes, Purpose::LastChanges, Purpose::Bytes];

/// A message to be filled, or one that was taken.
#[derive(Debug)]
pub(crate) struct Message(Vec<u8>);

impl Message {
    pub(crate) fn new() -> Message {
        Message(vec![0; HEADER])
    }

    pub(crate) fn of(body: &[u8]) -> Message {
        let mut message = Message::new();
        message.0.extend_from_slice(body);
        message
    }

    /// The bytes so far, to be added to.
    pub(crate) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }

    pub(crate) fn body(&self) -> &[u8] {
        &self.0[HEADER..]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.body().is_empty()
    }

    pub(crate) fn has(&self, bytes: usize) -> bool {
        self.0.len() >= bytes
    }

    /// The bytes to send.
    pub(super) fn address(mut self, purpose: Purpose, seeds: u8, step: u64) -> Vec<u8> {
        let length = (self.0.len() - HEADER) as u32;
        let mut header = MAGIC.to_vec();
        header.extend([VERSION, purpose as u8]);
        header.extend(u32::from(seeds).to_le_bytes());
        header.extend(step.to_le_bytes());
        header.extend(length.to_le_bytes());
        self.0[..HEADER].copy_from_slice(&header);
        self.0
    }

    /// A message that has arrived: its purpose, layer and step.
    pub(super) fn arrived(
        bytes: Vec<u8>,
        from: usize,
    ) -> Result<(Purpose, u32, u64, Message), ClusterError> {
        let bad = |what| bad(from, what);
        let header: &[u8; HEADER] = bytes.first_chunk().ok_or(bad("is too short"))?;
        let [m0, m1, version, purpose, rest @ ..] = *header;
        if [m0, m1] != MAGIC {
            return Err(bad("is not one of granero"));
        }
        if version != VERSION {
            return Err(bad("is of another version of granero"));
        }
        let purpose = PURPOSES.into_iter().find(|&known| known as u8 == purpose);
        let purpose = purpose.ok_or(bad("is of an unknown purpose"))?;
        let seeds = u32::from_le_bytes(*rest.first_chunk().expect("four bytes"));
        let step = u64::from_le_bytes(*rest[4..].first_chunk().expect("eight bytes"));
        let length = u32::from_le_bytes(*rest[12..].first_chunk().expect("four bytes"));
        if length as usize != bytes.len() - HEADER || bytes.len() > MOST {
            return Err(bad("has another length than it says"));
        }
        Ok((purpose, seeds, step, Message(bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_is_not_what_was_sent_is_refused() {
        let sent = Message::of(b"body").address(Purpose::Changes, 7, 9);
        let (purpose, seeds, step, message) = Message::arrived(sent.clone(), 3).unwrap();
        assert_eq!((purpose, seeds, step), (Purpose::Changes, 7, 9));
        assert_eq!(message.body(), b"body");
        for length in 0..sent.len() {
            assert!(Message::arrived(sent[..length].to_vec(), 3).is_err());
        }
        for place in [0, 1, 2, 3, 16, 17, 18, 19] {
            let mut bad = sent.clone();
            bad[place] ^= 0x40;
            assert!(Message::arrived(bad, 3).is_err(), "{place}");
        }
    }
}

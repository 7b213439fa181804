//! The other processes that need the news of a row, because they own predecessors.

use crate::owners::Owners;
use granero_solver::graph::{Number, Numbering, OpponentsHalf, links};
use granero_table::index::HalfMoves;
use granero_table::rows::CrossingClass;

/// The other processes that own half-boards which moves turn into some half-board.
#[derive(Debug)]
pub(crate) struct Recipients {
    /// By half-board that a move makes: where its recipients begin. One more at the end.
    starts: Vec<u32>,
    recipients: Vec<Recipient>,
}

/// A process, and the class of a move from one of its half-boards; sorted by process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipient(u32);

impl Recipient {
    #[inline(always)]
    pub(crate) fn process(self) -> usize {
        (self.0 >> 8) as usize
    }

    #[inline(always)]
    pub(crate) fn class(self) -> CrossingClass {
        CrossingClass::of_code(self.0 as u8)
    }
}

impl Recipients {
    pub(crate) fn new(moves: &HalfMoves, numbering: &Numbering, owners: &Owners) -> Recipients {
        let tag = |seeds, number: Number, class: CrossingClass| {
            let owner = owners.owner(seeds, number);
            (owner != owners.process()).then_some((owner as u32) << 8 | u32::from(class.code()))
        };
        let (ends, mut links) = links(moves, numbering, tag);
        let mut starts = vec![0];
        let mut recipients = Vec::new();
        let mut begin = 0;
        for end in ends {
            let links = &mut links[begin as usize..end as usize];
            begin = end;
            links.sort_unstable();
            recipients.extend(links.chunk_by(u32::eq).map(|same| Recipient(same[0])));
            starts.push(recipients.len() as u32);
        }
        recipients.shrink_to_fit();
        Recipients { starts, recipients }
    }

    /// The other processes with half-boards that a move turns into this one.
    #[inline(always)]
    pub(crate) fn of(&self, OpponentsHalf(half): OpponentsHalf) -> &[Recipient] {
        &self.recipients[self.starts[half] as usize..self.starts[half + 1] as usize]
    }
}

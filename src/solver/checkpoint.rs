//! Checkpoints: all that is known of a layer between two thresholds, when no news is under way.

use super::last_resort::LastResortMove;
use super::layout::Layout;
use super::listed::Listed;
use super::numbering::{Numbering, OpponentsHalf};
use crate::index::half;

/// Keeps checkpoints of a layer.
pub(crate) trait Checkpoints {
    /// Whether it is time for one.
    fn is_due(&self) -> bool;

    /// Keeps a checkpoint in place of the one before: some lists, and bytes for each position.
    fn keep(&mut self, lists: &[u8], bytes: &[&[u8]]);

    /// The bytes of the checkpoint that was kept before, if there is one whose bytes have these
    /// lengths, and whose lists `accept` takes.
    fn resume(
        &mut self,
        lengths: &[usize],
        accept: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Option<Vec<Vec<u8>>>;
}

/// Keeps none.
pub(super) struct NoCheckpoints;

impl Checkpoints for NoCheckpoints {
    fn is_due(&self) -> bool {
        false
    }

    fn keep(&mut self, _: &[u8], _: &[&[u8]]) {}

    fn resume(&mut self, _: &[usize], _: &mut dyn FnMut(&[u8]) -> bool) -> Option<Vec<Vec<u8>>> {
        None
    }
}

/// What is known besides the bytes of each position.
#[derive(Debug, Default)]
pub(super) struct Lists {
    pub(super) last_resorts: Vec<LastResortMove>,
    pub(super) listed: Listed,
}

impl Lists {
    /// The lists as bytes, and what is left to do, as the convention for endless play has it.
    pub(super) fn to_bytes(&self, left: &[u8]) -> Vec<u8> {
        let mut numbers = vec![left.len() as u64];
        numbers.extend(left.iter().map(|&left| u64::from(left)));
        numbers.push(self.last_resorts.len() as u64);
        for found in &self.last_resorts {
            numbers.extend([
                found.child_opponents.0 as u64,
                found.child_own.into(),
                found.own_seeds.into(),
                found.own.into(),
                found.opponents.into(),
            ]);
        }
        let listed = self.listed.positions();
        numbers.push(listed.len() as u64);
        for &(place, lost) in listed {
            numbers.extend([place as u64, lost.into()]);
        }
        numbers.into_iter().flat_map(u64::to_le_bytes).collect()
    }

    /// The lists, and what is left to do; `None` if these bytes are not of such a layer.
    pub(super) fn from_bytes(
        bytes: &[u8],
        layout: &Layout,
        numbering: &Numbering,
    ) -> Option<(Vec<u8>, Lists)> {
        let (numbers, []) = bytes.as_chunks() else {
            return None;
        };
        let mut numbers = numbers.iter().map(|&number| u64::from_le_bytes(number));
        let mut left = Vec::new();
        for _ in 0..numbers.next()? {
            left.push(numbers.next()?.try_into().ok()?);
        }
        let mut last_resorts = Vec::new();
        for _ in 0..numbers.next()? {
            last_resorts.push(LastResortMove {
                child_opponents: OpponentsHalf(numbers.next()?.try_into().ok()?),
                child_own: numbers.next()?.try_into().ok()?,
                own_seeds: numbers.next()?.try_into().ok()?,
                own: numbers.next()?.try_into().ok()?,
                opponents: numbers.next()?.try_into().ok()?,
            });
        }
        let mut listed = Vec::new();
        for _ in 0..numbers.next()? {
            listed.push((
                numbers.next()?.try_into().ok()?,
                numbers.next()?.try_into().ok()?,
            ));
        }
        let are_possible = last_resorts.is_sorted()
            && last_resorts
                .iter()
                .all(|found| is_possible(found, layout, numbering))
            && listed.is_sorted()
            && listed.iter().all(|&(place, _)| place < layout.plane_len());
        let lists = Lists {
            last_resorts,
            listed: Listed::new(listed),
        };
        (numbers.next().is_none() && are_possible).then_some((left, lists))
    }
}

/// Whether a layer can have such a move.
fn is_possible(found: &LastResortMove, layout: &Layout, numbering: &Numbering) -> bool {
    let seeds = layout.seeds();
    if found.child_opponents.0 >= numbering.opponents_halves(seeds) || found.own_seeds > seeds {
        return false;
    }
    let (childs_opponents, _) = numbering.seeds_and_number(found.child_opponents);
    found.child_own < half::count(seeds - childs_opponents)
        && found.own < half::count(found.own_seeds)
        && (found.opponents as usize) < layout.row_len(found.own_seeds)
}

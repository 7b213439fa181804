//! Where the children of a row lie.
//!
//! The children of a mover's half-board by one move lie in one row of a matrix, at the columns that the opponents'
//! half-boards have after the crossing. These depend on the class of the move alone, and rise: between two carries
//! they are as far apart as before. So a block of opponents is gathered in a few pieces, each a load at an offset
//! and a mask of those that belong to it.

use std::ops::Range;

use granero_game::rules::Ruleset;
use granero_table::index::{Crossing, half};
use granero_table::rows::quiet_moves;

/// The positions that one instruction works on.
pub(crate) const LANES: usize = 32;
/// The most opponents that are done together.
pub(crate) const CHUNK: usize = 256;
pub(crate) const BLOCKS: usize = CHUNK / LANES;

/// A part of a block of opponents whose children are next to each other.
#[derive(Debug)]
pub(crate) struct Piece {
    /// 255 for those that belong to it and whose move is quiet, else 0.
    pub(crate) mask: [u8; LANES],
    /// The column of the first child of the block, if it belonged to the piece.
    pub(crate) offset: u32,
}

/// The children of a block of opponents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// The first column, if all moves are quiet and all children next to each other, or else [`NONE`].
    plain: u32,
    /// The end of its pieces.
    pub(crate) end: u32,
}

const NONE: u32 = u32::MAX;

/// The children of all opponents' half-boards with some number of seeds by a class of moves.
#[derive(Debug)]
pub(crate) struct Gather {
    blocks: Vec<Block>,
    pub(crate) pieces: Vec<Piece>,
}

impl Gather {
    pub(crate) fn new(ruleset: Ruleset, class: Crossing, seeds: u8) -> Gather {
        let mut children = vec![NONE; half::count(seeds) as usize];
        for (opponents, child) in quiet_moves(ruleset, class, half::all(seeds)) {
            children[opponents as usize] = child.0;
        }
        let (mut blocks, mut pieces) = (Vec::new(), Vec::<Piece>::new());
        for block in children.chunks(LANES) {
            let first = pieces.len();
            for (lane, &child) in block.iter().enumerate() {
                if child == NONE {
                    continue;
                }
                let offset = child - lane as u32;
                let goes_on =
                    pieces.len() > first && pieces.last().is_some_and(|last| last.offset == offset);
                if !goes_on {
                    let mask = [0; LANES];
                    pieces.push(Piece { mask, offset });
                }
                pieces.last_mut().expect("a piece").mask[lane] = u8::MAX;
            }
            let is_plain = pieces[first..]
                .iter()
                .all(|piece| piece.mask == [u8::MAX; LANES]);
            let mut plain = pieces[first..].iter().map(|piece| piece.offset);
            blocks.push(Block {
                plain: plain.next().filter(|_| is_plain).unwrap_or(NONE),
                end: pieces.len() as u32,
            });
        }
        pieces.shrink_to_fit();
        Gather { blocks, pieces }
    }

    /// The child of an opponent's half-board, if the move is quiet.
    #[cfg(test)]
    pub(crate) fn child(&self, opponents: usize) -> Option<u32> {
        let (block, lane) = (opponents / LANES, opponents % LANES);
        let (begin, blocks) = self.of(&(block..block + 1));
        let mut pieces = self.pieces[begin..blocks[0].end as usize].iter();
        let piece = pieces.find(|piece| piece.mask[lane] > 0)?;
        Some(piece.offset + lane as u32)
    }

    /// Some blocks, and their first piece.
    #[inline(always)]
    pub(crate) fn of(&self, blocks: &Range<usize>) -> (usize, &[Block]) {
        let before = blocks.start.checked_sub(1);
        let begin = before.map_or(0, |before| self.blocks[before].end);
        (begin as usize, &self.blocks[blocks.clone()])
    }
}

impl Block {
    /// The first column of the children of a whole chunk, if all moves are quiet and all children next to each other.
    #[inline(always)]
    pub(crate) fn plain(blocks: &[Block]) -> Option<u32> {
        let blocks: &[Block; BLOCKS] = blocks.try_into().ok()?;
        let first = blocks[0].plain;
        let is_next = |(block, at): (&Block, u32)| block.plain == first.wrapping_add(at);
        let is_plain = first != NONE && blocks.iter().zip((0..).step_by(LANES)).all(is_next);
        is_plain.then_some(first)
    }
}

/// By the opponent's seeds, then by class: where the children lie in positions with up to some number of seeds.
pub(crate) fn gathers(ruleset: Ruleset, max_seeds: u8) -> Vec<Vec<Gather>> {
    granero_table::parallel::map(0..=max_seeds, |seeds| {
        Crossing::up_to(max_seeds - seeds)
            .map(|class| Gather::new(ruleset, class, seeds))
            .collect()
    })
}

//! Where the children of a row lie.
//!
//! The children of a mover's half-board by one move lie in one row of a matrix, at the columns that the opponents'
//! half-boards have after the crossing. These depend on the class of the move alone, and rise: between two carries
//! they are as far apart as before. So a block of opponents is gathered in a few pieces, each a load at an offset
//! and a mask of those that belong to it.

use granero_game::rules::Ruleset;
use granero_table::index::half;
use granero_table::rows::{CrossingClass, quiet_moves};

/// The positions that one instruction works on.
pub(crate) const LANES: usize = 32;
/// The opponents of a chunk.
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

/// The children of a chunk of opponents.
#[derive(Debug)]
pub(crate) struct Chunk {
    /// The first column, if all moves are quiet and all children next to each other.
    pub(crate) plain: Option<u32>,
    /// The columns of its first and last children.
    pub(crate) span: (u32, u32),
    /// The first piece.
    start: u32,
    /// By block: the end of its pieces, after the first one of the chunk.
    pub(crate) ends: [u16; BLOCKS],
}

/// The children of all opponents' half-boards with some number of seeds by a class of moves.
#[derive(Debug)]
pub(crate) struct Gather {
    chunks: Vec<Chunk>,
    pieces: Vec<Piece>,
}

impl Gather {
    pub(crate) fn new(ruleset: Ruleset, class: CrossingClass, seeds: u8) -> Gather {
        const NONE: u32 = u32::MAX;
        let mut children = vec![NONE; half::count(seeds) as usize];
        for (opponents, child) in quiet_moves(ruleset, class, half::all(seeds)) {
            children[opponents as usize] = child;
        }
        let (mut chunks, mut pieces) = (Vec::new(), Vec::<Piece>::new());
        for chunk in children.chunks(CHUNK) {
            let start = pieces.len();
            let mut ends = [0; BLOCKS];
            let mut blocks = chunk.chunks(LANES);
            for end in &mut ends {
                let first_of_block = pieces.len();
                for (lane, &child) in blocks.next().unwrap_or_default().iter().enumerate() {
                    if child == NONE {
                        continue;
                    }
                    let offset = child - lane as u32;
                    let goes_on = pieces.len() > first_of_block
                        && pieces.last().is_some_and(|last| last.offset == offset);
                    if !goes_on {
                        let mask = [0; LANES];
                        pieces.push(Piece { mask, offset });
                    }
                    pieces.last_mut().expect("a piece").mask[lane] = u8::MAX;
                }
                *end = (pieces.len() - start) as u16;
            }
            let is_plain = |&(first, end): &(u32, u32)| {
                first != NONE && (first..end).eq(chunk.iter().copied())
            };
            let reach = (chunk[0], chunk[0].saturating_add(chunk.len() as u32));
            let mut quiet = chunk.iter().copied().filter(|&child| child != NONE);
            let first = quiet.next().unwrap_or(0);
            chunks.push(Chunk {
                span: (first, quiet.next_back().unwrap_or(first)),
                plain: Some(reach).filter(is_plain).map(|(first, _)| first),
                start: start as u32,
                ends,
            });
        }
        pieces.shrink_to_fit();
        Gather { chunks, pieces }
    }

    /// The child of an opponent's half-board, if the move is quiet.
    pub(crate) fn child(&self, opponents: usize) -> Option<u32> {
        let (chunk, pieces) = self.chunk(opponents / CHUNK);
        if let Some(first) = chunk.plain {
            return Some(first + (opponents % CHUNK) as u32);
        }
        let (block, lane) = (opponents % CHUNK / LANES, opponents % LANES);
        let begin = block.checked_sub(1).map_or(0, |before| chunk.ends[before]);
        let mut pieces = pieces[begin.into()..chunk.ends[block].into()].iter();
        let piece = pieces.find(|piece| piece.mask[lane] > 0)?;
        Some(piece.offset + lane as u32)
    }

    #[inline(always)]
    pub(crate) fn chunk(&self, chunk: usize) -> (&Chunk, &[Piece]) {
        let found = &self.chunks[chunk];
        let pieces = &self.pieces[found.start as usize..];
        (found, &pieces[..usize::from(found.ends[BLOCKS - 1])])
    }
}

/// By the opponent's seeds, then by class: where the children lie in positions with up to some number of seeds.
pub(crate) fn gathers(ruleset: Ruleset, max_seeds: u8) -> Vec<Vec<Gather>> {
    granero_table::parallel::map(0..=max_seeds, |seeds| {
        CrossingClass::up_to(max_seeds - seeds)
            .map(|class| Gather::new(ruleset, class, seeds))
            .collect()
    })
}

//! Looks up many positions at once.
//!
//! An open measure follows from the children of a position. So a batch goes in rounds: it sorts the needed
//! positions by the blocks that hold them, decodes each block once, and then finds the children that it needs
//! next. The threads of the `rayon` pool share all of this.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicI8, AtomicIsize, Ordering};

use rayon::prelude::*;

use super::assessment::Assessment;
use super::cache::Key;
use super::probe::{decode, game_over, is_unreachable};
use super::tables::Tables;
use crate::codec::block::rows_to_decode;
use crate::codec::scale::OPEN;
use crate::codec::tiling::TileOffset;
use crate::error::TableError;
use crate::file::layer_file::DecodedTile;
use crate::index::Layer;
use granero_game::rules::Turn;
use granero_game::rules::board::Board;
use granero_game::{Clamped, Measured, Position, Value};

/// The most positions to look up at a time: enough to find several in each block of tables with a hundred
/// million positions.
const BATCH: usize = 1 << 20;

/// The most needs of a batch. Few positions may need many others, and memory must be bounded for any
/// positions: so a batch that exceeds this is given up, and a smaller one tried.
const MOST_NEEDS: usize = 1 << 23;

/// The positions that a thread takes at a time, and the fewest of a batch.
const PIECE: usize = 1 << 9;

impl Tables {
    /// The worth of many positions. This is faster than looking up one at a time: it uses all threads of
    /// the `rayon` pool, and decodes each block of the tables once for a million positions.
    ///
    /// # Errors
    ///
    /// Like [`worth`](Tables::worth).
    ///
    /// ```
    /// # use granero::{Measured, Position, Tables, Value};
    /// let worths = Tables::sample().worths(&[Position::EMPTY, Position::START])?;
    /// assert_eq!(worths, [Some(Measured::Value(Value::ZERO)), None]);
    /// # Ok::<(), granero::TableError>(())
    /// ```
    pub fn worths(
        &self,
        positions: &[Position],
    ) -> Result<Vec<Option<Measured<Value>>>, TableError> {
        let found = self.clamped_worths(positions)?.into_iter();
        Ok(found.map(|worth| worth?.exactly()).collect())
    }

    /// The worth of many positions, as far as the tables tell it: see
    /// [`clamped_worth`](Tables::clamped_worth).
    ///
    /// # Errors
    ///
    /// Like [`worth`](Tables::worth).
    pub fn clamped_worths(
        &self,
        positions: &[Position],
    ) -> Result<Vec<Option<Measured<Clamped>>>, TableError> {
        let worths = self.all_cut_worths(positions)?.into_iter();
        let clamped = worths
            .zip(positions)
            .map(|(worth, position)| worth.map(|worth| self.clamped(position.seeds(), worth)));
        Ok(clamped.collect())
    }

    /// Assesses many positions: see [`assess`](Tables::assess).
    ///
    /// # Errors
    ///
    /// Like [`worth`](Tables::worth).
    ///
    /// ```
    /// # use granero::{Position, Tables};
    /// let positions = [Position::EMPTY, "0 0 0 0 2 1 2 0 0 0 0 0".parse()?];
    /// let assessments = Tables::sample().assess_all(&positions)?;
    /// assert_eq!(assessments[1], Tables::sample().assess(&positions[1])?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn assess_all(&self, positions: &[Position]) -> Result<Vec<Assessment>, TableError> {
        let plays = positions.par_iter().flat_map_iter(|position| {
            let moves = match self.rules().turn(position) {
                Turn::Play(moves) => Some(moves),
                Turn::Over(_) => None,
            };
            let count = moves.as_ref().map_or(0, |moves| moves.len());
            (0..count).filter_map(move |play| Some(moves.as_ref()?[play].position))
        });
        let children: Vec<Position> = plays.collect();
        let mut worths = self.all_cut_worths(&children)?.into_iter();
        let limits = self.manifest.limits();
        let assess = |position: &Position| {
            // The assessment asks for the moves in the order of `plays`.
            Assessment::new(self.rules(), limits, position, |_| {
                Ok(worths.next().flatten())
            })
        };
        positions.iter().map(assess).collect()
    }

    /// The worths of positions, cut off at the limits; `None` beyond the tables.
    fn all_cut_worths(
        &self,
        positions: &[Position],
    ) -> Result<Vec<Option<Measured<Value>>>, TableError> {
        self.cut_worths_in(positions, BATCH, MOST_NEEDS)
    }

    /// Like `all_cut_worths`, in batches of at most `most` positions and `most_needs` needs.
    fn cut_worths_in(
        &self,
        positions: &[Position],
        most: usize,
        most_needs: usize,
    ) -> Result<Vec<Option<Measured<Value>>>, TableError> {
        let mut worths = Vec::with_capacity(positions.len());
        let mut rest = positions;
        let mut at_a_time = most;
        while !rest.is_empty() {
            let now = &rest[..rest.len().min(at_a_time)];
            let is_small = now.len() <= PIECE;
            let most_needs = if is_small { usize::MAX } else { most_needs };
            match Batch::new(self, now).answer(most_needs)? {
                Some(found) => {
                    worths.extend(found);
                    rest = &rest[now.len()..];
                    at_a_time = most.min(2 * at_a_time);
                }
                None => at_a_time = (now.len() / 8).max(PIECE),
            }
        }
        Ok(worths)
    }
}

/// Positions to look up together, in pieces.
struct Batch<'a> {
    tables: &'a Tables,
    positions: &'a [Position],
    pieces: Vec<Piece>,
}

impl<'a> Batch<'a> {
    fn new(tables: &'a Tables, positions: &'a [Position]) -> Batch<'a> {
        let pieces = positions.par_chunks(PIECE);
        let pieces = pieces.map(|positions| Piece::new(tables, positions));
        Batch {
            tables,
            positions,
            pieces: pieces.collect(),
        }
    }

    /// The worths of the positions, cut off; `None` if that takes more than `most_needs` needs.
    fn answer(
        mut self,
        most_needs: usize,
    ) -> Result<Option<Vec<Option<Measured<Value>>>>, TableError> {
        for round in 0.. {
            let size = |piece: &Piece| piece.needs.len() + piece.last.len();
            let needs = self.pieces.iter().map(size).sum::<usize>();
            if needs > most_needs {
                return Ok(None);
            }
            if self.pieces.iter().all(Piece::is_complete) {
                break;
            }
            self.read(round)?;
            let tables = self.tables;
            let kept = self
                .pieces
                .iter()
                .map(|piece| piece.needs.len())
                .sum::<usize>();
            let room = (most_needs - kept).min(isize::MAX as usize) as isize;
            let room = AtomicIsize::new(room);
            let pieces = self.pieces.par_iter_mut();
            pieces.for_each(|piece| piece.follow_moves(tables, &room));
        }
        let pieces = self.pieces.into_par_iter();
        let found = pieces
            .zip(self.positions.par_chunks(PIECE))
            .map(|(piece, positions)| piece.cut_worths(self.tables, positions));
        let found: Vec<Vec<_>> = found.collect::<Result<_, _>>()?;
        Ok(Some(found.concat()))
    }

    /// Reads what is stored of the new needs.
    fn read(&mut self, round: u32) -> Result<(), TableError> {
        let tables = self.tables;
        let requests = (0..).zip(&self.pieces).collect::<Vec<(u16, &Piece)>>();
        let requests = requests.into_par_iter();
        let mut requests: Vec<Request> = requests
            .flat_map_iter(|(number, piece)| piece.requests(tables, number))
            .collect();
        requests.par_sort_unstable_by_key(|request| request.block);
        // The cache has the last blocks of the round before.
        if round % 2 == 1 {
            requests.reverse();
        }
        requests
            .par_chunk_by(|one, next| one.block == next.block)
            .try_for_each(|requests| self.read_block(requests))
    }

    /// Reads the requested positions of one block, at least one.
    fn read_block(&self, requests: &[Request]) -> Result<(), TableError> {
        let block = requests[0].block;
        let file = &self.tables.layers[block.seeds()].file;
        let tile = file.file.tiling().tile(block.tile());
        let (rows, width) = (tile.rows.len(), tile.width());
        let offsets = requests.iter().map(|request| usize::from(request.offset));
        // Decoding up to this place decodes the other positions, too.
        let deepest = offsets.max_by_key(|offset| rows_to_decode(rows, offset / width));
        let place = TileOffset {
            tile: block.tile(),
            offset: deepest.unwrap_or(0),
        };
        let key = Key {
            seeds: block.seeds() as u8,
            tile: place.tile,
        };
        let hand_out = |tile: &DecodedTile| {
            for request in requests {
                let found = tile.get(request.offset.into())?;
                let piece = &self.pieces[usize::from(request.piece)];
                piece.needs[request.need as usize].learn(request.of, found);
            }
            Some(())
        };
        self.tables.cache.value(key, hand_out, |cached| {
            let (tile, _) = decode(file, place, cached)?;
            hand_out(&tile).expect("decoded up to the deepest place");
            Ok((tile, ()))
        })
    }
}

/// Some positions of a batch, and others that they need: first their own. A need comes after its parent.
struct Piece {
    needs: Vec<Need>,
    /// The number of needs whose moves have been followed.
    followed: usize,
    /// Children after quiet moves, of which only the stored measures count, each with the number of its parent.
    last: Vec<(u32, Position)>,
}

/// A needed position: of the batch, or after a capture.
struct Need {
    position: Position,
    /// What is stored.
    stored: Measured<AtomicI8>,
    /// The best of the moves, as far as they are known; for measures that are stored it has no meaning.
    best: Measured<AtomicI8>,
    /// The captured seeds of the move to this position, less the conceded ones.
    gain: i8,
    /// The number of the need that depends on this one, plus one.
    parent: Option<NonZeroU32>,
    /// True if its moves are taken into account.
    is_followed: bool,
}

/// What is read for a need.
#[derive(Clone, Copy)]
enum Of {
    /// The position itself.
    Itself,
    /// The child after a quiet move.
    Child,
}

impl Need {
    /// Takes note of what is stored of its position or of a child.
    fn learn(&self, of: Of, found: Measured<i8>) {
        match of {
            Of::Itself => {
                for ((_, found), (_, stored)) in found.into_iter().zip(self.stored.iter()) {
                    stored.store(found, Ordering::Relaxed);
                }
            }
            Of::Child => {
                for ((_, child), (_, best)) in found.of_parent().into_iter().zip(self.best.iter()) {
                    if child != OPEN {
                        best.fetch_max(-child, Ordering::Relaxed);
                    }
                }
            }
        }
    }

    /// For each measure, what is stored, and the best of the moves.
    fn known(&self) -> Measured<(i8, i8)> {
        let stored = self.stored.as_ref().zip(self.best.as_ref());
        stored.map(|(stored, best)| {
            let [stored, best] = [stored, best].map(|known| known.load(Ordering::Relaxed));
            (stored, best)
        })
    }
}

/// A position to read from a block.
#[derive(Clone, Copy)]
struct Request {
    block: Block,
    piece: u16,
    offset: u16,
    need: u32,
    of: Of,
}

/// A block: the layer and the tile.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Block(u64);

impl Block {
    /// No layer has as many tiles as these bits can number.
    const TILE_BITS: u32 = 48;

    fn new(seeds: u8, tile: u64) -> Block {
        Block(u64::from(seeds) << Block::TILE_BITS | tile)
    }

    fn seeds(self) -> usize {
        (self.0 >> Block::TILE_BITS) as usize
    }

    fn tile(self) -> u64 {
        self.0 & ((1 << Block::TILE_BITS) - 1)
    }
}

impl Piece {
    fn new(tables: &Tables, positions: &[Position]) -> Piece {
        let mut piece = Piece {
            needs: Vec::with_capacity(positions.len()),
            followed: 0,
            last: Vec::new(),
        };
        for position in positions.iter().filter(|position| tables.reaches(position)) {
            piece.add(tables, *position, 0, None);
        }
        piece
    }

    fn is_complete(&self) -> bool {
        self.followed == self.needs.len() && self.last.is_empty()
    }

    fn add(&mut self, tables: &Tables, position: Position, gain: i8, parent: Option<NonZeroU32>) {
        let measures = tables.cycles().measures();
        self.needs.push(Need {
            position,
            stored: measures.map(|_| AtomicI8::new(OPEN)),
            best: measures.map(|_| AtomicI8::new(Value::WORST.seeds())),
            gain,
            parent,
            is_followed: false,
        });
    }

    /// The requests for what is in files. Finds what is in memory.
    fn requests(&self, tables: &Tables, piece: u16) -> impl Iterator<Item = Request> {
        let new = self.needs.iter().enumerate().skip(self.followed);
        let new = new.map(|(number, need)| (number as u32, need.position, Of::Itself));
        let last = self.last.iter();
        let last = last.map(|&(number, position)| (number, position, Of::Child));
        new.chain(last).filter_map(move |(need, position, of)| {
            let table = tables.layer_table(&position);
            if let Some(decoded) = &table.decoded {
                let index = Layer::of(&position).index(&position) as usize;
                let found = decoded.as_ref().map(|values| values[index]);
                self.needs[need as usize].learn(of, found);
                return None;
            }
            if is_unreachable(&position) {
                return None;
            }
            let place = table.file.place(&position);
            Some(Request {
                block: Block::new(position.seeds(), place.tile),
                piece,
                offset: place.offset as u16,
                need,
                of,
            })
        })
    }

    /// Goes on from what was read: adds the children of the new needs that have open measures.
    ///
    /// Stops when there is no `room` for more, which a batch notices by its size.
    fn follow_moves(&mut self, tables: &Tables, room: &AtomicIsize) {
        self.last.clear();
        let new = self.followed..self.needs.len();
        self.followed = new.end;
        new.clone().for_each(|index| self.tell_parent(index));
        for index in new {
            if self.matters(index, tables) {
                let added = self.add_children(index, tables);
                if room.fetch_sub(added, Ordering::Relaxed) < added {
                    break;
                }
            }
        }
    }

    /// The need that depends on a need.
    fn parent(&self, index: usize) -> Option<&Need> {
        let parent = self.needs[index].parent?;
        Some(&self.needs[parent.get() as usize - 1])
    }

    /// Tells if an open measure of a need may decide what its parent is worth, or what it is worth itself.
    fn matters(&self, index: usize, tables: &Tables) -> bool {
        let need = &self.needs[index];
        let open = need.known().map(|(stored, _)| stored == OPEN);
        let Some(parent) = self.parent(index) else {
            return open.low() || open.high();
        };
        let measures = open.of_parent().zip(tables.cycles().measures());
        let matter = measures
            .zip(parent.known())
            .map(|((open, measure), (stored, best))| {
                let least = tables.least_open(measure.bound().of_child());
                open && stored == OPEN && need.gain - least > best
            });
        matter.low() || matter.high()
    }

    /// Adds the children of a need, on which its open measures depend, and returns their number.
    fn add_children(&mut self, index: usize, tables: &Tables) -> isize {
        let need = &mut self.needs[index];
        need.is_followed = true;
        let (position, seeds) = (need.position, need.position.seeds());
        let steps = Board::of(&position).moves(tables.rules().variation());
        for (_, best) in need.best.as_mut() {
            *best.get_mut() = game_over(&steps, &position);
        }
        for step in steps.iter() {
            let child = step.board.position();
            if child.seeds() == seeds && !is_unreachable(&position) {
                self.last.push((index as u32, child));
            } else {
                self.add(tables, child, step.gain, NonZeroU32::new(index as u32 + 1));
            }
        }
        steps.len() as isize
    }

    /// Raises the best of the parent of a need to what the move gives, as far as that is known.
    fn tell_parent(&self, index: usize) {
        let need = &self.needs[index];
        let Some(parent) = self.parent(index) else {
            return;
        };
        let known = need.known().of_parent();
        for ((_, (stored, best)), (_, parents)) in known.into_iter().zip(parent.best.iter()) {
            if stored != OPEN || need.is_followed {
                let known = if stored == OPEN { best } else { stored };
                parents.fetch_max(need.gain - known, Ordering::Relaxed);
            }
        }
    }

    /// The worths of its positions, cut off; `None` beyond the tables.
    fn cut_worths(
        self,
        tables: &Tables,
        positions: &[Position],
    ) -> Result<Vec<Option<Measured<Value>>>, TableError> {
        // From the last need to the first, so that a need is final before it changes its parent.
        for (index, need) in self.needs.iter().enumerate().rev() {
            let limit = tables.manifest.limits().of(need.position.seeds());
            let known = need.known().into_iter().zip(need.best.iter());
            for ((measure, (stored, found)), (_, best)) in known.filter(|_| need.is_followed) {
                let is_unfounded = found < tables.least_open(measure.bound());
                if stored == OPEN && is_unfounded && !is_unreachable(&need.position) {
                    return Err(tables
                        .layer_table(&need.position)
                        .file
                        .unfounded(&need.position));
                }
                best.store(found.clamp(-limit, limit), Ordering::Relaxed);
            }
            self.tell_parent(index);
        }
        let mut found = self.needs.iter();
        let worths = positions.iter().map(|position| {
            if !tables.reaches(position) {
                return Ok(None);
            }
            // Its own positions come first, in their order.
            let need = found.next().expect("a need for each position");
            let worth = need.known();
            let worth = worth.map(|(stored, best)| if stored == OPEN { best } else { stored });
            tables.checked(position, worth).map(Some)
        });
        worths.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use granero_game::random::SplitMix64;

    #[test]
    fn many_batches_are_as_one() {
        let tables = Tables::sample();
        let mut random = SplitMix64::new(7);
        let layers: Vec<Layer> = (0..=9).filter_map(Layer::new).collect();
        let positions = std::iter::repeat_with(|| {
            let layer = &layers[random.below(10) as usize];
            layer
                .position(random.below(layer.len()))
                .expect("a position of the layer")
        });
        let positions: Vec<Position> = positions.take(16 * PIECE + 77).collect();
        let worths = tables.all_cut_worths(&positions).unwrap();
        for (most, needs) in [(PIECE, MOST_NEEDS), (BATCH, PIECE), (9 * PIECE, 20 * PIECE)] {
            assert!(tables.cut_worths_in(&positions, most, needs).unwrap() == worths);
        }
        let each = positions.iter().zip(&worths).step_by(97);
        for (position, worth) in each {
            assert_eq!(tables.worth(position).unwrap(), *worth);
        }
    }

    #[test]
    fn a_batch_that_needs_too_much_is_given_up() {
        let tables = Tables::sample();
        // Its value is not stored, but follows from the values of its children.
        let position: Position = "0 0 0 0 1 1 1 1 1 1 1 1".parse().unwrap();
        let positions = vec![position; 16 * PIECE];
        let answer = |most_needs| Batch::new(tables, &positions).answer(most_needs).unwrap();
        assert!(answer(positions.len()).is_none());
        let worth = tables.worth(&position).unwrap();
        assert_eq!(answer(usize::MAX), Some(vec![worth; positions.len()]));
    }
}

//! Looks up many positions at once.
//!
//! The worth of a position may depend on positions to which captures lead. So a batch first finds all values
//! that it needs, sorts them by the blocks that hold them, decodes each block once, and then combines the
//! values. The threads of the `rayon` pool share all of this.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicI8, Ordering};

use rayon::prelude::*;

use super::assessment::Assessment;
use super::cache::Key;
use super::probe::{can_capture, decode};
use super::tables::Tables;
use crate::codec::block::rows_to_decode;
use crate::codec::tiling::TileOffset;
use crate::error::TableError;
use crate::file::layer_file::DecodedTile;
use crate::index::Layer;
use granero_game::rules::Turn;
use granero_game::rules::board::{Board, BoardMove};
use granero_game::{Bound, Clamped, Measured, Position, Value};

/// The most positions to look up at a time: enough to find several in each block of tables with a hundred
/// million positions. Each takes about a hundred bytes of scratch memory.
const BATCH: usize = 1 << 20;

/// The number of needed values after which no more positions are added. Few positions may need many values,
/// and memory must be bounded for any positions.
const NEEDS: usize = 1 << 22;

/// The positions that a thread takes at a time.
const PIECE: usize = 1 << 9;

/// The pieces to add at a time: enough for all threads, but few on any machine, because the number of
/// values that they need is only known afterwards.
const PIECES: RangeInclusive<usize> = 8..=16;

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
        let numbers = self.all_numbers(positions)?.into_iter();
        let clamped = numbers.zip(positions).map(|(numbers, position)| {
            numbers.map(|numbers| self.clamped(position.seeds(), numbers))
        });
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
        let mut numbers = self.all_numbers(&children)?.into_iter();
        let limits = self.manifest.limits();
        let assess = |position: &Position| {
            // The assessment asks for the moves in the order of `plays`.
            Assessment::new(self.rules(), limits, position, |_| {
                Ok(numbers.next().flatten())
            })
        };
        positions.iter().map(assess).collect()
    }

    fn all_numbers(
        &self,
        positions: &[Position],
    ) -> Result<Vec<Option<Measured<Value>>>, TableError> {
        self.numbers_in(positions, BATCH / PIECE, NEEDS)
    }

    /// Looks positions up in batches of at most `pieces` pieces, which end when they need `needs` values.
    fn numbers_in(
        &self,
        positions: &[Position],
        pieces: usize,
        needs: usize,
    ) -> Result<Vec<Option<Measured<Value>>>, TableError> {
        let mut numbers = Vec::with_capacity(positions.len());
        let mut rest = positions;
        while !rest.is_empty() {
            let (batch, taken) = ReadPlan::of_first(self, rest, pieces, needs)?;
            let (now, later) = rest.split_at(taken);
            batch.answer(self, now, &mut numbers)?;
            rest = later;
        }
        Ok(numbers)
    }

    /// Reads the requested values of one block, at least one.
    fn read_block(&self, requests: &[Request], pieces: &[Piece]) -> Result<(), TableError> {
        let block = requests[0].block;
        let file = self.layers[block.seeds()].files.get(block.bound());
        let tile = file.file.tiling().tile(block.tile());
        let (rows, width) = (tile.rows.len(), tile.width());
        let offsets = requests.iter().map(|request| usize::from(request.offset));
        // Decoding up to this place decodes the other values, too.
        let deepest = offsets.max_by_key(|offset| rows_to_decode(rows, offset / width));
        let place = TileOffset {
            tile: block.tile(),
            offset: deepest.unwrap_or(0),
        };
        let key = Key {
            seeds: block.seeds() as u8,
            measure: file.file.header().measure,
            tile: place.tile,
        };
        let hand_out = |tile: &DecodedTile| {
            for request in requests {
                let value = tile.get(request.offset.into())?;
                let values = &pieces[usize::from(request.piece)].values;
                values[request.need as usize].store(value, Ordering::Relaxed);
            }
            Some(())
        };
        self.cache.value(key, hand_out, |cached| {
            let (tile, _) = decode(file, place, cached)?;
            hand_out(&tile).expect("decoded up to the deepest place");
            Ok((tile, ()))
        })
    }
}

/// Positions to look up together, in pieces, and the values to read for them.
#[derive(Default)]
struct ReadPlan {
    pieces: Vec<Piece>,
    requests: Vec<Request>,
    needs: usize,
}

impl ReadPlan {
    /// Plans for the first positions, and returns their number; for the limits see
    /// [`numbers_in`](Tables::numbers_in).
    fn of_first(
        tables: &Tables,
        positions: &[Position],
        pieces: usize,
        needs: usize,
    ) -> Result<(ReadPlan, usize), TableError> {
        let at_a_time = PIECE * rayon::current_num_threads().clamp(*PIECES.start(), *PIECES.end());
        let mut batch = ReadPlan::default();
        let mut taken = 0;
        while taken < positions.len() && batch.pieces.len() < pieces && batch.needs < needs {
            let next = &positions[taken..];
            let next = &next[..next.len().min(at_a_time)];
            batch.add(tables, next)?;
            taken += next.len();
        }
        Ok((batch, taken))
    }

    /// Adds positions: whole pieces, or the last ones.
    fn add(&mut self, tables: &Tables, positions: &[Position]) -> Result<(), TableError> {
        let first = self.pieces.len();
        let made: Vec<(Piece, Vec<Request>)> = positions
            .par_chunks(PIECE)
            .enumerate()
            .map(|(number, positions)| Piece::new(tables, (first + number) as u16, positions))
            .collect::<Result<_, _>>()?;
        for (piece, requests) in made {
            self.needs += piece.needs.len();
            self.pieces.push(piece);
            self.requests.extend(requests);
        }
        Ok(())
    }

    /// Reads the requested values, and appends the numbers of the positions.
    fn answer(
        self,
        tables: &Tables,
        positions: &[Position],
        numbers: &mut Vec<Option<Measured<Value>>>,
    ) -> Result<(), TableError> {
        let ReadPlan {
            pieces,
            mut requests,
            ..
        } = self;
        requests.par_sort_unstable_by_key(|request| request.block);
        requests
            .par_chunk_by(|one, next| one.block == next.block)
            .try_for_each(|requests| tables.read_block(requests, &pieces))?;
        drop(requests);
        let found = pieces
            .into_par_iter()
            .zip(positions.par_chunks(PIECE))
            .map(|(piece, positions)| piece.numbers(tables, positions));
        let found: Vec<Vec<_>> = found.collect::<Result<_, _>>()?;
        found.into_iter().for_each(|found| numbers.extend(found));
        Ok(())
    }
}

/// Some positions of a batch, and all values that they need: first their own. Each value comes after the
/// values that depend on it.
struct Piece {
    needs: Vec<Need>,
    /// The value of each need, as far as it is known without moves to other needs.
    values: Vec<AtomicI8>,
}

/// A needed value: of a position of the batch, or of a position after a move.
struct Need {
    position: Position,
    bound: Bound,
    /// True if the value is read from a block.
    is_stored: bool,
    /// The captured seeds of the move to this position, less the conceded ones.
    gain: Value,
    /// The need that depends on this one.
    parent: Option<u32>,
}

/// A value to read from a block.
#[derive(Clone, Copy)]
struct Request {
    block: Block,
    piece: u16,
    offset: u16,
    need: u32,
}

/// A block: the layer, the bound, and the tile.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Block(u64);

impl Block {
    /// No layer has as many tiles as these bits can number.
    const TILE_BITS: u32 = 48;

    fn new(seeds: u8, bound: Bound, tile: u64) -> Block {
        let file = u64::from(seeds) << 1 | u64::from(bound == Bound::High);
        Block(file << Block::TILE_BITS | tile)
    }

    fn seeds(self) -> usize {
        (self.0 >> (Block::TILE_BITS + 1)) as usize
    }

    fn bound(self) -> Bound {
        match self.0 >> Block::TILE_BITS & 1 {
            0 => Bound::Low,
            _ => Bound::High,
        }
    }

    fn tile(self) -> u64 {
        self.0 & ((1 << Block::TILE_BITS) - 1)
    }
}

impl Piece {
    /// Finds the values that positions need. `number` is the number of the piece in the batch.
    fn new(
        tables: &Tables,
        number: u16,
        positions: &[Position],
    ) -> Result<(Piece, Vec<Request>), TableError> {
        let mut needs = Vec::with_capacity(3 * positions.len());
        for position in positions.iter().filter(|position| tables.reaches(position)) {
            for (measure, _) in tables.cycles().measures().iter() {
                needs.push(Need {
                    position: *position,
                    bound: measure.bound(),
                    is_stored: false,
                    gain: Value::ZERO,
                    parent: None,
                });
            }
        }
        let mut values = Vec::with_capacity(needs.capacity());
        let mut requests = Vec::with_capacity(needs.capacity());
        let variation = tables.rules().variation();
        while let Some(need) = needs.get_mut(values.len()) {
            let Need {
                position, bound, ..
            } = *need;
            let parent = Some(values.len() as u32);
            let table = tables.table(&position);
            let file = table.files.get(bound);
            let add = |step: &BoardMove| {
                needs.push(Need {
                    position: step.board.position(),
                    bound: bound.of_child(),
                    is_stored: false,
                    gain: Value::new(step.gain).expect("seeds of the game"),
                    parent,
                });
            };
            let board = Board::of(&position);
            let known = if let Some(decoded) = &table.decoded {
                let index = Layer::of(&position).index(&position);
                let value = decoded.get(bound)[index as usize];
                tables.checked(file, value, &position)?
            } else if position.opponents().iter().all(|&seeds| seeds > 0) {
                let steps = board.moves(variation);
                steps.iter().for_each(add);
                if steps.is_empty() {
                    // The game is over: each player takes the seeds on their own side.
                    Value::of_shares(position.own_seeds(), position.opponents_seeds())
                } else {
                    Value::WORST
                }
            } else {
                if can_capture(&position) {
                    let (steps, seeds) = (board.moves(variation), position.seeds());
                    let captures = steps.iter().filter(|step| step.board.seeds() < seeds);
                    captures.for_each(add);
                }
                let place = file.place(&position);
                needs[values.len()].is_stored = true;
                requests.push(Request {
                    block: Block::new(position.seeds(), bound, place.tile),
                    piece: number,
                    offset: place.offset as u16,
                    need: values.len() as u32,
                });
                Value::WORST
            };
            values.push(AtomicI8::new(known.seeds()));
        }
        // Half of their room may be unused.
        needs.shrink_to_fit();
        values.shrink_to_fit();
        Ok((Piece { needs, values }, requests))
    }

    /// The numbers of its positions; `None` beyond the tables.
    fn numbers(
        self,
        tables: &Tables,
        positions: &[Position],
    ) -> Result<Vec<Option<Measured<Value>>>, TableError> {
        // The best results of moves.
        let mut best = vec![Value::WORST; self.needs.len()];
        let known = self.values.into_iter().map(AtomicI8::into_inner);
        // The values on which a value depends come after it.
        for (number, (need, known)) in self.needs.iter().zip(known).enumerate().rev() {
            let known = if need.is_stored {
                let file = tables.table(&need.position).files.get(need.bound);
                tables.checked(file, known, &need.position)?
            } else {
                Value::new(known).unwrap_or(Value::WORST)
            };
            let value = tables.cut(&need.position, best[number].max(known));
            best[number] = value;
            if let Some(parent) = need.parent {
                let gives = need.gain.minus(value);
                best[parent as usize] = best[parent as usize].max(gives);
            }
        }
        let mut found = best.into_iter();
        let measures = tables.cycles().measures();
        let numbers = positions.iter().map(|position| {
            if !tables.reaches(position) {
                return Ok(None);
            }
            // Its own values come first, in the order of the positions.
            let numbers = measures.map(|_| found.next().expect("a value for each need"));
            tables.in_order(position, numbers).map(Some)
        });
        numbers.collect()
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
        let most = PIECE * PIECES.end();
        let positions: Vec<Position> = positions.take(2 * most + 77).collect();
        let numbers = tables.all_numbers(&positions).unwrap();
        for (pieces, needs) in [(1, NEEDS), (BATCH / PIECE, 1), (9, NEEDS)] {
            assert!(tables.numbers_in(&positions, pieces, needs).unwrap() == numbers);
        }
        let each = positions.iter().zip(&numbers).step_by(97);
        for (position, numbers) in each {
            assert_eq!(tables.worth(position).unwrap(), *numbers);
        }
    }

    #[test]
    fn many_threads_need_no_more_memory() {
        let tables = Tables::sample();
        // Its value is not stored, but follows from the values of its children.
        let position: Position = "0 0 0 0 1 1 1 1 1 1 1 1".parse().unwrap();
        let of_each = ReadPlan::of_first(tables, &[position], 1, 1)
            .unwrap()
            .0
            .needs;
        assert!(of_each > 1);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(64).build();
        let positions = vec![position; 64 * PIECE];
        let first = || ReadPlan::of_first(tables, &positions, BATCH / PIECE, 1).unwrap();
        let (batch, taken) = pool.unwrap().install(first);
        assert_eq!(taken, PIECES.end() * PIECE);
        assert_eq!(batch.needs, taken * of_each);
        // The worst known position needs 108 values.
        assert!(108 * taken < NEEDS / 4);
        let is_full = |piece: &Piece| piece.needs.capacity() == piece.needs.len();
        assert!(batch.pieces.iter().all(is_full));
    }
}

//! A block: the numbers of a tile as bytes, coded with range asymmetric numeral systems
//! (rANS; J. Duda, 2013).
//!
//! Four lanes take a row of the tile each, then the next four rows, and so on. Each lane has its own state, and
//! goes a column behind the lane above it, so that it knows the numbers above. The lanes take turns, a
//! position at a time. So a processor can work on four positions at once, although within a lane each
//! depends on the one before. All lanes read from the same sequence of words.

use std::hint::select_unpredictable;

use super::context::{self, Neighbour, Traits};
use super::model::{Decoder, Encoder, PRECISION};
use super::scale::{Numbers, OPEN, Scale};
use super::tile_traits::TileTraits;
use super::tiling::{MAX_HEIGHT, MAX_WIDTH};
use granero_game::Measured;

pub(crate) const LANES: usize = 4;

/// States are at least this, and below 2^32. A lane starts encoding with this state, so the decoder ends
/// with it.
const LOWEST_STATE: u32 = 1 << 16;

/// The most words of a block, because a position has at most two symbols, and no symbol takes more bits than the
/// precision.
const WORDS: usize = 1 << 15;
const _: () = assert!(2 * MAX_WIDTH * MAX_HEIGHT * PRECISION as usize <= WORDS * 16);

/// The longest block in bytes.
pub const MAX_BLOCK: usize = 4 * LANES + 2 * WORDS;

/// The error for a block that cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadBlock;

/// A structure for each column of a tile.
type Structures = [u8; MAX_WIDTH];

/// The columns of a tile whose positions are stored.
struct Columns {
    count: usize,
    reach: [u8; MAX_WIDTH],
    prey: [u8; MAX_WIDTH],
    /// The places of the columns in the tile.
    place: [u8; MAX_WIDTH],
}

impl Columns {
    fn of(columns: &[Traits]) -> Columns {
        let mut stored = Columns {
            count: 0,
            reach: [0; MAX_WIDTH],
            prey: [0; MAX_WIDTH],
            place: [0; MAX_WIDTH],
        };
        for (place, column) in (0..).zip(columns).filter(|(_, column)| !column.filled) {
            stored.reach[stored.count] = column.reach;
            stored.prey[stored.count] = column.prey;
            stored.place[stored.count] = place;
            stored.count += 1;
        }
        stored
    }

    /// The structures of the rows of the lanes; `first` is the row of the first lane.
    #[inline]
    fn structures(&self, sides: TileTraits<'_>, first: usize) -> [Structures; LANES] {
        let mut structures = [[0; MAX_WIDTH]; LANES];
        for (row, structures) in (first..sides.rows.len()).zip(&mut structures) {
            let before = match row {
                0 => sides.before,
                row => sides.rows[row - 1].reach,
            };
            context::structures(
                sides.rows[row],
                before,
                &self.reach[..self.count],
                &self.prey[..self.count],
                structures,
            );
        }
        structures
    }
}

/// Visits the lanes and columns of some rows, one for each lane, in the order of coding.
#[inline(always)]
fn each_place(count: usize, mut visit: impl FnMut(usize, usize)) {
    for step in 0..count + LANES - 1 {
        for lane in 0..LANES.min(step + 1) {
            if step - lane < count {
                visit(lane, step - lane);
            }
        }
    }
}

/// Visits the symbols of a tile in the order of coding. `worth` returns what is known of the position in a row and
/// column; `each` gets the lane, the context and the symbol.
#[inline(always)]
pub fn walk(
    sides: TileTraits<'_>,
    scale: Scale,
    worth: impl Fn(usize, usize) -> Measured<i8>,
    mut each: impl FnMut(usize, u16, u8),
) {
    let kinds = scale.kinds();
    let columns = Columns::of(sides.columns);
    let mut above = [Neighbour::ABOVE; MAX_WIDTH];
    for first in (0..sides.rows.len()).step_by(LANES) {
        let structures = columns.structures(sides, first);
        let mut left = [Neighbour::ABOVE; LANES];
        let active = (sides.rows.len() - first).min(LANES);
        each_place(columns.count, |lane, x| {
            if lane >= active {
                return;
            }
            if x == 0 {
                left[lane] = Neighbour::left_of(above[x], kinds);
            }
            let (beside, over) = (left[lane], above[x]);
            let Numbers {
                first: number,
                second,
            } = scale.numbers(worth(first + lane, columns.place[x].into()));
            let context = context::of_first(beside, over, structures[lane][x]);
            each(lane, context, beside.symbol(number, kinds));
            if let Some(second) = second {
                each(
                    lane,
                    context::of_second(number, beside, over, kinds),
                    second,
                );
            }
            left[lane] = beside.then(number, second);
            above[x] = over.then(number, second);
        });
    }
}

/// Memory for encoding a block.
#[derive(Debug, Default)]
pub struct EncoderScratch {
    /// In the order of coding: lane, context and symbol.
    symbols: Vec<(u8, u16, u8)>,
    words: Vec<u16>,
}

/// Encodes a block; `worth` returns what is known of the position in a row and column.
pub fn encode(
    encoder: &Encoder,
    scale: Scale,
    sides: TileTraits<'_>,
    worth: impl Fn(usize, usize) -> Measured<i8>,
    scratch: &mut EncoderScratch,
    bytes: &mut Vec<u8>,
) {
    if sides.columns.iter().all(|column| column.filled) {
        return;
    }
    let EncoderScratch { symbols, words } = scratch;
    symbols.clear();
    walk(sides, scale, worth, |lane, context, symbol| {
        symbols.push((lane as u8, context, symbol));
    });

    // The last symbol comes first, because decoding reverses the order.
    words.clear();
    let mut states = [LOWEST_STATE; LANES];
    for &(lane, context, symbol) in symbols.iter().rev() {
        let (frequency, start) = encoder.interval(context, symbol);
        let state = &mut states[usize::from(lane)];
        if *state >> (32 - PRECISION) >= frequency {
            words.push(*state as u16);
            *state >>= 16;
        }
        *state = ((*state / frequency) << PRECISION) + *state % frequency + start;
    }
    bytes.extend(states.iter().flat_map(|state| state.to_le_bytes()));
    bytes.extend(words.iter().rev().flat_map(|word| word.to_le_bytes()));
}

/// Memory for decoding a block.
#[derive(Debug)]
pub(crate) struct DecoderScratch {
    words: Box<[u16; WORDS]>,
}

impl Default for DecoderScratch {
    fn default() -> DecoderScratch {
        DecoderScratch {
            words: vec![0; WORDS].try_into().expect("WORDS words"),
        }
    }
}

/// The number of rows to decode to have a row of the tile.
pub(crate) fn rows_to_decode(rows: usize, row: usize) -> usize {
    (row + 1).next_multiple_of(LANES).min(rows)
}

/// Decodes a block into the values of a tile, row by row, with [`OPEN`] for measures that are not stored.
/// Positions that are not stored stay as they are.
///
/// Decodes only the first `part` rows if there are more. A part ends where
/// [`rows_to_decode`] says.
pub(crate) fn decode(
    decoder: &Decoder,
    scale: Scale,
    sides: TileTraits<'_>,
    bytes: &[u8],
    part: usize,
    scratch: &mut DecoderScratch,
    values: Measured<&mut [i8]>,
) -> Result<(), BadBlock> {
    let columns = Columns::of(sides.columns);
    if columns.count == 0 {
        return if bytes.is_empty() {
            Ok(())
        } else {
            Err(BadBlock)
        };
    }
    let lanes = Lanes::start(bytes, scratch)?;
    let mut tile = TileDecoder {
        decoder,
        scale,
        kinds: scale.kinds(),
        columns,
        above: [Neighbour::ABOVE; MAX_WIDTH],
        lanes,
    };
    let is_whole = part >= sides.rows.len();
    match values {
        Measured::Value(values) => tile.rows::<false>(sides, part, values, &mut [])?,
        Measured::Bounds { low, high } => tile.rows::<true>(sides, part, low, high)?,
    }
    if is_whole {
        tile.lanes.finish(bytes)
    } else {
        // The rest is ignored, but the words read must be part of the block.
        tile.lanes.check(bytes)
    }
}

/// A tile that is being decoded.
struct TileDecoder<'a> {
    decoder: &'a Decoder,
    scale: Scale,
    kinds: u8,
    columns: Columns,
    above: [Neighbour; MAX_WIDTH],
    lanes: Lanes<'a>,
}

/// For each lane a row of first numbers and a row of high bounds.
struct LaneRows {
    firsts: [[u8; MAX_WIDTH]; LANES],
    highs: [[i8; MAX_WIDTH]; LANES],
}

impl TileDecoder<'_> {
    /// Decodes rows into `low`, and `high` if there are bounds.
    fn rows<const BOUNDS: bool>(
        &mut self,
        sides: TileTraits<'_>,
        part: usize,
        low: &mut [i8],
        high: &mut [i8],
    ) -> Result<(), BadBlock> {
        let width = sides.columns.len();
        let lows = self.scale.lows();
        let rows = sides.rows.len();
        let mut decoded = LaneRows {
            firsts: [[0; MAX_WIDTH]; LANES],
            highs: [[OPEN; MAX_WIDTH]; LANES],
        };
        for first in (0..part.min(rows)).step_by(LANES) {
            let structures = self.columns.structures(sides, first);
            match rows - first {
                1 => self.lane_rows::<1, BOUNDS>(&structures, &mut decoded),
                2 => self.lane_rows::<2, BOUNDS>(&structures, &mut decoded),
                3 => self.lane_rows::<3, BOUNDS>(&structures, &mut decoded),
                _ => self.lane_rows::<LANES, BOUNDS>(&structures, &mut decoded),
            }
            let places = &self.columns.place[..self.columns.count];
            for (row, firsts) in (first..rows).zip(&decoded.firsts) {
                let low = &mut low[row * width..][..width];
                for (&first, &place) in firsts.iter().zip(places) {
                    low[usize::from(place)] = lows[usize::from(first & 63)];
                }
            }
            if BOUNDS {
                for (row, highs) in (first..rows).zip(&decoded.highs) {
                    let places = places.iter().map(|&place| row * width + usize::from(place));
                    for (&found, place) in highs.iter().zip(places) {
                        high[place] = found;
                        if found < low[place] {
                            return Err(BadBlock);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Decodes a row of each of the first `ACTIVE` lanes.
    #[inline(always)]
    fn lane_rows<const ACTIVE: usize, const BOUNDS: bool>(
        &mut self,
        structures: &[Structures; LANES],
        decoded: &mut LaneRows,
    ) {
        let mut rows: Rows<'_, ACTIVE, BOUNDS> = Rows {
            decoder: self.decoder,
            scale: self.scale,
            kinds: self.kinds,
            words: self.lanes.words,
            structures,
            states: std::array::from_fn(|lane| self.lanes.states[lane]),
            read: self.lanes.read,
            left: [Neighbour::ABOVE; ACTIVE],
            above: &mut self.above,
            decoded,
        };
        let count = self.columns.count;
        for step in 0..count + ACTIVE - 1 {
            if (ACTIVE..count).contains(&step) {
                rows.go_on::<false>(step, |_| true);
            } else {
                rows.go_on::<true>(step, |x| x < count);
            }
        }
        self.lanes.states[..ACTIVE].copy_from_slice(&rows.states);
        self.lanes.read = rows.read;
    }
}

/// A row for each lane.
struct Rows<'a, const ACTIVE: usize, const BOUNDS: bool> {
    decoder: &'a Decoder,
    scale: Scale,
    kinds: u8,
    words: &'a [u16; WORDS],
    structures: &'a [Structures; LANES],
    states: [u32; ACTIVE],
    read: usize,
    left: [Neighbour; ACTIVE],
    above: &'a mut [Neighbour; MAX_WIDTH],
    decoded: &'a mut LaneRows,
}

impl<const ACTIVE: usize, const BOUNDS: bool> Rows<'_, ACTIVE, BOUNDS> {
    /// Decodes a position of each lane, if it has this column. With `BEGINS`, it may be the first one of a row.
    #[inline(always)]
    fn go_on<const BEGINS: bool>(&mut self, step: usize, has_column: impl Fn(usize) -> bool) {
        // With lanes known to the compiler, states stay in registers.
        if has_column(step) {
            self.position::<0, BEGINS>(step);
        }
        if ACTIVE > 1 && has_column(step.wrapping_sub(1)) {
            self.position::<1, BEGINS>(step.wrapping_sub(1));
        }
        if ACTIVE > 2 && has_column(step.wrapping_sub(2)) {
            self.position::<2, BEGINS>(step.wrapping_sub(2));
        }
        if ACTIVE > 3 && has_column(step.wrapping_sub(3)) {
            self.position::<3, BEGINS>(step.wrapping_sub(3));
        }
    }

    /// Decodes a position.
    ///
    /// Decoding spends its time here. With values there is no branch that a processor could mispredict, and no
    /// input can lead an index out of its table.
    #[inline(always)]
    fn position<const LANE: usize, const BEGINS: bool>(&mut self, x: usize) {
        let x = x % MAX_WIDTH;
        let above = self.above[x];
        if BEGINS && x == 0 {
            self.left[LANE] = Neighbour::left_of(above, self.kinds);
        }
        let left = self.left[LANE];
        let context = context::of_first(left, above, self.structures[LANE][x]);
        let first = left.next(self.symbol::<LANE>(context), self.kinds);
        let mut second = None;
        if BOUNDS {
            if self.scale.has_second(first) {
                let context = context::of_second(first, left, above, self.kinds);
                second = Some(self.symbol::<LANE>(context));
            }
            let high = second.map_or(OPEN, |second| self.scale.high(second));
            self.decoded.highs[LANE][x] = high;
        }
        self.decoded.firsts[LANE][x] = first;
        self.left[LANE] = left.then(first, second);
        self.above[x] = above.then(first, second);
    }

    #[inline(always)]
    fn symbol<const LANE: usize>(&mut self, context: u16) -> u8 {
        let (symbol, state) = self.decoder.symbol(context, self.states[LANE]);
        let next = state << 16 | u32::from(self.words[self.read % WORDS]);
        let short = state < LOWEST_STATE;
        self.read += usize::from(short);
        self.states[LANE] = select_unpredictable(short, next, state);
        symbol
    }
}

struct Lanes<'a> {
    states: [u32; LANES],
    words: &'a [u16; WORDS],
    /// The number of words read.
    read: usize,
}

impl<'a> Lanes<'a> {
    fn start(bytes: &[u8], scratch: &'a mut DecoderScratch) -> Result<Lanes<'a>, BadBlock> {
        let (states, words) = bytes.split_first_chunk::<{ 4 * LANES }>().ok_or(BadBlock)?;
        let (words, []) = words.as_chunks::<2>() else {
            return Err(BadBlock);
        };
        if words.len() > WORDS {
            return Err(BadBlock);
        }
        for (word, bytes) in scratch.words.iter_mut().zip(words) {
            *word = u16::from_le_bytes(*bytes);
        }
        let (states, _) = states.as_chunks::<4>();
        Ok(Lanes {
            states: std::array::from_fn(|lane| u32::from_le_bytes(states[lane])),
            words: &scratch.words,
            read: 0,
        })
    }

    /// Checks that all words read are part of the block.
    fn check(&self, bytes: &[u8]) -> Result<(), BadBlock> {
        if 4 * LANES + 2 * self.read <= bytes.len() {
            Ok(())
        } else {
            Err(BadBlock)
        }
    }

    /// Checks that the block is used up, and that the states are as before encoding.
    fn finish(&self, bytes: &[u8]) -> Result<(), BadBlock> {
        let used = 4 * LANES + 2 * self.read == bytes.len();
        if used && self.states == [LOWEST_STATE; LANES] {
            Ok(())
        } else {
            Err(BadBlock)
        }
    }
}

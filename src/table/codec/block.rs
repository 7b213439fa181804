//! A block: the values of a tile as bytes, coded with range asymmetric numeral systems
//! (rANS; J. Duda, 2013).
//!
//! Four lanes share the rows of a tile: the first quarter of the rows goes to the first lane, and so on.
//! Each lane has its own state, and the lanes take turns, a value at a time. So a processor can work on
//! four values at once, although within a lane each value depends on the one before. All lanes read from
//! the same sequence of words.

use std::hint::select_unpredictable;

use super::context::{self, NONE, STEADY_ABOVE, STEADY_LEFT, Traits};
use super::model::{Decoder, Encoder, PRECISION};
use super::scale::Scale;
use super::tile_traits::TileTraits;
use super::tiling::{MAX_HEIGHT, MAX_WIDTH};

pub(crate) const LANES: usize = 4;

/// States are at least this, and below 2^32. A lane starts encoding with this state, so the decoder ends
/// with it.
const LOWEST_STATE: u32 = 1 << 16;

/// The most words of a block, because no value takes more bits than the precision.
const WORDS: usize = 1 << 14;
const _: () = assert!(MAX_WIDTH * MAX_HEIGHT * PRECISION as usize <= WORDS * 16);

/// The longest block in bytes.
pub const MAX_BLOCK: usize = 4 * LANES + 2 * WORDS;

/// The error for a block that cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadBlock;

/// The columns of a tile whose values are stored.
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

    #[inline]
    fn structures(&self, sides: TileTraits<'_>, row: usize) -> [u8; MAX_WIDTH] {
        let before = match row {
            0 => sides.before,
            row => sides.rows[row - 1].reach,
        };
        let mut structures = [0; MAX_WIDTH];
        context::structures(
            sides.rows[row],
            before,
            &self.reach[..self.count],
            &self.prey[..self.count],
            &mut structures,
        );
        structures
    }
}

/// The most rows of a lane.
fn lane_rows(rows: usize) -> usize {
    rows.div_ceil(LANES)
}

/// The number of lanes that have this row.
fn active_lanes(rows: usize, lane_row: usize) -> usize {
    (rows - lane_row).div_ceil(lane_rows(rows))
}

/// The place of a value to encode, and its neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    /// The row and the column in the tile.
    pub row: usize,
    pub column: usize,
    /// The value to the left, and the value above or `NONE`. In the first column, the value above also
    /// stands for the value to the left.
    pub left: u8,
    pub above: u8,
}

/// Visits the stored values of a tile, row by row. `value` returns each as a number from 0; `each` gets
/// its place in the order of decoding, its context and its symbol.
#[inline(always)]
pub fn walk(
    sides: TileTraits<'_>,
    kinds: u8,
    mut value: impl FnMut(Visit) -> u8,
    mut each: impl FnMut(usize, usize, u8),
) {
    let columns = Columns::of(sides.columns);
    let lane_rows = lane_rows(sides.rows.len());
    let middle = kinds / 2;
    let mut above = [NONE; MAX_WIDTH];
    let mut second_above = above;
    for row in 0..sides.rows.len() {
        let (lane, lane_row) = (row / lane_rows, row % lane_rows);
        if lane_row == 0 {
            above = [NONE; MAX_WIDTH];
            second_above = above;
        }
        let structures = columns.structures(sides, row);
        let mut left = if lane_row == 0 { middle } else { above[0] };
        let mut second_left = left;
        for x in 0..columns.count {
            let visit = Visit {
                row,
                column: columns.place[x].into(),
                left,
                above: above[x],
            };
            let stored = value(visit);
            let context = context::first(left, above[x])
                + usize::from(left == second_left) * STEADY_LEFT
                + usize::from(above[x] == second_above[x]) * STEADY_ABOVE
                + usize::from(structures[x]);
            let symbol = match stored.checked_sub(left) {
                Some(more) => more,
                None => stored + (kinds - left),
            };
            each(
                (lane_row * columns.count + x) * LANES + lane,
                context,
                symbol,
            );
            second_above[x] = stored;
            (second_left, left) = (left, stored);
        }
        std::mem::swap(&mut above, &mut second_above);
    }
}

/// Memory for encoding a block.
#[derive(Debug, Default)]
pub struct EncoderScratch {
    /// By place in the order of decoding: cluster and symbol.
    symbols: Vec<(u8, u8)>,
    words: Vec<u16>,
}

/// Encodes a block; `value` returns the stored values, as numbers from 0.
pub fn encode(
    encoder: &Encoder,
    sides: TileTraits<'_>,
    value: impl FnMut(Visit) -> u8,
    scratch: &mut EncoderScratch,
    bytes: &mut Vec<u8>,
) {
    let rows = sides.rows.len();
    let count = sides.columns.iter().filter(|column| !column.filled).count();
    if count == 0 {
        return;
    }
    let EncoderScratch { symbols, words } = scratch;
    symbols.clear();
    symbols.resize(lane_rows(rows) * LANES * count, (0, 0));
    walk(sides, encoder.kinds, value, |place, context, symbol| {
        symbols[place] = (encoder.map[context], symbol);
    });

    // The last value comes first, because decoding reverses the order.
    words.clear();
    let mut states = [LOWEST_STATE; LANES];
    for (lane_row, symbols) in symbols.chunks_exact(count * LANES).enumerate().rev() {
        let active = active_lanes(rows, lane_row);
        for lanes in symbols.chunks_exact(LANES).rev() {
            for lane in (0..active).rev() {
                let (cluster, symbol) = lanes[lane];
                let (frequency, start) = encoder.interval(cluster, symbol);
                let state = &mut states[lane];
                if *state >> (32 - PRECISION) >= frequency {
                    words.push(*state as u16);
                    *state >>= 16;
                }
                *state = ((*state / frequency) << PRECISION) + *state % frequency + start;
            }
        }
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

/// A row of values for each lane.
type LaneRows = [[u8; MAX_WIDTH]; LANES];

/// The number of rows to decode in each lane to have a row of the tile.
pub(crate) fn rows_to_decode(rows: usize, row: usize) -> usize {
    row % lane_rows(rows) + 1
}

/// Decodes a block into the values of a tile, row by row. Values that are not stored stay as they are.
///
/// With `part`, decodes only the first `part` rows of each lane.
pub(crate) fn decode(
    decoder: &Decoder,
    scale: Scale,
    sides: TileTraits<'_>,
    bytes: &[u8],
    part: Option<usize>,
    scratch: &mut DecoderScratch,
    values: &mut [i8],
) -> Result<(), BadBlock> {
    let rows = sides.rows.len();
    let width = sides.columns.len();
    let columns = Columns::of(sides.columns);
    if columns.count == 0 {
        return if bytes.is_empty() {
            Ok(())
        } else {
            Err(BadBlock)
        };
    }
    let mut lanes = Lanes::start(bytes, scratch)?;
    let middle = decoder.kinds / 2;
    let lane_rows = lane_rows(rows);
    let mut current: LaneRows = [[0; MAX_WIDTH]; LANES];
    let mut above: LaneRows = [[NONE; MAX_WIDTH]; LANES];
    let mut second_above = above;
    let mut known = [[0u16; MAX_WIDTH]; LANES];
    for lane_row in 0..part.map_or(lane_rows, |part| part.min(lane_rows)) {
        let active = active_lanes(rows, lane_row);
        let mut left = [middle; LANES];
        for lane in 0..active {
            let structures = columns.structures(sides, lane * lane_rows + lane_row);
            for x in 0..MAX_WIDTH {
                let steady = above[lane][x] == second_above[lane][x];
                known[lane][x] =
                    u16::from(structures[x]) + if steady { STEADY_ABOVE as u16 } else { 0 };
            }
            if lane_row > 0 {
                left[lane] = above[lane][0];
            }
        }
        let row = LaneRow {
            decoder,
            count: columns.count,
            above: &above,
            known: &known,
            left,
        };
        match active {
            4 => lanes.decode_row::<4>(row, &mut current),
            3 => lanes.decode_row::<3>(row, &mut current),
            2 => lanes.decode_row::<2>(row, &mut current),
            _ => lanes.decode_row::<1>(row, &mut current),
        }
        for (lane, current) in current[..active].iter().enumerate() {
            let row = (lane * lane_rows + lane_row) * width;
            let row = &mut values[row..row + width];
            for (&value, &place) in current.iter().zip(&columns.place[..columns.count]) {
                row[usize::from(place)] = scale.value(value);
            }
        }
        std::mem::swap(&mut second_above, &mut above);
        std::mem::swap(&mut above, &mut current);
    }
    match part {
        // The rest is ignored, but the words read must be part of the block.
        Some(part) if part < lane_rows => lanes.check(bytes),
        _ => lanes.finish(bytes),
    }
}

/// The known facts about a row of each lane before it is decoded.
#[derive(Clone, Copy)]
struct LaneRow<'a> {
    decoder: &'a Decoder,
    count: usize,
    above: &'a LaneRows,
    /// The parts of the contexts from the structure and the values above.
    known: &'a [[u16; MAX_WIDTH]; LANES],
    /// The value to the left of the first column.
    left: [u8; LANES],
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

    /// Decodes a row of the first `ACTIVE` lanes.
    ///
    /// Decoding spends its time here. There is no branch that a processor could mispredict, and no input
    /// can lead an index out of its table.
    #[inline(always)]
    #[allow(
        clippy::needless_range_loop,
        reason = "one column of four rows at a time"
    )]
    fn decode_row<const ACTIVE: usize>(&mut self, row: LaneRow<'_>, values: &mut LaneRows) {
        let kinds = u32::from(row.decoder.kinds);
        let mut states: [u32; ACTIVE] = std::array::from_fn(|lane| self.states[lane]);
        let mut left: [u8; ACTIVE] = std::array::from_fn(|lane| row.left[lane]);
        let mut second_left = left;
        let mut read = self.read;
        for x in 0..row.count.min(MAX_WIDTH) {
            for lane in 0..ACTIVE {
                let steady = left[lane] == second_left[lane];
                let context = context::first(left[lane], row.above[lane][x])
                    + usize::from(row.known[lane][x])
                    + if steady { STEADY_LEFT } else { 0 };
                let slot = row.decoder.slot(context, states[lane]);
                let state = slot.advance(states[lane]);
                let next = state << 16 | u32::from(self.words[read % WORDS]);
                let short = state < LOWEST_STATE;
                read += usize::from(short);
                states[lane] = select_unpredictable(short, next, state);
                let value = u32::from(left[lane]) + slot.symbol();
                let value = select_unpredictable(value >= kinds, value.wrapping_sub(kinds), value);
                (second_left[lane], left[lane]) = (left[lane], value as u8);
                values[lane][x] = value as u8;
            }
        }
        self.states[..ACTIVE].copy_from_slice(&states);
        self.read = read;
    }

    /// Checks that all words read are part of the block.
    fn check(self, bytes: &[u8]) -> Result<(), BadBlock> {
        if 4 * LANES + 2 * self.read <= bytes.len() {
            Ok(())
        } else {
            Err(BadBlock)
        }
    }

    /// Checks that the block is used up, and that the states are as before encoding.
    fn finish(self, bytes: &[u8]) -> Result<(), BadBlock> {
        let used = 4 * LANES + 2 * self.read == bytes.len();
        if used && self.states == [LOWEST_STATE; LANES] {
            Ok(())
        } else {
            Err(BadBlock)
        }
    }
}

//! A block: the numbers of a tile as bytes, coded with range asymmetric numeral systems
//! (rANS; J. Duda, 2013).
//!
//! Four lanes take a row of the tile each, then the next four rows, and so on. Each lane goes a column behind the lane
//! above it, so that it knows the numbers above. The lanes take turns, a position at a time. So a processor can work on
//! four positions at once, although within a lane each depends on the one before. Two lanes share a state, and all read
//! from the same sequence of words.

use std::cell::{Cell, RefCell};
use std::hint::select_unpredictable;

use super::half_boards::{EDGE, HalfBoard, NEIGHBOURS, TileHalves};
use super::model::{Coder, ESCAPE, Known, NONE, PRECISION, TOTAL, second_context};
use super::scale::{Numbers, OPEN, Scale};
use super::tiling::{HEIGHT, WIDTH};
use granero_game::Measured;

const LANES: usize = 4;

/// The number of states. Lanes share them in turn.
const STATES: usize = 2;

/// States are at least this, and below 2^32. A lane starts encoding with this state, so the decoder ends
/// with it.
const LOWEST_STATE: u32 = 1 << 16;

/// The most symbols of a position: a first number has eight, and a second one four.
const MAX_SYMBOLS: usize = 12;

/// The most words of a block, because no symbol takes more bits than the precision.
const WORDS: usize = 1 << 15;
const _: () = assert!(WIDTH * HEIGHT * MAX_SYMBOLS * PRECISION as usize <= WORDS * 16);

/// The longest block in bytes.
pub const MAX_BLOCK: usize = 4 * STATES + 2 * WORDS;

/// A row of numbers: the columns, and the one left of them. Any column is an index. Lanes share rows: each sets one, which
/// others have as a neighbour.
type NumberRow = [Cell<u8>; 1 << 8];

/// More than the rows of a tile and the one above it.
const ROWS: usize = 64;
const _: () = assert!(HEIGHT < ROWS);

/// A structure for each column of a tile.
type Structures = [u8; WIDTH];

/// The columns of a tile whose positions are stored.
struct Columns {
    count: usize,
    reach: [u8; WIDTH],
    prey: [u8; WIDTH],
    /// The prey of the first neighbour.
    prey_left: [u8; WIDTH],
    /// The places of the columns in the tile.
    place: [u8; WIDTH],
    /// The neighbours.
    left: [[u8; WIDTH]; NEIGHBOURS],
    /// The column of the number above the first neighbour.
    corner: [u8; WIDTH],
}

impl Columns {
    fn of(columns: &[HalfBoard]) -> Columns {
        let mut stored = Columns {
            count: 0,
            reach: [0; WIDTH],
            prey: [0; WIDTH],
            prey_left: [0; WIDTH],
            place: [0; WIDTH],
            left: [[0; WIDTH]; NEIGHBOURS],
            corner: [0; WIDTH],
        };
        for (place, column) in (0..).zip(columns).filter(|(_, column)| !column.filled) {
            let x = stored.count;
            let first = column.columns[0];
            stored.reach[x] = column.reach;
            stored.prey[x] = column.prey;
            stored.place[x] = place;
            if first != EDGE {
                stored.prey_left[x] = stored.prey[usize::from(first)];
                stored.corner[x] = first;
            }
            for (left, neighbour) in stored.left.iter_mut().zip(column.columns) {
                left[x] = neighbour;
            }
            stored.count += 1;
        }
        stored
    }

    /// Computes the structures of the positions of a row. `above` is the reach of its first neighbour.
    #[inline(always)]
    fn structures(&self, row: &HalfBoard, above: u8, structures: &mut Structures) {
        for (x, structure) in structures.iter_mut().enumerate() {
            let captures = row.reach & self.prey[x];
            let one = u8::from(captures != 0);
            let two = u8::from(captures & captures.wrapping_sub(1) != 0);
            let threat = u8::from(self.reach[x] & row.prey != 0);
            let above = u8::from(above & self.prey[x] != 0);
            let left = u8::from(row.reach & self.prey_left[x] != 0);
            *structure = (one + two) * 8 + threat * 4 + above * 2 + left;
        }
    }
}

/// The numbers of a tile. Those of the tile before stay until they are overwritten, because each number is set before
/// it is a neighbour.
struct TileNumbers {
    firsts: Box<[NumberRow; ROWS]>,
    /// What contexts tell of second numbers: at most 2; 3 if there is none.
    seconds: Box<[NumberRow; ROWS]>,
}

impl TileNumbers {
    /// Above a tile there are the numbers of wins.
    fn start(&mut self, scale: Scale) {
        self.firsts[0].fill(Cell::new(scale.kinds() - 1));
    }
}

/// A row of a tile.
#[derive(Clone, Copy)]
struct RowOfTile<'n> {
    firsts: &'n NumberRow,
    seconds: &'n NumberRow,
    /// The rows of the neighbours.
    above: [&'n NumberRow; 3],
    seconds_above: &'n NumberRow,
    structures: Structures,
}

impl<'n> RowOfTile<'n> {
    /// A row for a lane that has none.
    fn none(numbers: &'n TileNumbers) -> RowOfTile<'n> {
        RowOfTile {
            firsts: &numbers.firsts[0],
            seconds: &numbers.seconds[0],
            above: [&numbers.firsts[0]; 3],
            seconds_above: &numbers.seconds[0],
            structures: [0; WIDTH],
        }
    }

    fn of(
        halves: TileHalves,
        columns: &Columns,
        numbers: &'n TileNumbers,
        row: usize,
    ) -> RowOfTile<'n> {
        let half_board = &halves.rows[row];
        let above = match half_board.rows[0] {
            0 => 0,
            first => halves.rows[usize::from(first) - 1].reach,
        };
        let rows = half_board.rows.map(|row| usize::from(row) % ROWS);
        let mut found = RowOfTile {
            firsts: &numbers.firsts[(row + 1) % ROWS],
            seconds: &numbers.seconds[(row + 1) % ROWS],
            above: rows.map(|row| &numbers.firsts[row]),
            seconds_above: &numbers.seconds[rows[0]],
            structures: [0; WIDTH],
        };
        columns.structures(half_board, above, &mut found.structures);
        found
    }

    /// Left of a row there is the number above its first one.
    #[inline(always)]
    fn begin(&self) {
        self.firsts[usize::from(EDGE)].set(self.above[0][0].get());
        self.seconds[usize::from(EDGE)].set(self.seconds_above[0].get());
    }

    /// What is known of the position in a column.
    #[inline(always)]
    fn known(&self, columns: &Columns, x: usize) -> Known {
        let [a, b, c] = columns.left.each_ref().map(|left| usize::from(left[x]));
        let corner = usize::from(columns.corner[x]);
        let (left, above) = (self.firsts, self.above);
        Known {
            left: left[a].get(),
            above: above[0][x].get(),
            others: [
                above[0][corner].get(),
                left[b].get(),
                left[c].get(),
                above[1][x].get(),
                above[2][x].get(),
            ],
            structure: self.structures[x],
        }
    }

    /// The context of the second number of a position.
    #[inline(always)]
    fn second_context(&self, columns: &Columns, x: usize, first: u8) -> usize {
        let left = self.seconds[usize::from(columns.left[0][x])].get();
        second_context(first, left, self.seconds_above[x].get())
    }

    #[inline(always)]
    fn set<const BOUNDS: bool>(&self, x: usize, numbers: Numbers) {
        self.firsts[x].set(numbers.first);
        if BOUNDS {
            self.seconds[x].set(numbers.second.map_or(3, |second| second.min(2)));
        }
    }
}

/// A stored position, for learning.
pub(super) struct Seen {
    pub(super) known: Known,
    pub(super) numbers: Numbers,
    /// The context of the second number, if there is one.
    pub(super) second_context: usize,
}

/// Visits the stored positions of a tile, row by row. `values` are all values of the tile.
#[inline(always)]
fn walk(
    halves: TileHalves,
    scale: Scale,
    values: Measured<&[i8]>,
    tile: &mut TileNumbers,
    mut each: impl FnMut(&Seen),
) {
    let columns = &Columns::of(halves.columns);
    let width = halves.columns.len();
    tile.start(scale);
    for number in 0..halves.rows.len() {
        let row = RowOfTile::of(halves, columns, tile, number);
        row.begin();
        for x in 0..columns.count {
            let place = number * width + usize::from(columns.place[x]);
            let numbers = scale.numbers(values.map(|values| values[place]));
            let seen = Seen {
                known: row.known(columns, x),
                numbers,
                second_context: match numbers.second {
                    Some(_) => row.second_context(columns, x, numbers.first),
                    None => 0,
                },
            };
            each(&seen);
            row.set::<true>(x, numbers);
        }
    }
}

/// Visits the stored positions of a tile, for learning.
pub(super) fn see(
    halves: TileHalves,
    scale: Scale,
    values: Measured<&[i8]>,
    each: impl FnMut(&Seen),
) {
    SCRATCH.with_borrow_mut(|Scratch { numbers, .. }| walk(halves, scale, values, numbers, each));
}

/// A number to encode.
#[derive(Clone, Copy)]
struct Coded {
    cell: u16,
    /// The rank of a first number, or a second number.
    rank: u8,
}

/// Memory for coding a block.
struct Scratch {
    numbers: TileNumbers,
    /// For encoding, by row and column among the stored ones: the first number, and the second one if there is one.
    firsts: Vec<Coded>,
    seconds: Vec<Option<Coded>>,
    encoded: Vec<u16>,
    /// For decoding: the words of the block.
    words: Box<[u16; WORDS]>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch {
        numbers: TileNumbers {
            firsts: Box::new([const { [const { Cell::new(0) }; 1 << 8] }; ROWS]),
            seconds: Box::new([const { [const { Cell::new(3) }; 1 << 8] }; ROWS]),
        },
        firsts: Vec::new(),
        seconds: Vec::new(),
        encoded: Vec::new(),
        words: vec![0; WORDS].try_into().expect("WORDS words"),
    });
}

/// The states and words of a block that is being encoded.
struct Encoder<'a> {
    coder: &'a Coder,
    states: [u32; STATES],
    words: &'a mut Vec<u16>,
}

impl Encoder<'_> {
    #[inline(always)]
    fn symbol(&mut self, lane: usize, cell: usize, symbol: usize) {
        let (start, frequency) = self.coder.interval(cell, symbol);
        let state = &mut self.states[lane % STATES];
        if *state >> (32 - PRECISION) >= frequency {
            self.words.push(*state as u16);
            *state >>= 16;
        }
        *state = *state / frequency * TOTAL + *state % frequency + start;
    }

    /// Encodes a number.
    #[inline(always)]
    fn number(&mut self, lane: usize, Coded { cell, rank }: Coded) {
        let rank = usize::from(rank);
        if rank >= ESCAPE {
            let after = rank / ESCAPE;
            self.symbol(lane, self.coder.further(after), rank % ESCAPE);
            for after in (1..after).rev() {
                self.symbol(lane, self.coder.further(after), ESCAPE);
            }
        }
        self.symbol(lane, cell.into(), rank.min(ESCAPE));
    }
}

/// Encodes a block. `values` are all values of the tile.
pub fn encode(
    coder: &Coder,
    scale: Scale,
    halves: TileHalves,
    values: Measured<&[i8]>,
    bytes: &mut Vec<u8>,
) {
    let count = halves
        .columns
        .iter()
        .filter(|column| !column.filled)
        .count();
    if count == 0 {
        return;
    }
    SCRATCH.with_borrow_mut(|scratch| {
        let Scratch {
            numbers,
            firsts,
            seconds,
            encoded: words,
            ..
        } = scratch;
        firsts.clear();
        seconds.clear();
        words.clear();
        walk(halves, scale, values, numbers, |seen| {
            let pair = coder.pair(&seen.known);
            firsts.push(Coded {
                cell: coder.cell(pair, &seen.known) as u16,
                rank: coder.rank(pair, seen.numbers.first) as u8,
            });
            if scale.has_seconds() {
                seconds.push(seen.numbers.second.map(|rank| Coded {
                    cell: coder.second(seen.second_context) as u16,
                    rank,
                }));
            }
        });

        // The last symbol comes first, because decoding reverses the order.
        let mut encoder = Encoder {
            coder,
            states: [LOWEST_STATE; STATES],
            words,
        };
        let rows = halves.rows.len();
        for first in (0..rows).step_by(LANES).rev() {
            let active = LANES.min(rows - first);
            for step in (0..count + active - 1).rev() {
                for lane in (0..active).rev() {
                    let x = step.wrapping_sub(lane);
                    if x < count {
                        let place = (first + lane) * count + x;
                        if scale.has_seconds()
                            && let Some(second) = seconds[place]
                        {
                            encoder.number(lane, second);
                        }
                        encoder.number(lane, firsts[place]);
                    }
                }
            }
        }
        bytes.extend(encoder.states.iter().flat_map(|state| state.to_le_bytes()));
        bytes.extend(words.iter().rev().flat_map(|word| word.to_le_bytes()));
    });
}

/// The number of rows to decode to have a row of the tile.
pub(crate) fn rows_to_decode(rows: usize, row: usize) -> usize {
    (row + 1).next_multiple_of(LANES).min(rows)
}

/// Decodes a block into the values of a tile, row by row, with [`OPEN`] for measures that are not stored.
/// Positions that are not stored stay as they are. Returns `None` if the block cannot be decoded.
///
/// Decodes only the first `part` rows if there are more. A part ends where
/// [`rows_to_decode`] says.
pub(crate) fn decode(
    coder: &Coder,
    scale: Scale,
    halves: TileHalves,
    bytes: &[u8],
    part: usize,
    values: Measured<&mut [i8]>,
) -> Option<()> {
    let columns = Columns::of(halves.columns);
    if columns.count == 0 {
        return bytes.is_empty().then_some(());
    }
    SCRATCH.with_borrow_mut(|Scratch { numbers, words, .. }| {
        numbers.start(scale);
        let mut tile = TileDecoder {
            coder,
            scale,
            halves,
            columns,
            numbers,
            states: start(bytes, words)?,
            words,
            read: 0,
        };
        let is_whole = part >= halves.rows.len();
        match values {
            Measured::Value(values) => tile.rows::<false>(part, values, &mut [])?,
            Measured::Bounds { low, high } => tile.rows::<true>(part, low, high)?,
        }
        let read = 4 * STATES + 2 * tile.read;
        let is_right = if is_whole {
            // The block is used up, and the states are as before encoding.
            read == bytes.len() && tile.states == [LOWEST_STATE; STATES]
        } else {
            // The rest is ignored, but the words read must be part of the block.
            read <= bytes.len()
        };
        is_right.then_some(())
    })
}

/// A tile that is being decoded.
struct TileDecoder<'a> {
    coder: &'a Coder,
    scale: Scale,
    halves: TileHalves,
    columns: Columns,
    numbers: &'a TileNumbers,
    words: &'a [u16; WORDS],
    states: [u32; STATES],
    /// The number of words read.
    read: usize,
}

/// For each lane a row of high bounds.
type Highs = [[i8; WIDTH]; LANES];

impl TileDecoder<'_> {
    /// Decodes rows into `low`, and `high` if there are bounds.
    fn rows<const BOUNDS: bool>(
        &mut self,
        part: usize,
        low: &mut [i8],
        high: &mut [i8],
    ) -> Option<()> {
        let width = self.halves.columns.len();
        let lows = self.scale.lows();
        let rows = self.halves.rows.len();
        let mut highs = [[OPEN; WIDTH]; LANES];
        for first in (0..part.min(rows)).step_by(LANES) {
            let active = (rows - first).min(LANES);
            let mut lanes = [RowOfTile::none(self.numbers); LANES];
            for (row, lane) in (first..rows).zip(&mut lanes) {
                *lane = RowOfTile::of(self.halves, &self.columns, self.numbers, row);
            }
            match active {
                1 => self.lane_rows::<1, BOUNDS>(&lanes, &mut highs),
                2 => self.lane_rows::<2, BOUNDS>(&lanes, &mut highs),
                3 => self.lane_rows::<3, BOUNDS>(&lanes, &mut highs),
                _ => self.lane_rows::<LANES, BOUNDS>(&lanes, &mut highs),
            }
            let places = &self.columns.place[..self.columns.count];
            for (row, lane) in (first..rows).zip(&lanes) {
                let low = &mut low[row * width..][..width];
                let mut is_none = false;
                for (first, &place) in lane.firsts.iter().map(Cell::get).zip(places) {
                    is_none |= first == NONE;
                    low[usize::from(place)] = lows[usize::from(first % 64)];
                }
                if is_none {
                    return None;
                }
            }
            if BOUNDS {
                for (row, highs) in (first..rows).zip(&highs) {
                    let places = places.iter().map(|&place| row * width + usize::from(place));
                    for (&found, place) in highs.iter().zip(places) {
                        high[place] = found;
                        if found < low[place] {
                            return None;
                        }
                    }
                }
            }
        }
        Some(())
    }

    /// Decodes a row of each of the first `ACTIVE` lanes.
    #[inline(always)]
    fn lane_rows<const ACTIVE: usize, const BOUNDS: bool>(
        &mut self,
        lanes: &[RowOfTile<'_>; LANES],
        highs: &mut Highs,
    ) {
        let mut rows: Rows<'_, BOUNDS> = Rows {
            coder: self.coder,
            scale: self.scale,
            columns: &self.columns,
            lanes,
            words: self.words,
            states: self.states,
            read: self.read,
            highs,
        };
        let count = self.columns.count;
        for step in 0..count + ACTIVE - 1 {
            if (ACTIVE..count).contains(&step) {
                rows.go_on::<ACTIVE>(step, |_| true);
            } else {
                if let Some(lane) = lanes[..ACTIVE].get(step) {
                    lane.begin();
                }
                rows.go_on::<ACTIVE>(step, |x| x < count);
            }
        }
        self.states = rows.states;
        self.read = rows.read;
    }
}

/// A row for each lane.
struct Rows<'a, const BOUNDS: bool> {
    coder: &'a Coder,
    scale: Scale,
    columns: &'a Columns,
    lanes: &'a [RowOfTile<'a>; LANES],
    words: &'a [u16; WORDS],
    states: [u32; STATES],
    read: usize,
    highs: &'a mut Highs,
}

impl<const BOUNDS: bool> Rows<'_, BOUNDS> {
    /// Decodes a position of each lane, if it has this column.
    #[inline(always)]
    fn go_on<const ACTIVE: usize>(&mut self, step: usize, has_column: impl Fn(usize) -> bool) {
        // With lanes known to the compiler, states stay in registers.
        if has_column(step) {
            self.position::<0>(step);
        }
        if ACTIVE > 1 && has_column(step.wrapping_sub(1)) {
            self.position::<1>(step.wrapping_sub(1));
        }
        if ACTIVE > 2 && has_column(step.wrapping_sub(2)) {
            self.position::<2>(step.wrapping_sub(2));
        }
        if ACTIVE > 3 && has_column(step.wrapping_sub(3)) {
            self.position::<3>(step.wrapping_sub(3));
        }
    }

    /// Decodes a position.
    ///
    /// Decoding spends its time here. The only branch that a processor often mispredicts is for unlikely numbers, and no
    /// input can lead an index out of its table.
    #[inline(always)]
    fn position<const LANE: usize>(&mut self, x: usize) {
        let x = x % WIDTH;
        let row = &self.lanes[LANE];
        let known = row.known(self.columns, x);
        let pair = self.coder.pair(&known);
        let symbol = self.symbol::<LANE>(self.coder.cell(pair, &known));
        let first = if symbol == ESCAPE {
            let rank = self.further::<LANE>();
            self.coder.unlikely(pair, rank)
        } else {
            pair.number(symbol)
        };
        let mut second = None;
        if BOUNDS {
            if self.scale.has_second(first) {
                let context = row.second_context(self.columns, x, first);
                let symbol = self.symbol::<LANE>(self.coder.second(context));
                second = Some(match symbol {
                    ESCAPE => self.further::<LANE>() as u8,
                    symbol => symbol as u8,
                });
            }
            let high = second.map_or(OPEN, |second| self.scale.high(second));
            self.highs[LANE][x] = high;
        }
        let numbers = Numbers { first, second };
        row.set::<BOUNDS>(x, numbers);
    }

    /// Decodes the rest of a number that begins with [`ESCAPE`].
    #[inline(always)]
    fn further<const LANE: usize>(&mut self) -> usize {
        let state = &mut self.states[LANE % STATES];
        let rank;
        // By value, so that states stay in registers elsewhere.
        (rank, *state, self.read) = further(self.coder, self.words, *state, self.read);
        rank
    }

    #[inline(always)]
    fn symbol<const LANE: usize>(&mut self, cell: usize) -> usize {
        let state = &mut self.states[LANE % STATES];
        let symbol;
        (symbol, *state, self.read) = symbol_of(self.coder, self.words, cell, *state, self.read);
        symbol
    }
}

/// Decodes a symbol; returns it, the state after it, and the number of words read.
#[inline(always)]
fn symbol_of(
    coder: &Coder,
    words: &[u16; WORDS],
    cell: usize,
    state: u32,
    read: usize,
) -> (usize, u32, usize) {
    let (symbol, state) = coder.symbol(cell, state);
    let next = state << 16 | u32::from(words[read % WORDS]);
    let short = state < LOWEST_STATE;
    let state = select_unpredictable(short, next, state);
    (symbol, state, read + usize::from(short))
}

/// Decodes what follows the first [`ESCAPE`] of a number; returns its rank, the state after it, and the number of words
/// read.
#[cold]
#[inline(never)]
fn further(
    coder: &Coder,
    words: &[u16; WORDS],
    mut state: u32,
    mut read: usize,
) -> (usize, u32, usize) {
    for after in 1..=coder.longest() {
        let symbol;
        (symbol, state, read) = symbol_of(coder, words, coder.further(after), state, read);
        if symbol != ESCAPE {
            return (after * ESCAPE + symbol, state, read);
        }
    }
    (usize::from(NONE), state, read)
}

/// Reads the words of a block, and returns the states before them.
fn start(bytes: &[u8], to: &mut [u16; WORDS]) -> Option<[u32; STATES]> {
    let (states, words) = bytes.split_first_chunk::<{ 4 * STATES }>()?;
    let (words, []) = words.as_chunks::<2>() else {
        return None;
    };
    if words.len() > WORDS {
        return None;
    }
    for (word, bytes) in to.iter_mut().zip(words) {
        *word = u16::from_le_bytes(*bytes);
    }
    let (states, _) = states.as_chunks::<4>();
    Some(std::array::from_fn(|state| {
        u32::from_le_bytes(states[state])
    }))
}

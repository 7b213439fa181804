//! The model of a layer: how frequent each symbol is, given what is known before it is decoded.
//!
//! The numbers to the left and above, a *pair*, put all numbers in an order, the likely ones first. The *rank* of a
//! number is its place in this order. A symbol is a rank from 0 to 6; 7 stands for all higher ranks, and a further
//! symbol tells how much higher. Two *contexts* tell what is known of a position, and each has a *class*. A pair of
//! classes is a *cell*, which has a frequency for each symbol.

use super::scale::Scale;

/// The frequencies of a cell add up to two to the power of this.
pub const PRECISION: u32 = 12;

/// The sum of the frequencies of a cell.
pub const TOTAL: u32 = 1 << PRECISION;

/// The number of symbols.
pub(super) const SYMBOLS: usize = 8;

/// The symbol for ranks from this on.
pub(super) const ESCAPE: usize = SYMBOLS - 1;

/// The number of structures. A structure tells which captures the half-boards allow in a position and its
/// neighbours.
pub(super) const STRUCTURES: usize = 24;

/// The number of ranks that a context tells apart.
const LEVELS: usize = 5;

/// The number of inner contexts: by the ranks of five neighbours.
pub(super) const INNER: usize = LEVELS.pow(5);

/// The number of contexts of a second number for each first number.
const SECONDS: usize = 16;

/// The most classes of contexts of a kind.
pub(super) const MAX_CLASSES: usize = 128;

/// Stands for the frequency of the symbol of a cell that has what the others leave.
const REST: u8 = u8::MAX;

/// The most first numbers.
const MAX_KINDS: usize = 51;

/// More than the cells.
const CELLS: usize = 1 << 15;
const _: () = assert!(MAX_CLASSES * MAX_CLASSES + MAX_KINDS * SECONDS + 8 <= CELLS);

/// More than the first numbers.
const NUMBERS: usize = 64;
const _: () = assert!(MAX_KINDS < NUMBERS);

/// The frequencies of the symbols in a cell: [`TOTAL`] together.
pub(super) type Frequencies = [u16; SYMBOLS];

/// How frequent each symbol is in each cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    pub(super) kinds: usize,
    /// By pair: up to seven numbers, the most likely first. All others follow, the smallest first.
    pub(super) likely: Vec<Vec<u8>>,
    /// By outer and by inner context: the class.
    pub(super) classes: [Vec<u8>; 2],
    /// By class of the outer context, then by class of the inner one; then the cells of second numbers, and those of
    /// symbols that follow [`ESCAPE`].
    pub(super) cells: Vec<Frequencies>,
}

/// The numbers of contexts and cells of a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) kinds: usize,
    /// The numbers of outer and inner contexts.
    pub(super) contexts: [usize; 2],
    /// The cells of second numbers.
    pub(super) seconds: usize,
    /// The cells of symbols that follow [`ESCAPE`].
    pub(super) further: usize,
}

impl Sizes {
    pub(super) fn of(scale: Scale) -> Sizes {
        let kinds = usize::from(scale.kinds());
        Sizes {
            kinds,
            contexts: [kinds * kinds * STRUCTURES, INNER],
            seconds: if scale.has_seconds() {
                SECONDS * kinds
            } else {
                0
            },
            further: (kinds - 1) / ESCAPE,
        }
    }

    /// The cells besides those of pairs of classes.
    pub(super) fn extra(&self) -> usize {
        self.seconds + self.further
    }
}

/// The context of a second number among those of second numbers. `left` and `above` are the second numbers of
/// neighbours, at most 2; 3 if they have none.
#[inline(always)]
pub(super) fn second_context(first: u8, left: u8, above: u8) -> usize {
    usize::from(first) * SECONDS + usize::from(left << 2 | above)
}

impl Model {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for likely in &self.likely {
            bytes.push(likely.len() as u8);
            bytes.extend(likely);
        }
        for classes in &self.classes {
            bytes.push(count(classes));
            for run in classes.chunk_by(|a, b| a == b) {
                bytes.push(run[0]);
                let mut length = run.len();
                while length >= 0x80 {
                    bytes.push(length as u8 | 0x80);
                    length >>= 7;
                }
                bytes.push(length as u8);
            }
        }
        bytes.extend(self.cells.iter().flat_map(codes));
        bytes
    }

    /// Returns `None` if the bytes are not those of a model.
    pub fn from_bytes(scale: Scale, bytes: &[u8]) -> Option<Model> {
        let sizes = Sizes::of(scale);
        let mut bytes = Bytes(bytes);
        let mut likely = Vec::with_capacity(sizes.kinds * sizes.kinds);
        for _ in 0..sizes.kinds * sizes.kinds {
            let count = usize::from(bytes.next()?);
            if count > ESCAPE {
                return None;
            }
            let numbers = bytes.take(count)?;
            let is_new = |place: usize| !numbers[..place].contains(&numbers[place]);
            if !(0..count).all(|place| usize::from(numbers[place]) < sizes.kinds && is_new(place)) {
                return None;
            }
            likely.push(numbers.to_vec());
        }
        let outer = bytes.classes(sizes.contexts[0])?;
        let inner = bytes.classes(sizes.contexts[1])?;
        let cells = usize::from(outer.0) * usize::from(inner.0) + sizes.extra();
        let (coded, _) = bytes.take(cells * SYMBOLS)?.as_chunks::<SYMBOLS>();
        if !bytes.0.is_empty() {
            return None;
        }
        let cells: Option<_> = coded.iter().map(cell).collect();
        Some(Model {
            kinds: sizes.kinds,
            likely,
            classes: [outer.1, inner.1],
            cells: cells?,
        })
    }
}

/// The number of classes, given the class of each context.
pub(super) fn count(classes: &[u8]) -> u8 {
    classes.iter().max().map_or(0, |most| most + 1)
}

/// Bytes that are being read.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        self.0.split_off(..count)
    }

    fn next(&mut self) -> Option<u8> {
        self.0.split_off_first().copied()
    }

    /// Reads the number of classes, and the class of each context.
    fn classes(&mut self, contexts: usize) -> Option<(u8, Vec<u8>)> {
        let classes = self.next()?;
        if !(1..=MAX_CLASSES).contains(&usize::from(classes)) {
            return None;
        }
        let mut found = Vec::with_capacity(contexts);
        while found.len() < contexts {
            let class = self.next()?;
            let length = self.run_length()?;
            if class >= classes || length == 0 || length > contexts - found.len() {
                return None;
            }
            found.resize(found.len() + length, class);
        }
        Some((classes, found))
    }

    /// Reads a run length: seven bits in each byte, lowest first; the highest bit means that more bytes
    /// follow.
    fn run_length(&mut self) -> Option<usize> {
        let mut length = 0;
        for place in 0..3 {
            let byte = self.next()?;
            length |= usize::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                return Some(length);
            }
        }
        None
    }
}

/// The frequency with a code: up to 63 itself, and then in steps of a 32nd to a 64th.
fn frequency(code: u8) -> u16 {
    match u16::from(code) {
        code @ 0..64 => code,
        code => (32 + code % 32) << (code / 32 - 1),
    }
}

/// The code of the largest frequency that has one and is not above this.
fn code(frequency: u16) -> u8 {
    match frequency {
        0..64 => frequency as u8,
        _ => {
            let steps = frequency.ilog2() as u16 - 5;
            (32 * steps + (frequency >> steps)) as u8
        }
    }
}

/// The nearest frequency that has a code, or the one below it.
pub(super) fn with_code(exact: u16) -> u16 {
    frequency(code(exact))
}

/// The symbol that has what the others leave: the first of the most frequent ones.
pub(super) fn rest_of(frequencies: &[impl Ord; SYMBOLS]) -> usize {
    let most = |most: usize, symbol: usize| {
        if frequencies[symbol] > frequencies[most] {
            symbol
        } else {
            most
        }
    };
    (1..SYMBOLS).fold(0, most)
}

/// The codes of the frequencies of a cell.
fn codes(frequencies: &Frequencies) -> [u8; SYMBOLS] {
    let mut codes = frequencies.map(code);
    codes[rest_of(frequencies)] = REST;
    codes
}

/// The frequencies of a cell with these codes.
fn cell(codes: &[u8; SYMBOLS]) -> Option<Frequencies> {
    let mut frequencies = codes.map(|code| if code == REST { 0 } else { frequency(code) });
    let left = (TOTAL as u16).checked_sub(frequencies.iter().sum());
    let mut rest = frequencies
        .iter_mut()
        .zip(codes)
        .filter(|(_, code)| **code == REST);
    match (rest.next(), rest.next(), left) {
        (Some((rest, _)), None, Some(left)) => *rest = left,
        _ => return None,
    }
    Some(frequencies)
}

/// Where the intervals of the symbols begin, in all cells: 0 for the first symbol of a cell, 2^15 less the start for the
/// others. So adding a slot sets the highest bit if the slot is not below the start.
#[derive(Debug)]
struct Starts(Box<[u16; CELLS * SYMBOLS + 1]>);

impl Starts {
    fn of(cells: &[Frequencies]) -> Starts {
        let starts = cells.iter().flat_map(|frequencies| {
            let mut start = 0;
            std::array::from_fn::<u16, SYMBOLS, _>(|symbol| {
                let found = if symbol == 0 { 0 } else { (1 << 15) - start };
                start += frequencies[symbol];
                found
            })
        });
        Starts(boxed(&starts.collect::<Vec<u16>>(), 0))
    }

    /// The symbol of a cell whose interval holds a number below [`TOTAL`].
    #[inline(always)]
    fn symbol(&self, cell: usize, slot: u32) -> usize {
        const ONES: u64 = 0x0001_0001_0001_0001;
        let slots = u64::from(slot) * ONES;
        let not_above = |symbol: usize| {
            let starts = &self.0[cell % CELLS * SYMBOLS + symbol..][..4];
            let four = starts
                .iter()
                .rev()
                .fold(0, |all, &start| all << 16 | u64::from(start));
            slots.wrapping_add(four) >> 15 & ONES
        };
        let count = not_above(0) + not_above(4);
        (count.wrapping_mul(ONES) >> 48) as usize
    }

    /// The frequency of a symbol of a cell, less 1, and what to add to a slot modulo [`TOTAL`] to subtract the start.
    #[inline(always)]
    fn interval(&self, cell: usize, symbol: usize) -> (u32, u32) {
        let place = (cell * SYMBOLS + symbol) % (CELLS * SYMBOLS);
        let (this, next) = (self.0[place], self.0[place + 1]);
        // The next cell begins with 0, which is the total modulo itself. A symbol that occurs has a frequency.
        let less = u32::from(this.wrapping_sub(next).wrapping_sub(1)) % TOTAL;
        (less, this.into())
    }
}

/// What is known of a position before its first number is decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// The first numbers of neighbours: the nearest to the left and above, and then, by their ranks, above the left one,
    /// two further ones to the left, and two further ones above.
    pub(super) left: u8,
    pub(super) above: u8,
    pub(super) others: [u8; 5],
    pub(super) structure: u8,
}

/// The most bytes of a [`Coder`].
pub const CODER_BYTES: u64 = (MAX_KINDS * MAX_KINDS * (size_of::<PairTable>() + NUMBERS)
    + (1 << 12)
    + 2 * (CELLS * SYMBOLS + 1)) as u64;

/// What a pair tells, in one piece of memory, because decoding spends much of its time on waiting for it.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
struct PairTable {
    /// By number: the rank, as far as contexts tell it apart.
    levels: [u8; NUMBERS],
    /// By structure: the first cell of the class of the outer context.
    outer: [u16; STRUCTURES],
    /// By rank, for the lowest ranks: the number.
    likely: [u8; SYMBOLS],
}

const _: () = assert!(size_of::<PairTable>() == 128);

/// The table of a pair of impossible numbers.
static NO_PAIR: PairTable = PairTable {
    levels: [0; NUMBERS],
    outer: [0; STRUCTURES],
    likely: [NONE; SYMBOLS],
};

/// The numbers to the left and above.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) number: usize,
    table: &'a PairTable,
}

impl Pair<'_> {
    /// The inner context of a position.
    #[inline(always)]
    pub(super) fn inner(self, known: &Known) -> usize {
        let level = |number: u8| usize::from(self.table.levels[usize::from(number) % NUMBERS]);
        let [a, b, c, d, e] = known.others.map(level);
        (a * LEVELS + b) * LEVELS.pow(3) + (c * LEVELS + d) * LEVELS + e
    }

    /// The number with a symbol below [`ESCAPE`]; [`NONE`] if there is none.
    #[inline(always)]
    pub(super) fn number(self, symbol: usize) -> u8 {
        self.table.likely[symbol % SYMBOLS]
    }
}

/// A model, ready to encode and decode. Decoding spends much of its time on waiting for these tables, so they are small.
#[derive(Debug)]
pub struct Coder {
    kinds: usize,
    pairs: Vec<PairTable>,
    /// By pair and number: the rank.
    ranks: Vec<[u8; NUMBERS]>,
    /// By inner context: the class.
    inner: Box<[u8; 1 << 12]>,
    cells: Starts,
    /// The first cells of second numbers, and of symbols that follow [`ESCAPE`].
    seconds: usize,
    further: usize,
}

/// The items in a box of more of them, with zeros for the rest, whose memory is not touched.
fn boxed<T: Copy, const LENGTH: usize>(items: &[T], zero: T) -> Box<[T; LENGTH]> {
    let mut all = vec![zero; LENGTH];
    all[..items.len()].copy_from_slice(items);
    all.try_into()
        .unwrap_or_else(|_| unreachable!("LENGTH items"))
}

/// Stands for a rank that no number has.
pub(super) const NONE: u8 = 63;

impl Coder {
    pub fn new(model: &Model) -> Coder {
        let kinds = model.kinds;
        let [outer, inner] = &model.classes;
        let inner_classes = usize::from(count(inner));
        let mut pairs = vec![NO_PAIR; kinds * kinds];
        let mut ranks = vec![[0; NUMBERS]; kinds * kinds];
        let each = outer.chunks_exact(STRUCTURES);
        for (pair, classes) in each.enumerate() {
            let table = &mut pairs[pair];
            for (first, &class) in table.outer.iter_mut().zip(classes) {
                *first = (usize::from(class) * inner_classes) as u16;
            }
            let likely = &model.likely[pair];
            let others = (0..kinds as u8).filter(|number| !likely.contains(number));
            for (rank, number) in likely.iter().copied().chain(others).enumerate() {
                table.levels[usize::from(number)] = rank.min(LEVELS - 1) as u8;
                ranks[pair][usize::from(number)] = rank as u8;
                if rank < ESCAPE {
                    table.likely[rank] = number;
                }
            }
        }
        let further = (kinds - 1) / ESCAPE;
        Coder {
            kinds,
            pairs,
            ranks,
            inner: boxed(inner, 0),
            seconds: usize::from(count(outer)) * inner_classes,
            further: model.cells.len() - further,
            cells: Starts::of(&model.cells),
        }
    }

    #[inline(always)]
    pub(super) fn pair(&self, known: &Known) -> Pair<'_> {
        let number = usize::from(known.left) * self.kinds + usize::from(known.above);
        Pair {
            number,
            table: self.pairs.get(number).unwrap_or(&NO_PAIR),
        }
    }

    /// The cell of a position.
    #[inline(always)]
    pub(super) fn cell(&self, pair: Pair<'_>, known: &Known) -> usize {
        let outer = pair.table.outer[usize::from(known.structure)];
        usize::from(outer) + usize::from(self.inner[pair.inner(known) % (1 << 12)])
    }

    /// The cell of a second number.
    #[inline(always)]
    pub(super) fn second(&self, context: usize) -> usize {
        self.seconds + context
    }

    /// The cell of the symbol that follows `after` times [`ESCAPE`].
    #[inline(always)]
    pub(super) fn further(&self, after: usize) -> usize {
        self.further + after - 1
    }

    /// The times that [`ESCAPE`] can occur in a row.
    pub(super) fn longest(&self) -> usize {
        (self.kinds - 1) / ESCAPE
    }

    /// The rank of a number.
    #[inline(always)]
    pub(super) fn rank(&self, pair: Pair<'_>, number: u8) -> usize {
        self.ranks[pair.number][usize::from(number) % NUMBERS].into()
    }

    /// The number with any rank; [`NONE`] if there is none.
    pub(super) fn unlikely(&self, pair: Pair<'_>, rank: usize) -> u8 {
        let ranks = self.ranks.get(pair.number).into_iter().flatten();
        let mut numbers = (0..self.kinds as u8).zip(ranks);
        let found = numbers.find(|(_, found)| usize::from(**found) == rank);
        found.map_or(NONE, |(number, _)| number)
    }

    /// The start and the frequency of a symbol in a cell.
    #[inline(always)]
    pub(super) fn interval(&self, cell: usize, symbol: usize) -> (u32, u32) {
        let (less, start) = self.cells.interval(cell, symbol);
        (start.wrapping_neg() % TOTAL, less + 1)
    }

    /// The symbol of a state in a cell, and the state without it.
    #[inline(always)]
    pub(super) fn symbol(&self, cell: usize, state: u32) -> (usize, u32) {
        let slot = state % TOTAL;
        let symbol = self.cells.symbol(cell, slot);
        let (less, start) = self.cells.interval(cell, symbol);
        // With good bytes this fits into 32 bits: the frequency is at most the total, by which the state
        // is divided.
        let state = (less + 1).wrapping_mul(state >> PRECISION) + slot.wrapping_add(start) % TOTAL;
        (symbol, state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_the_frequencies_below() {
        for code_of in 0..=u8::MAX {
            assert_eq!(code(frequency(code_of)), code_of);
        }
        for exact in 0..TOTAL as u16 {
            let near = with_code(exact);
            assert!(
                near <= exact && exact - near <= exact / 32,
                "{exact}: {near}"
            );
        }
    }

    #[test]
    fn cells_have_one_rest() {
        let good = [1, 63, 64, REST, 0, 200, 3, 0];
        let frequencies = cell(&good).unwrap();
        assert_eq!(frequencies.iter().sum::<u16>(), TOTAL as u16);
        assert_eq!(codes(&frequencies), good);
        let mut without = good;
        without[3] = 4;
        let mut twice = good;
        twice[0] = REST;
        for bad in [
            without,
            twice,
            [254, 254, REST, 0, 0, 0, 0, 0],
            [REST - 1; SYMBOLS],
        ] {
            assert_eq!(cell(&bad), None);
        }
    }

    #[test]
    fn symbols_have_their_intervals() {
        for frequencies in [
            [512; SYMBOLS],
            [4089, 1, 1, 1, 1, 1, 1, 1],
            [1, 1, 1, 1, 1, 1, 1, 4089],
            [0, 0, 4096, 0, 0, 0, 0, 0],
            [0, 0, 0, 0, 0, 0, 0, 4096],
            [0, 9, 0, 4000, 0, 0, 87, 0],
            [7, 1000, 3, 86, 2000, 500, 400, 100],
        ] {
            let starts = Starts::of(&[[512; SYMBOLS], frequencies]);
            let mut start = 0;
            for (symbol, &frequency) in frequencies.iter().enumerate() {
                if frequency > 0 {
                    let (less, to_add) = starts.interval(1, symbol);
                    assert_eq!(less + 1, u32::from(frequency));
                    assert_eq!((start + to_add) % TOTAL, 0);
                }
                let end = start + u32::from(frequency);
                for slot in start..end {
                    assert_eq!(starts.symbol(1, slot), symbol);
                }
                start = end;
            }
            assert_eq!(start, TOTAL);
        }
    }
}

//! Learning the model of a layer by counting, in three stages: which numbers are likely for each pair; which contexts
//! are alike; and how frequent the symbols are in each cell.
//!
//! K-means groups the contexts into classes; the distance is the number of bits that coding takes. The first centres are
//! contexts that the centres before them fit worst. All arithmetic uses whole numbers, so that every machine learns the
//! same.

use std::cmp::Reverse;
use std::hint::black_box;

use super::block;
use super::half_boards::TileHalves;
use super::model::{
    Coder, ESCAPE, Frequencies, MAX_CLASSES, Model, STRUCTURES, SYMBOLS, Sizes, TOTAL, count,
    rest_of, with_code,
};
use super::scale::Scale;
use granero_game::Measured;

/// What is counted in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The numbers by pair.
    Pairs,
    /// The symbols by context.
    Contexts,
    /// The symbols by cell.
    Cells,
}

impl Stage {
    pub const ALL: [Stage; 3] = [Stage::Pairs, Stage::Contexts, Stage::Cells];

    /// The positions that are enough to learn from.
    fn enough(self) -> u64 {
        match self {
            Stage::Pairs => 1 << 19,
            Stage::Contexts => 1 << 21,
            Stage::Cells => 1 << 23,
        }
    }
}

/// The positions for each cell: a cell itself takes room in the file.
const POSITIONS_FOR_A_CELL: u64 = 4096;

/// The most classes that are learned.
const CLASSES: u64 = 64;
const _: () = assert!(CLASSES <= MAX_CLASSES as u64);

/// The classes are found with this number of the most frequent contexts.
const LEADING: usize = 2000;

const ROUNDS: usize = 4;

/// A model that is being learned.
#[derive(Debug)]
pub struct Learner {
    pub(crate) scale: Scale,
    sizes: Sizes,
    /// The positions of the layer.
    positions: u64,
    stage: Stage,
    pub(crate) model: Model,
    pub(crate) coder: Coder,
}

impl Learner {
    /// Begins to learn the model of a layer with this number of positions.
    pub fn new(scale: Scale, positions: u64) -> Learner {
        let sizes = Sizes::of(scale);
        let model = Model {
            kinds: sizes.kinds,
            likely: vec![Vec::new(); sizes.kinds * sizes.kinds],
            classes: sizes.contexts.map(|contexts| vec![0; contexts]),
            cells: vec![EVEN; 1 + sizes.extra()],
        };
        Learner {
            scale,
            sizes,
            positions,
            stage: Stage::Pairs,
            coder: Coder::new(&model),
            model,
        }
    }

    /// The bytes of the longest counts.
    pub fn memory(scale: Scale) -> u64 {
        let sizes = Sizes::of(scale);
        let contexts: usize = sizes.contexts.iter().sum();
        let cells = (CLASSES * CLASSES) as usize + sizes.extra();
        let most = sizes.kinds.pow(3).max(contexts.max(cells) * SYMBOLS);
        (most * size_of::<u32>()) as u64
    }

    /// Tells if a tile is counted at this stage.
    pub fn has_tile(&self, number: u64) -> bool {
        number.is_multiple_of((self.positions / self.stage.enough()).max(1))
    }

    /// Counts for this stage, all 0.
    pub fn counts(&self) -> Vec<u32> {
        zeros(match self.stage {
            Stage::Pairs => self.sizes.kinds.pow(3),
            Stage::Contexts => self.sizes.contexts.iter().sum::<usize>() * SYMBOLS,
            Stage::Cells => self.model.cells.len() * SYMBOLS,
        })
    }

    /// Counts the positions of a tile. `values` are all its values.
    pub fn count(&self, halves: TileHalves, values: Measured<&[i8]>, counts: &mut [u32]) {
        let Learner { scale, coder, .. } = self;
        let mut add = |place: usize| counts[place] = counts[place].saturating_add(1);
        match self.stage {
            Stage::Pairs => block::see(halves, *scale, values, |seen| {
                let pair = coder.pair(&seen.known);
                add(pair.number * self.sizes.kinds + usize::from(seen.numbers.first));
            }),
            Stage::Contexts => block::see(halves, *scale, values, |seen| {
                let pair = coder.pair(&seen.known);
                let symbol = coder.rank(pair, seen.numbers.first).min(ESCAPE);
                let outer = pair.number * STRUCTURES + usize::from(seen.known.structure);
                add(outer * SYMBOLS + symbol);
                let inner = self.sizes.contexts[0] + pair.inner(&seen.known);
                add(inner * SYMBOLS + symbol);
            }),
            Stage::Cells => block::see(halves, *scale, values, |seen| {
                let pair = coder.pair(&seen.known);
                let mut number = |cell: usize, rank: usize| {
                    add(cell * SYMBOLS + rank.min(ESCAPE));
                    for after in 1..=rank / ESCAPE {
                        let symbol = (rank - after * ESCAPE).min(ESCAPE);
                        add(coder.further(after) * SYMBOLS + symbol);
                    }
                };
                let rank = coder.rank(pair, seen.numbers.first);
                number(coder.cell(pair, &seen.known), rank);
                if let Some(second) = seen.numbers.second {
                    number(coder.second(seen.second_context), second.into());
                }
            }),
        }
    }

    /// Learns from the counts of a stage, and goes on to the next one.
    pub fn learn(&mut self, counts: &[u32]) {
        match self.stage {
            Stage::Pairs => {
                let likely = counts.chunks_exact(self.sizes.kinds).map(likely);
                self.model.likely = likely.collect();
                self.stage = Stage::Contexts;
            }
            Stage::Contexts => {
                let (outer, inner) = counts.split_at(self.sizes.contexts[0] * SYMBOLS);
                let cells = self.positions / POSITIONS_FOR_A_CELL;
                let most = cells.isqrt().clamp(1, CLASSES) as usize;
                self.model.classes = [outer, inner].map(|counts| classes(counts, most));
                let classes = self.model.classes.each_ref();
                let [outer, inner] = classes.map(|of| usize::from(count(of)));
                self.model.cells = vec![EVEN; outer * inner + self.sizes.extra()];
                self.stage = Stage::Cells;
            }
            Stage::Cells => {
                let (cells, _) = counts.as_chunks::<SYMBOLS>();
                self.model.cells = cells.iter().map(frequencies).collect();
            }
        }
        self.coder = Coder::new(&self.model);
    }
}

/// The numbers that occur most, up to seven.
fn likely(counts: &[u32]) -> Vec<u8> {
    let mut numbers: Vec<usize> = (0..counts.len())
        .filter(|&number| counts[number] > 0)
        .collect();
    numbers.sort_by_key(|&number| (Reverse(counts[number]), number));
    numbers.truncate(ESCAPE);
    numbers.into_iter().map(|number| number as u8).collect()
}

type Counts = [u64; SYMBOLS];

/// Groups contexts into classes; returns the class of each.
fn classes(counts: &[u32], most: usize) -> Vec<u8> {
    let (counts, _) = counts.as_chunks::<SYMBOLS>();
    let contexts = occurring(counts);
    let leading = &contexts[..contexts.len().min(LEADING)];
    let mut centres = first_centres(most, leading);
    for _ in 0..ROUNDS {
        let nearest = nearest(&centres, leading);
        centres = sums(centres.len(), leading, &nearest);
    }
    let mut map = vec![None; counts.len()];
    for (context, class) in contexts.iter().zip(nearest(&centres, &contexts)) {
        map[context.number] = Some(class);
    }
    // A context that does not occur gets the class of the one before it.
    let mut last = 0;
    let map = map.into_iter().map(|class| {
        last = class.unwrap_or(last);
        last
    });
    map.collect()
}

/// A context that occurs.
struct Context {
    number: usize,
    total: u64,
    counts: Counts,
    /// The bits that its symbols take with frequencies of their own.
    own_bits: u64,
}

impl Context {
    fn new(number: usize, counts: &[u32; SYMBOLS]) -> Context {
        let counts = counts.map(u64::from);
        let total = counts.iter().sum();
        let own_bits = if total > 0 {
            bits(&counts, &costs(&counts))
        } else {
            0
        };
        Context {
            number,
            total,
            counts,
            own_bits,
        }
    }
}

/// The bits that symbols take with these costs.
fn bits(counts: &Counts, costs: &Counts) -> u64 {
    counts
        .iter()
        .zip(costs)
        .map(|(count, cost)| count * cost)
        .sum()
}

/// The contexts that occur, the most frequent first.
fn occurring(counts: &[[u32; SYMBOLS]]) -> Vec<Context> {
    let contexts = counts.iter().enumerate();
    let contexts = contexts.map(|(number, counts)| Context::new(number, counts));
    let mut contexts: Vec<Context> = contexts.filter(|context| context.total > 0).collect();
    contexts.sort_by_key(|context| (Reverse(context.total), context.number));
    contexts
}

/// The first centres: the most frequent context, and then each time the one that loses most bits.
fn first_centres(most: usize, contexts: &[Context]) -> Vec<Counts> {
    let first = contexts
        .first()
        .map_or([0; SYMBOLS], |context| context.counts);
    let mut centres = vec![first];
    let mut lost = vec![u64::MAX; contexts.len()];
    while centres.len() < most.min(contexts.len()) {
        let costs = costs(&centres[centres.len() - 1]);
        let mut worst = (0, 0);
        for (place, (lost, context)) in lost.iter_mut().zip(contexts).enumerate() {
            *lost = (*lost).min(bits(&context.counts, &costs).saturating_sub(context.own_bits));
            if *lost > worst.0 {
                worst = (*lost, place);
            }
        }
        centres.push(contexts[worst.1].counts);
    }
    centres
}

/// The sum of the contexts of each class.
fn sums(classes: usize, contexts: &[Context], nearest: &[u8]) -> Vec<Counts> {
    let mut sums = vec![[0; SYMBOLS]; classes];
    for (context, &class) in contexts.iter().zip(nearest) {
        for (sum, count) in sums[usize::from(class)].iter_mut().zip(&context.counts) {
            *sum += count;
        }
    }
    sums
}

/// The class of each context: the one in which its symbols take the fewest bits.
fn nearest(centres: &[Counts], contexts: &[Context]) -> Vec<u8> {
    let by_class: Vec<Counts> = centres.iter().map(costs).collect();
    let nearest = contexts.iter().map(|context| {
        let bits = by_class.iter().map(|costs| bits(&context.counts, costs));
        let nearest = (0..).zip(bits).min_by_key(|&(_, bits)| bits);
        nearest.map_or(0, |(class, _)| class)
    });
    nearest.collect()
}

/// By symbol: the bits that it takes in a class with these counts, in units of 2^-12.
fn costs(counts: &Counts) -> Counts {
    // A symbol that has not occurred yet may occur.
    let total: u64 = counts.iter().map(|&count| 64 * count + 1).sum();
    counts.map(|count| u64::from(log2(total) - log2(64 * count + 1)))
}

/// The logarithm in units of 2^-12.
fn log2(number: u64) -> u32 {
    let whole = number.ilog2();
    // Between 1 and 2, with 32 bits after the point.
    let mut mantissa = (u128::from(number) << 32 >> whole) as u64;
    let mut log = whole;
    for _ in 0..12 {
        mantissa = ((u128::from(mantissa) * u128::from(mantissa)) >> 32) as u64;
        let bit = (mantissa >> 33) as u32;
        mantissa >>= bit;
        log = log << 1 | bit;
    }
    log
}

/// The numbers in a page of memory, or fewer.
const PAGE: usize = 4096 / size_of::<u32>();

/// Returns zeros in memory that is there from the beginning.
///
/// The system gives memory that is zero already, and only once it is touched. A page that is read first
/// and written later is touched twice, and all processors that work on the program are interrupted for
/// the second time.
fn zeros(count: usize) -> Vec<u32> {
    let mut zeros = vec![0; count];
    for page in zeros.chunks_mut(PAGE) {
        // The compiler knows that these are zeros, and must not know which page it is.
        if let [first, .., last] = black_box(page) {
            (*first, *last) = (0, 0);
        }
    }
    zeros
}

/// The frequencies of a cell of which nothing is known.
const EVEN: Frequencies = [(TOTAL as usize / SYMBOLS) as u16; SYMBOLS];

/// Frequencies in proportion to the counts. All symbols may occur.
fn frequencies(counts: &[u32; SYMBOLS]) -> Frequencies {
    let sum: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    if sum == 0 {
        return EVEN;
    }
    let shared = u64::from(TOTAL) - SYMBOLS as u64;
    let share = |count: u32| 1 + (u64::from(count) * shared / sum) as u16;
    let mut frequencies = counts.map(|count| with_code(share(count)));
    frequencies[rest_of(counts)] += TOTAL as u16 - frequencies.iter().sum::<u16>();
    frequencies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right() {
        for number in (1..2000).chain([u64::from(u32::MAX), 1 << 40, (1 << 60) + 12345]) {
            let exact = (number as f64).log2() * 4096.0;
            let found = f64::from(log2(number));
            assert!(
                (exact - found).abs() <= 1.0,
                "{number}: {found}, not {exact}"
            );
        }
    }

    #[test]
    fn frequencies_add_up_and_every_symbol_has_one() {
        let uneven: [u32; SYMBOLS] = std::array::from_fn(|symbol| 1 << (4 * symbol));
        let mut steep = uneven;
        steep.reverse();
        for counts in [
            [0; SYMBOLS],
            [1; SYMBOLS],
            [u32::MAX; SYMBOLS],
            uneven,
            steep,
            [0, 0, 5, 0, 0, 0, 0, 0],
            [1, u32::MAX, 0, 0, 0, 0, 0, 0],
        ] {
            let frequencies = frequencies(&counts);
            let sum: u32 = frequencies
                .iter()
                .map(|&frequency| u32::from(frequency))
                .sum();
            assert_eq!(sum, TOTAL);
            assert!(!frequencies.contains(&0));
        }
    }
}

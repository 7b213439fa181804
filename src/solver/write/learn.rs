//! Learning the model of a layer from counts of symbols by context.
//!
//! K-means groups the contexts into clusters; the distance is the number of bits that coding
//! takes. The first centres are contexts that the centres before them fit worst. All arithmetic uses whole numbers, so that every machine learns the same.

use std::cmp::Reverse;
use std::hint::black_box;

use granero_table::codec::model::{MAX_CLUSTERS, Model, TOTAL, contexts};
use granero_table::codec::scale::Scale;

/// The number of times that each symbol occurs in each context.
#[derive(Clone, Debug)]
pub struct SymbolCounts {
    pub scale: Scale,
    kinds: usize,
    /// By context, then by symbol.
    pub counts: Vec<u32>,
}

/// The number of values for each cluster: a cluster itself takes room in the file.
const VALUES_FOR_A_CLUSTER: u64 = 2048;

/// The clusters are found with this number of the most frequent contexts.
const LEADING: usize = 3000;

const ROUNDS: usize = 6;

impl SymbolCounts {
    pub fn new(scale: Scale) -> SymbolCounts {
        SymbolCounts {
            scale,
            kinds: scale.kinds().into(),
            counts: zeros(SymbolCounts::length(scale)),
        }
    }

    fn length(scale: Scale) -> usize {
        contexts(scale) * usize::from(scale.kinds())
    }

    pub fn memory(scale: Scale) -> u64 {
        (SymbolCounts::length(scale) * size_of::<u32>()) as u64
    }

    #[inline(always)]
    pub fn add(&mut self, context: u16, symbol: u8) {
        let place = usize::from(context) * self.kinds + usize::from(symbol);
        let count = &mut self.counts[place];
        *count = count.saturating_add(1);
    }

    pub fn merge(&mut self, other: &SymbolCounts) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count = count.saturating_add(*more);
        }
    }

    pub fn model(&self) -> Model {
        let contexts = self.contexts();
        let values: u64 = contexts.iter().map(|context| context.total).sum();
        let clusters = (values / VALUES_FOR_A_CLUSTER).clamp(1, MAX_CLUSTERS as u64) as usize;
        let leading = &contexts[..contexts.len().min(LEADING)];
        let mut centres = self.first_centres(clusters, leading);
        for _ in 0..ROUNDS {
            let nearest = self.nearest(&centres, leading);
            centres = self.sums(centres.len(), leading, &nearest);
        }
        let nearest = self.nearest(&centres, &contexts);
        let centres = self.sums(centres.len(), &contexts, &nearest);

        let mut map = vec![None; self.counts.len() / self.kinds];
        for (context, &cluster) in contexts.iter().zip(&nearest) {
            map[context.number] = Some(cluster);
        }
        // A context that does not occur gets the cluster of the one before it.
        let mut last = 0;
        let map = map.into_iter().map(|cluster| {
            last = cluster.unwrap_or(last);
            last
        });
        Model {
            kinds: self.kinds as u8,
            map: map.collect(),
            frequencies: centres.iter().map(|centre| frequencies(centre)).collect(),
        }
    }

    /// The first centres: the most frequent context, and then each time the one that loses most bits.
    fn first_centres(&self, clusters: usize, contexts: &[Context<'_>]) -> Vec<Vec<u64>> {
        let mut centres = vec![self.sum(contexts.first())];
        let mut lost = vec![u64::MAX; contexts.len()];
        while centres.len() < clusters.min(contexts.len()) {
            let costs = costs(&centres[centres.len() - 1]);
            for (lost, context) in lost.iter_mut().zip(contexts) {
                *lost = (*lost).min(context.bits(&costs).saturating_sub(context.own_bits));
            }
            let worst = (0..)
                .zip(&lost)
                .max_by_key(|&(number, lost)| (lost, Reverse(number)));
            let (worst, _): (usize, _) = worst.expect("there is a context");
            centres.push(self.sum([&contexts[worst]]));
        }
        centres
    }

    /// The contexts that occur, the most frequent first.
    fn contexts(&self) -> Vec<Context<'_>> {
        let counts = self.counts.chunks_exact(self.kinds).enumerate();
        let mut contexts: Vec<Context<'_>> = counts
            .map(|(number, counts)| Context::new(number, counts))
            .filter(|context| context.total > 0)
            .collect();
        contexts.sort_by_key(|context| (Reverse(context.total), context.number));
        contexts
    }

    fn sum<'a>(&self, contexts: impl IntoIterator<Item = &'a Context<'a>>) -> Vec<u64> {
        let mut sum = vec![0; self.kinds];
        for context in contexts {
            for (sum, &count) in sum.iter_mut().zip(context.counts) {
                *sum += u64::from(count);
            }
        }
        sum
    }

    fn sums(&self, clusters: usize, contexts: &[Context<'_>], nearest: &[u8]) -> Vec<Vec<u64>> {
        (0..clusters)
            .map(|cluster| {
                let members = contexts.iter().zip(nearest);
                let members = members.filter(|&(_, &nearest)| usize::from(nearest) == cluster);
                self.sum(members.map(|(context, _)| context))
            })
            .collect()
    }

    /// The cluster of each context: the one in which its symbols take the fewest bits.
    fn nearest(&self, centres: &[Vec<u64>], contexts: &[Context<'_>]) -> Vec<u8> {
        // By symbol, then by cluster.
        let mut by_symbol = vec![vec![0; centres.len()]; self.kinds];
        for (cluster, centre) in centres.iter().enumerate() {
            for (by_cluster, cost) in by_symbol.iter_mut().zip(costs(centre)) {
                by_cluster[cluster] = cost;
            }
        }
        let mut bits = vec![0; centres.len()];
        let nearest = contexts.iter().map(|context| {
            bits.fill(0);
            // Most symbols do not occur.
            let occur = context.counts.iter().zip(&by_symbol);
            for (&count, costs) in occur.filter(|&(&count, _)| count > 0) {
                for (bits, cost) in bits.iter_mut().zip(costs) {
                    *bits += u64::from(count) * cost;
                }
            }
            let nearest = (0..).zip(&bits).min_by_key(|&(_, bits)| bits);
            nearest.map_or(0, |(cluster, _)| cluster)
        });
        nearest.collect()
    }
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

/// A context that occurs.
struct Context<'a> {
    number: usize,
    total: u64,
    /// By symbol: its count.
    counts: &'a [u32],
    /// The bits that its symbols take with frequencies of their own.
    own_bits: u64,
}

impl Context<'_> {
    fn new(number: usize, counts: &[u32]) -> Context<'_> {
        let own: Vec<u64> = counts.iter().map(|&count| count.into()).collect();
        let mut context = Context {
            number,
            total: own.iter().sum(),
            counts,
            own_bits: 0,
        };
        if context.total > 0 {
            context.own_bits = context.bits(&costs(&own));
        }
        context
    }

    /// The bits that its symbols take with these costs.
    fn bits(&self, costs: &[u64]) -> u64 {
        let counts = self.counts.iter().zip(costs);
        let bits = counts.map(|(&count, cost)| u64::from(count) * cost);
        bits.sum()
    }
}

/// By symbol: the bits that it takes in a cluster with these counts, in units of 2^-12.
fn costs(counts: &[u64]) -> Vec<u64> {
    // A symbol that has not occurred yet may occur.
    let total: u64 = counts.iter().map(|&count| 64 * count + 1).sum();
    let cost = |&count: &u64| u64::from(log2(total) - log2(64 * count + 1));
    counts.iter().map(cost).collect()
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

/// Frequencies in proportion to the counts; not 0 for a symbol that occurs.
fn frequencies(counts: &[u64]) -> Vec<u16> {
    let sum: u64 = counts.iter().sum();
    if sum == 0 {
        // A cluster without values may have any frequencies.
        let mut frequencies = vec![0; counts.len()];
        frequencies[0] = TOTAL as u16;
        return frequencies;
    }
    let share = |count: u64| (u128::from(count) * u128::from(TOTAL) / u128::from(sum)) as u16;
    let mut frequencies: Vec<u16> = counts
        .iter()
        .map(|&count| share(count).max(u16::from(count > 0)))
        .collect();
    // The most frequent symbols make up for rounding.
    loop {
        let sum: u32 = frequencies
            .iter()
            .map(|&frequency| u32::from(frequency))
            .sum();
        let most = (0..frequencies.len())
            .max_by_key(|&symbol| (frequencies[symbol], Reverse(symbol)))
            .expect("there is a symbol");
        match sum.cmp(&TOTAL) {
            std::cmp::Ordering::Equal => return frequencies,
            std::cmp::Ordering::Less => frequencies[most] += (TOTAL - sum) as u16,
            std::cmp::Ordering::Greater => {
                let give = (sum - TOTAL).min(u32::from(frequencies[most]) / 4).max(1);
                frequencies[most] -= give as u16;
            }
        }
    }
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
    fn frequencies_add_up_and_no_symbol_that_occurs_has_none() {
        let many = |count| vec![count; 97];
        let uneven: Vec<u64> = (0..97).map(|symbol| 1 << (symbol / 3)).collect();
        for counts in [
            many(0),
            many(1),
            many(1000),
            uneven,
            vec![0, 0, 5],
            vec![1, u32::MAX.into()],
        ] {
            let frequencies = frequencies(&counts);
            let sum: u32 = frequencies
                .iter()
                .map(|&frequency| u32::from(frequency))
                .sum();
            assert_eq!(sum, TOTAL);
            for (&count, &frequency) in counts.iter().zip(&frequencies) {
                assert!(count == 0 || frequency > 0);
            }
        }
    }
}

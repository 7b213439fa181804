//! Learning the model of a layer from counts of symbols by context.
//!
//! K-means groups the contexts into clusters; the distance is the number of bits that coding
//! takes. All arithmetic uses whole numbers, so that every machine learns the same.

use std::hint::black_box;

use granero_table::codec::context;
use granero_table::codec::model::{MAX_CLUSTERS, Model, TOTAL};

/// The number of times that each symbol occurs in each context.
#[derive(Clone, Debug)]
pub struct SymbolCounts {
    kinds: usize,
    /// By context, then by symbol.
    counts: Vec<u32>,
}

/// The number of values for each cluster: a cluster itself takes room in the file.
const VALUES_FOR_A_CLUSTER: u64 = 2048;

/// The clusters are found with this number of the most frequent contexts.
const LEADING: usize = 3000;

const ROUNDS: usize = 6;

impl SymbolCounts {
    pub fn new(kinds: u8) -> SymbolCounts {
        let kinds = usize::from(kinds);
        let counts = zeros(context::contexts(kinds) * kinds);
        SymbolCounts { kinds, counts }
    }

    /// The memory for the counts, in bytes.
    pub fn memory(kinds: u8) -> u64 {
        let kinds = usize::from(kinds);
        (context::contexts(kinds) * kinds * size_of::<u32>()) as u64
    }

    #[inline(always)]
    pub fn add(&mut self, context: usize, symbol: u8) {
        let count = &mut self.counts[context * self.kinds + usize::from(symbol)];
        *count = count.saturating_add(1);
    }

    /// All counts, in an order that depends on the kinds of values alone.
    pub fn numbers(&mut self) -> &mut [u32] {
        &mut self.counts
    }

    pub fn merge(&mut self, other: &SymbolCounts) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count = count.saturating_add(*more);
        }
    }

    /// The model for these counts.
    pub fn model(&self) -> Model {
        let contexts = self.contexts();
        let values: u64 = contexts.iter().map(|context| context.total).sum();
        let clusters = (values / VALUES_FOR_A_CLUSTER).clamp(1, MAX_CLUSTERS as u64) as usize;
        let leading = &contexts[..contexts.len().min(LEADING)];
        let mut centres: Vec<Vec<u64>> = leading
            .iter()
            .take(clusters)
            .map(|context| self.sum([context]))
            .collect();
        if centres.is_empty() {
            centres.push(vec![0; self.kinds]);
        }
        for _ in 0..ROUNDS {
            let nearest = self.nearest(&centres, leading);
            centres = self.sums(centres.len(), leading, &nearest);
        }
        let nearest = self.nearest(&centres, &contexts);
        let centres = self.sums(centres.len(), &contexts, &nearest);

        let mut map = vec![None; context::contexts(self.kinds)];
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

    /// The contexts that occur, the most frequent first.
    fn contexts(&self) -> Vec<Context<'_>> {
        let counts = self.counts.chunks_exact(self.kinds).enumerate();
        let mut contexts: Vec<Context<'_>> = counts
            .map(|(number, counts)| Context {
                number,
                total: counts.iter().map(|&count| u64::from(count)).sum(),
                counts,
            })
            .filter(|context| context.total > 0)
            .collect();
        contexts.sort_by_key(|context| (std::cmp::Reverse(context.total), context.number));
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

    /// The counts of each cluster.
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
        let mut costs = vec![vec![0; centres.len()]; self.kinds];
        for (cluster, centre) in centres.iter().enumerate() {
            // A symbol that has not occurred yet may occur.
            let total: u64 = centre.iter().map(|&count| 64 * count + 1).sum();
            for (costs, &count) in costs.iter_mut().zip(centre) {
                costs[cluster] = u64::from(log2(total) - log2(64 * count + 1));
            }
        }
        let mut bits = vec![0; centres.len()];
        let nearest = contexts.iter().map(|context| {
            bits.fill(0);
            // Most symbols do not occur.
            let occur = context.counts.iter().zip(&costs);
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
            .max_by_key(|&symbol| (frequencies[symbol], std::cmp::Reverse(symbol)))
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

//! The model of a layer: the frequency of each symbol in each context.
//!
//! Contexts with similar predictions share a cluster, and each cluster has a frequency for each
//! symbol. The symbol of a first number is its difference to the one to the left, modulo their count; a second
//! number is its own symbol.

use super::context::{self, MAX_CONTEXTS};
use super::scale::Scale;
use granero_game::Cycles;

/// The frequencies of a cluster add up to two to the power of this.
pub(crate) const PRECISION: u32 = 10;

/// The sum of the frequencies of a cluster.
pub const TOTAL: u32 = 1 << PRECISION;

/// The most clusters of a model.
pub const MAX_CLUSTERS: usize = 128;

/// The frequency of each symbol in each context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The number of first numbers, and so of symbols.
    pub kinds: u8,
    /// By context: the cluster.
    pub map: Vec<u8>,
    /// By cluster, then by symbol.
    pub frequencies: Vec<Vec<u16>>,
}

/// The error for bytes that are not a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadModel;

impl Model {
    /// Writes the number of clusters; their frequencies; the clusters of all contexts as runs, each a
    /// cluster and a length.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![self.frequencies.len() as u8];
        for frequency in self.frequencies.iter().flatten() {
            bytes.extend(frequency.to_le_bytes());
        }
        for run in self.map.chunk_by(|a, b| a == b) {
            bytes.push(run[0]);
            let mut length = run.len();
            while length >= 0x80 {
                bytes.push(length as u8 | 0x80);
                length >>= 7;
            }
            bytes.push(length as u8);
        }
        bytes
    }

    pub fn from_bytes(scale: Scale, bytes: &[u8]) -> Result<Model, BadModel> {
        Model::parse(scale.kinds(), contexts(scale), bytes)
    }

    /// Reads a model of `kinds` symbols.
    pub(crate) fn parse(kinds: u8, contexts: usize, bytes: &[u8]) -> Result<Model, BadModel> {
        let (&clusters, mut rest) = bytes.split_first().ok_or(BadModel)?;
        let clusters = usize::from(clusters);
        if !(1..=MAX_CLUSTERS).contains(&clusters) {
            return Err(BadModel);
        }
        let mut frequencies = Vec::with_capacity(clusters);
        for _ in 0..clusters {
            let (cluster, after) = rest
                .split_at_checked(2 * usize::from(kinds))
                .ok_or(BadModel)?;
            let (pairs, _) = cluster.as_chunks::<2>();
            let cluster: Vec<u16> = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
            if cluster
                .iter()
                .map(|&frequency| u32::from(frequency))
                .sum::<u32>()
                != TOTAL
            {
                return Err(BadModel);
            }
            frequencies.push(cluster);
            rest = after;
        }
        let mut map = Vec::with_capacity(contexts);
        while map.len() < contexts {
            let (&cluster, after) = rest.split_first().ok_or(BadModel)?;
            let (length, after) = run_length(after)?;
            if usize::from(cluster) >= clusters || length == 0 || length > contexts - map.len() {
                return Err(BadModel);
            }
            map.resize(map.len() + length, cluster);
            rest = after;
        }
        if rest.is_empty() {
            Ok(Model {
                kinds,
                map,
                frequencies,
            })
        } else {
            Err(BadModel)
        }
    }
}

/// The number of contexts.
pub fn contexts(scale: Scale) -> usize {
    context::contexts(scale.kinds(), scale.cycles() == Cycles::OwnSide)
}

/// Reads a run length: seven bits in each byte, lowest first; the highest bit means that more bytes
/// follow.
fn run_length(bytes: &[u8]) -> Result<(usize, &[u8]), BadModel> {
    let mut length = 0;
    for (place, &byte) in bytes.iter().take(3).enumerate() {
        length |= usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Ok((length, &bytes[place + 1..]));
        }
    }
    Err(BadModel)
}

/// A model, ready to encode.
#[derive(Debug)]
pub struct Encoder {
    kinds: u8,
    map: Vec<u8>,
    /// By cluster and symbol: the frequency, and the sum of the frequencies before it.
    intervals: Vec<(u32, u32)>,
}

impl Encoder {
    pub fn new(model: &Model) -> Encoder {
        let mut intervals = Vec::new();
        for cluster in &model.frequencies {
            let mut start = 0;
            for &frequency in cluster {
                intervals.push((frequency.into(), start));
                start += u32::from(frequency);
            }
        }
        Encoder {
            kinds: model.kinds,
            map: model.map.clone(),
            intervals,
        }
    }

    /// The frequency of a symbol in a context, and the start of its interval.
    #[inline(always)]
    pub(super) fn interval(&self, context: u16, symbol: u8) -> (u32, u32) {
        let cluster = usize::from(self.map[usize::from(context)]);
        self.intervals[cluster * usize::from(self.kinds) + usize::from(symbol)]
    }
}

/// A model, ready to decode. Decoding spends much of its time on waiting for these tables, so they are small.
#[derive(Debug)]
pub(crate) struct Decoder {
    /// By context: the cluster. Any number is an index.
    map: Box<[u8; MAX_CONTEXTS]>,
    /// By cluster, and by the lowest bits of the state: the symbol.
    symbols: Box<[u8; MAX_CLUSTERS << PRECISION]>,
    /// By cluster, then by symbol.
    intervals: Box<[Interval; MAX_CLUSTERS * SYMBOLS]>,
}

/// More than the symbols of a cluster.
const SYMBOLS: usize = 64;

/// The frequency of a symbol, and the sum of the frequencies before it.
#[derive(Clone, Copy, Debug, Default)]
struct Interval {
    frequency: u16,
    start: u16,
}

/// The items in a box of all items, with the default for the rest.
fn boxed<T: Clone + Default, const LENGTH: usize>(mut items: Vec<T>) -> Box<[T; LENGTH]> {
    items.resize(LENGTH, T::default());
    items.try_into().unwrap_or_else(|_| unreachable!("resized"))
}

impl Decoder {
    pub(crate) fn new(model: Model) -> Decoder {
        let mut symbols = Vec::with_capacity(MAX_CLUSTERS << PRECISION);
        let mut intervals = Vec::with_capacity(MAX_CLUSTERS * SYMBOLS);
        for cluster in &model.frequencies {
            let end = intervals.len() + SYMBOLS;
            let mut start = 0;
            for (symbol, &frequency) in (0..).zip(cluster) {
                intervals.push(Interval { frequency, start });
                start += frequency;
                symbols.resize(symbols.len() + usize::from(frequency), symbol);
            }
            intervals.resize(end, Interval::default());
        }
        Decoder {
            map: boxed(model.map),
            symbols: boxed(symbols),
            intervals: boxed(intervals),
        }
    }

    /// The symbol of a state in a context, and the state without it.
    #[inline(always)]
    pub(super) fn symbol(&self, context: u16, state: u32) -> (u8, u32) {
        let cluster = usize::from(self.map[usize::from(context)]) % MAX_CLUSTERS;
        let slot = state & (TOTAL - 1);
        let symbol = self.symbols[cluster << PRECISION | slot as usize];
        let place = cluster * SYMBOLS + usize::from(symbol) % SYMBOLS;
        let Interval { frequency, start } = self.intervals[place];
        // With good bytes this fits into 32 bits: the frequency is at most the total, by which the state
        // is divided.
        let state = u32::from(frequency)
            .wrapping_mul(state >> PRECISION)
            .wrapping_add(slot.wrapping_sub(start.into()));
        (symbol, state)
    }
}

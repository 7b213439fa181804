//! Encoding a layer as the bytes of its file.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;
use sha2::Digest;

use super::codec::block::{self, EncoderScratch, Visit};
use super::codec::learn::Counts;
use super::codec::model::Encoder;
use super::codec::scale::Scale;
use super::codec::sides::Sides;
use super::codec::tiling::{Band, Tiling};
use super::layer_file::{GROUP, Group, Header, TILE_HEIGHT, TILE_WIDTH, scale};
use super::sha256::Sha256;
use crate::extent::Extent;
use crate::index::Layer;
use crate::measured::Measure;
use crate::rows::{MAX_CAPTURED, Row, RowMoves, TurnedLayer};

/// A layer as the bytes of its file.
pub(super) struct EncodedLayer {
    header: Header,
    model: Vec<u8>,
    index: Vec<u8>,
    /// All blocks.
    blocks: Vec<u8>,
}

/// The bytes that are written at a time.
const PIECE: usize = 1 << 20;

/// The number of bands for each thread that are encoded before their blocks are joined.
const BANDS_A_THREAD: usize = 16;

/// The memory for encoding a layer besides its values, in bytes, if its file has `file_bytes`
/// bytes.
pub(crate) fn memory(layer: Layer, measure: Measure, file_bytes: u64, threads: usize) -> u64 {
    let bits = layer.len() / 8;
    // Learning from the counts takes up to twice their memory in addition. Deciding values take no
    // more.
    let counts = Counts::memory(scale(layer, measure, Extent::FULL).kinds()) * (threads as u64 + 2);
    bits + file_bytes + counts
}

/// What a file says besides its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Labels {
    pub(super) measure: Measure,
    pub(super) fingerprint: Sha256,
    pub(super) values_sha256: Sha256,
}

/// The size of tiles: the most columns and rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct TileSize {
    pub(super) width: u16,
    pub(super) height: u16,
}

impl TileSize {
    /// For archives: smaller files, slower look-ups.
    pub(super) const ARCHIVE: TileSize = TileSize {
        width: TILE_WIDTH,
        height: 8 * TILE_HEIGHT,
    };
}

impl Default for TileSize {
    fn default() -> TileSize {
        TileSize {
            width: TILE_WIDTH,
            height: TILE_HEIGHT,
        }
    }
}

impl EncodedLayer {
    /// Encodes the values of a layer, which are in index order. `smaller` returns the layers that
    /// captures lead to, with the bound of children; it is called in falling order of their
    /// seeds.
    pub(super) fn new<E>(
        rows: &RowMoves,
        layer: Layer,
        values: &[i8],
        size: TileSize,
        labels: Labels,
        smaller: impl FnMut(u8) -> Result<Arc<TurnedLayer>, E>,
    ) -> Result<EncodedLayer, E> {
        let extent = rows.limits().extent();
        let tiling = Tiling::new(layer, size.width, size.height).expect("a size that is possible");
        let words = tiling.bands().map(|band| words(&band)).sum();
        let mut bits = vec![0; words];
        let mut bands = Free::split(&tiling, &mut bits);
        Free::find(&mut bands, rows, layer, &tiling, values, smaller)?;
        let encoding = Encoding {
            scale: scale(layer, labels.measure, extent),
            values,
            tiling: &tiling,
            bands,
        };
        let model = encoding.count().model();
        let Blocks { bytes, blocks } = encoding.encode(&Encoder::new(&model));
        let model = model.to_bytes();
        let index = index(&blocks);
        let header = Header {
            layer,
            measure: labels.measure,
            extent,
            tile_width: size.width,
            tile_height: size.height,
            model_bytes: model.len() as u32,
            blocks: tiling.tiles(),
            block_bytes: bytes.len() as u64,
            fingerprint: labels.fingerprint,
            values_sha256: labels.values_sha256,
        };
        Ok(EncodedLayer {
            header,
            model,
            index,
            blocks: bytes,
        })
    }

    /// Writes the file; returns its length in bytes and its SHA-256.
    pub(super) fn write(&self, to: &mut dyn Write) -> io::Result<(u64, Sha256)> {
        let header = self.header.to_bytes();
        let model_checksum = crc32fast::hash(&self.model).to_le_bytes();
        let parts: [&[u8]; 5] = [
            &header,
            &self.model,
            &model_checksum,
            &self.index,
            &self.blocks,
        ];
        let mut digest = sha2::Sha256::new();
        for piece in parts.into_iter().flat_map(|part| part.chunks(PIECE)) {
            digest.update(piece);
            to.write_all(piece)?;
        }
        let checksum: [u8; 32] = digest.clone().finalize().into();
        to.write_all(&checksum)?;
        digest.update(checksum);
        let sha256 = Sha256::from_bytes(digest.finalize().into());
        Ok((self.header.file_bytes(), sha256))
    }
}

/// Consecutive blocks.
#[derive(Default)]
struct Blocks {
    bytes: Vec<u8>,
    /// The length and the checksum of each.
    blocks: Vec<(u32, u32)>,
}

/// The block index for blocks with these lengths and checksums.
fn index(blocks: &[(u32, u32)]) -> Vec<u8> {
    let mut index = Vec::new();
    let mut start = 0;
    for blocks in blocks.chunks(GROUP) {
        let mut group = Group {
            start,
            lengths: [0; GROUP],
            checksums: [0; GROUP],
        };
        for (place, &(length, checksum)) in blocks.iter().enumerate() {
            group.lengths[place] = length;
            group.checksums[place] = checksum;
            start += u64::from(length);
        }
        index.extend(group.to_bytes());
    }
    index
}

/// The positions of a band where the encoder is free to store less than the value, because a
/// capture gives it: a bit for each position.
struct Free<'a> {
    band: Band,
    bits: &'a mut [u64],
}

/// The number of words with a bit for each position of a band.
fn words(band: &Band) -> usize {
    band.len().div_ceil(64)
}

impl<'a> Free<'a> {
    /// Splits the bits of a layer among its bands. They are one allocation, which the system
    /// gets back as a whole.
    fn split(tiling: &Tiling, mut bits: &'a mut [u64]) -> Vec<Free<'a>> {
        let parts = tiling.bands().map(|band| {
            let (first, rest) = std::mem::take(&mut bits).split_at_mut(words(&band));
            bits = rest;
            Free { band, bits: first }
        });
        parts.collect()
    }

    /// Finds the positions in all bands of a layer.
    fn find<E>(
        bands: &mut [Free<'_>],
        rows: &RowMoves,
        layer: Layer,
        tiling: &Tiling,
        values: &[i8],
        mut smaller: impl FnMut(u8) -> Result<Arc<TurnedLayer>, E>,
    ) -> Result<(), E> {
        let seeds = layer.seeds();
        for captured in 2..=MAX_CAPTURED.min(seeds) {
            let smaller = smaller(seeds - captured)?;
            bands.par_iter_mut().with_max_len(1).for_each(|free| {
                free.each_row(tiling, values, |row, found| {
                    rows.captures_of(row, captured, &smaller, found);
                });
            });
        }
        if rows.ruleset().variation().slam_ends_game {
            bands.par_iter_mut().with_max_len(1).for_each(|free| {
                free.each_row(tiling, values, |row, found| rows.ends_of(row, found));
            });
        }
        Ok(())
    }

    /// Sets the bits of each row where a result that `results` finds equals the value.
    fn each_row(
        &mut self,
        tiling: &Tiling,
        values: &[i8],
        results: impl Fn(Row, &mut dyn FnMut(usize, i8)),
    ) {
        let Free { band, bits } = self;
        let values = &values[band.positions.clone()];
        let tile = tiling.tile(band.tiles.start);
        let rows = values.chunks_exact(band.row_len).enumerate();
        for (rank, (number, values)) in tile.rows.zip(rows) {
            let start = number * band.row_len;
            results(tile.matrix.row(rank), &mut |column, result| {
                let place = start + column;
                bits[place / 64] |= u64::from(values[column] == result) << (place % 64);
            });
        }
    }

    #[inline(always)]
    fn get(&self, place: usize) -> bool {
        self.bits[place / 64] >> (place % 64) & 1 == 1
    }
}

/// Encoding a layer.
struct Encoding<'a> {
    scale: Scale,
    values: &'a [i8],
    tiling: &'a Tiling,
    bands: Vec<Free<'a>>,
}

impl Encoding<'_> {
    /// Visits the tiles of a band. For each, `work` gets its two sides, and a function that
    /// returns the stored values.
    #[inline(always)]
    fn each_tile(&self, free: &Free<'_>, mut work: impl FnMut(Sides<'_>, &dyn Fn(Visit) -> u8)) {
        let Free { band, .. } = free;
        let values = &self.values[band.positions.clone()];
        for number in band.tiles.clone() {
            let tile = self.tiling.tile(number);
            let first = tile.columns.start as usize;
            let stored = |visit: Visit| {
                let place = visit.row * band.row_len + first + visit.column;
                let value = self.scale.number(values[place]);
                if free.get(place) {
                    cheapest(value, visit)
                } else {
                    value
                }
            };
            work(Sides::of(&tile), &stored);
        }
    }

    /// Counts the symbols in all contexts.
    fn count(&self) -> Counts {
        // Counts are large: there are as many as threads, and they are used again.
        let idle: Mutex<Vec<Counts>> = Mutex::default();
        let kinds = self.scale.kinds();
        self.bands.par_iter().with_max_len(1).for_each(|free| {
            let counts = lock(&idle).pop();
            let mut counts = counts.unwrap_or_else(|| Counts::new(kinds));
            self.each_tile(free, |sides, stored| {
                let each = |_, context, symbol| counts.add(context, symbol);
                block::walk(sides, kinds, stored, each);
            });
            lock(&idle).push(counts);
        });
        let counts = idle.into_inner().unwrap_or_else(PoisonError::into_inner);
        let sum = counts.into_iter().reduce(|mut sum, counts| {
            sum.merge(&counts);
            sum
        });
        sum.expect("a layer has a band")
    }

    fn encode(&self, encoder: &Encoder) -> Blocks {
        let encode = |free: &Free<'_>| {
            let mut scratch = EncoderScratch::default();
            let mut blocks = Blocks::default();
            self.each_tile(free, |sides, stored| {
                let begin = blocks.bytes.len();
                block::encode(encoder, sides, stored, &mut scratch, &mut blocks.bytes);
                let bytes = &blocks.bytes[begin..];
                let checksum = crc32fast::hash(bytes);
                blocks.blocks.push((bytes.len() as u32, checksum));
            });
            blocks
        };
        // A few bands at a time, so that there are few small allocations.
        let mut all = Blocks::default();
        for bands in self
            .bands
            .chunks(BANDS_A_THREAD * rayon::current_num_threads())
        {
            // The first bands are far larger than the last ones.
            let bands = bands.par_iter().with_max_len(1);
            let encoded: Vec<Blocks> = bands.map(encode).collect();
            for mut blocks in encoded {
                all.bytes.append(&mut blocks.bytes);
                all.blocks.append(&mut blocks.blocks);
            }
        }
        all
    }
}

/// What is stored where a capture gives the value: any value that is not above it will do,
/// because a reader takes the larger of the two. The value to the left costs the fewest bits,
/// then the one above.
#[inline(always)]
fn cheapest(value: u8, visit: Visit) -> u8 {
    if visit.left <= value {
        visit.left
    } else if visit.above <= value {
        visit.above
    } else {
        value
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::super::known;
    use super::super::layer_file::LayerFile;
    use super::*;
    use crate::cycles::Cycles;
    use crate::measured::Measured;
    use crate::rows::NO_CAPTURE;
    use crate::rules::Ruleset;
    use crate::solver;

    fn what_is_encoded_is_decoded_up_to(values: u8, bounds: u8) {
        for ruleset in Ruleset::ALL {
            for (cycles, seeds) in [(Cycles::Split, values), (Cycles::OwnSide, bounds)] {
                for extent in [Extent::FULL, Extent::deciding(seeds + 1).unwrap()] {
                    check(ruleset, cycles, extent, seeds);
                }
            }
        }
    }

    #[test]
    fn what_is_encoded_is_decoded_in_all_rulesets() {
        what_is_encoded_is_decoded_up_to(7, 6);
    }

    #[test]
    #[ignore = "slow: .ci/run has it"]
    fn what_is_encoded_is_decoded_in_all_rulesets_up_to_9_seeds() {
        what_is_encoded_is_decoded_up_to(9, 8);
    }

    fn check(ruleset: Ruleset, cycles: Cycles, extent: Extent, seeds: u8) {
        let layers = solver::solve_all_with_extent(ruleset, cycles, extent, seeds, 1);
        let rows = RowMoves::new(ruleset, extent.limits(cycles), seeds);
        let mut turned: Vec<Measured<Arc<TurnedLayer>>> = Vec::new();
        for (layer, values) in Layer::all().zip(&layers) {
            for (width, height) in [(64, 32), (1, 1), (5, 13), (64, 256)] {
                let size = TileSize { width, height };
                let measures = values.cycles().measures();
                let mut decoded = measures.map(|measure| {
                    let labels = Labels {
                        measure,
                        fingerprint: Sha256::from_bytes([1; 32]),
                        values_sha256: Sha256::from_bytes([2; 32]),
                    };
                    let bound = measure.bound();
                    let smaller = |seeds: u8| {
                        let turned = turned[usize::from(seeds)].get(bound.of_child());
                        Ok::<_, Infallible>(turned.clone())
                    };
                    let values = values.get(bound);
                    let Ok(encoded) =
                        EncodedLayer::new(&rows, layer, values, size, labels, smaller);
                    let mut bytes = Vec::new();
                    let (length, _) = encoded.write(&mut bytes).unwrap();
                    assert_eq!(length, bytes.len() as u64);
                    let file = LayerFile::open(bytes).unwrap();
                    assert_eq!(file.header().measure, measure);
                    file.verify(|_| {}).unwrap();
                    let mut stored = vec![NO_CAPTURE; values.len()];
                    file.decode_all(&mut stored).unwrap();
                    let Ok(()) = known::add_captures(&rows, layer, &mut stored, smaller);
                    stored
                });
                known::fill(&rows, layer, &mut decoded);
                assert!(decoded == *values, "{ruleset}, {extent}, {layer:?}");
            }
            turned.push(
                values
                    .as_ref()
                    .map(|values| Arc::new(TurnedLayer::new(layer, values))),
            );
        }
    }
}

//! Encoding a layer as the bytes of its file.

use std::io::{self, BufWriter, IntoInnerError, Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use sha2::Digest;

use super::learn::SymbolCounts;
use super::target::Target;
use granero_game::{Extent, Measure};
use granero_table::codec::block::{self, EncoderScratch, Visit};
use granero_table::codec::model::{Encoder, Model};
use granero_table::codec::scale::Scale;
use granero_table::codec::tile_traits::TileTraits;
use granero_table::codec::tiling::{MAX_HEIGHT, MAX_WIDTH, TileRow, Tiling};
use granero_table::file::layer_file::{
    GROUP, GROUP_BYTES, Group, Header, TILE_HEIGHT, TILE_WIDTH, scale,
};
use granero_table::file::sha256::Sha256;
use granero_table::index::Layer;
use granero_table::rows::{LayerValues, Row, RowMoves, TurnedLayer, each_smaller};

/// A layer that is ready to be written: all of its file is known besides the blocks.
pub struct EncodedLayer<'a> {
    header: Header,
    model: Model,
    encoding: Encoding<'a>,
}

/// The bytes that are written at a time.
const PIECE: usize = 1 << 20;

/// Pieces of tile rows are encoded on all threads before their blocks are written. A piece has at most this
/// number of positions, unless a single tile has more; the next constants limit the pieces for each thread.
/// Tile rows differ in size by far more than pieces do.
const POSITIONS_A_PIECE: usize = 1 << 18;
const POSITIONS_A_THREAD: usize = 1 << 22;
const PIECES_A_THREAD: usize = 1 << 10;

/// The memory in bytes for the bits that say which values captures give, see [`Free`].
pub(crate) fn bits_memory(layer: Layer) -> u64 {
    layer.len() / 8
}

/// The memory in bytes for encoding a layer once these bits are found, with them, but without the
/// values.
pub(crate) fn memory(layer: Layer, measure: Measure, threads: usize) -> u64 {
    let tiling = tiling(layer, TileSize::default());
    let bits = bits_memory(layer);
    let index = tiling.tiles().div_ceil(GROUP as u64) * GROUP_BYTES as u64;
    // Blocks have less than half a byte for each position.
    let blocks = threads * POSITIONS_A_THREAD / 2;
    // Learning takes less memory than two more tables of counts. Deciding values take no more.
    let counts =
        SymbolCounts::memory(scale(layer, measure, Extent::FULL).kinds()) * (threads as u64 + 2);
    bits + index + blocks as u64 + counts
}

/// Entries of the header besides the values.
#[derive(Clone, Copy, Debug)]
pub struct Labels {
    pub measure: Measure,
    pub fingerprint: Sha256,
}

/// The size of tiles: the most columns and rows.
#[derive(Clone, Copy, Debug)]
pub struct TileSize {
    pub width: u16,
    pub height: u16,
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

fn tiling(layer: Layer, size: TileSize) -> Tiling {
    Tiling::new(layer, size.width, size.height).expect("a size that is possible")
}

impl<'a> EncodedLayer<'a> {
    /// Prepares the values of a layer. `smaller` returns the parts of the layers that captures lead
    /// to, see [`each_smaller`], with the bound of children.
    pub(super) fn new<V: LayerValues, E>(
        rows: &RowMoves,
        values: &'a V,
        size: TileSize,
        labels: Labels,
        smaller: impl FnMut(u8, usize) -> Result<Arc<TurnedLayer>, E>,
    ) -> Result<EncodedLayer<'a>, E> {
        EncodedLayer::of_share(
            rows,
            values,
            size,
            labels,
            smaller,
            |_| true,
            |counts, _| Ok(counts.model()),
        )
    }

    /// Prepares a part of the values: the tile rows that `is_own` returns true for. `model` makes the
    /// model, given the counts of this part and the kinds of values.
    pub fn of_share<V: LayerValues, E>(
        rows: &RowMoves,
        values: &'a V,
        size: TileSize,
        labels: Labels,
        smaller: impl FnMut(u8, usize) -> Result<Arc<TurnedLayer>, E>,
        is_own: impl Fn(Row) -> bool,
        model: impl FnOnce(SymbolCounts, u8) -> Result<Model, E>,
    ) -> Result<EncodedLayer<'a>, E> {
        let (layer, extent) = (values.layer(), rows.limits().extent());
        let tiling = tiling(layer, size);
        let tile_rows = Free::all(&tiling, is_own);
        let encoding = Encoding {
            scale: scale(layer, labels.measure, extent),
            copy: Box::new(|row, from, to| values.copy(row, from, to)),
            free: Free::find(&tile_rows, rows, &tiling, values, smaller)?,
            tiling,
            tile_rows,
        };
        let model = model(encoding.count(), encoding.scale.kinds())?;
        let header = Header {
            layer,
            measure: labels.measure,
            extent,
            tile_width: size.width,
            tile_height: size.height,
            model_bytes: model.to_bytes().len() as u32,
            blocks: encoding.tiling.tiles(),
            // These follow.
            block_bytes: 0,
            fingerprint: labels.fingerprint,
            values_sha256: Sha256::from_bytes([0; 32]),
        };
        Ok(EncodedLayer {
            header,
            model,
            encoding,
        })
    }

    /// Writes the file; returns its length in bytes and its SHA-256. The blocks are written
    /// first, and the bytes before them last.
    pub(super) fn write(
        self,
        values_sha256: Sha256,
        to: &mut dyn Target,
    ) -> io::Result<(u64, Sha256)> {
        self.write_blocks(values_sha256, to, |_, own, write| {
            for blocks in own {
                write(&blocks)?;
            }
            Ok(())
        })
    }

    /// Writes the file with the blocks that `blocks` passes on, in their order. It gets the tiling, and
    /// the blocks that are encoded here.
    pub fn write_blocks(
        mut self,
        values_sha256: Sha256,
        to: &mut dyn Target,
        blocks: impl FnOnce(
            &Tiling,
            &mut dyn Iterator<Item = Blocks>,
            &mut dyn FnMut(&Blocks) -> io::Result<()>,
        ) -> io::Result<()>,
    ) -> io::Result<(u64, Sha256)> {
        self.header.values_sha256 = values_sha256;
        let mut to = BufWriter::with_capacity(PIECE, to);
        to.seek(SeekFrom::Start(self.header.blocks_start()))?;
        let mut index = Index::default();
        let encoder = Encoder::new(&self.model);
        let mut own = self.encoding.encode(&encoder);
        blocks(&self.encoding.tiling, &mut own, &mut |blocks| {
            index.add(&blocks.blocks);
            to.write_all(&blocks.bytes)
        })?;
        self.header.block_bytes = index.next;
        to.rewind()?;
        let model = self.model.to_bytes();
        to.write_all(&self.header.to_bytes())?;
        to.write_all(&model)?;
        to.write_all(&crc32fast::hash(&model).to_le_bytes())?;
        to.write_all(&index.into_bytes())?;
        let to = to.into_inner().map_err(IntoInnerError::into_error)?;

        to.rewind()?;
        let mut digest = sha2::Sha256::new();
        let mut piece = vec![0; PIECE];
        loop {
            match to.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => digest.update(&piece[..read]),
                Err(found) if found.kind() == io::ErrorKind::Interrupted => {}
                Err(found) => return Err(found),
            }
        }
        let checksum: [u8; 32] = digest.clone().finalize().into();
        to.write_all(&checksum)?;
        digest.update(checksum);
        let sha256 = Sha256::from_bytes(digest.finalize().into());
        Ok((self.header.file_bytes(), sha256))
    }
}

impl EncodedLayer<'_> {
    /// Encodes the tile rows of this process; `write` gets their blocks in their order.
    pub fn each_own<E>(&self, mut write: impl FnMut(&Blocks) -> Result<(), E>) -> Result<(), E> {
        let encoder = Encoder::new(&self.model);
        let mut own = self.encoding.encode(&encoder);
        own.try_for_each(|blocks| write(&blocks))
    }
}

/// Consecutive blocks.
#[derive(Default)]
pub struct Blocks {
    pub bytes: Vec<u8>,
    /// The length and the checksum of each.
    pub blocks: Vec<(u32, u32)>,
}

/// The block index.
#[derive(Default)]
struct Index {
    groups: Vec<u8>,
    /// The blocks of the last group, if it is not full yet.
    last: Vec<(u32, u32)>,
    last_start: u64,
    /// Where the next block begins.
    next: u64,
}

impl Index {
    /// Adds blocks with these lengths and checksums.
    fn add(&mut self, blocks: &[(u32, u32)]) {
        for &(length, checksum) in blocks {
            self.last.push((length, checksum));
            self.next += u64::from(length);
            if self.last.len() == GROUP {
                self.end_group();
            }
        }
    }

    fn end_group(&mut self) {
        let mut group = Group {
            start: self.last_start,
            lengths: [0; GROUP],
            checksums: [0; GROUP],
        };
        for (place, (length, checksum)) in self.last.drain(..).enumerate() {
            group.lengths[place] = length;
            group.checksums[place] = checksum;
        }
        self.groups.extend(group.to_bytes());
        self.last_start = self.next;
    }

    fn into_bytes(mut self) -> Vec<u8> {
        if !self.last.is_empty() {
            self.end_group();
        }
        self.groups
    }
}

/// A tile row, and for each of its positions a bit: whether the encoder is free to store less than the
/// value, because a capture gives it.
struct Free<B> {
    tile_row: TileRow,
    bits: B,
}

impl Free<Range<usize>> {
    /// The tile rows that `is_own` returns true for, given their first row, and where their bits lie.
    fn all(tiling: &Tiling, is_own: impl Fn(Row) -> bool) -> Vec<Free<Range<usize>>> {
        let mut start = 0;
        let tile_rows = tiling.tile_rows().filter(|tile_row| {
            let tile = tiling.tile(tile_row.tiles.start);
            is_own(tile.matrix.row(tile.rows.start))
        });
        let tile_rows = tile_rows.map(|tile_row| {
            let bits = start..start + tile_row.len().div_ceil(64);
            start = bits.end;
            Free { tile_row, bits }
        });
        tile_rows.collect()
    }

    /// Finds these positions in all tile rows of a layer.
    fn find<V: LayerValues, E>(
        tile_rows: &[Free<Range<usize>>],
        rows: &RowMoves,
        tiling: &Tiling,
        values: &V,
        smaller: impl FnMut(u8, usize) -> Result<Arc<TurnedLayer>, E>,
    ) -> Result<Vec<u64>, E> {
        // One allocation, which the system gets back as a whole.
        let mut all = vec![0; tile_rows.last().map_or(0, |last| last.bits.end)];
        let mut rest = &mut all[..];
        let tile_rows = tile_rows.iter().map(|Free { tile_row, bits }| {
            let (bits, others) = std::mem::take(&mut rest).split_at_mut(bits.len());
            rest = others;
            let tile_row = tile_row.clone();
            Free { tile_row, bits }
        });
        let mut tile_rows: Vec<_> = tile_rows.collect();
        each_smaller(values.layer(), smaller, |captured, smaller| {
            tile_rows.par_iter_mut().with_max_len(1).for_each(|free| {
                free.each_row(tiling, values, |row, found| {
                    rows.captures_of(row, captured, smaller, found);
                });
            });
        })?;
        if rows.ruleset().variation().slam_ends_game {
            tile_rows.par_iter_mut().with_max_len(1).for_each(|free| {
                free.each_row(tiling, values, |row, found| rows.ends_of(row, found));
            });
        }
        Ok(all)
    }
}

impl Free<&mut [u64]> {
    /// Sets the bits of each row where a result that `results` finds equals the value.
    fn each_row<V: LayerValues>(
        &mut self,
        tiling: &Tiling,
        values: &V,
        results: impl Fn(Row, &mut dyn FnMut(usize, i8)),
    ) {
        let Free { tile_row, bits } = self;
        let tile = tiling.tile(tile_row.tiles.start);
        for (number, rank) in tile.rows.enumerate() {
            let row = tile.matrix.row(rank);
            let value = values.row(row);
            let start = number * tile_row.row_len;
            results(row, &mut |column, result| {
                let place = start + column;
                bits[place / 64] |= u64::from(value(column) == result) << (place % 64);
            });
        }
    }
}

/// Copies values of a row, see [`LayerValues::copy`].
type Copy<'a> = dyn Fn(Row, usize, &mut [i8]) + Send + Sync + 'a;

/// Encoding a layer.
struct Encoding<'a> {
    scale: Scale,
    copy: Box<Copy<'a>>,
    tiling: Tiling,
    tile_rows: Vec<Free<Range<usize>>>,
    /// The bits of all tile rows.
    free: Vec<u64>,
}

impl Encoding<'_> {
    /// Visits some tiles of a tile row. For each, `work` gets its two sides, and a function that
    /// returns the stored values.
    #[inline(always)]
    fn each_tile(
        &self,
        Free { tile_row, bits }: &Free<Range<usize>>,
        tiles: Range<u64>,
        mut work: impl FnMut(TileTraits<'_>, &dyn Fn(Visit) -> u8),
    ) {
        let free = &self.free[bits.clone()];
        let is_free = |place: usize| free[place / 64] >> (place % 64) & 1 == 1;
        let mut values = [0; MAX_WIDTH * MAX_HEIGHT];
        for number in tiles {
            let tile = self.tiling.tile(number);
            let (first, width) = (tile.columns.start as usize, tile.width());
            for (rank, values) in tile.rows.clone().zip(values.chunks_exact_mut(width)) {
                (self.copy)(tile.matrix.row(rank), first, values);
            }
            let stored = |visit: Visit| {
                let value = self.scale.number(values[visit.row * width + visit.column]);
                if is_free(visit.row * tile_row.row_len + first + visit.column) {
                    cheapest(value, visit)
                } else {
                    value
                }
            };
            work(TileTraits::of(&tile), &stored);
        }
    }

    /// Counts the symbols in all contexts.
    fn count(&self) -> SymbolCounts {
        let kinds = self.scale.kinds();
        // Counts are large: where threads share a processor, each drives the tables of the other threads from the
        // cache. So a table has at least six positions for each of its bytes (docs/lab-book.md).
        let positions: usize = self.tile_rows.iter().map(|free| free.tile_row.len()).sum();
        let worthwhile = positions as u64 / (6 * SymbolCounts::memory(kinds));
        let counters = (worthwhile as usize).clamp(1, rayon::current_num_threads());
        let next = AtomicUsize::new(0);
        let count = |_| {
            let mut counts = SymbolCounts::new(kinds);
            while let Some(free) = self.tile_rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                self.each_tile(free, free.tile_row.tiles.clone(), |sides, stored| {
                    let each = |_, context, symbol| counts.add(context, symbol);
                    block::walk(sides, kinds, stored, each);
                });
            }
            counts
        };
        (0..counters)
            .into_par_iter()
            .with_max_len(1)
            .map(count)
            .reduce_with(|mut sum, counts| {
                sum.merge(&counts);
                sum
            })
            .expect("there is a counter")
    }

    /// Encodes all tiles; returns the blocks in their order.
    fn encode<'e>(&'e self, encoder: &'e Encoder) -> impl Iterator<Item = Blocks> + use<'e> {
        let encode = move |piece: &Piece<'_>| {
            let mut scratch = EncoderScratch::default();
            let mut blocks = Blocks::default();
            self.each_tile(piece.free, piece.tiles.clone(), |sides, stored| {
                let begin = blocks.bytes.len();
                block::encode(encoder, sides, stored, &mut scratch, &mut blocks.bytes);
                let bytes = &blocks.bytes[begin..];
                let checksum = crc32fast::hash(bytes);
                blocks.blocks.push((bytes.len() as u32, checksum));
            });
            blocks
        };
        let threads = rayon::current_num_threads();
        let mut pieces = self.tile_rows.iter().flat_map(Piece::all).peekable();
        let encoded = std::iter::from_fn(move || {
            pieces.peek()?;
            let mut positions = 0;
            let mut fits = |piece: &Piece<'_>| {
                positions += piece.positions;
                positions <= threads * POSITIONS_A_THREAD
            };
            let next: Vec<Piece<'_>> = std::iter::repeat_with(|| pieces.next_if(&mut fits))
                .map_while(|piece| piece)
                .take(threads * PIECES_A_THREAD)
                .collect();
            let encoded = next.par_iter().with_max_len(1).map(encode);
            Some(encoded.collect::<Vec<Blocks>>())
        });
        encoded.flatten()
    }
}

/// Some tiles of a tile row that follow each other.
struct Piece<'a> {
    free: &'a Free<Range<usize>>,
    tiles: Range<u64>,
    /// At least as many as these tiles have.
    positions: usize,
}

impl Piece<'_> {
    /// All pieces of a tile row.
    fn all(free: &Free<Range<usize>>) -> impl Iterator<Item = Piece<'_>> {
        let TileRow { tiles, row_len, .. } = &free.tile_row;
        let a_tile = free.tile_row.len() / row_len * MAX_WIDTH.min(*row_len);
        let at_once = (POSITIONS_A_PIECE / a_tile).max(1);
        let end = tiles.end;
        tiles.clone().step_by(at_once).map(move |first| {
            let tiles = first..end.min(first + at_once as u64);
            Piece {
                free,
                positions: (tiles.end - tiles.start) as usize * a_tile,
                tiles,
            }
        })
    }
}

/// The value to store where a capture gives the value: any value that is not above it will do,
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::io::Cursor;

    use super::*;
    use crate::solve;
    use granero_game::rules::Ruleset;
    use granero_game::{Cycles, Measured};
    use granero_table::file::layer_file::LayerFile;
    use granero_table::layers::implied;
    use granero_table::rows::{InOrder, NO_CAPTURE};

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
        what_is_encoded_is_decoded_up_to(6, 5);
    }

    #[test]
    #[ignore = "slow: .ci/run has it"]
    fn what_is_encoded_is_decoded_in_all_rulesets_up_to_9_seeds() {
        what_is_encoded_is_decoded_up_to(9, 8);
    }

    fn check(ruleset: Ruleset, cycles: Cycles, extent: Extent, seeds: u8) {
        let layers = solve::solve_all((ruleset, cycles, extent), seeds, 1);
        let rows = RowMoves::new((ruleset, cycles, extent), seeds);
        let mut turned: Vec<Measured<Arc<TurnedLayer>>> = Vec::new();
        for (layer, values) in Layer::all().zip(&layers) {
            for (width, height) in [(64, 32), (1, 1), (5, 13), (64, 256)] {
                let size = TileSize { width, height };
                let measures = values.cycles().measures();
                let mut decoded = measures.map(|measure| {
                    let labels = Labels {
                        measure,
                        fingerprint: Sha256::from_bytes([1; 32]),
                    };
                    let bound = measure.bound();
                    let smaller = |seeds: u8, _| {
                        let turned = turned[usize::from(seeds)].get(bound.of_child());
                        Ok::<_, Infallible>(turned.clone())
                    };
                    let values = InOrder::new(layer, values.get(bound));
                    let Ok(encoded) = EncodedLayer::new(&rows, &values, size, labels, smaller);
                    let mut bytes = Cursor::new(Vec::new());
                    let sha256 = Sha256::from_bytes([2; 32]);
                    let (length, _) = encoded.write(sha256, &mut bytes).unwrap();
                    let bytes = bytes.into_inner();
                    assert_eq!(length, bytes.len() as u64);
                    let file = LayerFile::open(bytes).unwrap();
                    assert_eq!(file.header().measure, measure);
                    file.verify(|_| {}).unwrap();
                    let mut stored = vec![NO_CAPTURE; layer.len() as usize];
                    file.decode_all(&mut stored).unwrap();
                    let Ok(()) = implied::add_captures(&rows, layer, &mut stored, smaller);
                    stored
                });
                implied::fill(&rows, layer, &mut decoded);
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

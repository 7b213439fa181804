//! Encoding a layer as the bytes of its file.

use std::io::{self, BufWriter, IntoInnerError, Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use sha2::Digest;

use super::durable::Target;
use crate::codec::block;
use crate::codec::half_boards::TileHalves;
use crate::codec::learn::{Learner, Stage};
use crate::codec::model::CODER_BYTES;
use crate::codec::scale::Scale;
use crate::codec::tiling::{HEIGHT, TileRow, Tiling, WIDTH};
use crate::file::layer_file::{Checksums, GROUP, Group, Header, fingerprint};
use crate::file::sha256::Sha256;
use crate::index::Layer;
use crate::index::half::Rank;
use crate::parallel;
use crate::rows::LayerValues;
use granero_game::{Cycles, Extent, Kind, Measured};

/// A layer that is ready to be written: all of its file is known besides the blocks.
pub struct EncodedLayer<'a> {
    header: Header,
    values: Measured<&'a dyn LayerValues>,
    tiling: Tiling,
    tile_rows: Vec<TileRow>,
    learner: Learner,
}

/// The bytes that are written at a time.
const PIECE: usize = 1 << 20;

/// Pieces of tile rows are encoded on all threads before their blocks are written. A piece has at most this
/// number of positions, unless a single tile has more; the next constants limit the pieces for each thread.
/// Tile rows differ in size by far more than pieces do.
const POSITIONS_A_PIECE: usize = 1 << 18;
const POSITIONS_A_THREAD: usize = 1 << 22;
const PIECES_A_THREAD: usize = 1 << 10;

/// The memory in bytes for encoding a layer, without the values.
pub fn memory(layer: Layer, cycles: Cycles, threads: usize) -> u64 {
    let tiling = Tiling::new(layer);
    let index = tiling.tiles() * size_of::<(u32, u32)>() as u64;
    // Blocks have less than half a byte for each position.
    let blocks = threads * POSITIONS_A_THREAD / 2;
    // Learning takes less memory than two more tables of counts, besides the models of two stages. Deciding values take
    // no more.
    let counts = Learner::memory(Scale::of(layer, cycles, Extent::FULL)) * (threads as u64 + 2);
    index + blocks as u64 + counts + 3 * CODER_BYTES
}

impl<'a> EncodedLayer<'a> {
    /// Prepares a part of the values: the tile rows for whose numbers `is_own` returns true. `all` returns the counts of
    /// all parts, given those of this part.
    pub fn of_share<V: LayerValues, E>(
        values: Measured<&'a V>,
        kind: Kind,
        is_own: impl Fn(usize) -> bool,
        mut all: impl FnMut(Vec<u32>) -> Result<Vec<u32>, E>,
    ) -> Result<EncodedLayer<'a>, E> {
        let layer = values.low().layer();
        let tiling = Tiling::new(layer);
        let tile_rows = tiling.tile_rows().enumerate();
        let tile_rows = tile_rows.filter(|&(number, _)| is_own(number));
        let scale = Scale::of(layer, kind.cycles, kind.extent);
        let mut encoded = EncodedLayer {
            header: Header {
                layer,
                cycles: kind.cycles,
                extent: kind.extent,
                fingerprint: fingerprint(kind),
                // These follow.
                model_bytes: 0,
                block_bytes: 0,
                values_sha256: values.map(|_| Sha256::from_bytes([0; 32])),
            },
            values: values.map(|values| values as &dyn LayerValues),
            tile_rows: tile_rows.map(|(_, tile_row)| tile_row).collect(),
            tiling,
            learner: Learner::new(scale, layer.len()),
        };
        for _ in Stage::ALL {
            let counts = all(encoded.count())?;
            encoded.learner.learn(&counts);
        }
        encoded.header.model_bytes = encoded.learner.model.to_bytes().len() as u32;
        Ok(encoded)
    }

    /// Writes the file; returns its length in bytes and its SHA-256. The blocks are written first, and the bytes before
    /// them last. They are those that `blocks` passes on, in their order; it gets the tiling, and the blocks that are
    /// encoded here.
    pub fn write_blocks(
        mut self,
        values_sha256: Measured<Sha256>,
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
        let mut index = Vec::with_capacity(self.tiling.tiles() as usize);
        let checksums = self.header.checksums();
        blocks(&self.tiling, &mut self.encode(checksums), &mut |blocks| {
            index.extend(&blocks.blocks);
            to.write_all(&blocks.bytes)
        })?;
        self.header.block_bytes = index.iter().map(|&(length, _)| u64::from(length)).sum();
        to.rewind()?;
        let model = self.learner.model.to_bytes();
        to.write_all(&self.header.to_bytes())?;
        to.write_all(&model)?;
        to.write_all(&checksums.of(&model).to_le_bytes())?;
        let mut start = 0;
        for blocks in index.chunks(GROUP) {
            let mut group = Group {
                start,
                blocks: [(0, 0); GROUP],
            };
            group.blocks[..blocks.len()].copy_from_slice(blocks);
            start += group.bytes(0..GROUP);
            to.write_all(&group.to_bytes(checksums))?;
        }
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

    /// Encodes the tile rows of this process; `write` gets their blocks in their order.
    pub fn each_own<E>(
        &mut self,
        values_sha256: Measured<Sha256>,
        mut write: impl FnMut(&Blocks) -> Result<(), E>,
    ) -> Result<(), E> {
        self.header.values_sha256 = values_sha256;
        let mut own = self.encode(self.header.checksums());
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

impl EncodedLayer<'_> {
    /// Visits some tiles. For each, `work` gets its half-boards and all its values.
    #[inline(always)]
    fn each_tile(
        &self,
        tiles: impl Iterator<Item = u64>,
        mut work: impl FnMut(TileHalves, Measured<&[i8]>),
    ) {
        let mut tile_values = self.values.map(|_| [0; WIDTH * HEIGHT]);
        for number in tiles {
            let tile = self.tiling.tile(number);
            let (first, width) = (tile.columns.start as usize, tile.width());
            for ((_, to), (_, values)) in tile_values.as_mut().into_iter().zip(self.values) {
                for (rank, to) in tile.rows.clone().zip(to.chunks_exact_mut(width)) {
                    values.copy(tile.matrix.row(Rank(rank)), first, to);
                }
            }
            let values = tile_values.as_ref().map(|values| &values[..]);
            work(TileHalves::of(&tile), values);
        }
    }

    /// Counts for the next stage of learning.
    fn count(&self) -> Vec<u32> {
        let learner = &self.learner;
        // Counts are large: where threads share a processor, each drives the tables of the other threads from the
        // cache. So a table has at least six positions for each of its bytes.
        let positions: usize = self.tile_rows.iter().map(TileRow::len).sum();
        let worthwhile = positions as u64 / (6 * Learner::memory(learner.scale));
        let counters = (worthwhile as usize).clamp(1, rayon::current_num_threads());
        let next = AtomicUsize::new(0);
        let counts = parallel::map(0..counters, |_| {
            let mut counts = learner.counts();
            while let Some(tile_row) = self.tile_rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                let tiles = tile_row
                    .tiles
                    .clone()
                    .filter(|&tile| learner.has_tile(tile));
                self.each_tile(tiles, |halves, values| {
                    learner.count(halves, values, &mut counts)
                });
            }
            counts
        });
        let sum = counts.into_iter().reduce(|mut sum, counts| {
            for (sum, count) in sum.iter_mut().zip(counts) {
                *sum = sum.saturating_add(count);
            }
            sum
        });
        sum.expect("there is a counter")
    }

    /// Encodes all tiles; returns the blocks in their order.
    fn encode(&self, checksums: Checksums) -> impl Iterator<Item = Blocks> {
        let (coder, scale) = (&self.learner.coder, self.learner.scale);
        let encode = move |piece: &Piece| {
            let mut blocks = Blocks::default();
            self.each_tile(piece.tiles.clone(), |halves, values| {
                let begin = blocks.bytes.len();
                let bytes = &mut blocks.bytes;
                block::encode(coder, scale, halves, values, bytes);
                let bytes = &blocks.bytes[begin..];
                blocks
                    .blocks
                    .push((bytes.len() as u32, checksums.of(bytes)));
            });
            blocks
        };
        let threads = rayon::current_num_threads();
        let mut pieces = self.tile_rows.iter().flat_map(Piece::all).peekable();
        let encoded = std::iter::from_fn(move || {
            pieces.peek()?;
            let mut positions = 0;
            let mut fits = |piece: &Piece| {
                positions += piece.positions;
                positions <= threads * POSITIONS_A_THREAD
            };
            let next: Vec<Piece> = std::iter::repeat_with(|| pieces.next_if(&mut fits))
                .map_while(|piece| piece)
                .take(threads * PIECES_A_THREAD)
                .collect();
            Some(parallel::map(&next, encode))
        });
        encoded.flatten()
    }
}

/// Some tiles of a tile row that follow each other.
struct Piece {
    tiles: Range<u64>,
    /// At least as many as these tiles have.
    positions: usize,
}

impl Piece {
    /// All pieces of a tile row.
    fn all(tile_row: &TileRow) -> impl Iterator<Item = Piece> {
        let row_len = tile_row.row_len;
        let a_tile = tile_row.len() / row_len * WIDTH.min(row_len);
        let at_once = (POSITIONS_A_PIECE / a_tile).max(1);
        let tiles = tile_row.tiles.clone();
        tiles.clone().step_by(at_once).map(move |first| {
            let tiles = first..tiles.end.min(first + at_once as u64);
            Piece {
                positions: (tiles.end - tiles.start) as usize * a_tile,
                tiles,
            }
        })
    }
}

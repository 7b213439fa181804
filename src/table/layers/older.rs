//! Reads whole layers of the older formats, to convert them: layer files of the versions 2 and 3, manifests of the
//! versions 2 to 4.
//!
//! Such a file holds one measure. Each stored number stands for the value of a position, or for less where a
//! capture gives the value.

use std::array;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::open;
use crate::bytes::open_directory::open_regular;
use crate::codec::context::Traits;
use crate::codec::model::{Model, PRECISION, TOTAL};
use crate::codec::tile_traits::TileTraits;
use crate::codec::tiling::Tiling;
use crate::error::TableError;
use crate::file::directory::{MANIFEST, error, manifest_text};
use crate::file::layer_file::{GROUP, GROUP_BYTES, Group, MAGIC, fingerprint};
use crate::file::manifest::{Document, FileEntry, Format, checked};
use crate::file::sha256::Sha256;
use crate::file::statistics::LayerStatistics;
use crate::index::Layer;
use crate::rows::{NO_CAPTURE, RowMoves, TurnedLayer};
use granero_game::{Bound, Cycles, Extent, Kind, Measure, Measured};

/// Tables of an older format.
#[derive(Debug)]
pub struct OlderTables {
    path: PathBuf,
    pub kind: Kind,
    pub layers: Vec<LayerStatistics>,
    /// One for each layer and measure.
    pub files: Vec<FileEntry>,
}

impl OlderTables {
    /// Opens the tables in a directory, if it has a manifest.
    pub fn open(directory: &Path) -> Result<Option<OlderTables>, TableError> {
        let path = directory.join(MANIFEST);
        let Some(text) = manifest_text(open_regular(&path), &path)? else {
            return Ok(None);
        };
        let format = serde_json::from_str(&text).map_or(0, |Format { format }| format);
        match OlderTables::parse(directory, &text, format) {
            Some(tables) => Ok(Some(tables)),
            None if matches!(format, 0 | 2..=4) => {
                let what = "its checksum or one of its fields is wrong";
                Err(TableError::damaged(path, what))
            }
            None => Err(TableError::OtherFormat { path, format }),
        }
    }

    fn parse(path: &Path, text: &str, format: u32) -> Option<OlderTables> {
        let document: Document = match format {
            // This version has no checksum.
            2 => serde_json::from_str(text).ok()?,
            3 | 4 => serde_json::from_str(&format!("{}}}", checked(text)?)).ok()?,
            _ => return None,
        };
        let decides = document.decides;
        let extent = decides.map_or(Some(Extent::FULL), Extent::deciding)?;
        let tables = OlderTables {
            path: path.into(),
            kind: (document.rules, document.cycles, extent).into(),
            layers: document.layers,
            files: document.files,
        };
        let limits = tables.kind.limits();
        let mut layers = Layer::all().zip(&tables.layers);
        let is_right = decides.is_some() == (format == 4)
            && tables.layers.len() <= usize::from(extent.max_seeds()) + 1
            && tables.files.len() == tables.layers.len() * tables.measures()
            && layers.all(|(layer, statistics)| statistics.is_plausible(layer, limits));
        is_right.then_some(tables)
    }

    /// The number of measures of each position.
    fn measures(&self) -> usize {
        self.kind.cycles.measures().into_iter().count()
    }

    /// Reads the values of a layer. `smaller` returns the parts of the layers that captures lead to.
    pub fn layer(
        &self,
        rows: &RowMoves,
        layer: Layer,
        smaller: impl Fn(u8, Bound, usize) -> Result<Arc<TurnedLayer>, TableError>,
    ) -> Result<Measured<Vec<i8>>, TableError> {
        let mut values = self.kind.cycles.measures().try_map(|measure| {
            let mut values = self.stored(layer, measure)?;
            let of_child = measure.bound().of_child();
            let smaller = |seeds, from| smaller(seeds, of_child, from);
            open::raise_to_captures(rows, layer, &mut values, smaller)?;
            Ok(values)
        })?;
        open::fill(rows, layer, &mut values);
        let seeds = layer.seeds();
        if LayerStatistics::of(layer, &values) == self.layers[usize::from(seeds)] {
            return Ok(values);
        }
        let what = format!("its statistics of layer {seeds} do not match the values");
        Err(TableError::damaged(self.path.join(MANIFEST), what))
    }

    /// Reads the stored numbers of a file, with [`NO_CAPTURE`] for unreachable positions.
    fn stored(&self, layer: Layer, measure: Measure) -> Result<Vec<i8>, TableError> {
        let suffix = match measure {
            Measure::Value => "",
            Measure::Low => "-low",
            Measure::High => "-high",
        };
        let seeds = usize::from(layer.seeds());
        let path = self.path.join(format!("layer-{seeds:02}{suffix}.granero"));
        let file = &self.files[self.measures() * seeds + usize::from(measure == Measure::High)];
        let mut bytes = Vec::new();
        let read = open_regular(&path).and_then(|opened| {
            // A longer file is not the right one either.
            let mut beginning = opened.take(file.bytes.saturating_add(1));
            beginning.read_to_end(&mut bytes)
        });
        read.map_err(error("read", &path))?;
        // This hash covers all checksums within the file.
        if Sha256::of(&bytes) != file.sha256 {
            let what = "its SHA-256 is not the one in its manifest";
            return Err(TableError::damaged(path, what));
        }
        let what = "it is not a file of these tables";
        let values = self.decode(layer, &bytes);
        values.ok_or_else(|| TableError::damaged(path, what))
    }

    /// Decodes a file; returns `None` if a part is wrong.
    fn decode(&self, layer: Layer, bytes: &[u8]) -> Option<Vec<i8>> {
        let (header, rest) = bytes.split_first_chunk::<128>()?;
        let two = |at| u16::from_le_bytes([header[at], header[at + 1]]);
        let version = if self.kind.extent.is_full() { 2 } else { 3 };
        let is_right = (&header[..8], two(8)) == (&MAGIC, version)
            && header[48..80] == *fingerprint(self.kind).as_bytes();
        let tiling = Tiling::new(layer, two(18), two(20)).filter(|_| is_right)?;
        let model_bytes = usize::from(two(24)) | usize::from(two(26)) << 16;
        let (model, rest) = rest.split_at_checked(model_bytes)?;
        let groups = usize::try_from(tiling.tiles().div_ceil(GROUP as u64)).ok()?;
        let index_bytes = groups.checked_mul(GROUP_BYTES)?;
        // A checksum of four bytes follows the model.
        let (index, mut rest) = rest.get(4..)?.split_at_checked(index_bytes)?;

        let limit = self.kind.limits().of(layer.seeds());
        let step = match self.kind.cycles {
            Cycles::Split => 1,
            Cycles::OwnSide => 2,
        };
        let decoder = BlockDecoder::new((2 * limit / step + 1) as u8, model)?;
        // A forged file cannot take more memory than one of its size, because its index is there.
        let mut values = vec![NO_CAPTURE; layer.len() as usize];
        for (first, group) in (0..).step_by(GROUP).zip(index.chunks_exact(GROUP_BYTES)) {
            let lengths = Group::from_bytes(group)?.lengths;
            for (number, length) in (first..tiling.tiles()).zip(lengths) {
                let (block, after) = rest.split_at_checked(length as usize)?;
                rest = after;
                let tile = tiling.tile(number);
                decoder.decode(TileTraits::of(&tile), block, |row, column, number| {
                    let row = tile.matrix.row(tile.rows.start + row as u32).start();
                    let place = row + tile.columns.start as usize + column;
                    values[place] = number as i8 * step - limit;
                })?;
            }
        }
        // The SHA-256 at the end.
        (rest.len() == 32).then_some(values)
    }
}

/// Decodes the blocks of a file.
struct BlockDecoder {
    kinds: u8,
    /// By context: the cluster.
    map: Vec<u8>,
    /// By cluster, and by the lowest bits of the state: a symbol, its frequency, and the offset in its interval.
    slots: Vec<(u8, u32, u32)>,
}

impl BlockDecoder {
    fn new(kinds: u8, model: &[u8]) -> Option<BlockDecoder> {
        let Model {
            map, frequencies, ..
        } = Model::parse(kinds, 960 * usize::from(kinds), model).ok()?;
        let mut slots = Vec::new();
        for (symbol, &frequency) in frequencies.iter().flat_map(|cluster| (0..).zip(cluster)) {
            let frequency = u32::from(frequency);
            slots.extend((0..frequency).map(|offset| (symbol, frequency, offset)));
        }
        Some(BlockDecoder { kinds, map, slots })
    }

    /// Decodes a block; `put` gets the row and the column in the tile, and the number there.
    fn decode(
        &self,
        sides: TileTraits<'_>,
        bytes: &[u8],
        mut put: impl FnMut(usize, usize, u8),
    ) -> Option<()> {
        let columns = sides.columns.iter().copied().enumerate();
        let columns: Vec<(usize, Traits)> = columns.filter(|(_, of)| !of.filled).collect();
        if columns.is_empty() {
            return bytes.is_empty().then_some(());
        }
        let (states, words) = bytes.split_first_chunk::<16>()?;
        let (states, _) = states.as_chunks::<4>();
        let mut states: [u32; 4] = array::from_fn(|lane| u32::from_le_bytes(states[lane]));
        let mut words = words.as_chunks::<2>().0.iter();
        let (rows, count) = (sides.rows.len(), columns.len());
        let mut numbers = vec![0; rows * count];
        // The first lane has the first quarter of the rows, and so on.
        let lane_rows = rows.div_ceil(states.len());
        for lane_row in 0..lane_rows {
            for (x, &(place, column)) in columns.iter().enumerate() {
                for (row, state) in (lane_row..rows).step_by(lane_rows).zip(&mut states) {
                    let here = row * count + x;
                    let above = |by| (lane_row >= by).then(|| numbers[here - by * count]);
                    let first = above(1).map_or(self.kinds / 2, |_| numbers[(row - 1) * count]);
                    let left = |by| if x >= by { numbers[here - by] } else { first };
                    let step = above(1).map_or(0, |above| {
                        (5 + i32::from(above) - i32::from(left(1))).clamp(1, 9)
                    });
                    let own = sides.rows[row];
                    let before = row.checked_sub(1).map(|row| sides.rows[row].reach);
                    let at_left = x.checked_sub(1).map_or(0, |x| columns[x].1.prey);
                    let context = 960 * usize::from(left(1))
                        + 96 * step as usize
                        + 48 * usize::from(left(1) == left(2))
                        + 24 * usize::from(above(1) == above(2))
                        + 8 * (own.reach & column.prey).count_ones().min(2) as usize
                        + 4 * usize::from(column.reach & own.prey != 0)
                        + 2 * usize::from(own.reach & at_left != 0)
                        + usize::from(before.unwrap_or(sides.before) & column.prey != 0);
                    let cluster = usize::from(self.map[context]) << PRECISION;
                    let slot = (*state & (TOTAL - 1)) as usize;
                    let (symbol, frequency, offset) = self.slots[cluster | slot];
                    *state = frequency * (*state >> PRECISION) + offset;
                    if *state < 1 << 16 {
                        *state = *state << 16 | u32::from(u16::from_le_bytes(*words.next()?));
                    }
                    numbers[here] = (left(1) + symbol) % self.kinds;
                    put(row, place, numbers[here]);
                }
            }
        }
        (words.next().is_none() && states == [1 << 16; 4]).then_some(())
    }
}

//! Layer files with changes and corrected checksums: the changes reach the decoders, where a
//! panic could hide.
//!
//! The fuzz target in `fuzz/` uses this file, too.

use std::ops::Range;
use std::sync::Arc;

use granero::index::{Layer, half};
use granero::table::{
    ByteSource, Distribution, FileEntry, FinishedLayer, LayerFile, LayerStatistics, Manifest,
    Sha256,
};
use granero::{Bound, Kind, TableOptions};

pub const HEADER_BYTES: usize = 132;

/// The bytes of the header that tell whose values the file holds.
const IDENTITY_BYTES: usize = 112;

/// The number of blocks in an entry of the index.
pub const GROUP: usize = 64;

/// The bytes of an entry.
pub const GROUP_BYTES: usize = 8 + GROUP * (2 + 4) + 4;

const DIGEST_BYTES: usize = 32;

/// The places of the parts of a layer file, by its header, within the length of the file.
pub struct Layout {
    /// Without its checksum.
    pub model: Range<usize>,
    pub index: Range<usize>,
    pub blocks: Range<usize>,
}

impl Layout {
    /// `None` if the file is shorter than a header.
    pub fn of(bytes: &[u8]) -> Option<Layout> {
        let header = bytes.first_chunk::<HEADER_BYTES>()?;
        let model_bytes = u32::from_le_bytes(part(header, 112));
        let blocks = Layer::new(header[10]).map_or(0, block_count);
        let end = bytes.len().saturating_sub(DIGEST_BYTES).max(HEADER_BYTES);
        let place = |place: u64| usize::try_from(place).map_or(end, |place| place.min(end));
        let model = HEADER_BYTES as u64 + u64::from(model_bytes);
        let index_bytes = blocks
            .div_ceil(GROUP as u64)
            .saturating_mul(GROUP_BYTES as u64);
        let index = place(model + 4);
        let blocks = place((model + 4).saturating_add(index_bytes));
        Some(Layout {
            model: HEADER_BYTES..place(model),
            index: index..blocks,
            blocks: blocks..end,
        })
    }

    /// The entries of the index.
    pub fn groups(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let whole = self.index.len() / GROUP_BYTES;
        let first = self.index.start;
        (0..whole).map(move |group| first + group * GROUP_BYTES..first + (group + 1) * GROUP_BYTES)
    }

    /// The blocks of an entry, within the length of the file.
    pub fn blocks_of(&self, entry: &[u8]) -> Vec<Range<usize>> {
        let mut start = u64::from_le_bytes(part(entry, 0));
        let place = |place: u64| {
            let place = usize::try_from(place).unwrap_or(usize::MAX);
            self.blocks.end.min(self.blocks.start.saturating_add(place))
        };
        (0..GROUP)
            .map(|block| {
                let words = u16::from_le_bytes(part(entry, 8 + 2 * block));
                let end = start.saturating_add(2 * u64::from(words));
                let range = place(start)..place(end);
                start = end;
                range
            })
            .collect()
    }
}

fn part<const LENGTH: usize>(bytes: &[u8], at: usize) -> [u8; LENGTH] {
    bytes[at..at + LENGTH].try_into().unwrap()
}

/// The number of blocks of a layer.
pub fn block_count(layer: Layer) -> u64 {
    let of_matrix = |own_seeds: u8| {
        let rows = half::count(own_seeds).div_ceil(40);
        let columns = half::count(layer.seeds() - own_seeds).div_ceil(64);
        u64::from(rows) * u64::from(columns)
    };
    (0..=layer.seeds()).map(of_matrix).sum()
}

/// The checksum of a part of a file with this header.
pub fn checksum(header: &[u8], part: &[u8]) -> u32 {
    let mut checksum =
        crc32fast::Hasher::new_with_initial(crc32fast::hash(&header[..IDENTITY_BYTES]));
    checksum.update(part);
    checksum.finalize()
}

/// Corrects all checksums.
pub fn repair(bytes: &mut [u8]) {
    let Some(layout) = Layout::of(bytes) else {
        return;
    };
    let of_header = crc32fast::hash(&bytes[..HEADER_BYTES - 4]);
    bytes[HEADER_BYTES - 4..HEADER_BYTES].copy_from_slice(&of_header.to_le_bytes());
    if layout.model.end + 4 <= layout.index.start {
        put_checksum(bytes, layout.model.clone());
    }
    let used = Layer::new(bytes[10]).map_or(0, block_count);
    for (first, group) in (0..).step_by(GROUP).zip(layout.groups()) {
        let blocks = layout.blocks_of(&bytes[group.clone()]);
        for (number, block) in blocks.into_iter().enumerate() {
            let checksum = match first + number as u64 {
                block_number if block_number < used => checksum(bytes, &bytes[block]),
                _ => 0,
            };
            let place = group.start + 8 + 2 * GROUP + 4 * number;
            bytes[place..place + 4].copy_from_slice(&checksum.to_le_bytes());
        }
        put_checksum(bytes, group.start..group.end - 4);
    }
    if let Some((content, digest)) = bytes.split_last_chunk_mut::<DIGEST_BYTES>() {
        *digest = *Sha256::of(content).as_bytes();
    }
}

/// Writes the checksum of some bytes after them.
fn put_checksum(bytes: &mut [u8], content: Range<usize>) {
    let checksum = checksum(bytes, &bytes[content.clone()]);
    bytes[content.end..content.end + 4].copy_from_slice(&checksum.to_le_bytes());
}

/// A manifest that agrees with the headers of the files, even if their values do not.
pub fn manifest(kind: Kind, files: &[Arc<[u8]>]) -> String {
    let mut manifest = Manifest::new(kind);
    for (layer, bytes) in Layer::all().zip(files) {
        let values = kind.cycles.measures().map(|measure| {
            let place = match measure.bound() {
                Bound::Low => 48..80,
                Bound::High => 80..112,
            };
            let sha256 = bytes.get(place).and_then(|hash| hash.try_into().ok());
            let possible = -kind.limit(layer.seeds());
            Distribution {
                sha256: Sha256::from_bytes(sha256.unwrap_or_default()),
                histogram: vec![(possible, layer.len())],
            }
        });
        let statistics = LayerStatistics {
            seeds: layer.seeds(),
            positions: layer.len(),
            values,
            gaps: vec![(0, layer.len())],
            draws: 0,
        };
        let file = FileEntry {
            name: format!("layer-{:02}.granero", layer.seeds()),
            bytes: bytes.len() as u64,
            sha256: Sha256::of(bytes),
        };
        manifest.layers.push(FinishedLayer { statistics, file });
    }
    manifest.to_text()
}

/// Does everything that a reader can do with a file. If the good files `smaller` have all smaller layers,
/// also looks up at most `most` positions.
///
/// Results do not matter, but nothing may panic.
pub fn read(bytes: &Arc<[u8]>, kind: Kind, smaller: &[Arc<[u8]>], most: u64) {
    let Ok(file) = LayerFile::open(bytes) else {
        return;
    };
    let _ = file.verify(|_| {});
    let layer = file.header().layer;
    let Some(smaller) = smaller.get(..layer.seeds().into()) else {
        return;
    };
    let mut files = smaller.to_vec();
    files.push(bytes.clone());
    let mut sources = files.iter();
    let tables = TableOptions::new()
        .cache_bytes(0)
        .open_sources(&manifest(kind, &files), |_| {
            let file = sources.next().expect("as many as in the manifest");
            Ok(Box::new(file.clone()) as Box<dyn ByteSource>)
        });
    let Ok(tables) = tables else {
        return;
    };
    let step = layer.len().div_ceil(most) as usize;
    for position in layer.positions().step_by(step) {
        let _ = tables.value(&position);
    }
    let _ = tables.layer(layer.seeds());
}

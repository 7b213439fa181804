//! Tables that claim to be as large as the whole game, and hold almost nothing.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use granero::index::Layer;
use granero::table::{ByteSource, LayerFile, LayerFileError};
use granero::{Cycles, Ruleset};

use super::forged::{self, GROUP, GROUP_BYTES, HEADER_BYTES, block_count};
use super::sealed::sealed;
use super::solved::Solved;

/// A block without words: only the states that decoding ends with.
pub const NOTHING_TO_READ: [u8; 8] = [0, 0, 1, 0, 0, 0, 1, 0];

/// The number of first numbers of a layer.
pub fn kinds(layer: Layer, cycles: Cycles) -> usize {
    let more = if cycles == Cycles::Split { 2 } else { 3 };
    usize::from(layer.seeds()) + more
}

/// The number of symbols.
const SYMBOLS: usize = 8;

/// The code of the frequency that the others of a cell leave.
const REST: u8 = 255;

/// A sound model that gives all positions of a layer one first number, and one second number, which is at most 7.
pub fn model(layer: Layer, cycles: Cycles, first: usize, second: usize) -> Vec<u8> {
    let kinds = kinds(layer, cycles);
    // The only likely number after each pair.
    let mut bytes = [1, first as u8].repeat(kinds * kinds);
    // All contexts are of one class, in one run.
    for contexts in [kinds * kinds * 24, 3125] {
        let low = |shift: usize| (contexts >> shift) as u8 & 0x7f;
        bytes.extend([1, 0, low(0) | 0x80, low(7) | 0x80, low(14)]);
    }
    let seconds = if cycles == Cycles::Split {
        0
    } else {
        16 * kinds
    };
    // The cells of contexts, of second numbers, and of symbols that follow.
    for (symbol, count) in [(0, 1), (second, seconds), (0, (kinds - 1) / 7)] {
        let mut cell = [0; SYMBOLS];
        cell[symbol] = REST;
        bytes.extend(cell.repeat(count));
    }
    bytes
}

/// The header of a file of `abapa`, for any layer.
pub fn header(layer: Layer, cycles: Cycles, model_bytes: usize) -> Vec<u8> {
    let good = Solved::of(Ruleset::Abapa, cycles, 0).files();
    let mut header = good.layers[0][..HEADER_BYTES].to_vec();
    header[10] = layer.seeds();
    header[112..116].copy_from_slice(&(model_bytes as u32).to_le_bytes());
    header[120..128].copy_from_slice(&(100 * block_count(layer)).to_le_bytes());
    header
}

/// A file of tables with all 48 seeds, which no disk could hold: groups and blocks are made when they are
/// read.
pub struct Vast {
    /// The header and the model.
    pub begin: Vec<u8>,
    /// An entry of the index.
    group: Vec<u8>,
    /// Each block of each group.
    block: Vec<u8>,
    pub length: u64,
    asked: Arc<AtomicU64>,
}

impl Vast {
    /// A file whose positions have one number, and whose blocks have these bytes.
    pub fn new(layer: Layer, first: usize, block: Vec<u8>, asked: &Arc<AtomicU64>) -> Vast {
        let model = model(layer, Cycles::Split, first, 0);
        let mut begin = header(layer, Cycles::Split, model.len());
        begin.extend(&model);
        let end = begin.len() + 4;
        // Room for the checksums of the model and the file.
        begin.extend([0; 4 + 32]);
        forged::repair(&mut begin);
        begin.truncate(end);
        let mut group = vec![0; 8];
        group.extend((block.len() as u16 / 2).to_le_bytes().repeat(GROUP));
        let checksum = |part: &[u8]| forged::checksum(&begin, part).to_le_bytes();
        group.extend(checksum(&block).repeat(GROUP));
        group.extend(checksum(&group));
        let Err(LayerFileError::Length { expected, .. }) = LayerFile::open(&begin[..]) else {
            panic!("the file is not vast");
        };
        Vast {
            begin,
            group,
            block,
            length: expected,
            asked: asked.clone(),
        }
    }
}

impl ByteSource for Vast {
    fn length(&self) -> u64 {
        self.length
    }

    fn bytes(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        let length = range.end - range.start;
        self.asked.fetch_add(length, Ordering::Relaxed);
        assert!(length < 1 << 20, "{length} bytes at once");
        Ok(
            match self.begin.get(range.start as usize..range.end as usize) {
                Some(bytes) => bytes.into(),
                None if length == GROUP_BYTES as u64 => Cow::from(&self.group),
                None if length == self.block.len() as u64 => Cow::from(&self.block),
                None => vec![0; length as usize].into(),
            },
        )
    }
}

/// A manifest that agrees with vast files.
pub fn vast_manifest(files: &[Vast]) -> String {
    let headers: Vec<Arc<[u8]>> = files.iter().map(|file| file.begin[..].into()).collect();
    let manifest = forged::manifest((Ruleset::Abapa, Cycles::Split).into(), &headers);
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    for (seeds, file) in files.iter().enumerate() {
        manifest["files"][seeds]["bytes"] = file.length.into();
    }
    sealed(manifest)
}

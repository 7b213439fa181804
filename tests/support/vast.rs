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

/// The symbols.
pub const SYMBOLS: usize = 8;

/// The code of the frequency that the others of a cell leave.
const REST: u8 = 255;

/// A sound model that predicts nothing.
#[derive(Clone, Debug)]
pub struct ForgedModel {
    /// The likely numbers of all pairs, as far as there are these numbers.
    pub likely: Vec<usize>,
    /// For outer and inner contexts: the number of classes, and runs of contexts, each a class and its length.
    pub classes: [(u8, Vec<(u8, usize)>); 2],
    /// The codes of cells in turn: those of contexts, of second numbers, and of symbols that follow.
    pub cells: [Vec<[u8; SYMBOLS]>; 3],
}

/// A cell in which a symbol is certain.
pub fn certain(symbol: usize) -> [u8; SYMBOLS] {
    let mut codes = [0; SYMBOLS];
    codes[symbol] = REST;
    codes
}

impl ForgedModel {
    /// Gives all positions of a layer one first number, and one second number, which is at most 7.
    pub fn constant(first: usize, second: usize) -> ForgedModel {
        ForgedModel {
            likely: vec![first],
            classes: [const { (1, Vec::new()) }; 2],
            cells: [0, second, 0].map(|symbol| vec![certain(symbol)]),
        }
    }

    pub fn bytes(&self, layer: Layer, cycles: Cycles) -> Vec<u8> {
        let kinds = kinds(layer, cycles);
        let likely = self.likely.iter().filter(|&&number| number < kinds);
        let likely: Vec<u8> = likely.map(|&number| number as u8).collect();
        let mut bytes = Vec::new();
        for _ in 0..kinds * kinds {
            bytes.push(likely.len() as u8);
            bytes.extend(&likely);
        }
        let contexts = [kinds * kinds * 24, 3125];
        for ((classes, runs), mut left) in self.classes.iter().zip(contexts) {
            bytes.push(*classes);
            for &(class, length) in runs.iter().chain([&(0, usize::MAX)]) {
                let length = length.min(left);
                left -= length;
                if length > 0 {
                    bytes.push(class % classes);
                    let low = |shift: usize| (length >> shift) as u8 & 0x7f;
                    bytes.extend([low(0) | 0x80, low(7) | 0x80, low(14)]);
                }
            }
        }
        let classes = usize::from(self.classes[0].0) * usize::from(self.classes[1].0);
        let seconds = if cycles == Cycles::Split {
            0
        } else {
            16 * kinds
        };
        for (cells, count) in self.cells.iter().zip([classes, seconds, (kinds - 1) / 7]) {
            bytes.extend(cells.iter().cycle().take(count).flatten());
        }
        bytes
    }
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
    /// A file whose blocks have no bytes.
    pub fn new(layer: Layer, asked: Arc<AtomicU64>) -> Vast {
        let model = ForgedModel::constant(0, 0);
        Vast::of(layer, &model, Vec::new(), asked)
    }

    pub fn of(layer: Layer, model: &ForgedModel, block: Vec<u8>, asked: Arc<AtomicU64>) -> Vast {
        let model = model.bytes(layer, Cycles::Split);
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
            asked,
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

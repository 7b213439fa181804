//! Tables that claim to be as large as the whole game, and hold almost nothing.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use granero::index::{Layer, half};
use granero::table::{ByteSource, LayerFile, LayerFileError};
use granero::{Cycles, Ruleset};

use super::forged::{self, GROUP, GROUP_BYTES, HEADER_BYTES};
use super::sealed::sealed;
use super::solved::Solved;

/// A block without words: only the states that decoding ends with.
pub const NOTHING_TO_READ: [u8; 16] = [0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0];

/// The number of first numbers of a layer.
pub fn kinds(layer: Layer, cycles: Cycles) -> usize {
    let more = if cycles == Cycles::Split { 2 } else { 3 };
    usize::from(layer.seeds()) + more
}

/// A sound model that predicts nothing.
#[derive(Clone, Debug)]
pub struct ForgedModel {
    /// By cluster: the ends of the intervals of all symbols but the last, up to 1024.
    pub cuts: Vec<Vec<u16>>,
    /// Runs of contexts: the cluster, and the number of contexts.
    pub runs: Vec<(u8, usize)>,
}

impl ForgedModel {
    /// Gives all positions of a layer one first number, and one second number.
    pub fn constant(layer: Layer, cycles: Cycles, first: usize, second: usize) -> ForgedModel {
        let kinds = kinds(layer, cycles);
        let begin = kinds / 2;
        let certain = |symbol| [vec![0; symbol], vec![1024; kinds - 1 - symbol]].concat();
        ForgedModel {
            cuts: [0, (first + kinds - begin) % kinds, second]
                .map(certain)
                .to_vec(),
            runs: vec![
                (0, 1080 * begin),
                (1, 1080),
                (0, 1080 * (kinds - begin - 1)),
                (2, 16 * kinds),
            ],
        }
    }

    pub fn bytes(&self, layer: Layer, cycles: Cycles) -> Vec<u8> {
        let kinds = kinds(layer, cycles);
        let mut bytes = vec![self.cuts.len() as u8];
        for cuts in &self.cuts {
            let mut cuts = cuts[..kinds - 1].to_vec();
            cuts.sort_unstable();
            cuts.push(1024);
            let mut last = 0;
            for cut in cuts {
                bytes.extend((cut - last).to_le_bytes());
                last = cut;
            }
        }
        let seconds = if cycles == Cycles::Split { 0 } else { 16 };
        let mut left = kinds * (1080 + seconds);
        let rest = (0, usize::MAX);
        for &(cluster, length) in self.runs.iter().chain([&rest]) {
            let length = length.min(left);
            left -= length;
            if length > 0 {
                bytes.push(cluster % self.cuts.len() as u8);
                let low = |shift: usize| (length >> shift) as u8 & 0x7f;
                bytes.extend([low(0) | 0x80, low(7) | 0x80, low(14)]);
            }
        }
        bytes
    }
}

/// The header of a file of `abapa`, for any layer, with tiles of the default size.
pub fn header(layer: Layer, cycles: Cycles, model_bytes: usize) -> Vec<u8> {
    let seeds = layer.seeds();
    let good = Solved::of(Ruleset::Abapa, cycles, 0).files();
    let mut header = good.layers[0][..HEADER_BYTES].to_vec();
    let tiles: u64 = (0..=seeds)
        .map(|own_seeds| {
            let rows = half::count(own_seeds).div_ceil(32);
            let columns = half::count(seeds - own_seeds).div_ceil(64);
            u64::from(rows) * u64::from(columns)
        })
        .sum();
    header[10] = seeds;
    header[12] = seeds.wrapping_neg();
    header[13] = kinds(layer, cycles) as u8;
    header[24..28].copy_from_slice(&(model_bytes as u32).to_le_bytes());
    header[32..40].copy_from_slice(&tiles.to_le_bytes());
    header[40..48].copy_from_slice(&(100 * tiles).to_le_bytes());
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
        let model = ForgedModel {
            cuts: vec![vec![1024; 96]],
            runs: Vec::new(),
        };
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
        group.extend(crc32fast::hash(&block).to_le_bytes().repeat(GROUP));
        group.extend(crc32fast::hash(&group).to_le_bytes());
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

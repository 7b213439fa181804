//! Tables that claim to be as large as the whole game, and hold almost nothing.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use granero::Ruleset;
use granero::index::{Layer, half};
use granero::table::{ByteSource, LayerFile, LayerFileError};

use super::forged::{self, GROUP_BYTES, HEADER_BYTES};
use super::sealed::sealed;
use super::solved::Solved;

/// The number of contexts for each value.
pub const CONTEXTS: usize = 960;

/// A sound model that predicts nothing.
#[derive(Clone, Debug)]
pub struct ForgedModel {
    /// By cluster: the ends of the intervals of all symbols but the last, up to 1024.
    pub cuts: Vec<Vec<u16>>,
    /// Runs of contexts: the cluster, and the number of contexts.
    pub runs: Vec<(u8, usize)>,
}

impl ForgedModel {
    pub fn bytes(&self, layer: Layer) -> Vec<u8> {
        let kinds = 2 * usize::from(layer.seeds()) + 1;
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
        let mut left = kinds * CONTEXTS;
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
pub fn header(layer: Layer, model_bytes: usize) -> Vec<u8> {
    let seeds = layer.seeds();
    let good = Solved::new(Ruleset::Abapa, 0).files();
    let mut header = good.layers[0][..HEADER_BYTES].to_vec();
    let tiles: u64 = (0..=seeds)
        .map(|own_seeds| {
            let rows = half::count(own_seeds).div_ceil(32);
            let columns = half::count(seeds - own_seeds).div_ceil(64);
            u64::from(rows) * u64::from(columns)
        })
        .sum();
    header[10] = seeds;
    header[13] = seeds.wrapping_neg();
    header[14] = 2 * seeds + 1;
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
    /// An entry of the index, for blocks without a byte.
    group: Vec<u8>,
    pub length: u64,
    asked: Arc<AtomicU64>,
}

impl Vast {
    pub fn new(layer: Layer, asked: Arc<AtomicU64>) -> Vast {
        let model = ForgedModel {
            cuts: vec![vec![1024; 96]],
            runs: Vec::new(),
        };
        let model = model.bytes(layer);
        let mut begin = header(layer, model.len());
        begin.extend(&model);
        begin.extend([0; 4]);
        let group = begin.len();
        // Checksums for one group and no blocks are enough.
        begin.extend([0; GROUP_BYTES + 32]);
        forged::repair(&mut begin);
        let group = begin.split_off(group)[..GROUP_BYTES].to_vec();
        let Err(LayerFileError::Length { expected, .. }) = LayerFile::open(&begin[..]) else {
            panic!("the file is not vast");
        };
        Vast {
            begin,
            group,
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
                None => vec![0; length as usize].into(),
            },
        )
    }
}

/// A manifest that agrees with vast files.
pub fn vast_manifest(files: &[Vast]) -> String {
    let headers: Vec<Arc<[u8]>> = files.iter().map(|file| file.begin[..].into()).collect();
    let manifest = forged::manifest(Ruleset::Abapa, &headers);
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    for (seeds, file) in files.iter().enumerate() {
        manifest["files"][seeds]["bytes"] = file.length.into();
    }
    sealed(manifest)
}

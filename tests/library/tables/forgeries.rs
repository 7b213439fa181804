//! Forged files: arbitrary bytes, good files with changes and corrected checksums, and files
//! of sound parts with meaningless values.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use granero::index::{Layer, half};
use granero::table::{ByteSource, LayerFile, LayerFileError, LayerStatistics};
use granero::{Measured, Position, Ruleset, TableOptions, Tables, verify};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::support::forged::{self, GROUP, HEADER_BYTES, Layout};
use crate::support::sealed::of_format_2;
use crate::support::solved::{Files, Solved, Values, file_name};
use crate::support::vast::{ForgedModel, Vast, header, vast_manifest};
use crate::support::with_causes;

const SEEDS: u8 = 7;

/// The number of values looked up in each file.
const QUESTIONS: u64 = 400;

/// Good tables, the basis of forgeries.
struct Good {
    solved: Solved,
    files: Files,
    archive: bool,
}

impl fmt::Debug for Good {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, archive: {}", self.solved.rules, self.archive)
    }
}

fn good() -> impl Strategy<Value = &'static Good> {
    static GOOD: LazyLock<Vec<Good>> = LazyLock::new(|| {
        let rules = [Ruleset::Abapa, Ruleset::SlamEnds, Ruleset::Awari];
        let good = rules.into_iter().flat_map(|rules| {
            let of = |archive| {
                let solved = Solved::new(rules, SEEDS);
                let written = if archive {
                    solved.archive()
                } else {
                    solved.write()
                };
                let files = Files::read(written.path());
                Good {
                    solved,
                    files,
                    archive,
                }
            };
            [false, true].map(of)
        });
        good.collect()
    });
    (0..GOOD.len()).prop_map(|number| &GOOD[number])
}

/// The part of a file to change.
#[derive(Clone, Copy, Debug)]
enum Part {
    Header,
    Model,
    Index,
    Blocks,
    Anywhere,
}

/// A change of one byte, or of several from there on.
#[derive(Clone, Copy, Debug)]
enum Change {
    Set(u8),
    Flip(u8),
    /// Copies this number of bytes from another place.
    Copy(Index, usize),
}

fn parts() -> impl Strategy<Value = Part> {
    prop_oneof![
        1 => Just(Part::Header),
        4 => Just(Part::Model),
        4 => Just(Part::Index),
        8 => Just(Part::Blocks),
        1 => Just(Part::Anywhere),
    ]
}

fn changes() -> impl Strategy<Value = Change> {
    prop_oneof![
        prop_oneof![any::<u8>(), Just(0), Just(u8::MAX)].prop_map(Change::Set),
        (0..8u8).prop_map(|bit| Change::Flip(1 << bit)),
        (any::<Index>(), 1..40usize).prop_map(|(from, length)| Change::Copy(from, length)),
    ]
}

fn apply(bytes: &mut [u8], part: Part, place: Index, change: Change) {
    let layout = Layout::of(bytes).unwrap();
    let range = match part {
        Part::Header => 0..HEADER_BYTES,
        Part::Model => layout.model,
        Part::Index => layout.index,
        Part::Blocks => layout.blocks,
        Part::Anywhere => 0..bytes.len(),
    };
    if range.is_empty() {
        return;
    }
    let place = range.start + place.index(range.len());
    match change {
        Change::Set(byte) => bytes[place] = byte,
        Change::Flip(bit) => bytes[place] ^= bit,
        Change::Copy(from, length) => {
            let from = from.index(bytes.len());
            let length = length.min(bytes.len() - from.max(place));
            bytes.copy_within(from..from + length, place);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn arbitrary_bytes_do_no_harm(
        good in good(),
        mut bytes in vec(any::<u8>(), 0..2000),
        begins_well in 0..130usize,
    ) {
        let begin = begins_well.min(bytes.len());
        bytes[..begin].copy_from_slice(&good.files.layers[4][..begin]);
        let repaired = {
            let mut bytes = bytes.clone();
            forged::repair(&mut bytes);
            bytes
        };
        for bytes in [bytes, repaired] {
            let (rules, smaller) = (good.solved.rules, &good.files.layers);
            forged::read(&bytes.clone().into(), rules, smaller, QUESTIONS);
            let seeds = bytes.len() % usize::from(SEEDS + 1);
            match good.files.with(seeds, bytes).open(&TableOptions::new()) {
                Err(error) => prop_assert!(error.to_string().contains(&file_name(seeds)), "{}", error),
                // Opening reads the header alone, without its checksum if that was corrected.
                Ok(_) => prop_assert!(begin >= HEADER_BYTES - 4),
            }
        }
    }

    #[test]
    fn changes_that_the_checksums_agree_to_do_no_harm(
        good in good(),
        seeds in 0..=usize::from(SEEDS),
        changes in vec((parts(), any::<Index>(), changes()), 1..6),
    ) {
        let mut bytes = good.files.layers[seeds].to_vec();
        for (part, place, change) in changes {
            apply(&mut bytes, part, place, change);
        }
        forged::repair(&mut bytes);
        let (rules, smaller) = (good.solved.rules, &good.files.layers);
        forged::read(&bytes.clone().into(), rules, smaller, QUESTIONS);
        // Whole layers are compared with the hash of their values in the manifest.
        if let Ok(tables) = good.files.with(seeds, bytes).open(&TableOptions::new()) {
            for (layer, expected) in tables.layers().zip(&good.solved.layers) {
                match layer {
                    Ok((_, values)) => prop_assert!(values == *expected),
                    Err(error) => {
                        let text = error.to_string();
                        prop_assert!(text.contains(&file_name(seeds)), "{}", text);
                    }
                }
            }
        }
    }

    #[test]
    fn any_text_may_stand_in_place_of_a_manifest(
        good in good(),
        text in "\\PC{0,40}",
        (place, length) in (any::<Index>(), 0..60usize),
    ) {
        // A manifest of the version without a checksum is read further.
        let manifests = [good.files.manifest.clone(), of_format_2(&good.files.manifest)];
        let changed = manifests.map(|manifest| {
            let place = place.index(manifest.len());
            let end = manifest.len().min(place + length);
            format!("{}{text}{}", &manifest[..place], &manifest[end..])
        });
        for manifest in changed.into_iter().chain([text]) {
            let files = Files { manifest, ..good.files.clone() };
            if let Ok(tables) = files.open(&TableOptions::new()) {
                for (layer, expected) in tables.layers().zip(&good.solved.layers) {
                    prop_assert!(layer.unwrap().1 == *expected);
                }
            }
        }
    }
}

/// Models with arbitrary frequencies, or with one certain symbol in each cluster.
fn models() -> impl Strategy<Value = ForgedModel> {
    let cuts = prop_oneof![vec(0..=1024u16, 2 * usize::from(SEEDS)), certain()];
    forged_models(cuts)
}

/// A cluster in which one symbol is certain.
fn certain() -> impl Strategy<Value = Vec<u16>> {
    let symbols = 2 * usize::from(SEEDS);
    (0..=symbols).prop_map(move |symbol| {
        let mut cuts = vec![0; symbol];
        cuts.resize(symbols, 1024);
        cuts
    })
}

fn forged_models(cuts: impl Strategy<Value = Vec<u16>>) -> impl Strategy<Value = ForgedModel> {
    let runs = vec((any::<u8>(), 1..600usize), 0..100);
    (vec(cuts, 1..=48), runs).prop_map(|(cuts, runs)| ForgedModel { cuts, runs })
}

/// A layer file with right checksums. `block` returns the bytes of each block; its argument is true if the block
/// stores nothing, because all its positions are unreachable.
fn forge(
    header: &[u8],
    layer: Layer,
    (width, height): (u16, u16),
    model: &[u8],
    mut block: impl FnMut(bool) -> Vec<u8>,
) -> Vec<u8> {
    let mut blocks = Vec::new();
    for own_seeds in 0..=layer.seeds() {
        let opponents: Vec<[u8; 6]> = half::all(layer.seeds() - own_seeds).collect();
        let pieces = opponents.len().div_ceil(width.into());
        let piece = |piece: usize| {
            let start = piece * opponents.len() / pieces;
            &opponents[start..(piece + 1) * opponents.len() / pieces]
        };
        for _ in 0..half::count(own_seeds).div_ceil(height.into()) {
            for columns in (0..pieces).map(piece) {
                let full = columns.iter().flatten().all(|&seeds| seeds > 0);
                blocks.push(block(full));
            }
        }
    }
    let block_bytes: u64 = blocks.iter().map(|block| block.len() as u64).sum();

    let mut bytes = header.to_vec();
    bytes[18..20].copy_from_slice(&width.to_le_bytes());
    bytes[20..22].copy_from_slice(&height.to_le_bytes());
    bytes[24..28].copy_from_slice(&(model.len() as u32).to_le_bytes());
    bytes[32..40].copy_from_slice(&(blocks.len() as u64).to_le_bytes());
    bytes[40..48].copy_from_slice(&block_bytes.to_le_bytes());
    bytes.extend(model);
    bytes.extend([0; 4]);
    let mut start = 0;
    for group in blocks.chunks(GROUP) {
        bytes.extend(u64::to_le_bytes(start));
        let lengths = group.iter().map(|block| block.len() as u64);
        start += lengths.clone().sum::<u64>();
        for length in lengths.chain([0; GROUP]).take(GROUP) {
            bytes.extend(((length / 2) as u16).to_le_bytes());
        }
        bytes.extend([0; 4 * GROUP + 4]);
    }
    bytes.extend(blocks.concat());
    bytes.extend([0; 32]);
    forged::repair(&mut bytes);
    bytes
}

fn sizes() -> impl Strategy<Value = (u16, u16)> {
    let size = |most| prop_oneof![Just(1), Just(most), 1..=most];
    (size(64), size(256))
}

/// A block without words: only the states that decoding ends with.
fn nothing_to_read() -> Vec<u8> {
    [0, 0, 1, 0].repeat(4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn files_without_meaning_do_no_harm(
        good in good(),
        seeds in 0..=6u8,
        size in sizes(),
        model in models(),
        blocks in vec(vec(any::<[u8; 2]>(), 0..100), 1..10),
    ) {
        let layer = Layer::new(seeds).unwrap();
        let header = &good.files.layers[usize::from(seeds)][..HEADER_BYTES];
        let mut blocks = blocks.iter().cycle().map(|words| words.concat());
        let bytes = forge(header, layer, size, &model.bytes(layer), |full| {
            if full { Vec::new() } else { blocks.next().unwrap() }
        });
        let verified = LayerFile::open(&bytes[..]).unwrap().verify(|_| {});
        prop_assert!(verified.is_ok());
        let (rules, smaller) = (good.solved.rules, &good.files.layers);
        forged::read(&bytes.into(), rules, smaller, QUESTIONS);
    }

    /// Look-ups and whole layers agree on any stored values. This is not so for awari: a look-up counts
    /// captures of last resort, but whole layers need their values in the file.
    #[test]
    fn values_and_layers_agree_whatever_is_stored(
        rules in select(all_but_awari()),
        good in good(),
        forged in vec((sizes(), forged_models(certain())), 1..=7),
    ) {
        let mut files: Vec<Arc<[u8]>> = Vec::new();
        let mut values: Vec<Vec<i8>> = Vec::new();
        for (layer, (size, model)) in Layer::all().zip(forged) {
            let mut header = good.files.layers[values.len()][..HEADER_BYTES].to_vec();
            let fingerprint = granero::table::fingerprint((rules, Default::default()));
            header[48..80].copy_from_slice(fingerprint.as_bytes());
            let bytes = forge(&header, layer, size, &model.bytes(layer), |full| {
                if full { Vec::new() } else { nothing_to_read() }
            });
            files.push(bytes.into());
            let tables = open(rules, &files);
            let found: Result<Vec<i8>, _> = layer
                .positions()
                .map(|position| tables.value(&position).map(|value| value.unwrap().seeds()))
                .collect();
            values.push(found.unwrap());
            // The values are known now: put their hash into the file.
            let solved = Measured::Value(values.last().unwrap().clone());
            let sha256 = LayerStatistics::of(layer, &solved).values.low().sha256;
            let mut bytes = files.pop().unwrap().to_vec();
            bytes[80..112].copy_from_slice(sha256.as_bytes());
            forged::repair(&mut bytes);
            files.push(bytes.into());
        }
        let tables = open(rules, &files);
        for (layer, expected) in tables.layers().zip(&values) {
            prop_assert!(layer.unwrap().1.value().unwrap() == *expected);
        }
    }
}

fn all_but_awari() -> Vec<Ruleset> {
    let rules = Ruleset::ALL.into_iter();
    rules.filter(|&rules| rules != Ruleset::Awari).collect()
}

fn open(rules: Ruleset, files: &[Arc<[u8]>]) -> Tables {
    let files = Files {
        manifest: forged::manifest(rules, files),
        layers: files.to_vec(),
    };
    files.open(&TableOptions::new().cache_bytes(0)).unwrap()
}

#[test]
fn a_small_file_that_claims_to_be_large_is_refused() {
    for seeds in 0..=48u8 {
        let layer = Layer::new(seeds).unwrap();
        let mut bytes = header(layer, 100);
        bytes.resize(200, 0);
        forged::repair(&mut bytes);
        let error = LayerFile::open(&bytes[..]).unwrap_err();
        let expected = matches!(
            error,
            LayerFileError::Length { found: 200, expected } if expected > layer.len() / 32
        );
        assert!(expected, "{seeds}: {error}");
    }
}

#[test]
fn headers_that_claim_the_impossible_are_refused() {
    let layer = Layer::new(48).unwrap();
    let fields = [8..10, 18..20, 20..22, 24..28, 32..40, 40..48].into_iter();
    let single = (10..18)
        .chain([22, 23, 28, 30, 112, 123])
        .map(|at| at..at + 1);
    for field in fields.chain(single) {
        for byte in [0, 0x7f, 0xff] {
            let mut bytes = header(layer, 100);
            if bytes[field.clone()].iter().all(|&there| there == byte) {
                continue;
            }
            bytes[field.clone()].fill(byte);
            bytes.resize(5000, 0);
            forged::repair(&mut bytes);
            let error = LayerFile::open(&bytes[..]).unwrap_err();
            let expected = matches!(
                error,
                LayerFileError::Unknown
                    | LayerFileError::OtherFormat(_)
                    | LayerFileError::Length { .. }
            );
            assert!(expected, "{field:?}: {error}");
        }
    }
}

/// Opening and look-ups read little of a file and use little memory, however long it is.
#[test]
fn vast_tables_open_and_answer_at_once() {
    let asked = Arc::new(AtomicU64::new(0));
    let files: Vec<Vast> = Layer::all()
        .map(|layer| Vast::new(layer, asked.clone()))
        .collect();
    let manifest = vast_manifest(&files);
    assert!(files[48].length > 1 << 33);
    let mut files = files.into_iter();
    let source = |_: &_| Ok(Box::new(files.next().unwrap()) as Box<dyn ByteSource>);
    let options = TableOptions::new().cache_bytes(0);
    let tables = options.open_sources(&manifest, source).unwrap();
    assert_eq!(tables.max_seeds(), Some(48));
    assert_eq!(asked.load(Ordering::Relaxed), 49 * HEADER_BYTES as u64);
    for seeds in 0..=48 {
        let layer = Layer::new(seeds).unwrap();
        let places = (0..5).map(|part| part * (layer.len() - 1) / 4);
        for position in places.map(|place| layer.position(place).unwrap()) {
            // The look-up may have read another layer first, for a capture.
            let error = with_causes(&tables.value(&position).unwrap_err());
            assert!(error.contains("layer-"), "{error}");
            assert!(error.contains("its block "), "{error}");
        }
    }
    let error = tables.value(&Position::START).unwrap_err().to_string();
    assert!(error.contains(&file_name(48)), "{error}");
    // After a wrong layer, nothing is prepared for the larger ones.
    for seeds in [3, 48] {
        let error = tables.layer(seeds).unwrap_err().to_string();
        assert!(error.contains(&file_name(0)), "{error}");
    }
    let verified = verify::check_tables(&tables, |_| true, |_| {});
    let error = verified.unwrap_err().to_string();
    assert!(error.contains(&file_name(0)), "{error}");
    assert!(asked.load(Ordering::Relaxed) < 1 << 20);
}

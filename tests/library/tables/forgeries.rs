//! Forged files of sound parts with meaningless values. The fuzz targets `layer_file` and `manifest` have arbitrary
//! bytes, and good files with changes and corrected checksums.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use granero::index::{Layer, half};
use granero::table::{ByteSource, LayerFile, LayerFileError};
use granero::{Cycles, Kind, Position, Ruleset, TableOptions, Tables, Value, verify};
use test_case::test_case;

use crate::support::forged::{self, GROUP, HEADER_BYTES, Layout};
use crate::support::solved::{Files, Solved, Values, file_name};
use crate::support::tables::tables_in;
use crate::support::vast::{NOTHING_TO_READ, Vast, header, kinds, model, vast_manifest};
use crate::support::with_causes;

/// The tiles of a layer: the number of rows, and the opponent's half-boards.
fn tiles(layer: Layer) -> impl Iterator<Item = (usize, Vec<[u8; 6]>)> {
    let cut = |places: usize, longest: usize| {
        let pieces = places.div_ceil(longest);
        (0..pieces).map(move |piece| piece * places / pieces..(piece + 1) * places / pieces)
    };
    (0..=layer.seeds()).flat_map(move |own_seeds| {
        let opponents: Vec<[u8; 6]> = half::all(layer.seeds() - own_seeds).collect();
        let rows = cut(half::count(own_seeds) as usize, 40);
        rows.flat_map(move |rows| {
            let opponents = opponents.clone();
            let columns = cut(opponents.len(), 64);
            columns.map(move |columns| (rows.len(), opponents[columns].to_vec()))
        })
    })
}

/// A layer file with right checksums. Each block has these bytes, unless it stores nothing, because all its positions
/// are unreachable.
fn forge(header: &[u8], layer: Layer, model: &[u8], block: &[u8]) -> Vec<u8> {
    let blocks = tiles(layer).map(|(_, columns)| {
        let full = columns.iter().flatten().all(|&seeds| seeds > 0);
        if full { &[] } else { block }
    });
    let blocks: Vec<&[u8]> = blocks.collect();
    let block_bytes: u64 = blocks.iter().map(|block| block.len() as u64).sum();

    let mut bytes = header.to_vec();
    bytes[112..116].copy_from_slice(&(model.len() as u32).to_le_bytes());
    bytes[120..128].copy_from_slice(&block_bytes.to_le_bytes());
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

fn open(kind: Kind, files: &[Arc<[u8]>]) -> Tables {
    let files = Files {
        manifest: forged::manifest(kind, files),
        layers: files.to_vec(),
    };
    files.open(&TableOptions::new().cache_bytes(0)).unwrap()
}

#[test]
fn a_small_file_that_claims_to_be_large_is_refused() {
    for seeds in 0..=48u8 {
        let layer = Layer::new(seeds).unwrap();
        for cycles in Cycles::ALL {
            let mut bytes = header(layer, cycles, 100);
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
}

#[test]
fn headers_that_claim_the_impossible_are_refused() {
    let layer = Layer::new(48).unwrap();
    let fields = [8..10, 112..116, 120..128].into_iter();
    let single = (10..16).chain([116, 119]).map(|at| at..at + 1);
    let fields = fields.chain(single);
    let cases = Cycles::ALL.map(|cycles| fields.clone().map(move |field| (cycles, field)));
    for (cycles, field) in cases.into_iter().flatten() {
        for byte in [0, 0x7f, 0xff] {
            let mut bytes = header(layer, cycles, 100);
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

/// Opens vast tables; their manifest is sound.
fn open_vast(files: Vec<Vast>) -> Tables {
    let manifest = vast_manifest(&files);
    let mut files = files.into_iter();
    let source = |_: &_| Ok(Box::new(files.next().unwrap()) as Box<dyn ByteSource>);
    let options = TableOptions::new().cache_bytes(0);
    options.open_sources(&manifest, source).unwrap()
}

/// Opening and look-ups read little of a file and use little memory, however long it is.
#[test]
fn vast_tables_open_and_answer_at_once() {
    let asked = Arc::new(AtomicU64::new(0));
    let files: Vec<Vast> = Layer::all()
        .map(|layer| Vast::new(layer, 0, Vec::new(), &asked))
        .collect();
    assert!(files[48].length > 1 << 33);
    let tables = open_vast(files);
    assert_eq!(tables.max_seeds(), Some(48));
    assert_eq!(asked.load(Ordering::Relaxed), 49 * HEADER_BYTES as u64);
    for seeds in 0..=48 {
        let layer = Layer::new(seeds).unwrap();
        let places = (0..5).map(|part| part * (layer.len() - 1) / 4);
        for position in places.map(|place| layer.position(place).unwrap()) {
            // The look-up may have read another layer first, for a capture.
            let error = with_causes(&tables.exact(&position).unwrap_err());
            assert!(error.contains("layer-"), "{error}");
            assert!(error.contains("its block "), "{error}");
        }
    }
    let error = tables.exact(&Position::START).unwrap_err().to_string();
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

/// Every stored position of the last layer has some numbers, and the smaller layers are sound.
#[test_case(Cycles::Split, 4)]
#[test_case(Cycles::OwnSide, 3)]
#[test_case(Cycles::OwnSide, 4)]
#[test_case(Cycles::OwnSide, 5 => ignore["slow: .ci/run has it"] ())]
fn numbers_are_read_as_specified(cycles: Cycles, seeds: u8) {
    let layer = Layer::new(seeds).unwrap();
    let solved = Solved::of(Ruleset::Abapa, cycles, seeds);
    let good = solved.files();
    let kinds = kinds(layer, cycles);
    for (first, second) in (0..kinds).flat_map(|first| (0..kinds).map(move |u| (first, u))) {
        let model = model(layer, cycles, first, second);
        let header = &good.layers[usize::from(seeds)][..HEADER_BYTES];
        let bytes = forge(header, layer, &model, &NOTHING_TO_READ);
        let files = good.with(seeds.into(), bytes);
        let tables = open((Ruleset::Abapa, cycles).into(), &files.layers);
        // The numbers of docs/internals/format.md.
        let limit = seeds as i8;
        let number = first as i8 - limit;
        let is_open = first == kinds - 1;
        let high = limit % 2 - 2 - 2 * second as i8;
        let (low, high) = match cycles {
            Cycles::Split => (number, None),
            Cycles::OwnSide if (number + limit) % 2 == 0 => (number, Some(high)),
            Cycles::OwnSide => (number - 1, None),
        };
        for position in layer.positions() {
            if position.opponents().iter().all(|&seeds| seeds > 0) {
                continue;
            }
            match tables.value(&position).map(Option::unwrap) {
                Ok(value) if is_open => assert!(value.low() > Value::ZERO),
                Ok(value) => {
                    assert_eq!(value.low().seeds(), low);
                    match high {
                        Some(high) => assert_eq!(value.high().seeds(), high),
                        None => assert!(value.high() >= value.low()),
                    }
                }
                Err(error) => {
                    let text = with_causes(&error);
                    assert!(text.contains(&file_name(seeds.into())), "{text}");
                    if !is_open && (low > 0 || high.is_some_and(|high| high < low)) {
                        assert!(text.contains("its block "), "{text}");
                    } else if cycles == Cycles::Split {
                        assert!(is_open && text.contains("better than its moves"), "{text}");
                    }
                }
            }
        }
        assert!(tables.layer(seeds).is_err());
    }
}

/// Decodes all blocks of a file.
fn decoded(bytes: &[u8]) -> Result<(), LayerFileError> {
    let file = LayerFile::open(bytes)?;
    let header = file.header();
    let measures = header.cycles.measures();
    let mut values = measures.map(|_| vec![0; header.layer.len() as usize]);
    file.decode_all(values.as_mut().map(|values| &mut values[..]))
}

/// Model, index and blocks have checksums that depend on the rules and on the values of the layer.
#[test]
fn parts_of_other_tables_do_not_pass() {
    for (cycles, places) in [
        (Cycles::Split, &[16, 47, 48, 79][..]),
        (Cycles::OwnSide, &[16, 48, 80, 111]),
    ] {
        let files = Solved::of(Ruleset::Abapa, cycles, 6).files();
        let good = &files.layers[6];
        let layout = Layout::of(good).unwrap();
        let group = layout.groups().next().unwrap();
        for &place in places {
            let mut bytes = good.to_vec();
            bytes[place] ^= 1;
            let mut other = bytes.clone();
            forged::repair(&mut other);
            let verified = |bytes: &[u8]| LayerFile::open(bytes).unwrap().verify(|_| {});
            bytes[..HEADER_BYTES].copy_from_slice(&other[..HEADER_BYTES]);
            assert!(matches!(verified(&bytes), Err(LayerFileError::Model)));
            bytes[..layout.index.start].copy_from_slice(&other[..layout.index.start]);
            assert!(matches!(verified(&bytes), Err(LayerFileError::Index(0))));
            let checksum = forged::checksum(&bytes, &bytes[group.start..group.end - 4]);
            bytes[group.end - 4..group.end].copy_from_slice(&checksum.to_le_bytes());
            assert!(matches!(verified(&bytes), Err(LayerFileError::Block(0))));
            assert!(verified(&other).is_ok());
        }
    }
}

/// Checksums that agree to a change do not hide it: a decoder compares its states in the end.
#[test]
fn blocks_that_end_otherwise_are_refused() {
    for cycles in Cycles::ALL {
        let files = Solved::of(Ruleset::Abapa, cycles, 5).files();
        let good = &files.layers[5];
        decoded(good).unwrap();
        let blocks = Layout::of(good).unwrap().blocks;
        let passes = |place: usize| {
            let mut bytes = good.to_vec();
            bytes[place] ^= 1 << (place % 8);
            forged::repair(&mut bytes);
            decoded(&bytes).is_ok()
        };
        let count = blocks.len();
        let passed = blocks.filter(|&place| passes(place)).count();
        assert!(100 * passed < count, "{passed} of {count}");

        let layer = Layer::new(5).unwrap();
        let header = &good[..HEADER_BYTES];
        let model = model(layer, cycles, 0, 2);
        let with_states = |states: [u8; 8], words: &[u8]| {
            decoded(&forge(header, layer, &model, &[&states, words].concat()))
        };
        with_states(NOTHING_TO_READ, &[]).unwrap();
        for (states, words) in [
            (NOTHING_TO_READ, &[0, 0][..]),
            ([1, 0, 1, 0, 0, 0, 1, 0], &[]),
            ([0, 0, 1, 0, 0, 0, 2, 0], &[]),
        ] {
            let found = with_states(states, words);
            assert!(matches!(found, Err(LayerFileError::Block(_))), "{states:?}");
        }
    }
}

/// In each layer, every stored position is better than its moves. A look-up that follows captures goes no
/// deeper than there are seeds.
#[test]
fn positions_that_no_move_explains_are_errors() {
    let asked = Arc::new(AtomicU64::new(0));
    let files = Layer::all().map(|layer| {
        let open = kinds(layer, Cycles::Split) - 1;
        Vast::new(layer, open, NOTHING_TO_READ.to_vec(), &asked)
    });
    let tables = open_vast(files.collect());
    // The positions with the most captures one after the other.
    let some = [24, 36, 48].into_iter().flat_map(|seeds| {
        let layer = Layer::new(seeds).unwrap();
        let spread = move |place: u64| place.wrapping_mul(0x9e37_79b9_7f4a_7c15) % layer.len();
        (0..200).map(move |place| layer.position(spread(place)).unwrap())
    });
    let mut positions: Vec<(usize, Position)> = some
        .map(|position| (captures(&position), position))
        .collect();
    positions.sort_unstable_by_key(|(captures, _)| *captures);
    let deepest = positions.split_off(positions.len() - 10);
    assert!(deepest[0].0 >= 6, "{deepest:?}");
    let look_up = move || {
        for (_, position) in deepest {
            let all = tables.values(&[position]).unwrap_err();
            for error in [tables.value(&position).unwrap_err(), all] {
                let text = with_causes(&error);
                assert!(
                    text.contains("layer-") && text.contains("is better than its moves"),
                    "{text}"
                );
            }
        }
    };
    let small = std::thread::Builder::new().stack_size(1 << 17);
    small.spawn(look_up).unwrap().join().unwrap();
}

/// The most captures that may follow each other.
fn captures(position: &Position) -> usize {
    let moves = Ruleset::Abapa.moves(position);
    let longest = moves
        .iter()
        .filter(|play| play.captured > 0)
        .map(|play| 1 + captures(&play.position));
    longest.max().unwrap_or(0)
}

/// Whole layers have the values that look-ups find, also where the moves say more: only so does `verify` find them.
#[test]
fn stored_values_that_are_too_low_stay_in_whole_layers() {
    for cycles in Cycles::ALL {
        let mut solved = Solved::of(Ruleset::Abapa, cycles, 8);
        let layer = Layer::new(8).unwrap();
        let mut lowered = Vec::new();
        for (index, position) in layer.positions().enumerate() {
            let value = &mut solved.values_mut(8)[index];
            let is_reachable = !half::is_filled(position.opponents());
            if is_reachable && *value == 0 {
                *value = -2;
                lowered.push(index);
            }
        }
        assert!(lowered.len() > 100);
        let place = solved.write_changed().unwrap();
        let tables = Tables::open(tables_in(place.path(), cycles)).unwrap();
        assert!(tables.layer(8).unwrap() == solved.layers[8]);
        let low = solved.layers[8].as_ref().low();
        assert!(lowered.iter().all(|&index| low[index] == -2));
    }
}

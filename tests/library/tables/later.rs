//! Tables whose bytes come later, as over a network: a look-up tells which bytes it lacks.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use granero::index::Layer;
use granero::table::ByteSource;
use granero::{Cycles, TableError, TableOptions, Tables};

/// The requested and the present ranges of a file.
#[derive(Default)]
struct Ranges {
    asked: BTreeSet<(String, u64, u64)>,
    there: BTreeSet<(String, u64, u64)>,
}

struct Later {
    name: String,
    bytes: Vec<u8>,
    ranges: Arc<Mutex<Ranges>>,
}

impl ByteSource for Later {
    fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn bytes(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        let mut ranges = self.ranges.lock().unwrap();
        let key = (self.name.clone(), range.start, range.end);
        // The header is there from the beginning.
        if range.start == 0 || ranges.there.contains(&key) {
            return self.bytes.bytes(range);
        }
        ranges.asked.insert(key);
        Err(io::ErrorKind::WouldBlock.into())
    }
}

/// The answer, and the number of times that bytes had to be fetched for it.
fn fetching<T>(ranges: &Mutex<Ranges>, look_up: impl Fn() -> Result<T, TableError>) -> (T, usize) {
    for fetches in 0.. {
        match look_up() {
            Err(TableError::Io { source, .. }) if source.kind() == io::ErrorKind::WouldBlock => {
                let mut ranges = ranges.lock().unwrap();
                let asked = std::mem::take(&mut ranges.asked);
                assert!(!asked.is_empty(), "what is missing is said");
                ranges.there.extend(asked);
            }
            answer => return (answer.unwrap(), fetches),
        }
    }
    unreachable!()
}

#[test]
fn a_look_up_says_at_once_what_it_lacks() {
    for cycles in Cycles::ALL {
        let sample = Tables::sample_of(cycles);
        let folder = crate::support::tables::sample(cycles);
        let manifest = std::fs::read_to_string(folder.join("granero.json")).unwrap();
        let open = || {
            let ranges = Arc::new(Mutex::new(Ranges::default()));
            let tables = TableOptions::new().open_sources(&manifest, |entry| {
                let source = Later {
                    name: entry.name.clone(),
                    bytes: std::fs::read(folder.join(&entry.name))?,
                    ranges: Arc::clone(&ranges),
                };
                Ok(Box::new(source) as Box<dyn ByteSource>)
            });
            (tables.unwrap(), ranges)
        };
        let layer = Layer::new(8).unwrap();
        let mut positions = layer.positions().step_by(3001);
        // With nothing there but the headers: first models and block indexes, then blocks; then both of the layers
        // to which captures of captures lead.
        for position in positions.by_ref().take(10) {
            let (tables, ranges) = open();
            let (assessment, fetches) = fetching(&ranges, || tables.assess(&position));
            assert_eq!(assessment, sample.assess(&position).unwrap());
            assert!(fetches <= 2, "{fetches} times for {position}");
            let (tables, ranges) = open();
            let (value, fetches) = fetching(&ranges, || tables.value(&position));
            assert_eq!(value, sample.value(&position).unwrap());
            assert!(fetches <= 2, "{fetches} times for {position}");
        }
        let (tables, ranges) = open();
        for position in positions {
            let (assessment, _) = fetching(&ranges, || tables.assess(&position));
            assert_eq!(assessment, sample.assess(&position).unwrap());
        }
    }
}

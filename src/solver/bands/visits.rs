//! Visits to the bands of a layer.

use std::cell::OnceCell;
use std::sync::OnceLock;

use super::division::Division;
use super::exchange::{BandExchange, bands_of};
use super::lists;
use super::pages::Pages;
use super::queues::Queues;
use super::rows_file::RowsFile;
use super::{BLOCKS, BandedTask, Moved};
use crate::checkpoint::{CheckpointStore, Lists, NoCheckpoints, Sink, Source};
use crate::graph::OpponentsHalf;
use crate::passes::{Alone, Progress, Task, Work, WorkMemory};
use granero_table::first_error::Stopped;

/// The bands of a layer between two visits.
pub(super) struct Bands<'a> {
    task: &'a BandedTask<'a>,
    division: Division,
    queues: Queues,
    /// The bytes that news changes.
    file: &'a RowsFile,
    /// By child: the bands with moves of last resort.
    last_resorts: Vec<(OpponentsHalf, usize)>,
    in_memory: Option<InMemory>,
    /// The memory for the work on any band. Between visits it has no news.
    memory: OnceCell<WorkMemory>,
    visits: u64,
}

/// The band in memory.
struct InMemory {
    band: usize,
    plane: Vec<u8>,
    pages: Pages,
}

/// What a scan does with the bytes of a band.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scan {
    Reads,
    Changes,
    /// It begins with zeros.
    Makes,
}

/// With at least one byte of news for this number of bytes of a band, the whole band is read at once.
const SPARSE: u64 = 1024;

/// Keeps the bytes of a band for a part of a checkpoint.
type Keep<'k> = dyn FnMut(usize, Vec<u8>) -> Result<(), Stopped> + 'k;

impl<'a> Bands<'a> {
    pub(super) fn new(task: &'a BandedTask<'a>, file: &'a RowsFile) -> Result<Bands<'a>, Stopped> {
        let division = Division::new(task.layout.clone(), task.count);
        Ok(Bands {
            queues: Queues::new(
                division.len(),
                task.tuning.block,
                BLOCKS,
                task.file("news")?,
            ),
            task,
            division,
            file,
            last_resorts: Vec::new(),
            in_memory: None,
            memory: OnceCell::new(),
            visits: 0,
        })
    }

    /// Looks up the captures of all bands: `find` keeps the bytes of each band, which go into `parts`, and returns its
    /// lists.
    pub(super) fn begin(
        &self,
        parts: &[&RowsFile],
        mut find: impl FnMut(&Task<'_, Alone>, &mut Keep<'_>) -> Result<Lists, Stopped>,
    ) -> Result<Vec<Lists>, Stopped> {
        let bands = 0..self.division.len();
        let begin = |band| {
            let progress = Progress::CapturesOfBand(band as u64, self.division.len() as u64);
            let task = Task {
                graph: self.task.graph,
                layout: &self.division.layout(band),
                progress: &|_| (self.task.progress)(progress),
                checkpoints: &mut NoCheckpoints,
                exchange: &Alone,
                tuning: self.task.tuning,
            };
            find(&task, &mut |part: usize, bytes: Vec<u8>| {
                let written = parts[part].write_band(self.division.all_rows(band), &bytes);
                written.map_err(self.task.fail)
            })
        };
        bands.map(begin).collect()
    }

    /// Prepares the visits, given the lists of each band.
    pub(super) fn go_on(&mut self, lists: &[Lists]) {
        let lists = lists.iter().map(|lists| &lists.last_resorts[..]);
        self.last_resorts = bands_of(lists.enumerate());
    }

    /// Visits each band once, and then those with much news that waits, until none waits. `look` gets the number of
    /// the band, its bytes, and whether to scan them; it settles what follows in the band, and returns counts. Returns
    /// their sums.
    pub(super) fn visit_all(
        &mut self,
        progress: Progress,
        lists: &[Lists],
        scan: Scan,
        mut look: impl FnMut(
            &Work<'_, BandExchange<'_>>,
            usize,
            &mut [u8],
            bool,
        ) -> Result<[u64; 2], Stopped>,
    ) -> Result<[u64; 2], Stopped> {
        let mut sums = [0, 0];
        let mut scans = self.in_turn().into_iter();
        let bands = self.division.len();
        loop {
            let (band, scan) = match scans.next() {
                Some(band) => (band, Some(scan)),
                None => match self.next() {
                    Some(band) => (band, None),
                    None => return Ok(sums),
                },
            };
            // Visits take long, so a build can be stopped between them.
            (self.task.progress)(progress)?;
            self.visits += 1;
            self.bring(band, scan)?;
            let task = self.task;
            let InMemory { plane, pages, .. } = self.in_memory.as_mut().expect("it was brought");
            let layout = self.division.layout(band);
            let exchange = BandExchange {
                division: &self.division,
                band,
                rows: self.division.all_rows(band),
                queues: &self.queues,
                last_resorts: &self.last_resorts,
                pages: (pages, &self.file.file),
                fail: task.fail,
                stopped: OnceLock::new(),
            };
            let memory = self.memory.get_or_init(|| {
                let words = (0..bands).map(|band| self.division.layout(band).news_words());
                let most = words.max().expect("a band");
                WorkMemory::new(task.graph, layout.layer(), most, task.tuning)
            });
            let work = Work {
                graph: task.graph,
                layout: &layout,
                last_resorts: &lists[band].last_resorts,
                exchange: &exchange,
                memory,
            };
            let counts = look(&work, band, plane, scan.is_some())?;
            sums = [sums[0] + counts[0], sums[1] + counts[1]];
        }
    }

    /// The next band in turn for which at least a quarter of the most news waits.
    fn next(&self) -> Option<usize> {
        let waiting = |&band: &usize| self.queues.waiting(band);
        let bands = self.division.len();
        let most = (0..bands).map(|band| waiting(&band)).max()?;
        let now = self.in_memory.as_ref().map_or(0, |it| it.band);
        let mut in_turn = (now + 1..=now + bands).map(|band| band % bands);
        in_turn.find(|band| most > 0 && 4 * waiting(band) >= most)
    }

    /// All bands, from the one in memory on if it is the last.
    fn in_turn(&self) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.division.len()).collect();
        if (self.in_memory.as_ref()).is_some_and(|it| Some(&it.band) == all.last()) {
            all.reverse();
        }
        all
    }

    /// Makes a band the one in memory, for a scan, or for the news that waits for it: then pages may be absent.
    fn bring(&mut self, band: usize, scan: Option<Scan>) -> Result<(), Stopped> {
        if self.in_memory.as_ref().is_none_or(|it| it.band != band) {
            self.write()?;
            let before = self.in_memory.take();
            let mut plane = before.map_or(Vec::new(), |it| it.plane);
            let rows = self.division.all_rows(band);
            let pages = Pages::of(self.file, rows, self.task.tuning);
            plane.resize(pages.len(), 0);
            self.in_memory = Some(InMemory { band, plane, pages });
        }
        let InMemory { plane, pages, .. } = self.in_memory.as_mut().expect("a band");
        let is_sparse = || self.queues.waiting(band) < plane.len() as u64 / SPARSE;
        match scan {
            None if is_sparse() => {}
            Some(Scan::Makes) => plane.fill(0),
            _ => (pages.read_all(plane, &self.file.file)).map_err(self.task.fail)?,
        }
        if matches!(scan, Some(Scan::Makes | Scan::Changes)) {
            pages.change_all();
        }
        Ok(())
    }

    /// Writes the changes of the band in memory.
    pub(super) fn write(&mut self) -> Result<(), Stopped> {
        let Some(InMemory { plane, pages, .. }) = &mut self.in_memory else {
            return Ok(());
        };
        pages.write(plane, &self.file.file).map_err(self.task.fail)
    }

    /// Keeps a checkpoint with the work that is left, and the lists by band.
    pub(super) fn keep(
        &self,
        parts: &[&RowsFile],
        left: &[u8],
        by_band: &[Lists],
        checkpoints: &mut dyn CheckpointStore,
    ) -> Result<(), Stopped> {
        let lists = lists::join(&self.division, by_band).to_bytes(left);
        let lengths: Vec<usize> = parts.iter().map(|part| part.len).collect();
        checkpoints.write(&lists, &lengths, &mut Parts::new(parts, self.task))
    }

    /// Goes on from a checkpoint, if there is one. `accept` reads the work that is left. Returns that, and the lists by
    /// band.
    pub(super) fn resume<T>(
        &self,
        parts: &[&RowsFile],
        accept: impl Fn(&[u8]) -> Option<T>,
        checkpoints: &mut dyn CheckpointStore,
    ) -> Result<Option<(T, Vec<Lists>)>, Stopped> {
        let (division, graph) = (&self.division, self.task.graph);
        let mut to = Resumed {
            read: |bytes: &[u8]| {
                let found = Lists::from_bytes(bytes, &division.whole, &graph.numbering);
                let (left, lists) = found?;
                Some((accept(&left)?, lists::split(division, lists)))
            },
            found: None,
            parts: Parts::new(parts, self.task),
        };
        let lengths: Vec<usize> = parts.iter().map(|part| part.len).collect();
        let is_resumed = checkpoints.read(&lengths, &mut to)?;
        to.parts.write()?;
        Ok(to.found.filter(|_| is_resumed))
    }

    /// The work that was done, with these files.
    pub(super) fn moved(&self, files: &[&RowsFile]) -> Moved {
        let (read, written) = (files.iter())
            .map(|it| it.file.moved())
            .fold((0, 0), |all, it| (all.0 + it.0, all.1 + it.1));
        let (news, news_written) = self.queues.moved();
        Moved {
            bands: self.division.len(),
            visits: self.visits,
            read,
            written,
            news,
            news_written,
        }
    }
}

/// The parts of a checkpoint, which lie in files.
struct Parts<'a> {
    files: &'a [&'a RowsFile],
    task: &'a BandedTask<'a>,
    /// The place in the first file.
    place: usize,
    bytes: Vec<u8>,
}

impl<'a> Parts<'a> {
    fn new(files: &'a [&'a RowsFile], task: &'a BandedTask<'a>) -> Parts<'a> {
        Parts {
            files,
            task,
            place: 0,
            bytes: Vec::new(),
        }
    }

    /// Begins with the next file if there is nothing left in this one.
    fn file(&mut self) -> &'a RowsFile {
        while self.place == self.files[0].len {
            (self.files, self.place) = (&self.files[1..], 0);
        }
        self.files[0]
    }

    /// Writes the bytes that were taken last.
    fn write(&mut self) -> Result<(), Stopped> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let file = self.file();
        let written = file.file.write(self.place as u64, &self.bytes);
        written.map_err(self.task.fail)?;
        self.place += self.bytes.len();
        self.bytes.clear();
        Ok(())
    }
}

impl Source for Parts<'_> {
    fn next(&mut self, length: usize) -> Result<&[u8], Stopped> {
        self.bytes.resize(length, 0);
        let file = self.file();
        let read = file.file.read(self.place as u64, &mut self.bytes);
        read.map_err(self.task.fail)?;
        self.place += length;
        Ok(&self.bytes)
    }
}

/// Takes a checkpoint; `read` reads the lists.
struct Resumed<'a, T, R> {
    read: R,
    found: Option<(T, Vec<Lists>)>,
    parts: Parts<'a>,
}

impl<T, R: Fn(&[u8]) -> Option<(T, Vec<Lists>)>> Sink for Resumed<'_, T, R> {
    fn begin(&mut self, lists: &[u8]) -> Result<bool, Stopped> {
        self.found = (self.read)(lists);
        Ok(self.found.is_some())
    }

    fn next(&mut self, length: usize) -> Result<&mut [u8], Stopped> {
        self.parts.write()?;
        self.parts.bytes.resize(length, 0);
        Ok(&mut self.parts.bytes)
    }
}

//! Solving a layer with values in bands.

use std::sync::Arc;

use super::division::Division;
use super::exchange::{BandExchange, bands_of};
use super::lists;
use super::pages::Pages;
use super::queues::Queues;
use super::scratch_file::ScratchFile;
use crate::checkpoint::{CheckpointStore, Lists, NoCheckpoints, Sink, Source};
use crate::graph::{HalfGraph, Layout, OpponentsHalf, Width};
use crate::known::{Half, ValueCodes, Whole};
use crate::passes::{Alone, Plane, Progress, SmallerParts, Solved, Task, Work, decode, split};
use crate::tuning::Tuning;
use granero_table::TableError;
use granero_table::bytes::open_directory::OpenDirectory;
use granero_table::first_error::Stopped;

/// A layer that is solved in bands.
pub(crate) struct BandedTask<'a> {
    pub(crate) graph: &'a HalfGraph,
    pub(crate) layout: &'a Layout,
    /// The number of bands, or more than are possible.
    pub(crate) count: u64,
    /// The place of temporary files.
    pub(crate) directory: Arc<OpenDirectory>,
    pub(crate) progress: &'a dyn Fn(Progress) -> Result<(), Stopped>,
    /// Keeps an error that ends the work.
    pub(crate) fail: &'a (dyn Fn(TableError) -> Stopped + Sync),
    pub(crate) tuning: &'a Tuning,
}

/// The work that bands took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// The number of bands.
    pub bands: usize,
    /// The number of visits to all of them.
    pub visits: u64,
    /// The bytes of positions that were read.
    pub read: u64,
    /// The bytes of positions that were written.
    pub written: u64,
    /// The bytes of news between bands.
    pub news: u64,
    /// The bytes of these that memory had no room for: they were written and read.
    pub news_written: u64,
}

/// The bands of a layer between two visits.
struct Bands<'a> {
    task: &'a BandedTask<'a>,
    codes: ValueCodes,
    division: Division,
    queues: Queues,
    /// The bytes of all positions, in the order of a plane of the whole layer.
    file: ScratchFile,
    /// By band: the lists of its positions.
    lists: Vec<Lists>,
    last_resorts: Vec<(OpponentsHalf, usize)>,
    in_memory: Option<InMemory>,
    visits: u64,
}

struct InMemory {
    band: usize,
    plane: Vec<u8>,
    pages: Pages,
}

/// With at least one byte of news for this number of bytes of a band, the whole band is read at once.
const SPARSE: u64 = 512;

/// The blocks of news that wait in memory.
pub(crate) const BLOCKS: usize = 16;

impl BandedTask<'_> {
    /// Solves the layer.
    pub(crate) fn values(
        &self,
        smaller: &mut SmallerParts<'_>,
        checkpoints: &mut dyn CheckpointStore,
    ) -> Result<(Solved, Moved), Stopped> {
        let limit = self.graph.rows.limits().of(self.layout.seeds());
        let codes = ValueCodes::new(limit.unsigned_abs(), self.tuning.most_counted);
        let division = Division::new(self.layout.clone(), self.count);
        let file = |name| ScratchFile::new(self.directory.clone(), name).map_err(self.fail);
        let queues = Queues::new(division.len(), self.tuning.block, BLOCKS, file("news")?);
        let mut bands = Bands {
            task: self,
            codes,
            division,
            queues,
            file: file("plane")?,
            lists: Vec::new(),
            last_resorts: Vec::new(),
            in_memory: None,
            visits: 0,
        };
        let first = match bands.resume(limit.unsigned_abs(), checkpoints)? {
            Some(first) => first,
            None => {
                for band in 0..bands.division.len() {
                    bands.begin(band, smaller)?;
                }
                limit.unsigned_abs()
            }
        };
        let lists = bands.lists.iter().map(|lists| &lists.last_resorts[..]);
        bands.last_resorts = bands_of(lists.enumerate());
        for threshold in (1..=first).rev() {
            bands.keep(threshold, checkpoints)?;
            bands.settle(threshold)?;
        }
        bands.finish()
    }
}

impl Bands<'_> {
    /// Looks up the captures of a band.
    fn begin(&mut self, band: usize, smaller: &mut SmallerParts<'_>) -> Result<(), Stopped> {
        let layout = self.division.layout(band);
        let progress = Progress::CapturesOfBand(band as u64, self.division.len() as u64);
        let task = Task {
            graph: self.task.graph,
            layout: &layout,
            progress: &|_| (self.task.progress)(progress),
            checkpoints: &mut NoCheckpoints,
            exchange: &Alone,
            tuning: self.task.tuning,
        };
        // The memory of the band before is free by then.
        self.in_memory = None;
        let (lists, plane) = match layout.width() {
            Width::Byte => task.before_values::<Whole>(self.codes, smaller)?,
            Width::Half => task.before_values::<Half>(self.codes, smaller)?,
        };
        self.lists.push(lists);
        let mut pages = self.pages(band);
        pages.change_all();
        self.in_memory = Some(InMemory { band, plane, pages });
        self.write()
    }

    /// Settles all positions that can be settled at a threshold: visits each band once, and then the one for
    /// which most news waits, until none waits.
    fn settle(&mut self, threshold: u8) -> Result<(), Stopped> {
        for band in self.in_turn() {
            self.visit(band, threshold, true)?;
        }
        let bands = self.division.len();
        let most_waiting = |queues: &Queues| {
            let waiting = (0..bands).map(|band| (queues.waiting(band), band));
            waiting.max().filter(|&(waiting, _)| waiting > 0)
        };
        while let Some((_, band)) = most_waiting(&self.queues) {
            self.visit(band, threshold, false)?;
        }
        Ok(())
    }

    /// All bands, from the one in memory on if it is the last.
    fn in_turn(&self) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.division.len()).collect();
        if (self.in_memory.as_ref()).is_some_and(|it| Some(&it.band) == all.last()) {
            all.reverse();
        }
        all
    }

    /// Carries out the news that waits for a band, and settles what follows from it in the band; `scans` says
    /// whether to look for positions that captures settle first.
    fn visit(&mut self, band: usize, threshold: u8, scans: bool) -> Result<(), Stopped> {
        // Visits take long, so a build can be stopped between them.
        (self.task.progress)(Progress::Threshold(threshold))?;
        self.visits += 1;
        self.bring(band)?;
        let is_sparse = |len: usize| self.queues.waiting(band) < len as u64 / SPARSE;
        let InMemory { plane, pages, .. } = self.in_memory.as_mut().expect("it was brought");
        let task = self.task;
        if scans || !is_sparse(plane.len()) {
            pages.read_all(plane, &self.file).map_err(task.fail)?;
        }
        let layout = self.division.layout(band);
        let exchange = BandExchange::new(
            &self.division,
            band,
            &self.queues,
            &self.last_resorts,
            (pages, &self.file),
            task.fail,
        );
        let lists = &self.lists[band];
        let last_resorts = &lists.last_resorts;
        let work = Work::new(task.graph, &layout, last_resorts, &exchange, task.tuning);
        if scans {
            match layout.width() {
                Width::Byte => split::scan::<Whole, _>(&work, self.codes, plane, threshold),
                Width::Half => split::scan::<Half, _>(&work, self.codes, plane, threshold),
            }
        }
        split::settle(&work, self.codes, &lists.large_losses, plane, threshold)
    }

    /// Makes a band the one in memory. Its pages are absent if it was not.
    fn bring(&mut self, band: usize) -> Result<(), Stopped> {
        if self.in_memory.as_ref().is_some_and(|it| it.band == band) {
            return Ok(());
        }
        self.write()?;
        let before = self.in_memory.take();
        let mut plane = before.map_or(Vec::new(), |it| it.plane);
        let pages = self.pages(band);
        plane.resize(pages.len(), 0);
        self.in_memory = Some(InMemory { band, plane, pages });
        Ok(())
    }

    /// Writes the changes of the band in memory.
    fn write(&mut self) -> Result<(), Stopped> {
        let Some(InMemory { plane, pages, .. }) = &mut self.in_memory else {
            return Ok(());
        };
        pages.write(plane, &self.file).map_err(self.task.fail)
    }

    fn pages(&self, band: usize) -> Pages {
        Pages::of(&self.division, band, self.task.tuning.page_bits)
    }

    /// Keeps a checkpoint before the work on a threshold, if it is time for one.
    fn keep(
        &mut self,
        threshold: u8,
        checkpoints: &mut dyn CheckpointStore,
    ) -> Result<(), Stopped> {
        if !checkpoints.is_due() {
            return Ok(());
        }
        self.write()?;
        let lists = lists::join(&self.division, &self.lists).to_bytes(&[threshold]);
        let mut parts = FilePart::new(&self.file, self.task.fail);
        checkpoints.write(&lists, &[self.division.whole.plane_len()], &mut parts)
    }

    /// Goes on from a checkpoint, if there is one. Returns the threshold.
    fn resume(
        &mut self,
        limit: u8,
        checkpoints: &mut dyn CheckpointStore,
    ) -> Result<Option<u8>, Stopped> {
        let (division, graph) = (&self.division, self.task.graph);
        let mut to = Resumed {
            read: &|bytes| {
                let found = Lists::from_bytes(bytes, &division.whole, &graph.numbering);
                let (left, lists) = found?;
                match left[..] {
                    [first] if first <= limit => Some((first, lists::split(division, lists))),
                    _ => None,
                }
            },
            found: None,
            part: FilePart::new(&self.file, self.task.fail),
        };
        let is_resumed = checkpoints.read(&[division.whole.plane_len()], &mut to)?;
        to.part.write()?;
        let Some((first, lists)) = to.found.filter(|_| is_resumed) else {
            return Ok(None);
        };
        self.lists = lists;
        Ok(Some(first))
    }

    /// Ends the work: makes the bytes values, and maps their file.
    fn finish(mut self) -> Result<(Solved, Moved), Stopped> {
        let values = self.codes.values();
        let is_whole = self.division.whole.width() == Width::Byte;
        for band in self.in_turn().into_iter().filter(|_| is_whole) {
            self.bring(band)?;
            let InMemory { plane, pages, .. } = self.in_memory.as_mut().expect("it was brought");
            pages.read_all(plane, &self.file).map_err(self.task.fail)?;
            decode(plane, &values);
            pages.change_all();
        }
        self.write()?;
        let (read, written) = self.file.moved();
        let (news, news_written) = self.queues.moved();
        let moved = Moved {
            bands: self.division.len(),
            visits: self.visits,
            read,
            written,
            news,
            news_written,
        };
        let mapped = self.file.map().map_err(self.task.fail)?;
        let solved = Solved {
            plane: Plane::InFile(mapped, self.file),
            decode: values,
        };
        Ok((solved, moved))
    }
}

/// The part of a checkpoint, which lies in the file of all bands.
struct FilePart<'a> {
    file: &'a ScratchFile,
    fail: &'a (dyn Fn(TableError) -> Stopped + Sync),
    place: u64,
    bytes: Vec<u8>,
}

impl<'a> FilePart<'a> {
    fn new(
        file: &'a ScratchFile,
        fail: &'a (dyn Fn(TableError) -> Stopped + Sync),
    ) -> FilePart<'a> {
        FilePart {
            file,
            fail,
            place: 0,
            bytes: Vec::new(),
        }
    }

    /// Writes the bytes that were taken last.
    fn write(&mut self) -> Result<(), Stopped> {
        let written = self.file.write(self.place, &self.bytes);
        written.map_err(self.fail)?;
        self.place += self.bytes.len() as u64;
        self.bytes.clear();
        Ok(())
    }
}

impl Source for FilePart<'_> {
    fn next(&mut self, length: usize) -> Result<&[u8], Stopped> {
        self.bytes.resize(length, 0);
        let read = self.file.read(self.place, &mut self.bytes);
        read.map_err(self.fail)?;
        self.place += length as u64;
        Ok(&self.bytes)
    }
}

/// The threshold to go on from, and the lists by band.
type Left = (u8, Vec<Lists>);

/// Takes a checkpoint.
struct Resumed<'a> {
    read: &'a dyn Fn(&[u8]) -> Option<Left>,
    found: Option<Left>,
    part: FilePart<'a>,
}

impl Sink for Resumed<'_> {
    fn begin(&mut self, lists: &[u8]) -> Result<bool, Stopped> {
        self.found = (self.read)(lists);
        Ok(self.found.is_some())
    }

    fn next(&mut self, length: usize) -> Result<&mut [u8], Stopped> {
        self.part.write()?;
        self.part.bytes.resize(length, 0);
        Ok(&mut self.part.bytes)
    }
}

//! Solving a layer with values in bands.

use std::sync::Arc;

use super::division::Division;
use super::exchange::{BandExchange, bands_of};
use super::pages::Pages;
use super::queues::Queues;
use super::scratch_file::ScratchFile;
use crate::checkpoint::state::{Lists, NoCheckpoints};
use crate::graph::half_graph::HalfGraph;
use crate::graph::layout::Layout;
use crate::graph::numbering::OpponentsHalf;
use crate::known::value_codes::ValueCodes;
use crate::passes::exchange::Alone;
use crate::passes::progress::Progress;
use crate::passes::solved::Solved;
use crate::passes::split;
use crate::passes::task::{SmallerParts, Task};
use crate::passes::work::Work;
use crate::tuning::Tuning;
use granero_table::TableError;
use granero_table::bytes::open_directory::OpenDirectory;
use granero_table::first_error::Stopped;
use granero_table::index::Layer;

/// A layer that is solved in bands.
pub(crate) struct BandedTask<'a> {
    pub(crate) graph: &'a HalfGraph,
    pub(crate) layer: Layer,
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
#[derive(Clone, Copy, Debug, Default)]
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
    /// The bytes of these that memory had no room for.
    pub news_written: u64,
}

/// The bands of a layer between two visits.
struct Bands<'a> {
    task: &'a BandedTask<'a>,
    codes: ValueCodes,
    whole: Layout,
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

/// The band in memory.
struct InMemory {
    band: usize,
    plane: Vec<u8>,
    pages: Pages,
}

/// With at least one byte of news for this number of bytes of a band, the whole band is read at once.
const SPARSE: u64 = 512;

/// The blocks of news that wait in memory.
const BLOCKS: usize = 64;

impl BandedTask<'_> {
    /// Solves the layer.
    pub(crate) fn values(
        &self,
        smaller: &mut SmallerParts<'_>,
    ) -> Result<(Solved, Moved), Stopped> {
        let limit = self.graph.rows.limits().of(self.layer.seeds());
        let codes = ValueCodes::new(limit.unsigned_abs(), self.tuning.most_counted);
        let division = Division::new(self.layer, self.count);
        let file = |name| ScratchFile::new(self.directory.clone(), name).map_err(self.fail);
        let queues = Queues::new(division.len(), self.tuning.block, BLOCKS, file("news")?);
        let mut bands = Bands {
            task: self,
            codes,
            whole: Layout::new(self.layer),
            division,
            queues,
            file: file("plane")?,
            lists: Vec::new(),
            last_resorts: Vec::new(),
            in_memory: None,
            visits: 0,
        };
        let mut unreachable = vec![0; bands.whole.unreachable_len()];
        for band in 0..bands.division.len() {
            bands.begin(band, smaller, &mut unreachable)?;
        }
        let lists = bands.lists.iter().map(|lists| &lists.last_resorts[..]);
        bands.last_resorts = bands_of(lists.enumerate());
        for threshold in (1..=limit.unsigned_abs()).rev() {
            (self.progress)(Progress::Threshold(threshold))?;
            bands.settle(threshold)?;
        }
        bands.write()?;
        let mut plane = vec![0; bands.whole.plane_len()];
        let read = bands.file.read(0, &mut plane);
        read.map_err(self.fail)?;
        let solved = Solved {
            plane,
            unreachable,
            decode: codes.values(),
        };
        Ok((solved, bands.moved()))
    }
}

impl Bands<'_> {
    /// Looks up the captures of a band.
    fn begin(
        &mut self,
        band: usize,
        smaller: &mut SmallerParts<'_>,
        all_unreachable: &mut [u8],
    ) -> Result<(), Stopped> {
        let layout = self.division.layout(band).tuned(self.task.tuning);
        let task = Task {
            graph: self.task.graph,
            layout: &layout,
            progress: self.task.progress,
            checkpoints: &mut NoCheckpoints,
            exchange: &Alone,
            tuning: self.task.tuning,
        };
        let (lists, [plane, unreachable]) = task.before_values(self.codes, smaller)?;
        self.lists.push(lists);
        for own_seeds in 0..=layout.seeds() {
            let rows = self.division.rows(band, own_seeds);
            if !rows.is_empty() {
                let len = rows.len() * layout.unreachable_row_len(own_seeds);
                let from = layout.unreachable_start(own_seeds, rows.start);
                let to = self.whole.unreachable_start(own_seeds, rows.start);
                all_unreachable[to..to + len].copy_from_slice(&unreachable[from..from + len]);
            }
        }
        let mut pages = self.pages(band);
        pages.change_all();
        self.in_memory = Some(InMemory { band, plane, pages });
        self.write()
    }

    /// Settles all positions that can be settled at a threshold: visits each band once, and then the one for
    /// which most news waits, until none waits.
    fn settle(&mut self, threshold: u8) -> Result<(), Stopped> {
        let last = self.division.len() - 1;
        let is_last = self.in_memory.as_ref().is_some_and(|it| it.band == last);
        for place in 0..=last {
            self.visit(if is_last { last - place } else { place }, threshold, true)?;
        }
        let most_waiting = |queues: &Queues| {
            let waiting = (0..=last).map(|band| (queues.waiting(band), band));
            waiting.max().filter(|&(waiting, _)| waiting > 0)
        };
        while let Some((_, band)) = most_waiting(&self.queues) {
            self.visit(band, threshold, false)?;
        }
        Ok(())
    }

    /// Carries out the news that waits for a band, and settles what follows from it in the band; `scans` says
    /// whether to look for positions that captures settle first.
    fn visit(&mut self, band: usize, threshold: u8, scans: bool) -> Result<(), Stopped> {
        self.visits += 1;
        self.bring(band)?;
        let is_sparse = |len: usize| self.queues.waiting(band) < len as u64 / SPARSE;
        let InMemory { plane, pages, .. } = self.in_memory.as_mut().expect("it was brought");
        let task = self.task;
        if scans || !is_sparse(plane.len()) {
            pages.read_all(plane, &self.file).map_err(task.fail)?;
        }
        let layout = self.division.layout(band).tuned(task.tuning);
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
            split::scan(&work, self.codes, plane, threshold);
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
        Pages::of(
            &self.division,
            band,
            &self.whole,
            self.task.tuning.page_bits,
        )
    }

    fn moved(&self) -> Moved {
        let (read, written) = self.file.moved();
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

//! Solving a layer with values in bands.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

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
    /// The most positions of a band.
    pub(crate) most: u64,
    /// The place of temporary files.
    pub(crate) directory: Arc<OpenDirectory>,
    pub(crate) progress: &'a dyn Fn(Progress) -> Result<(), Stopped>,
    /// Keeps an error that ends the work.
    pub(crate) fail: &'a (dyn Fn(TableError) -> Stopped + Sync),
    pub(crate) tuning: &'a Tuning,
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
    /// By band.
    lists: Vec<Lists>,
    last_resorts: Vec<(OpponentsHalf, usize)>,
    /// The band in memory.
    loaded: Option<Loaded>,
    visits: u64,
}

/// The band in memory.
struct Loaded {
    band: usize,
    plane: Vec<u8>,
    pages: Pages,
}

/// With at least one byte of news for so many bytes of a band, the whole band is read at once.
const FEW: usize = 64;

impl BandedTask<'_> {
    pub(crate) fn values(&self, smaller: &mut SmallerParts<'_>) -> Result<Solved, Stopped> {
        let limit = self
            .graph
            .rows
            .limits()
            .of(self.layer.seeds())
            .unsigned_abs();
        let codes = ValueCodes::new(limit, self.tuning.most_counted);
        let division = Division::new(self.layer, self.most);
        let file = |name| ScratchFile::new(self.directory.clone(), name).map_err(self.fail);
        let mut bands = Bands {
            task: self,
            codes,
            whole: Layout::new(self.layer),
            queues: Queues::new(division.len(), 64, file("news")?),
            file: file("plane")?,
            lists: Vec::new(),
            last_resorts: Vec::new(),
            loaded: None,
            visits: 0,
            division,
        };
        let mut unreachable = vec![0; bands.whole.unreachable_len()];
        let before = cpu();
        for band in 0..bands.division.len() {
            bands.begin(band, smaller, &mut unreachable)?;
        }
        if std::env::var("BANDS").is_ok() {
            eprintln!("{} captures {:.2}", self.layer.seeds(), cpu() - before);
        }
        let lists = bands.lists.iter().map(|lists| &lists.last_resorts[..]);
        bands.last_resorts = bands_of(lists.enumerate());
        for k in (1..=limit).rev() {
            (self.progress)(Progress::Threshold(k))?;
            let (before, visits) = (cpu(), bands.visits);
            let moved = bands.file.bytes_read + bands.file.bytes_written;
            let queued = bands.queues.queued();
            bands.settle(k)?;
            if std::env::var("BANDS").is_ok() {
                let len = bands.whole.plane_len() as f64;
                eprintln!(
                    "{} k {k}: {:.2} s, {} visits of {}, {:.1} bytes moved, {:.3} queued",
                    self.layer.seeds(),
                    cpu() - before,
                    bands.visits - visits,
                    bands.division.len(),
                    (bands.file.bytes_read + bands.file.bytes_written - moved) as f64 / len,
                    (bands.queues.queued() - queued) as f64 / len,
                );
            }
        }
        bands.save()?;
        let mut plane = vec![0; bands.whole.plane_len()];
        bands.file.read(0, &mut plane).map_err(self.fail)?;
        Ok(Solved {
            plane,
            unreachable,
            decode: codes.values(),
        })
    }
}

fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = text
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
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
        let mut rest = &unreachable[..];
        for own_seeds in 0..=layout.seeds() {
            let rows = self.division.rows(band, own_seeds);
            let len = rows.len() * layout.unreachable_row_len(own_seeds);
            let (now, later) = rest.split_at(len);
            if !rows.is_empty() {
                let start = self.whole.unreachable_start(own_seeds, rows.start);
                all_unreachable[start..start + len].copy_from_slice(now);
            }
            rest = later;
        }
        let mut pages = Pages::of(&self.division, band, &self.whole);
        pages.change_all();
        self.loaded = Some(Loaded { band, plane, pages });
        self.save()
    }

    /// Settles all positions that can be settled at a threshold.
    fn settle(&mut self, k: u8) -> Result<(), Stopped> {
        let all = 0..self.division.len();
        let order: Vec<usize> = match self.loaded {
            Some(Loaded { band: 0, .. }) => all.clone().collect(),
            _ => all.clone().rev().collect(),
        };
        for band in order {
            self.visit(band, k, true)?;
        }
        loop {
            let next = all.clone().max_by_key(|&band| self.queues.waiting(band));
            match next {
                Some(band) if self.queues.waiting(band) > 0 => self.visit(band, k, false)?,
                _ => return Ok(()),
            }
        }
    }

    fn visit(&mut self, band: usize, k: u8, scan: bool) -> Result<(), Stopped> {
        if std::env::var("BANDS").is_ok_and(|how| how == "all") {
            eprintln!("  {k} visit {band} {scan} {}", self.queues.waiting(band));
        }
        self.visits += 1;
        let waiting = self.queues.waiting(band) as usize;
        self.load(band, |len| scan || waiting * FEW > len)?;
        let Some(Loaded { plane, pages, .. }) = &mut self.loaded else {
            unreachable!("it was loaded");
        };
        let task = self.task;
        let layout = self.division.layout(band).tuned(task.tuning);
        let exchange = BandExchange {
            division: &self.division,
            queues: &self.queues,
            last_resorts: &self.last_resorts,
            pages,
            file: Mutex::new(&mut self.file),
            fail: task.fail,
            rows: self.division.all_rows(band),
            band,
            has_failed: AtomicBool::new(false),
            stopped: Mutex::default(),
        };
        let lists = &self.lists[band];
        let work = Work::new(
            task.graph,
            &layout,
            &lists.last_resorts,
            &exchange,
            task.tuning,
        );
        if scan {
            split::scan(&work, self.codes, plane, k);
        }
        split::settle(&work, self.codes, &lists.large_losses, plane, k)
    }

    /// Puts a band in the place of the one in memory; reads all of it if `reads_all` says so for its length.
    fn load(&mut self, band: usize, reads_all: impl Fn(usize) -> bool) -> Result<(), Stopped> {
        if self
            .loaded
            .as_ref()
            .is_none_or(|loaded| loaded.band != band)
        {
            self.save()?;
            let mut plane = self.loaded.take().map_or(Vec::new(), |loaded| loaded.plane);
            let pages = Pages::of(&self.division, band, &self.whole);
            plane.resize(pages.len(), 0);
            self.loaded = Some(Loaded { band, plane, pages });
        }
        let Some(Loaded { plane, pages, .. }) = &mut self.loaded else {
            unreachable!("it was loaded");
        };
        if reads_all(plane.len()) {
            let read = pages.read_all(plane, &mut self.file);
            read.map_err(self.task.fail)?;
        }
        Ok(())
    }

    /// Writes the changes of the band in memory.
    fn save(&mut self) -> Result<(), Stopped> {
        let Some(Loaded { plane, pages, .. }) = &mut self.loaded else {
            return Ok(());
        };
        let written = pages.write(plane, &mut self.file);
        written.map_err(self.task.fail)
    }
}

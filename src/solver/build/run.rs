//! Solving the layers that are missing, and writing them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::needs::{
    MOST_BANDS, Needs, PROGRAM, last_layers, least_memory, memory_needed, part_to_read,
    resuming_memory,
};
use super::threads::{Threads, writers};
use super::{Build, BuildError, BuiltLayer, Watch};
use crate::bands::Moved;
use crate::passes::SolvedLayer;
use crate::solve::Solver;
use crate::sweep::SweptLayer;
use crate::thresholds::ThresholdSolver;
use crate::write::{NextLayer, Smaller, TableWriter};
use granero_table::TableError;
use granero_table::file::statistics::LayerStatistics;
use granero_table::index::Layer;

impl Build {
    /// Solves the layers that are missing in the tables, and adds them: also finished ones whose files are gone or
    /// damaged, which become the same again, byte for byte.
    ///
    /// # Errors
    ///
    /// [`BuildError`]; finished layers stay. It is also an error if the directory of the tables
    /// was moved, or one of its files is gone.
    ///
    /// # Panics
    ///
    /// If the tables have the other convention for endless play, or another extent.
    pub fn run(
        &self,
        tables: &mut TableWriter,
        watch: &dyn Watch,
    ) -> Result<Vec<BuiltLayer>, BuildError> {
        let manifest = tables.manifest();
        let kind = (manifest.cycles, manifest.extent);
        assert_eq!(kind, (self.cycles, self.extent));
        let mut threads = Threads::new(self.threads, tables.tuning)?;
        let check = || tables.find_lacking(self.seeds, |layer| watch.layer_is_checked(layer));
        for (layer, lost) in threads.all.install(check)? {
            watch.layer_is_lost(layer, &lost);
        }
        let finished = tables.manifest().finished();
        if !self.layers().any(|layer| tables.lacks(layer)) {
            tables.confirm()?;
            // The files may be those of a larger build.
            if finished == self.seeds + 1 {
                tables.remove_left();
            }
            return Ok(Vec::new());
        }
        tables.smaller_stay = true;
        self.check_memory(|cycles, extent, seeds, threads| {
            // No layer captures into the last two.
            let below = finished.min(seeds.saturating_sub(1));
            let read = tables.largest_to_read(below);
            let reading = read.map(|layer| resuming_memory(cycles, seeds, layer));
            least_memory(cycles, extent, seeds, threads).max(reading.unwrap_or(0))
        })?;
        let built = self.build_missing(tables, &mut threads, watch);
        if built.is_ok() {
            tables.remove_left();
        }
        built.map_err(|error| match error {
            BuildError::Table(error) => tables.cause(error).into(),
            error => error,
        })
    }

    /// Returns whether the layer before is written while this one is being solved. With one thread, or
    /// without the memory for both, it is written first.
    pub(super) fn writes_while_solving(&self, layer: Layer) -> bool {
        let before = layer.seeds().checked_sub(1).and_then(Layer::new);
        let (Some(writers), Some(before)) = (writers(self.threads), before) else {
            return false;
        };
        if [before, layer].iter().any(|&layer| self.bands(layer) > 1) {
            return false;
        }
        let last = Layer::new(self.seeds).expect("few enough seeds");
        let needs = Needs::swept(self.cycles, before, last, writers, None);
        let writing = needs.values + needs.writing();
        let needs = Needs::swept(self.cycles, layer, last, self.threads, None);
        let solving = needs.peak();
        solving + writing + self.room() <= self.memory
    }

    /// The number of bands in which a layer is solved: as few as fit into the memory.
    pub fn bands(&self, layer: Layer) -> u64 {
        match self.part_in_bands() {
            None => 1,
            part => self.fewest_bands(layer, part),
        }
    }

    /// The number of bands, and the most bytes of a smaller layer that are read at a time; by default these are a
    /// part of the memory for a band.
    fn fewest_bands(&self, layer: Layer, part: Option<u64>) -> u64 {
        let fits = |&bands: &u64| self.needs(layer, bands, part).peak() <= self.memory;
        (1..=MOST_BANDS).find(fits).unwrap_or(MOST_BANDS)
    }

    fn needs(&self, layer: Layer, bands: u64, part: Option<u64>) -> Needs {
        let (cycles, extent, threads) = (self.cycles, self.extent, self.threads);
        let last = Layer::new(self.seeds).expect("few enough seeds");
        match bands {
            1 => Needs::swept(cycles, layer, last, threads, part),
            _ => Needs::in_bands(cycles, extent, layer, last, threads, bands, part),
        }
    }

    /// The most bytes of a smaller layer that are read at a time, if there are layers in bands: as few as the
    /// largest layers have room for.
    fn part_in_bands(&self) -> Option<u64> {
        let needed = memory_needed(self.cycles, self.extent, self.seeds, self.threads);
        let parts = last_layers(self.seeds).map(|layer| {
            self.needs(layer, self.fewest_bands(layer, None), None)
                .part()
        });
        parts.min().filter(|_| needed > self.memory)
    }

    /// The layers up to the last one.
    pub(super) fn layers(&self) -> impl Iterator<Item = Layer> {
        Layer::all().take(usize::from(self.seeds) + 1)
    }

    /// Solves and writes the layers that are missing: each is written while the next one is being
    /// solved, where memory allows.
    fn build_missing(
        &self,
        tables: &mut TableWriter,
        threads: &mut Threads,
        watch: &dyn Watch,
    ) -> Result<Vec<BuiltLayer>, BuildError> {
        let rules = tables.manifest().rules;
        let kind = (rules, self.cycles, self.extent);
        let solver = threads.all().install(|| Solver::new(kind, self.seeds));
        let for_bands = OnceLock::new();
        let tuning = tables.tuning;
        let last = Layer::new(self.seeds).expect("few enough seeds");
        let part = self.part_in_bands().unwrap_or(part_to_read(last));
        tables.keep_in_memory_and_read(self.room(), part);
        let mut built = Vec::new();
        let mut before: Option<Unwritten<'_>> = None;
        let missing: Vec<Layer> = self.layers().filter(|&layer| tables.lacks(layer)).collect();
        for layer in missing {
            let at_once = threads.writing.is_some() && self.writes_while_solving(layer);
            if !at_once && let Some(before) = before.take() {
                built.push(self.finish(before, tables, threads, watch)?);
            }
            // No capture takes a single seed. The layer before is needed if this one is kept behind it.
            let is_needed = before.is_none() && self.keeps(layer);
            let below = layer.seeds().saturating_sub(u8::from(!is_needed));
            let (solving, writing) = threads.of(layer);
            solving.install(|| {
                tables.prepare(solver.rows(), below, |layer| watch.layer_is_read(layer))
            })?;
            let bands = self.bands(layer).max(tables.tuning.bands);
            let needs = self.needs(layer, bands, self.part_in_bands());
            // The allocator takes more than it is asked for.
            let resident = self.memory.saturating_sub(needs.writing() + PROGRAM / 4);
            let bands = (bands, resident, needs.news);
            let (next, smaller) = tables.parts();
            let not_written = AtomicBool::new(false);
            let go_on = || {
                if not_written.load(Ordering::Relaxed) || watch.is_stopped() {
                    Err(BuildError::Stopped)
                } else {
                    Ok(())
                }
            };
            let solve = || {
                let solve = || {
                    let solver =
                        match bands.0 {
                            1 => Engine::Sweeps(&solver),
                            _ => Engine::Thresholds(for_bands.get_or_init(|| {
                                ThresholdSolver::new(kind, self.seeds).tuned(tuning)
                            })),
                        };
                    Unwritten::new(solver, layer, bands, smaller, self.checkpoint, watch, go_on)
                };
                solving.install(solve)
            };
            let (written, solved) = match before.as_ref().zip(writing) {
                None => (None, solve()),
                Some((before, writing)) => {
                    let mut written = None;
                    // The threads of `writing` exist already: the system need not give another.
                    let solved = writing.in_place_scope(|scope| {
                        scope.spawn(|_| {
                            let not_written = NotWritten(&not_written);
                            let result = before.write(next, smaller, watch);
                            if result.is_ok() {
                                std::mem::forget(not_written);
                            }
                            written = Some(result);
                        });
                        solve()
                    });
                    (written, solved)
                }
            };
            // A failure to write is what has ended solving.
            if let Some(written) = written {
                built.push(written?);
            }
            let solved = solved?;
            // First, so that it need not be read as a whole, whenever the build is stopped.
            if self.keeps(layer) {
                solving.install(|| solved.values.keep(tables))?;
            }
            before = Some(solved);
        }
        if let Some(last) = before {
            built.push(self.finish(last, tables, threads, watch)?);
        }
        tables.confirm()?;
        Ok(built)
    }

    /// Writes a layer, with all threads.
    fn finish(
        &self,
        solved: Unwritten<'_>,
        tables: &mut TableWriter,
        threads: &mut Threads,
        watch: &dyn Watch,
    ) -> Result<BuiltLayer, BuildError> {
        let (all, _) = threads.of(solved.values.layer());
        all.install(|| {
            let (next, smaller) = tables.parts();
            Ok(solved.write(next, smaller, watch)?)
        })
    }

    /// Returns whether larger layers need a layer: none captures into the last two.
    fn keeps(&self, layer: Layer) -> bool {
        layer.seeds() + 1 < self.seeds
    }
}

/// Notes that a layer is not written, unless this is forgotten: also if writing panics.
struct NotWritten<'a>(&'a AtomicBool);

impl Drop for NotWritten<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What solves a layer: the sweeps, or if it is larger than memory the engine of bands.
#[derive(Clone, Copy)]
enum Engine<'s> {
    Sweeps(&'s Solver),
    Thresholds(&'s ThresholdSolver),
}

/// The values of a layer, as its engine leaves them.
enum Solved<'s> {
    Swept(SweptLayer),
    Banded(Box<SolvedLayer<'s>>, Moved),
}

impl Solved<'_> {
    fn layer(&self) -> Layer {
        match self {
            Solved::Swept(values) => values.layer(),
            Solved::Banded(values, _) => values.layer(),
        }
    }

    /// Keeps the values for larger layers.
    fn keep(&self, tables: &mut TableWriter) -> Result<(), TableError> {
        match self {
            Solved::Swept(values) => tables.keep(values.values().as_ref()),
            Solved::Banded(values, _) => tables.keep(values.values().as_ref()),
        }
    }

    fn write(
        &self,
        next: NextLayer<'_>,
        smaller: Smaller<'_>,
    ) -> Result<LayerStatistics, TableError> {
        match self {
            Solved::Swept(values) => {
                let sums = |counts| Ok((counts, values.hashes()));
                next.add(values.values().as_ref(), values.counts(), sums)
            }
            Solved::Banded(values, _) => {
                let part = |seeds, bound, from| smaller.layers.part(seeds, bound, from);
                let sums = |counts| values.sums(counts, smaller.unreachable_at_once(), part);
                next.add(values.values().as_ref(), values.counts(), sums)
            }
        }
    }
}

/// A layer that is solved but not written.
struct Unwritten<'s> {
    values: Solved<'s>,
    begin: Instant,
    solving: Duration,
}

impl<'s> Unwritten<'s> {
    fn new(
        engine: Engine<'s>,
        layer: Layer,
        (bands, resident, news): (u64, u64, u64),
        smaller: Smaller<'_>,
        checkpoint: Option<Duration>,
        watch: &dyn Watch,
        go_on: impl Fn() -> Result<(), BuildError> + Sync,
    ) -> Result<Unwritten<'s>, BuildError> {
        let begin = Instant::now();
        watch.layer_begins(layer);
        go_on()?;
        let goes_on = |progress| {
            watch.layer_goes_on(layer, progress);
            go_on()
        };
        // While captures are looked up there is no news, which leaves its memory for parts: larger ones take less time.
        let most = smaller.layers.most.max(news);
        let part = |seeds, bound, from| Ok(smaller.layers.part_within(most, seeds, bound, from)?);
        let note = |found| watch.checkpoint(layer, found);
        let mut checkpoints = smaller.checkpoints(layer, checkpoint, &note);
        let values = match engine {
            Engine::Sweeps(solver) => {
                Solved::Swept(solver.solve_in_parts(layer, part, &mut checkpoints, goes_on)?)
            }
            Engine::Thresholds(solver) => {
                let bands = (bands, resident, smaller.lock.directory.clone());
                let (values, moved) =
                    solver.solve_in_bands(layer, part, bands, &mut checkpoints, goes_on)?;
                Solved::Banded(Box::new(values), moved)
            }
        };
        watch.layer_is_solved(layer);
        Ok(Unwritten {
            values,
            begin,
            solving: begin.elapsed(),
        })
    }

    fn write(
        &self,
        next: NextLayer<'_>,
        smaller: Smaller<'_>,
        watch: &dyn Watch,
    ) -> Result<BuiltLayer, TableError> {
        let built = BuiltLayer {
            statistics: self.values.write(next, smaller)?,
            solving: self.solving,
            total: self.begin.elapsed(),
            moved: match self.values {
                Solved::Swept(_) => None,
                Solved::Banded(_, moved) => Some(moved),
            },
        };
        watch.layer_is_finished(&built);
        Ok(built)
    }
}

//! Solving the layers that are missing, and writing them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::needs::{
    LEAST_PART, Needs, least_memory, memory_needed, numbers_per_position, part_to_read,
    resuming_memory,
};
use super::threads::{Threads, writers};
use super::{Build, BuildError, BuiltLayer, Watch};
use crate::checkpoint::LayerCheckpoints;
use crate::smaller::{BuildDirectory, SmallerLayers};
use crate::solve::Solver;
use crate::sweep::{Moved, Shares, SweptLayer, Within};
use crate::tuning::Tuning;
use granero_table::index::Layer;
use granero_table::{TableError, TableWriter};

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
        self.run_in(&mut BuildDirectory::new(tables, Tuning::USUAL), watch)
    }

    #[doc(hidden)]
    pub fn run_in(
        &self,
        tables: &mut BuildDirectory<'_>,
        watch: &dyn Watch,
    ) -> Result<Vec<BuiltLayer>, BuildError> {
        let manifest = tables.manifest();
        let kind = (manifest.cycles, manifest.extent);
        assert_eq!(kind, (self.cycles, self.extent));
        let mut threads = Threads::new(self.threads, tables.tuning)?;
        let check = || tables.find_lacking(self.seeds, |layer| watch.layer_is_checked(layer));
        for (layer, lost) in threads.all().install(check)? {
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
        self.check_memory(|seeds| {
            // No layer captures into the last two.
            let below = finished.min(seeds.saturating_sub(1));
            let read = tables.largest_to_read(below);
            let reading = read.map(|layer| resuming_memory(self.cycles, seeds, layer));
            least_memory(self.cycles, seeds, self.threads).max(reading.unwrap_or(0))
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
        if [before, layer]
            .iter()
            .any(|&layer| self.is_in_shares(layer))
        {
            return false;
        }
        let needs = Needs::swept(self.cycles, before, self.last(), writers, None);
        let writing = needs.values + needs.writing();
        let needs = Needs::swept(self.cycles, layer, self.last(), self.threads, None);
        let solving = needs.peak();
        solving + writing + self.room() <= self.memory
    }

    /// Returns whether a layer is solved in shares, because it is larger than memory.
    pub(super) fn is_in_shares(&self, layer: Layer) -> bool {
        self.needs(layer).peak() > self.memory
    }

    /// The needs for a layer in memory.
    fn needs(&self, layer: Layer) -> Needs {
        let part = self.part_in_shares();
        Needs::swept(self.cycles, layer, self.last(), self.threads, part)
    }

    /// The needs for a layer in shares.
    fn needs_in_shares(&self, layer: Layer) -> Needs {
        let (cycles, threads) = (self.cycles, self.threads);
        let part = self.part_in_shares().unwrap_or(LEAST_PART);
        Needs::in_shares(
            cycles,
            layer,
            self.last(),
            threads,
            (self.spare(layer), part),
        )
    }

    /// The memory that is left for a layer in shares beyond the least.
    fn spare(&self, layer: Layer) -> u64 {
        let least = Needs::least(self.cycles, layer, self.last(), self.threads);
        self.memory.saturating_sub(least.peak())
    }

    /// The shares of a layer that is solved in them.
    pub(super) fn shares(&self, layer: Layer) -> Shares {
        let (needs, threads) = (self.needs_in_shares(layer), self.threads);
        Shares::in_memory(
            self.cycles,
            layer,
            needs.status,
            threads,
            needs.part(threads),
        )
    }

    /// The most bytes of a smaller layer that are read at a time, if there are layers in shares: as few as the last layer
    /// has room for.
    fn part_in_shares(&self) -> Option<u64> {
        let needed = memory_needed(self.cycles, self.seeds, self.threads);
        if needed <= self.memory {
            return None;
        }
        let last = Layer::new(self.seeds).expect("few enough seeds");
        Some(LEAST_PART + self.spare(last) / 8)
    }

    fn last(&self) -> Layer {
        Layer::new(self.seeds).expect("few enough seeds")
    }

    /// The layers up to the last one.
    pub(super) fn layers(&self) -> impl Iterator<Item = Layer> {
        Layer::all().take(usize::from(self.seeds) + 1)
    }

    /// Solves and writes the layers that are missing: each is written while the next one is being
    /// solved, where memory allows.
    fn build_missing(
        &self,
        tables: &mut BuildDirectory<'_>,
        threads: &mut Threads,
        watch: &dyn Watch,
    ) -> Result<Vec<BuiltLayer>, BuildError> {
        let rules = tables.manifest().rules;
        let kind = (rules, self.cycles, self.extent);
        let solver = threads.all().install(|| Solver::new(kind, self.seeds));
        let part = self.part_in_shares().unwrap_or(part_to_read(self.last()));
        tables.keep_in_memory_and_read(self.room(), part);
        let mut built = Vec::new();
        let mut before: Option<Unwritten> = None;
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
            let in_tests = tables.tuning.shares;
            let fingerprint = tables.manifest().fingerprint();
            let lock = tables.lock().clone();
            let (next, smaller) = tables.parts();
            let within = (in_tests > 1 || self.is_in_shares(layer)).then(|| {
                let needs = self.needs_in_shares(layer);
                let planes = numbers_per_position(self.cycles) as usize;
                Within {
                    shares: match in_tests {
                        1 => self.shares(layer),
                        count => Shares::equal(layer.seeds(), planes, count),
                    },
                    directory: lock.directory.clone(),
                    room: needs.room(self.threads),
                    resident: needs.resident(self.memory),
                }
            });
            let not_written = AtomicBool::new(false);
            let go_on = || {
                if not_written.load(Ordering::Relaxed) || watch.is_stopped() {
                    Err(BuildError::Stopped)
                } else {
                    Ok(())
                }
            };
            let note = |found| watch.checkpoint(layer, found);
            let solve = || {
                let of_tables = (&*lock, fingerprint);
                let mut checkpoints =
                    LayerCheckpoints::new(of_tables, layer, self.checkpoint, &note);
                Unwritten::new(
                    &solver,
                    layer,
                    within,
                    smaller,
                    &mut checkpoints,
                    watch,
                    go_on,
                )
            };
            let solve = || solving.install(solve);
            let (written, solved) = match before.as_ref().zip(writing) {
                None => (None, solve()),
                Some((before, writing)) => {
                    let mut written = None;
                    // The threads of `writing` exist already: the system need not give another.
                    let solved = writing.in_place_scope(|scope| {
                        scope.spawn(|_| {
                            let not_written = NotWritten(&not_written);
                            let result = before.write(next, watch);
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
                solving.install(|| tables.keep(solved.values.values().as_ref()))?;
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
        solved: Unwritten,
        tables: &mut BuildDirectory<'_>,
        threads: &mut Threads,
        watch: &dyn Watch,
    ) -> Result<BuiltLayer, BuildError> {
        let (all, _) = threads.of(solved.values.layer());
        all.install(|| Ok(solved.write(tables, watch)?))
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

/// A layer that is solved but not written.
struct Unwritten {
    values: SweptLayer,
    /// The work on shares, if the layer was larger than memory.
    moved: Option<Moved>,
    begin: Instant,
    solving: Duration,
}

impl Unwritten {
    fn new(
        solver: &Solver,
        layer: Layer,
        within: Option<Within>,
        smaller: &SmallerLayers,
        checkpoints: &mut LayerCheckpoints<'_>,
        watch: &dyn Watch,
        go_on: impl Fn() -> Result<(), BuildError> + Sync,
    ) -> Result<Unwritten, BuildError> {
        let begin = Instant::now();
        watch.layer_begins(layer);
        go_on()?;
        let goes_on = |progress| {
            watch.layer_goes_on(layer, progress);
            go_on()
        };
        let part = |seeds, bound, from| Ok(smaller.part(seeds, bound, from)?);
        let (values, moved) = solver.solve_in_parts(layer, part, within, checkpoints, goes_on)?;
        watch.layer_is_solved(layer);
        Ok(Unwritten {
            values,
            moved,
            begin,
            solving: begin.elapsed(),
        })
    }

    fn write(&self, next: &mut TableWriter, watch: &dyn Watch) -> Result<BuiltLayer, TableError> {
        let (values, counts) = (self.values.values(), self.values.counts());
        let built = BuiltLayer {
            statistics: next.add(values.as_ref(), counts, || self.values.hashes())?,
            solving: self.solving,
            total: self.begin.elapsed(),
            moved: self.moved,
        };
        watch.layer_is_finished(&built);
        Ok(built)
    }
}

//! Solving the layers that are missing, and writing them.

use std::time::Instant;

use super::needs::{LEAST_PART, Needs, least_memory, memory_needed, part_to_read, resuming_memory};
use super::{Build, BuildError, BuiltLayer, Watch};
use crate::checkpoint::LayerCheckpoints;
use crate::smaller::BuildDirectory;
use crate::solve::Solver;
use crate::sweep::{Shares, Within};
use crate::tuning::Tuning;
use granero_table::TableWriter;
use granero_table::index::Layer;
use rayon::{ThreadPool, ThreadPoolBuilder};

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
        self.pool()?.install(|| self.run_here(tables, watch))
    }

    /// Starts the threads.
    #[doc(hidden)]
    pub fn pool(&self) -> Result<ThreadPool, BuildError> {
        let pool = ThreadPoolBuilder::new().num_threads(self.threads).build();
        pool.map_err(|error| BuildError::NoThreads {
            threads: self.threads,
            source: error.into(),
        })
    }

    fn run_here(
        &self,
        tables: &mut BuildDirectory<'_>,
        watch: &dyn Watch,
    ) -> Result<Vec<BuiltLayer>, BuildError> {
        let manifest = tables.manifest();
        let kind = (manifest.cycles, manifest.extent);
        assert_eq!(kind, (self.cycles, self.extent));
        let lost = tables.find_lacking(self.seeds, |layer| watch.layer_is_checked(layer))?;
        for (layer, lost) in lost {
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
        let built = self.build_missing(tables, watch);
        if built.is_ok() {
            tables.remove_left();
        }
        built.map_err(|error| match error {
            BuildError::Table(error) => tables.cause(error).into(),
            error => error,
        })
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
        let part = self.part_in_shares().unwrap_or(LEAST_PART);
        let memory = (self.spare(layer), part);
        Needs::in_shares(self.cycles, layer, self.last(), self.threads, memory)
    }

    /// The memory that is left for a layer in shares beyond the least.
    fn spare(&self, layer: Layer) -> u64 {
        let least = Needs::least(self.cycles, layer, self.last(), self.threads);
        self.memory.saturating_sub(least.peak())
    }

    /// The shares of a layer that is solved in them.
    pub(super) fn shares(&self, layer: Layer) -> Shares {
        let (needs, threads) = (self.needs_in_shares(layer), self.threads);
        Shares::in_memory(self.cycles, layer, needs.status, threads, needs.part)
    }

    /// The most bytes of a smaller layer that are read at a time, if there are layers in shares: as few as the last layer
    /// has room for.
    fn part_in_shares(&self) -> Option<u64> {
        let needed = memory_needed(self.cycles, self.seeds, self.threads);
        (needed > self.memory).then(|| LEAST_PART + self.spare(self.last()) / 8)
    }

    fn last(&self) -> Layer {
        Layer::new(self.seeds).expect("few enough seeds")
    }

    /// The layers up to the last one.
    pub(super) fn layers(&self) -> impl Iterator<Item = Layer> {
        Layer::all().take(usize::from(self.seeds) + 1)
    }

    /// Solves and writes the layers that are missing.
    fn build_missing(
        &self,
        tables: &mut BuildDirectory<'_>,
        watch: &dyn Watch,
    ) -> Result<Vec<BuiltLayer>, BuildError> {
        let rules = tables.manifest().rules;
        let kind = (rules, self.cycles, self.extent);
        let solver = Solver::new(kind, self.seeds);
        let part = self.part_in_shares().unwrap_or(part_to_read(self.last()));
        tables.keep_in_memory_and_read(self.room(), part);
        let mut built = Vec::new();
        let missing: Vec<Layer> = self.layers().filter(|&layer| tables.lacks(layer)).collect();
        for layer in missing {
            built.push(self.build_layer(&solver, layer, tables, watch)?);
        }
        tables.confirm()?;
        Ok(built)
    }

    fn build_layer(
        &self,
        solver: &Solver,
        layer: Layer,
        tables: &mut BuildDirectory<'_>,
        watch: &dyn Watch,
    ) -> Result<BuiltLayer, BuildError> {
        let below = self.below(layer);
        tables.prepare(solver.rows(), below, |layer| watch.layer_is_read(layer))?;
        let (begin, note) = (Instant::now(), |found| watch.checkpoint(layer, found));
        watch.layer_begins(layer);
        let mut checkpoints = LayerCheckpoints::new(tables, layer, self.checkpoint, &note);
        let smaller = |seeds, bound, from| Ok(tables.smaller.part(seeds, bound, from)?);
        let go_on = || {
            if watch.is_stopped() {
                return Err(BuildError::Stopped);
            }
            Ok(())
        };
        go_on()?;
        let progress = |progress| {
            watch.layer_goes_on(layer, progress);
            go_on()
        };
        let within = self.within(layer, tables);
        let (solved, moved) =
            solver.solve_in_parts(layer, smaller, within, &mut checkpoints, progress)?;
        watch.layer_is_solved(layer);
        let (values, solving) = (solved.values(), begin.elapsed());
        // First, so that it need not be read as a whole, whenever the build is stopped.
        if self.keeps(layer) {
            tables.keep(values.as_ref())?;
        }
        let built = BuiltLayer {
            statistics: tables.add(values.as_ref(), solved.counts(), || solved.hashes())?,
            solving,
            total: begin.elapsed(),
            moved,
        };
        watch.layer_is_finished(&built);
        Ok(built)
    }

    /// Where a layer lies that is larger than memory.
    fn within(&self, layer: Layer, tables: &BuildDirectory<'_>) -> Option<Within> {
        let in_tests = tables.tuning.shares;
        if in_tests == 1 && !self.is_in_shares(layer) {
            return None;
        }
        let needs = self.needs_in_shares(layer);
        Some(Within {
            shares: match in_tests {
                1 => self.shares(layer),
                count => Shares::equal(layer, self.cycles, count),
            },
            directory: tables.lock().directory.clone(),
            room: needs.status.saturating_sub(needs.part) as usize,
            resident: needs.resident(self.memory),
        })
    }
}

#[doc(hidden)]
impl Build {
    /// Returns whether larger layers need a layer: none captures into the last two.
    pub fn keeps(&self, layer: Layer) -> bool {
        layer.seeds() + 1 < self.seeds
    }

    /// A layer needs those with fewer seeds than this. No capture takes a single seed, but the layer before is needed if
    /// this one is kept behind it.
    pub fn below(&self, layer: Layer) -> u8 {
        layer.seeds().saturating_sub(u8::from(!self.keeps(layer)))
    }
}

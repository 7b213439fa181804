//! Building tables together with other ranks. `docs/cluster.md` explains it.

use std::time::Instant;

use super::{Build, BuildError, BuiltLayer, Threads, Watch, read_at_a_time};
use crate::cluster::{Cluster, ClusterError};
use crate::index::Layer;
use crate::rows::Row;
use crate::rules::Ruleset;
use crate::solver::Solver;
use crate::table::{Parts, SharedError, SharedTables, TableWriter};

/// Nothing is told of the work.
struct Silent;

impl Watch for Silent {}

impl Build {
    /// Solves the layers that are missing in the tables together with other ranks, and adds them.
    /// This is for rank 0, which alone writes; the others call [`help`](Build::help).
    ///
    /// There are no checkpoints: a build that was stopped goes on after the last finished layer, with
    /// any number of ranks. [`Watch::is_stopped`] is not asked.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Build::run), and when other ranks end or build something else. Drop the
    /// [`Cluster`] then: only when it is gone do the other ranks end.
    ///
    /// # Panics
    ///
    /// Like [`run`](Build::run); and if this is not rank 0.
    ///
    /// ```
    /// use granero::build::{Build, Watch};
    /// use granero::cluster::{Cluster, channels};
    /// use granero::table::TableWriter;
    /// use granero::{Cycles, Extent, Ruleset};
    ///
    /// struct Silent;
    /// impl Watch for Silent {}
    ///
    /// # let place = std::env::temp_dir().join(format!("granero-ranks-{}", std::process::id()));
    /// let (cycles, extent) = (Cycles::Split, Extent::FULL);
    /// let build = Build { cycles, extent, seeds: 5, threads: 1, memory: 1 << 30, checkpoint: None };
    /// // Two ranks in one process.
    /// let [first, second] = channels(2).try_into().unwrap();
    /// let other = std::thread::spawn(move || {
    ///     build.help(Ruleset::Abapa, &mut Cluster::new(second))
    /// });
    /// let mut tables = TableWriter::open(&place, Ruleset::Abapa, cycles)?;
    /// let built = build.lead(&mut tables, &mut Cluster::new(first), &Silent)?;
    /// assert_eq!(built.len(), 6);
    /// other.join().unwrap()?;
    /// # std::fs::remove_dir_all(place).unwrap();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lead(
        &self,
        tables: &mut TableWriter,
        cluster: &mut Cluster,
        watch: &dyn Watch,
    ) -> Result<Vec<BuiltLayer>, BuildError> {
        assert_eq!(cluster.rank(), 0, "another rank leads");
        let manifest = tables.manifest();
        let (rules, kind) = (manifest.rules, (manifest.cycles, manifest.extent));
        assert_eq!(kind, (self.cycles, self.extent));
        let built = self.build_together(rules, Some(tables), cluster, watch);
        built.map_err(|error| match error {
            BuildError::Table(error) => tables.cause(error).into(),
            error => error,
        })
    }

    /// Takes part in a build that rank 0 [leads](Build::lead).
    ///
    /// # Errors
    ///
    /// When other ranks end or build something else; when files of the tables cannot be read; or when
    /// this cannot be built here. Drop the [`Cluster`] then: only when it is gone do the other ranks
    /// end.
    pub fn help(&self, rules: Ruleset, cluster: &mut Cluster) -> Result<(), BuildError> {
        let built = self.build_together(rules, None, cluster, &Silent);
        built.map(|_| ())
    }

    /// Compares what all ranks are about to build, as they all do. [`lead`](Build::lead) and
    /// [`help`](Build::help) begin with this, too.
    ///
    /// # Errors
    ///
    /// [`ClusterError::Different`], at all ranks; and when others end.
    pub fn agree(&self, rules: Ruleset, cluster: &mut Cluster) -> Result<(), BuildError> {
        Ok(cluster.agree(&self.agreement(rules))?)
    }

    /// What all ranks must agree on.
    fn agreement(&self, rules: Ruleset) -> String {
        format!(
            "granero {}, rules {rules}, endless play {}, {} values, {} seeds",
            env!("CARGO_PKG_VERSION"),
            self.cycles,
            self.extent,
            self.seeds
        )
    }

    fn build_together(
        &self,
        rules: Ruleset,
        mut tables: Option<&mut TableWriter>,
        cluster: &mut Cluster,
        watch: &dyn Watch,
    ) -> Result<Vec<BuiltLayer>, BuildError> {
        self.agree(rules, cluster)?;
        let finished = tables.as_deref().map(|tables| tables.manifest().finished());
        let finished = cluster.spread(finished.into_iter().collect())?;
        let &[finished] = &finished[..] else {
            let what = "does not say how many layers are finished";
            return Err(ClusterError::BadParcel { from: 0, what }.into());
        };
        if finished <= self.seeds {
            let read = tables.as_deref().map_or(0, |_| finished);
            self.check_together(cluster.ranks(), read)?;
            let built = self.build_layers(rules, finished, &mut tables, cluster, watch)?;
            if let Some(tables) = tables {
                tables.confirm()?;
            }
            return Ok(built);
        }
        if let Some(tables) = tables {
            tables.confirm()?;
        }
        Ok(Vec::new())
    }

    fn build_layers(
        &self,
        rules: Ruleset,
        finished: u8,
        tables: &mut Option<&mut TableWriter>,
        cluster: &mut Cluster,
        watch: &dyn Watch,
    ) -> Result<Vec<BuiltLayer>, BuildError> {
        let mut threads = Threads::new(self.threads)?;
        let last = Layer::new(self.seeds).expect("few enough seeds");
        let kind = (rules, self.cycles, self.extent);
        let most = read_at_a_time(last) / cluster.ranks() as u64;
        let shared = SharedTables::open(cluster, tables.as_deref_mut(), kind, most)?;
        let mut together = Together {
            solver: Solver::of_rank(kind, self.seeds, cluster, shared.bands()),
            shared,
        };
        let mut built = Vec::new();
        for layer in Layer::all()
            .take(usize::from(self.seeds) + 1)
            .skip(usize::from(finished))
        {
            let (solving, _) = threads.of(layer);
            let layer = solving.install(|| {
                // No layer captures into the last two.
                let keep = layer.seeds() + 1 < self.seeds;
                together.build_layer(layer, keep, tables.as_deref_mut(), cluster, watch)
            })?;
            if let Some(layer) = layer {
                watch.layer_is_finished(&layer);
                built.push(layer);
            }
        }
        Ok(built)
    }
}

/// What a rank needs to build layers with others.
struct Together {
    solver: Solver,
    shared: SharedTables,
}

impl Together {
    /// Solves a layer and adds it; `keep` says whether larger layers will need it. Returns what was
    /// built at rank 0.
    fn build_layer(
        &mut self,
        layer: Layer,
        keep: bool,
        mut tables: Option<&mut TableWriter>,
        cluster: &mut Cluster,
        watch: &dyn Watch,
    ) -> Result<Option<BuiltLayer>, BuildError> {
        let Together { solver, shared } = self;
        let begin = Instant::now();
        cluster.begin_layer(layer.seeds());
        // No capture takes a single seed.
        let below = match keep {
            true => layer.seeds(),
            false => layer.seeds().saturating_sub(1),
        };
        if let Some(tables) = &mut tables {
            tables.prepare(solver.rows(), below, |layer| watch.layer_is_read(layer))?;
        }
        shared.share(cluster, tables.as_deref(), below, solver.cycles())?;
        watch.layer_begins(layer);
        let smaller = |seeds, bound, from| Ok(shared.smaller(seeds, bound, from)?);
        let goes_on = |progress| watch.layer_goes_on(layer, progress);
        let mut solved = solver.solve_together::<BuildError>(layer, cluster, smaller, goes_on)?;
        let owner = |row: Row| solver.owner(row.own_seeds(), row.rank());
        let owner = &owner;
        let solving = begin.elapsed();
        watch.layer_is_solved(layer);
        let values = solved.values();
        let parts = values.as_ref().map(|values| Parts { values, owner });
        let (seen, made) = shared.turn(cluster, layer, parts)?;
        solved.raise_full(|bound, from| shared.part_of(&seen, bound, from))?;
        let values = solved.values();
        let parts = values.as_ref().map(|values| Parts { values, owner });
        let added =
            shared.add_layer(cluster, tables.as_deref_mut(), solver.rows(), layer, parts)?;
        if keep {
            shared.keep(seen);
            if let (Some(tables), Some(made)) = (tables, made) {
                tables.keep_files(made);
            }
        }
        Ok(added.map(|statistics| BuiltLayer {
            statistics,
            solving,
            total: begin.elapsed(),
        }))
    }
}

impl From<SharedError> for BuildError {
    fn from(error: SharedError) -> BuildError {
        match error {
            SharedError::Table(error) => error.into(),
            SharedError::Cluster(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::cluster::channels;
    use crate::cycles::Cycles;
    use crate::extent::Extent;

    /// All files of some tables but the lock, with their names.
    fn files(place: &Path) -> Vec<(String, Vec<u8>)> {
        let entries = fs::read_dir(place).unwrap().map(|entry| entry.unwrap());
        let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
        let mut files: Vec<_> = files
            .map(|file| {
                let name = file.file_name().into_string().unwrap();
                (name, fs::read(file.path()).unwrap())
            })
            .filter(|(name, _)| name != "granero.lock")
            .collect();
        files.sort();
        files
    }

    fn build(cycles: Cycles, extent: Extent, seeds: u8) -> Build {
        Build {
            cycles,
            extent,
            seeds,
            threads: 1,
            memory: u64::MAX,
            checkpoint: None,
        }
    }

    fn build_with(ranks: usize, build: Build, rules: Ruleset, place: &Path) {
        let mut carriers = channels(ranks).into_iter();
        let first = carriers.next().unwrap();
        std::thread::scope(|scope| {
            for carrier in carriers {
                scope.spawn(move || build.help(rules, &mut Cluster::new(carrier)).unwrap());
            }
            let mut tables =
                TableWriter::open_with_extent(place, rules, build.cycles, build.extent).unwrap();
            let mut cluster = Cluster::new(first);
            build.lead(&mut tables, &mut cluster, &Silent).unwrap();
            tables.confirm().unwrap();
            let sent = cluster.traffic();
            assert_eq!(sent.bytes > 0, ranks > 1, "{sent:?}");
            assert!(sent.news_bytes < sent.bytes || ranks == 1, "{sent:?}");
        });
    }

    fn files_are_the_same_up_to(
        seeds: u8,
        ranks: &[usize],
        rulesets: &[Ruleset],
        extents: &[Extent],
    ) {
        for &ruleset in rulesets {
            for cycles in Cycles::ALL {
                for &extent in extents {
                    let build = |seeds| build(cycles, extent, seeds);
                    let place = tempfile::tempdir().unwrap();
                    let open = || {
                        TableWriter::open_with_extent(place.path(), ruleset, cycles, extent)
                            .unwrap()
                    };
                    let path = open().path().to_path_buf();
                    build(seeds).run(&mut open(), &Silent).unwrap();
                    let alone = files(&path);
                    for &ranks in ranks {
                        fs::remove_dir_all(&path).unwrap();
                        // Going on with another number of ranks, and with more seeds.
                        build_with(ranks + 1, build(seeds / 2), ruleset, place.path());
                        build_with(ranks, build(seeds), ruleset, place.path());
                        assert!(files(&path) == alone, "{ruleset}, {extent}, {ranks} ranks");
                    }
                }
            }
        }
    }

    #[test]
    fn ranks_write_what_one_process_writes() {
        let rulesets = [Ruleset::Abapa, Ruleset::SlamEnds, Ruleset::Awari];
        files_are_the_same_up_to(5, &[2], &rulesets, &[Extent::FULL]);
    }

    #[test]
    #[ignore = "slow: .ci/run has it"]
    fn ranks_write_what_one_process_writes_up_to_7_seeds() {
        let extents = [Extent::FULL, Extent::deciding(9).unwrap()];
        files_are_the_same_up_to(7, &[1, 3], &Ruleset::ALL, &extents);
    }

    #[test]
    fn ranks_that_would_build_something_else_do_not_begin() {
        let place = tempfile::tempdir().unwrap();
        let [first, second] = channels(2).try_into().unwrap();
        std::thread::scope(|scope| {
            let other = scope.spawn(move || {
                let build = build(Cycles::Split, Extent::FULL, 4);
                build.help(Ruleset::Awari, &mut Cluster::new(second))
            });
            let build = build(Cycles::Split, Extent::FULL, 4);
            let mut tables =
                TableWriter::open(place.path(), Ruleset::Abapa, Cycles::Split).unwrap();
            let found = build.lead(&mut tables, &mut Cluster::new(first), &Silent);
            for error in [found.unwrap_err(), other.join().unwrap().unwrap_err()] {
                let text = error.to_string();
                assert!(
                    text.contains("rules awari") && text.contains("rules abapa"),
                    "{text}"
                );
            }
            assert_eq!(tables.manifest().finished(), 0);
        });
    }

    #[test]
    fn nobody_waits_for_a_rank_that_has_ended() {
        let place = tempfile::tempdir().unwrap();
        let [first, second, third] = channels(3).try_into().unwrap();
        std::thread::scope(|scope| {
            let helps = |carrier, seeds| {
                let build = build(Cycles::Split, Extent::FULL, seeds);
                scope.spawn(move || build.help(Ruleset::Abapa, &mut Cluster::new(carrier)))
            };
            let others = helps(second, 4);
            // This one ends before it has begun.
            drop(third);
            let build = build(Cycles::Split, Extent::FULL, 4);
            let mut tables =
                TableWriter::open(place.path(), Ruleset::Abapa, Cycles::Split).unwrap();
            let found = build.lead(&mut tables, &mut Cluster::new(first), &Silent);
            let gone = |error| matches!(error, BuildError::Cluster(ClusterError::Gone { .. }));
            assert!(gone(found.unwrap_err()));
            assert!(gone(others.join().unwrap().unwrap_err()));
        });
    }
}

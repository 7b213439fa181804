//! Building tables by several processes.

use std::time::Instant;

use crate::carrier::{ClusterError, bad};
use crate::cluster::Cluster;
use crate::needs::{check, needs, part_read};
use crate::peers::Joint;
use crate::tables::SharedTables;
use granero_game::Kind;
use granero_game::rules::Ruleset;
use granero_solver::build::{Build, BuildError, BuiltLayer, Watch};
use granero_solver::checkpoint::{CheckpointStore, LayerCheckpoints, NoCheckpoints};
use granero_solver::processes::SweptLayer;
use granero_solver::smaller::BuildDirectory;
use granero_solver::solve::Solver;
use granero_table::TableWriter;
use granero_table::first_error::FirstError;
use granero_table::index::Layer;

/// Which bytes processes send each other. Raise it with every change, so that different programs do not work together.
const MESSAGES: u32 = 9;

impl Cluster {
    /// Solves the layers that are missing in the tables together with the other processes, and adds
    /// them. This is for process 0, which alone writes; the others call [`help`](Cluster::help).
    ///
    /// Checkpoints are written as often as `build` says at process 0, and have the positions of all
    /// processes. A build that was stopped goes on from there, or after the last finished layer, with
    /// any number of processes or [alone](Build::run). [`Watch::is_stopped`] is not asked.
    ///
    /// # Errors
    ///
    /// Like [`run`](Build::run), and when other processes end or build something else. Drop the
    /// cluster then: unless its carrier [tells](crate::Carrier::fail) the other processes, they end only
    /// when it is gone.
    ///
    /// # Panics
    ///
    /// Like [`run`](Build::run); and if this is not process 0.
    ///
    /// ```
    /// use granero::build::{Build, Watch};
    /// use granero::cluster::{Cluster, channels};
    /// use granero::table::TableWriter;
    /// use granero::{Cycles, Extent, Ruleset};
    ///
    /// # let place = std::env::temp_dir().join(format!("granero-cluster-{}", std::process::id()));
    /// let (cycles, extent) = (Cycles::Split, Extent::FULL);
    /// let build = Build { cycles, extent, seeds: 5, threads: 1, memory: 1 << 30, checkpoint: None };
    /// // Two threads stand for two processes.
    /// let [first, second] = channels(2).try_into().unwrap();
    /// let other = std::thread::spawn(move || Cluster::new(second).help(&build, Ruleset::Abapa));
    /// let mut tables = TableWriter::open(&place, (Ruleset::Abapa, cycles))?;
    /// let built = Cluster::new(first).lead(&build, &mut tables, &())?;
    /// assert_eq!(built.len(), 6);
    /// other.join().unwrap()?;
    /// # std::fs::remove_dir_all(place).unwrap();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lead(
        &mut self,
        build: &Build,
        tables: &mut TableWriter,
        watch: &dyn Watch,
    ) -> Result<Vec<BuiltLayer>, ClusterError> {
        assert_eq!(self.process(), 0, "another process leads");
        let kind = tables.manifest().kind();
        assert_eq!((kind.cycles, kind.extent), (build.cycles, build.extent));
        let tables = Some(BuildDirectory::new(tables, self.tuning));
        Together::new(build, kind, tables, self, watch).run()
    }

    /// Takes part in a build that process 0 [leads](Cluster::lead).
    ///
    /// # Errors
    ///
    /// When other processes end or build something else; when files of the tables cannot be read; or
    /// when this cannot be built here. Drop the cluster then, as after [`lead`](Cluster::lead). Without
    /// an error, all tables are finished.
    pub fn help(&mut self, build: &Build, rules: Ruleset) -> Result<(), ClusterError> {
        let kind = (rules, build.cycles, build.extent).into();
        let built = Together::new(build, kind, None, self, &()).run();
        built.map(|_| ())
    }

    /// Compares what all processes are about to build, as they all do. [`lead`](Cluster::lead) and
    /// [`help`](Cluster::help) begin with this, too.
    ///
    /// # Errors
    ///
    /// [`ClusterError::Different`], at all processes; and when others end.
    pub fn agree(&mut self, build: &Build, rules: Ruleset) -> Result<(), ClusterError> {
        self.agree_on(&format!(
            "granero {}, messages {MESSAGES}, rules {rules}, endless play {}, {} values, {} seeds",
            env!("CARGO_PKG_VERSION"),
            build.cycles,
            build.extent,
            build.seeds
        ))
    }
}

/// A build by several processes, as one of them sees it.
struct Together<'a> {
    build: &'a Build,
    kind: Kind,
    /// At process 0.
    tables: Option<BuildDirectory<'a>>,
    /// The last layer. If this process fails, others may still open its files: a carrier that passes failures on does so
    /// before they are gone.
    solved: Option<SweptLayer>,
    cluster: &'a mut Cluster,
    watch: &'a dyn Watch,
}

impl<'a> Together<'a> {
    fn new(
        build: &'a Build,
        kind: Kind,
        tables: Option<BuildDirectory<'a>>,
        cluster: &'a mut Cluster,
        watch: &'a dyn Watch,
    ) -> Together<'a> {
        Together {
            build,
            kind,
            tables,
            solved: None,
            cluster,
            watch,
        }
    }

    /// Takes part in the build. Tells the others of an error of this process, and returns the error that came first.
    fn run(mut self) -> Result<Vec<BuiltLayer>, ClusterError> {
        self.take_part().map_err(|error| {
            let error = match (error, self.tables) {
                // All processes know it.
                (error @ ClusterError::Different { .. }, _) => return error,
                (ClusterError::Build(BuildError::Table(error)), Some(tables)) => {
                    tables.cause(error).into()
                }
                (error, _) => error,
            };
            self.cluster.fail(&error).unwrap_or(error)
        })
    }

    fn take_part(&mut self) -> Result<Vec<BuiltLayer>, ClusterError> {
        self.cluster.agree(self.build, self.kind.rules)?;
        let tables = self.tables.as_ref();
        let finished = tables.map(|tables| tables.manifest().finished());
        let finished = self.cluster.spread(finished.into_iter().collect())?;
        let &[finished] = &finished[..] else {
            return Err(bad(0, "does not say how many layers are finished"));
        };
        let mut built = Vec::new();
        if finished <= self.build.seeds {
            let tables = self.tables.as_ref();
            let read = |seeds: u8| tables?.largest_to_read(finished.min(seeds.saturating_sub(1)));
            check(self.build, self.cluster.processes(), read)?;
            let pool = self.build.pool()?;
            built = pool.install(|| self.build_layers(finished))?;
        }
        self.cluster.add_up_sent()?;
        if let Some(tables) = &mut self.tables {
            // The files may be those of a larger build.
            if finished <= self.build.seeds + 1 {
                tables.remove_left();
            }
            tables.confirm()?;
        }
        // All is well at a process only if it is at process 0.
        self.cluster.spread(Vec::new())?;
        Ok(built)
    }

    fn build_layers(&mut self, finished: u8) -> Result<Vec<BuiltLayer>, ClusterError> {
        let (kind, seeds) = (self.kind, self.build.seeds);
        let last = Layer::new(seeds).expect("few enough seeds");
        let processes = self.cluster.processes();
        let most = part_read(last, processes);
        let needs = needs(kind.cycles, seeds, self.build.threads, processes);
        let room = self.build.memory.saturating_sub(needs.peak());
        let resident = needs.resident(self.build.memory);
        let tables = self.tables.as_mut();
        let mut shared = SharedTables::open(self.cluster, tables, kind, (room, most))?;
        let solver = Solver::new(kind, seeds);
        let mut built = Vec::new();
        for layer in (finished..=seeds).filter_map(Layer::new) {
            let layer = self.build_layer(layer, &solver, &mut shared, resident)?;
            self.solved = None;
            if let Some(layer) = layer {
                self.watch.layer_is_finished(&layer);
                built.push(layer);
            }
        }
        Ok(built)
    }

    /// Solves a layer and adds it, with values mapped within `resident` bytes. Process 0 returns what was built.
    fn build_layer(
        &mut self,
        layer: Layer,
        solver: &Solver,
        shared: &mut SharedTables,
        resident: u64,
    ) -> Result<Option<BuiltLayer>, ClusterError> {
        let Together {
            build,
            kind,
            tables,
            solved,
            cluster,
            watch,
        } = self;
        let (begin, below) = (Instant::now(), build.below(layer));
        if let Some(tables) = tables {
            tables.prepare(solver.rows(), below, |layer| watch.layer_is_read(layer))?;
        }
        shared.open_smaller(cluster, below, kind.cycles)?;
        watch.layer_begins(layer);
        let first = FirstError::none();
        let smaller = |seeds, bound, from| {
            let part = shared.smaller.part(seeds, bound, from);
            part.map_err(|error| first.keep(error.into()))
        };
        let goes_on = |progress| watch.layer_goes_on(layer, progress);
        let note = |found| watch.checkpoint(layer, found);
        let of_layer = |tables| LayerCheckpoints::new(tables, layer, build.checkpoint, &note);
        let mut of_layer = tables.as_deref().map(of_layer);
        let store: &mut dyn CheckpointStore = match &mut of_layer {
            Some(of_layer) => of_layer,
            None => &mut NoCheckpoints,
        };
        let mut joint = Joint {
            cluster,
            directory: &shared.directory,
            first: &first,
        };
        let found = solver.solve_together(layer, smaller, &mut joint, resident, store, goes_on);
        let solved = solved.insert(first.of(found)?);
        let solving = begin.elapsed();
        watch.layer_is_solved(layer);
        if build.keeps(layer)
            && let Some(tables) = tables
        {
            tables.keep(solved.values().as_ref())?;
        }
        let added = shared.add_layer(cluster, tables.as_mut(), *kind, solved)?;
        Ok(added.map(|statistics| BuiltLayer {
            statistics,
            solving,
            total: begin.elapsed(),
            moved: None,
        }))
    }
}

#[cfg(test)]
pub(crate) mod tests;

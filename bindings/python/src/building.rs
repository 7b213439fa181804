//! Building tables, with Ctrl-C.

use std::panic;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use granero::build::{Build, BuildError, BuiltLayer, Watch};
use granero::index::Layer;
use granero::table::TableWriter;
use granero::{Extent, solver};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays;
use crate::errors;
use crate::rules::Ruleset;
use crate::tables::{self, Options, Tables};

/// The time between two checks for signals of Python, and between reports of progress.
const PAUSE: Duration = Duration::from_millis(50);

/// The memory that a build may use unless the caller says otherwise.
const MEMORY: u64 = 4 << 30;

/// The progress of a build.
#[pyclass(frozen, eq, get_all, module = "granero")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Progress {
    /// The seeds of the layer in progress.
    seeds: u8,
    /// The positions that are done, in finished layers and in the layer in progress.
    positions: u64,
    /// The positions of all layers.
    total: u64,
}

shown!(Progress, it => "<Progress: {} seeds, {} of {} positions>", it.seeds, it.positions, it.total);

/// Builds the tables that are missing in a directory, up to `seeds` seeds, and opens them.
///
/// deciding: build values only as far as they decide the game.
/// game: the same for a game of this many seeds, 36 for instance.
/// threads: the number of threads (default: one for each processor).
/// memory: the most memory to use, in bytes (default: 4 GiB).
/// progress: called with a Progress now and then.
///
/// Ctrl-C, or an exception of `progress`, ends the build; finished layers stay, and another build goes on from
/// there.
#[pyfunction]
#[pyo3(signature = (
    directory, seeds, *, ruleset = Ruleset(granero::Ruleset::Abapa), cycles = "split",
    deciding = false, game = None, threads = None, memory = None, progress = None
))]
#[allow(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn build(
    py: Python<'_>,
    directory: PathBuf,
    seeds: u8,
    ruleset: Ruleset,
    cycles: &str,
    deciding: bool,
    game: Option<u8>,
    threads: Option<usize>,
    memory: Option<u64>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Tables> {
    arrays::layer(seeds)?;
    let build = Build {
        cycles: tables::cycles(cycles)?,
        extent: match game {
            Some(game) => Extent::deciding(game)
                .ok_or_else(|| PyValueError::new_err("a game has 1 to 48 seeds"))?,
            None if deciding => Extent::DECIDING,
            None => Extent::FULL,
        },
        seeds,
        threads: threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from)),
        memory: memory.unwrap_or(MEMORY),
        checkpoint: None,
    };
    let watched = Watched::new(&build);
    let work = || {
        let cycles = build.cycles;
        let writer = TableWriter::open(&directory, (ruleset.0, cycles, build.extent));
        build.run(&mut writer?, &watched)
    };
    run(py, &watched, progress, work)?;
    let options = Options {
        cycles: Some(build.cycles.name()),
        ..Options::default()
    };
    Tables::of(py, options, &directory)
}

/// Runs a build in its own thread. The calling thread looks after Python, because no other thread learns of
/// Ctrl-C.
fn run(
    py: Python<'_>,
    watched: &Watched,
    progress: Option<Bound<'_, PyAny>>,
    work: impl FnOnce() -> Result<Vec<BuiltLayer>, BuildError> + Send,
) -> PyResult<()> {
    let mut told = None;
    let mut tell = |now: Progress| match &progress {
        Some(progress) if told.replace(now) != Some(now) => progress.call1((now,)).map(drop),
        _ => Ok(()),
    };
    let (ended, mut end) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let worker = scope.spawn(move || {
            // Dropped when the work is done, whatever happens.
            let _ended = ended;
            work()
        });
        let mut raised = None;
        loop {
            let end = &mut end;
            let waited = py.detach(move || end.recv_timeout(PAUSE));
            if raised.is_none() {
                raised = py.check_signals().and_then(|()| tell(watched.now())).err();
                if raised.is_some() {
                    watched.stopped.store(true, Ordering::Relaxed);
                }
            }
            if waited != Err(RecvTimeoutError::Timeout) {
                break;
            }
        }
        let built = py.detach(|| worker.join());
        let built = built.unwrap_or_else(|panicked| panic::resume_unwind(panicked));
        match raised {
            Some(raised) => Err(raised),
            None => built.map(drop).map_err(errors::of_build),
        }
    })
}

/// The progress of the build, and the request to stop it.
struct Watched {
    seeds: AtomicU8,
    positions: AtomicU64,
    total: u64,
    stopped: AtomicBool,
}

impl Watched {
    fn new(build: &Build) -> Watched {
        Watched {
            seeds: AtomicU8::new(0),
            positions: AtomicU64::new(0),
            total: smaller_than(build.seeds + 1),
            stopped: AtomicBool::new(false),
        }
    }

    fn now(&self) -> Progress {
        Progress {
            seeds: self.seeds.load(Ordering::Relaxed),
            positions: self.positions.load(Ordering::Relaxed),
            total: self.total,
        }
    }

    fn reach(&self, layer: Layer, thousandths: u64) {
        let part = u128::from(layer.len()) * u128::from(thousandths) / 1000;
        let positions = smaller_than(layer.seeds()) + part as u64;
        self.seeds.fetch_max(layer.seeds(), Ordering::Relaxed);
        self.positions.fetch_max(positions, Ordering::Relaxed);
    }
}

impl Watch for Watched {
    fn layer_begins(&self, layer: Layer) {
        self.reach(layer, 0);
    }

    fn layer_goes_on(&self, layer: Layer, progress: solver::Progress) {
        self.reach(layer, progress.thousandths(layer));
    }

    fn layer_is_finished(&self, built: &BuiltLayer) {
        if let Some(layer) = Layer::new(built.statistics.seeds) {
            self.reach(layer, 1000);
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// The positions of all layers with fewer seeds.
fn smaller_than(seeds: u8) -> u64 {
    let layers = Layer::all().take(seeds.into());
    layers.map(Layer::len).sum()
}

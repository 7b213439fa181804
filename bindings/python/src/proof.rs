//! Proofs beyond the tables.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use granero::TableError;
use granero::prove::{Budget, ProofProgress, Prover};
use pyo3::prelude::*;

use crate::assessment::{Range, text_of};
use crate::errors;
use crate::position::Position;
use crate::rules::Move;

/// The time between two checks for signals of Python.
const PAUSE: Duration = Duration::from_millis(100);

/// The budget of some seconds, of some positions, or of both; None if neither is given.
pub(crate) fn budget(seconds: Option<f64>, positions: Option<u64>) -> PyResult<Option<Budget>> {
    let time = seconds.map(Duration::try_from_secs_f64).transpose();
    let time = time.map_err(errors::of_value)?;
    let nodes = positions.unwrap_or(u64::MAX);
    Ok((seconds.is_some() || positions.is_some()).then_some(Budget { nodes, time }))
}

/// What a search calls now and then.
pub(crate) type Watcher<'w> = &'w mut dyn FnMut(&ProofProgress) -> ControlFlow<()>;

/// Searches. Ctrl-C ends it, and so does an exception of `watch`.
pub(crate) fn search<T: Send>(
    py: Python<'_>,
    watch: Option<Py<PyAny>>,
    search: impl FnOnce(Watcher<'_>) -> Result<T, TableError> + Send,
) -> PyResult<T> {
    let mut checked = Instant::now();
    let mut raised = Ok(());
    let mut check = |_: &ProofProgress| {
        if raised.is_ok() && checked.elapsed() > PAUSE {
            checked = Instant::now();
            raised = Python::attach(|py| {
                py.check_signals()?;
                let watch = watch.as_ref();
                watch.map_or(Ok(()), |watch| watch.call0(py).map(drop))
            });
        }
        match raised {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    };
    let found = py.detach(|| search(&mut check));
    raised?;
    found.map_err(errors::of_tables)
}

/// Proven bounds of a position and of its moves.
#[pyclass(frozen, eq, get_all, module = "granero")]
#[derive(Clone, PartialEq)]
pub(crate) struct Proof {
    /// The position.
    position: Position,
    /// The least and the most that the player to move gets, as far as it is proven.
    range: Range,
    /// The value of the position, if it is proven.
    value: Option<i8>,
    /// The legal moves, in the order of their houses.
    moves: Vec<ProvenMove>,
    /// The number of positions that were looked at, apart from those in the tables.
    positions: u64,
    /// The seconds that it took.
    seconds: f64,
    /// The reason why the search ended: "settled", "positions", "time" or "memory".
    ended: &'static str,
}

impl Proof {
    /// Searches with tables.
    pub(crate) fn of(
        py: Python<'_>,
        tables: &granero::Tables,
        position: granero::Position,
        budget: Budget,
        watch: Option<Py<PyAny>>,
    ) -> PyResult<Proof> {
        let prover = Prover::new(tables);
        let prove = |watch: Watcher<'_>| prover.prove(&position, budget, watch);
        let proof = search(py, watch, prove)?;
        let range = (proof.low.seeds(), proof.high.seeds());
        let moves = proof.moves.iter().map(|proven| ProvenMove {
            play: Move::from(proven.play),
            house: proven.play.house.to_string(),
            range: (proven.low.seeds(), proven.high.seeds()),
            best: proof.best().any(|best| best == proven),
        });
        Ok(Proof {
            position: Position(position),
            range,
            value: (range.0 == range.1).then_some(range.0),
            moves: moves.collect(),
            positions: proof.nodes,
            seconds: proof.time.as_secs_f64(),
            ended: proof.ended.name(),
        })
    }
}

shown!(Proof, it => "<Proof of {}, value {}>", it.position.0, text_of(Some(it.range)));

/// A legal move with proven bounds.
#[pyclass(frozen, eq, get_all, module = "granero")]
#[derive(Clone, PartialEq)]
pub(crate) struct ProvenMove {
    /// The move.
    play: Move,
    /// The house that is sown: "A" to "F".
    house: String,
    /// The least and the most that it is worth to the player who makes it.
    range: Range,
    /// True if it is certainly a best move.
    best: bool,
}

shown!(ProvenMove, it => "<ProvenMove {}, value {}>", it.house, text_of(Some(it.range)));

//! Proofs beyond the tables.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use granero::prove::{Budget, Prover};
use pyo3::prelude::*;

use crate::assessment::Range;
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

/// Ends searches at Ctrl-C.
pub(crate) struct Signals {
    checked: Instant,
    /// The exception of a signal, for the caller.
    pub(crate) raised: PyResult<()>,
}

impl Signals {
    pub(crate) fn new() -> Signals {
        Signals {
            checked: Instant::now(),
            raised: Ok(()),
        }
    }

    pub(crate) fn check(&mut self) -> ControlFlow<()> {
        if self.raised.is_ok() && self.checked.elapsed() > PAUSE {
            self.checked = Instant::now();
            self.raised = Python::attach(|py| py.check_signals());
        }
        match self.raised {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

/// Proven bounds of a position and of its moves.
#[pyclass(frozen, eq, module = "granero")]
#[derive(Clone, PartialEq)]
pub(crate) struct Proof {
    position: granero::Position,
    proof: granero::prove::Proof,
}

impl Proof {
    /// Searches with tables.
    pub(crate) fn of(
        py: Python<'_>,
        tables: &granero::Tables,
        position: granero::Position,
        budget: Budget,
    ) -> PyResult<Proof> {
        let mut signals = Signals::new();
        let search = || Prover::new(tables).prove(&position, budget, |_| signals.check());
        let proof = py.detach(search).map_err(errors::of_tables)?;
        signals.raised.map(|()| Proof { position, proof })
    }
}

#[pymethods]
impl Proof {
    /// The position.
    #[getter]
    fn position(&self) -> Position {
        Position(self.position)
    }

    /// The least and the most that the player to move gets, as far as it is proven.
    #[getter]
    fn range(&self) -> Range {
        (self.proof.low.seeds(), self.proof.high.seeds())
    }

    /// The value of the position, if it is proven.
    #[getter]
    fn value(&self) -> Option<i8> {
        let (least, most) = self.range();
        (least == most).then_some(least)
    }

    /// The legal moves, in the order of their houses.
    #[getter]
    fn moves(&self) -> Vec<ProvenMove> {
        let best: Vec<_> = self.proof.best().collect();
        let moves = self.proof.moves.iter();
        moves
            .map(|proven| ProvenMove {
                play: Move(proven.play),
                range: (proven.low.seeds(), proven.high.seeds()),
                best: best.contains(&proven),
            })
            .collect()
    }

    /// The number of positions that were looked at, apart from those in the tables.
    #[getter]
    fn positions(&self) -> u64 {
        self.proof.nodes
    }

    /// The seconds that it took.
    #[getter]
    fn seconds(&self) -> f64 {
        self.proof.time.as_secs_f64()
    }

    /// The reason why the search ended: "settled", "positions", "time" or "memory".
    #[getter]
    fn ended(&self) -> &'static str {
        self.proof.ended.name()
    }

    fn __repr__(&self) -> String {
        let (least, most) = self.range();
        format!("<Proof of {}, worth {least} to {most}>", self.position)
    }
}

/// A legal move with proven bounds.
#[pyclass(frozen, eq, get_all, module = "granero")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct ProvenMove {
    /// The move.
    play: Move,
    /// The least and the most that it is worth to the player who makes it.
    range: Range,
    /// True if it is certainly a best move.
    best: bool,
}

#[pymethods]
impl ProvenMove {
    /// The house that is sown: "A" to "F".
    #[getter]
    fn house(&self) -> String {
        self.play.0.house.to_string()
    }

    fn __repr__(&self) -> String {
        let (house, (least, most)) = (self.house(), self.range);
        format!("<ProvenMove {house}, worth {least} to {most}>")
    }
}

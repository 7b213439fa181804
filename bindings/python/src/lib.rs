//! The Python package `granero`: the library for Python, with whole layers and batches of positions
//! as NumPy arrays.
//!
//! Names are as in the library, which implements the rules of the game and the format of tables.
//! `granero.pyi` and `README.md` document the package for Python.

/// Gives a class its text for people.
macro_rules! shown {
    ($class:ident, $this:ident => $($text:tt)+) => {
        #[pyo3::pymethods]
        impl $class {
            fn __repr__(&self) -> String {
                let $this = self;
                format!($($text)+)
            }
        }
    };
}

mod arrays;
mod assessment;
mod building;
mod document;
mod errors;
mod judgement;
mod line;
mod position;
mod proof;
mod rules;
mod situation;
mod tables;

/// Exact endgame tables for Oware, Awari, Wari, Awalé.
#[pyo3::pymodule]
mod granero {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::{
        arrays::{rank, unrank},
        assessment::{AssessedMove, Assessment},
        building::{Progress, build},
        judgement::{JudgedMove, Judgement, PlayerSummary},
        line::Line,
        position::Position,
        proof::{Proof, ProvenMove},
        rules::{GameOver, Move, Ruleset},
        situation::Situation,
        tables::Tables,
    };

    #[pymodule_export]
    const UNKNOWN: i8 = crate::arrays::UNKNOWN;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::errors::add_to(module)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

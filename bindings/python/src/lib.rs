//! The Python package `granero`: the library for Python, with whole layers and batches of positions
//! as NumPy arrays.
//!
//! Names are as in the library, which implements the rules of the game and the format of tables.
//! `granero.pyi` and `README.md` document the package for Python.

mod arrays;
mod assessment;
mod building;
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

    use crate::errors::{BEYOND_TABLES, NO_TABLES, TABLE_FILE_ERROR};

    #[pymodule_export]
    use crate::arrays::{rank, unrank};
    #[pymodule_export]
    use crate::assessment::{AssessedMove, Assessment};
    #[pymodule_export]
    use crate::building::{Progress, build};
    #[pymodule_export]
    use crate::errors::{BuildError, IllegalMove, NotationError, TableError};
    #[pymodule_export]
    use crate::judgement::{JudgedMove, Judgement, PlayerSummary};
    #[pymodule_export]
    use crate::line::Line;
    #[pymodule_export]
    use crate::position::Position;
    #[pymodule_export]
    use crate::proof::{Proof, ProvenMove};
    #[pymodule_export]
    use crate::rules::{GameOver, Move, Ruleset};
    #[pymodule_export]
    use crate::situation::Situation;
    #[pymodule_export]
    use crate::tables::Tables;

    #[pymodule_export]
    const UNKNOWN: i8 = crate::arrays::UNKNOWN;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let py = module.py();
        module.add("BeyondTables", BEYOND_TABLES.class(py)?)?;
        module.add("NoTables", NO_TABLES.class(py)?)?;
        module.add("TableFileError", TABLE_FILE_ERROR.class(py)?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

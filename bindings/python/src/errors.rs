//! Errors of the library as exceptions with the same texts.

use std::error::Error;
use std::ffi::CStr;

use granero::notation::ParseError;
use granero_answer::with_causes;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exceptions, in Python because some have two bases.
const EXCEPTIONS: &CStr = cr#"
class TableError(Exception):
    "Tables cannot be read or written, or do not hold the requested values."

class BeyondTables(TableError, LookupError):
    "The tables do not have the position or the layer."

class NoTables(TableError, FileNotFoundError):
    "There is no such directory, or it holds no tables."

class TableFileError(TableError, OSError):
    "The operating system cannot read or write a file."

class BuildError(Exception):
    "A build needs more than it may use."

class NotationError(ValueError):
    "A text is not a position, a situation or a game; the message says where and why."

class IllegalMove(ValueError):
    "The rules do not allow the move; the message says why."
"#;

/// Adds the exceptions to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let names = PyDict::new(module.py());
    names.set_item("__name__", "granero")?;
    module.py().run(EXCEPTIONS, Some(&names), None)?;
    for (name, exception) in names {
        let name: String = name.extract()?;
        if !name.starts_with('_') {
            module.add(name, exception)?;
        }
    }
    Ok(())
}

/// An exception with a message, or the reason why it cannot be made.
pub(crate) fn raise(name: &str, message: String) -> PyErr {
    Python::attach(|py| {
        let module = py.import("granero");
        let class = module.and_then(|module| module.getattr(name));
        let made = class.and_then(|class| class.call1((message,)));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}

pub(crate) fn of_tables(error: granero::TableError) -> PyErr {
    let name = match error {
        granero::TableError::NoSuchLayer { .. } => "BeyondTables",
        granero::TableError::NoTables { .. } => "NoTables",
        granero::TableError::Io { .. } => "TableFileError",
        _ => "TableError",
    };
    raise(name, with_causes(&error))
}

pub(crate) fn of_build(error: granero::build::BuildError) -> PyErr {
    match error {
        granero::build::BuildError::Table(error) => of_tables(error),
        error => raise("BuildError", with_causes(&error)),
    }
}

pub(crate) fn of_notation(error: ParseError) -> PyErr {
    raise("NotationError", error.to_string())
}

pub(crate) fn of_value(error: impl Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

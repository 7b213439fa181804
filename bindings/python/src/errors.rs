//! Errors of the library as exceptions with the same texts.

use std::error::Error;
use std::iter;

use granero::notation::ParseError;
use pyo3::exceptions::{PyException, PyFileNotFoundError, PyLookupError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyType};
use pyo3::{PyTypeInfo, create_exception};

create_exception!(
    granero,
    TableError,
    PyException,
    "Tables cannot be read or written, or do not hold what is asked for."
);
create_exception!(
    granero,
    BuildError,
    PyException,
    "A build cannot be done with what it may use."
);
create_exception!(
    granero,
    NotationError,
    PyValueError,
    "A text is not a position, a situation or a game; the message says where and why."
);
create_exception!(
    granero,
    IllegalMove,
    PyValueError,
    "The rules do not allow the move; the message says why."
);

/// An exception that is a [`TableError`] and a built-in exception as well.
pub(crate) struct Twofold {
    name: &'static str,
    doc: &'static str,
    builtin: fn(Python<'_>) -> Bound<'_, PyType>,
    made: PyOnceLock<Py<PyType>>,
}

pub(crate) static BEYOND_TABLES: Twofold = Twofold {
    name: "BeyondTables",
    doc: "The tables do not have the position or the layer. A LookupError.",
    builtin: PyLookupError::type_object,
    made: PyOnceLock::new(),
};

pub(crate) static NO_TABLES: Twofold = Twofold {
    name: "NoTables",
    doc: "There is no such directory, or it holds no tables. A FileNotFoundError.",
    builtin: PyFileNotFoundError::type_object,
    made: PyOnceLock::new(),
};

pub(crate) static TABLE_FILE_ERROR: Twofold = Twofold {
    name: "TableFileError",
    doc: "The operating system cannot read or write a file. An OSError.",
    builtin: PyOSError::type_object,
    made: PyOnceLock::new(),
};

impl Twofold {
    pub(crate) fn class<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyType>> {
        let make = || {
            let bases = (TableError::type_object(py), (self.builtin)(py));
            let members = [("__module__", "granero"), ("__doc__", self.doc)].into_py_dict(py)?;
            let class = PyType::type_object(py).call1((self.name, bases, members))?;
            Ok::<_, PyErr>(class.cast_into::<PyType>()?.unbind())
        };
        Ok(self.made.get_or_try_init(py, make)?.bind(py))
    }

    /// The exception with a message, or the reason why it cannot be made.
    pub(crate) fn raise(&self, message: String) -> PyErr {
        Python::attach(|py| match self.class(py) {
            Ok(class) => PyErr::from_type(class.clone(), message),
            Err(error) => error,
        })
    }
}

/// An error and its causes in one line.
fn with_causes(error: &(dyn Error + 'static)) -> String {
    let errors = iter::successors(Some(error), |&error| error.source());
    let messages: Vec<String> = errors.map(ToString::to_string).collect();
    messages.join(": ")
}

pub(crate) fn of_tables(error: granero::TableError) -> PyErr {
    let message = with_causes(&error);
    match error {
        granero::TableError::NoSuchLayer { .. } => BEYOND_TABLES.raise(message),
        granero::TableError::NoTables { .. } => NO_TABLES.raise(message),
        granero::TableError::Io { .. } => TABLE_FILE_ERROR.raise(message),
        _ => TableError::new_err(message),
    }
}

pub(crate) fn of_build(error: granero::build::BuildError) -> PyErr {
    match error {
        granero::build::BuildError::Table(error) => of_tables(error),
        error => BuildError::new_err(with_causes(&error)),
    }
}

pub(crate) fn of_notation(error: ParseError) -> PyErr {
    NotationError::new_err(error.to_string())
}

pub(crate) fn of_value(error: impl Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

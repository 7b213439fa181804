//! Errors of the library as exceptions with the same texts.

use std::error::Error;
use std::iter;

use granero::notation::ParseError;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::{PyErr, create_exception};

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

/// An error and its causes in one line.
fn with_causes(error: &(dyn Error + 'static)) -> String {
    let errors = iter::successors(Some(error), |&error| error.source());
    let messages: Vec<String> = errors.map(ToString::to_string).collect();
    messages.join(": ")
}

pub(crate) fn of_tables(error: granero::TableError) -> PyErr {
    TableError::new_err(with_causes(&error))
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

//! JSON documents of the program, as objects of Python.

use pyo3::prelude::*;
use serde::Serialize;

use crate::errors;

/// A document as text.
pub(crate) fn text(document: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(document).map_err(errors::of_value)
}

/// Reads the text of a document.
pub(crate) fn read<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

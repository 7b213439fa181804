//! Positions as rows of arrays.

use granero::index::Layer;
use granero::pool;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::Borrowed;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::errors;

/// Stands in arrays for a value that tables do not have. No value is so small.
pub(crate) const UNKNOWN: i8 = i8::MIN;

/// Many positions: an array of integers of shape (N, 12).
///
/// They are copied, because other Python threads may change the array during the look-up.
pub(crate) struct ManyPositions(pub(crate) Vec<granero::Position>);

impl<'a, 'py> FromPyObject<'a, 'py> for ManyPositions {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<ManyPositions> {
        let wanted = || {
            PyTypeError::new_err(
                "positions are an array of shape (N, 12) of integers from 0 to 48: \
                 numpy.asarray(positions)",
            )
        };
        let array: PyReadonlyArray2<'_, u8> = match given.extract() {
            Ok(array) => array,
            Err(_) => {
                let cast = integers(&given, "uint8").ok_or_else(wanted)?;
                cast.extract().map_err(|_| wanted())?
            }
        };
        let array = array.as_array();
        if array.ncols() != 12 {
            return Err(wanted());
        }
        let rows = array.as_standard_layout();
        let (rows, _) = rows.as_slice().unwrap_or_default().as_chunks::<12>();
        let positions = rows.iter().enumerate().map(|(row, &houses)| {
            granero::Position::new(houses)
                .map_err(|error| PyValueError::new_err(format!("row {row}: {error}")))
        });
        positions.collect::<PyResult<_>>().map(ManyPositions)
    }
}

/// An array of integers as one of another integer type that holds them all; None if it is something else.
fn integers<'py>(given: &Bound<'py, PyAny>, kind: &str) -> Option<Bound<'py, PyAny>> {
    let cast = || {
        let code: String = given.getattr("dtype")?.getattr("kind")?.extract()?;
        let cast = given.call_method1("astype", (kind,))?;
        let same = cast.call_method1("__eq__", (given,))?.call_method0("all")?;
        let is_integer = code == "u" || code == "i";
        PyResult::Ok((is_integer && same.is_truthy()?).then_some(cast))
    };
    cast().ok().flatten()
}

/// The numbers of positions in their layers: an array of shape (N,) and type uint64.
///
/// `positions` is an array of integers of shape (N, 12).
#[pyfunction]
pub(crate) fn rank<'py>(py: Python<'py>, positions: ManyPositions) -> Bound<'py, PyArray1<u64>> {
    let number = |position: &granero::Position| Layer::of(position).index(position);
    let numbers = py.detach(|| positions.0.iter().map(number).collect());
    PyArray1::from_vec(py, numbers)
}

/// The positions with these numbers in the layer of `seeds` seeds: an array of shape (N, 12) and type uint8.
#[pyfunction]
pub(crate) fn unrank<'py>(
    py: Python<'py>,
    seeds: u8,
    numbers: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<u8>>> {
    let layer = layer(seeds)?;
    let wanted = || {
        PyTypeError::new_err(
            "numbers of positions are an array of shape (N,) of integers from 0: numpy.asarray(numbers)",
        )
    };
    let numbers = integers(&numbers, "uint64").ok_or_else(wanted)?;
    let numbers: PyReadonlyArray1<'_, u64> = numbers.extract().map_err(|_| wanted())?;
    let numbers = numbers.as_array().to_vec();
    let place = |&number: &u64| {
        let position = layer.position(number);
        position.map(|position| position.houses()).ok_or(number)
    };
    let work = || numbers.par_iter().map(place).collect::<Result<Vec<_>, _>>();
    let houses = py.detach(|| pool::install(work)).map_err(|number| {
        let end = layer.len();
        PyValueError::new_err(format!("there is no position {number} of {end}"))
    })?;
    let rows = houses.len();
    PyArray1::from_vec(py, houses.into_flattened()).reshape([rows, 12])
}

/// The layer of `seeds` seeds.
pub(crate) fn layer(seeds: u8) -> PyResult<Layer> {
    let too_many = granero::TooManySeeds {
        seeds: seeds.into(),
    };
    Layer::new(seeds).ok_or_else(|| errors::of_value(too_many))
}

//! Tables.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use granero::prove::Budget;
use granero::{
    Access, Bound as Which, Clamped, Cycles, FinalScore, Game, Measured, Side, TableOptions, Value,
    pool,
};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arrays::{ManyPositions, UNKNOWN};
use crate::assessment::{self, Assessment, Range};
use crate::errors;
use crate::judgement::Judgement;
use crate::line::Line;
use crate::position::PositionLike;
use crate::proof::{self, Proof};
use crate::rules::Ruleset;
use crate::situation::Situation;

/// An array of values.
type Values<'py> = Bound<'py, PyArray1<i8>>;

/// Open tables, to look positions up. Threads can share them, and so can children of `fork`.
#[pyclass(frozen, module = "granero")]
pub(crate) struct Tables {
    /// None once they are closed. Only threads that hold the lock of the interpreter lock it, so that no
    /// other thread holds it at a `fork`.
    held: Mutex<Option<Held>>,
    options: Options,
}

/// Tables of a directory, or the sample tables inside the library.
#[derive(Clone)]
enum Held {
    Opened(Arc<granero::Tables>),
    Sample(&'static granero::Tables),
}

/// The options that tables were opened with.
#[derive(Clone, Copy, Default)]
pub(crate) struct Options {
    pub(crate) cycles: Option<Cycles>,
    pub(crate) read: bool,
    pub(crate) cache_bytes: Option<u64>,
    pub(crate) in_memory: Option<u8>,
}

impl Deref for Held {
    type Target = granero::Tables;

    fn deref(&self) -> &granero::Tables {
        match self {
            Held::Opened(tables) => tables,
            Held::Sample(tables) => tables,
        }
    }
}

impl Tables {
    /// Opens a directory.
    pub(crate) fn of(py: Python<'_>, options: Options, directory: &Path) -> PyResult<Tables> {
        let mut asked = TableOptions::new();
        if let Some(cycles) = options.cycles {
            asked = asked.cycles(cycles);
        }
        if options.read {
            asked = asked.access(Access::Read);
        }
        if let Some(bytes) = options.cache_bytes {
            asked = asked.cache_bytes(bytes);
        }
        if let Some(seeds) = options.in_memory {
            asked = asked.in_memory(seeds);
        }
        let opened = py.detach(|| pool::install(|| asked.open(directory)));
        let held = Held::Opened(Arc::new(opened.map_err(errors::of_tables)?));
        Ok(Tables::new(held, options))
    }

    fn new(held: Held, options: Options) -> Tables {
        Tables {
            held: Mutex::new(Some(held)),
            options,
        }
    }

    /// The tables, if they are not closed.
    fn held(&self) -> PyResult<Held> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = || PyValueError::new_err("the tables are closed");
        held.clone().ok_or_else(closed)
    }
}

impl Held {
    /// The values or bounds of all positions of a layer. Deciding tables may have cut them off.
    fn read_layer(&self, py: Python<'_>, seeds: u8) -> PyResult<Measured<Vec<i8>>> {
        let read = py.detach(|| pool::install(|| self.layer(seeds)));
        read.map_err(errors::of_tables)
    }

    /// Interprets a number of a layer.
    fn number(&self, seeds: u8, number: i8) -> Option<Clamped> {
        let number = Value::new(number)?;
        Some(self.clamped(seeds, Measured::Value(number)).low())
    }

    /// The exact value of a position, if the tables have it.
    fn value_of(&self, py: Python<'_>, position: &granero::Position) -> PyResult<Option<Value>> {
        let worth = py.detach(|| self.worth(position));
        let worth = worth.map_err(errors::of_tables)?;
        Ok(worth.and_then(Measured::exact))
    }

    /// Looks up the worth of many positions.
    fn look_up(
        &self,
        py: Python<'_>,
        positions: &[granero::Position],
    ) -> PyResult<Vec<Option<Measured<Clamped>>>> {
        let found = py.detach(|| pool::install(|| self.clamped_worths(positions)));
        found.map_err(errors::of_tables)
    }
}

#[pymethods]
impl Tables {
    /// Opens a directory of tables.
    #[staticmethod]
    #[pyo3(signature = (directory, *, cycles = None, read = false, cache_bytes = None, in_memory = None))]
    fn open(
        py: Python<'_>,
        directory: PathBuf,
        cycles: Option<&str>,
        read: bool,
        cache_bytes: Option<u64>,
        in_memory: Option<u8>,
    ) -> PyResult<Tables> {
        let cycles = cycles.map(self::cycles).transpose()?;
        let options = Options {
            cycles,
            read,
            cache_bytes,
            in_memory,
        };
        Tables::of(py, options, &directory)
    }

    /// The sample tables inside this package: "abapa", up to 8 seeds.
    #[staticmethod]
    #[pyo3(signature = (cycles = "split"))]
    fn sample(cycles: &str) -> PyResult<Tables> {
        let tables = granero::Tables::sample_of(self::cycles(cycles)?);
        Ok(Tables::new(Held::Sample(tables), Options::default()))
    }

    /// The directory of the files; None for the sample.
    #[getter]
    fn directory(&self) -> PyResult<Option<PathBuf>> {
        Ok(self.held()?.directory().map(Into::into))
    }

    /// The rules.
    #[getter]
    fn ruleset(&self) -> PyResult<Ruleset> {
        Ok(Ruleset(self.held()?.rules()))
    }

    /// The convention for endless play: "split" or "own-side".
    #[getter(cycles)]
    fn cycles_name(&self) -> PyResult<&'static str> {
        Ok(self.held()?.cycles().name())
    }

    /// The extent of the values: "full" or "deciding".
    #[getter(extent)]
    fn extent_name(&self) -> PyResult<&'static str> {
        Ok(self.held()?.extent().name())
    }

    /// The seeds of the game that deciding tables decide; None in full.
    #[getter]
    fn decides(&self) -> PyResult<Option<u8>> {
        Ok(self.held()?.extent().game())
    }

    /// The most seeds that a position in the tables has; None if they have no layers.
    #[getter(max_seeds)]
    fn most_seeds(&self) -> PyResult<Option<u8>> {
        Ok(self.held()?.max_seeds())
    }

    /// The value of a position to the player to move, or `default` if the tables do not have it exactly:
    /// the position is beyond them, its bounds differ, or deciding tables have cut it off.
    #[pyo3(signature = (position, default = None))]
    fn value<'py>(
        &self,
        py: Python<'py>,
        position: PositionLike,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let value = self.held()?.value_of(py, &position.0)?;
        Ok(match value {
            Some(value) => Some(value.seeds().into_pyobject(py)?.into_any()),
            None => default,
        })
    }

    /// The value of a position to the player to move. BeyondTables, a LookupError, where `value` gives
    /// None.
    fn __getitem__(&self, py: Python<'_>, position: PositionLike) -> PyResult<i8> {
        let value = self.held()?.value_of(py, &position.0)?;
        let missing = || format!("the tables do not have the value of {}", position.0);
        value
            .map(Value::seeds)
            .ok_or_else(|| errors::BEYOND_TABLES.raise(missing()))
    }

    /// The seeds that South and North end up with from a situation, by best play. None where `value`
    /// gives None.
    fn final_score(&self, py: Python<'_>, situation: Situation) -> PyResult<Option<(f64, f64)>> {
        let value = self.held()?.value_of(py, &situation.0.position())?;
        let score = value.map(|value| FinalScore::new(&situation.0, value));
        Ok(score.map(|score| (score.seeds(Side::South), score.seeds(Side::North))))
    }

    /// The least and the most that the player to move gets, as far as the tables tell it. None
    /// beyond the tables.
    fn range(&self, py: Python<'_>, position: PositionLike) -> PyResult<Option<Range>> {
        let held = self.held()?;
        let worth = py.detach(|| held.clamped_worth(&position.0));
        let worth = worth.map_err(errors::of_tables)?;
        Ok(worth.map(|worth| assessment::range(worth, position.0.seeds())))
    }

    /// The worth of a position and each of its moves.
    #[pyo3(name = "assess")]
    fn assess_position(&self, py: Python<'_>, position: PositionLike) -> PyResult<Assessment> {
        let held = self.held()?;
        let assessment = py.detach(|| held.assess(&position.0));
        assessment.map(Assessment).map_err(errors::of_tables)
    }

    /// The values of many positions, an array of shape (N, 12) and type uint8: an array of type int8,
    /// with `UNKNOWN` where `value` gives None.
    fn values<'py>(&self, py: Python<'py>, positions: ManyPositions) -> PyResult<Values<'py>> {
        let found = self.held()?.look_up(py, &positions.0)?.into_iter();
        let exact = found.map(|worth| worth?.exactly()?.exact());
        let values = exact.map(|value| value.map_or(UNKNOWN, Value::seeds));
        Ok(PyArray1::from_vec(py, values.collect()))
    }

    /// The least and the most that many positions are worth: two arrays of type int8, with
    /// `UNKNOWN` in both where `range` gives None.
    fn ranges<'py>(
        &self,
        py: Python<'py>,
        positions: ManyPositions,
    ) -> PyResult<(Values<'py>, Values<'py>)> {
        let found = self.held()?.look_up(py, &positions.0)?;
        let ranges = found.iter().zip(&positions.0).map(|(worth, position)| {
            let range = worth.map(|worth| assessment::range(worth, position.seeds()));
            range.unwrap_or((UNKNOWN, UNKNOWN))
        });
        let (least, most) = ranges.unzip();
        let array = |values| PyArray1::from_vec(py, values);
        Ok((array(least), array(most)))
    }

    /// The values of all positions of a layer, in the order of their numbers: an array of type int8,
    /// with `UNKNOWN` where deciding tables have cut a value off.
    #[pyo3(name = "layer")]
    fn layer_array<'py>(&self, py: Python<'py>, seeds: u8) -> PyResult<Values<'py>> {
        let held = self.held()?;
        if held.cycles() == Cycles::OwnSide {
            return Err(errors::of_tables(granero::TableError::HoldBounds));
        }
        let mut values = held.read_layer(py, seeds)?.low();
        if !held.extent().is_full() {
            py.detach(|| {
                for value in &mut values {
                    let exact = held.number(seeds, *value).and_then(Clamped::exact);
                    *value = exact.map_or(UNKNOWN, Value::seeds);
                }
            });
        }
        Ok(PyArray1::from_vec(py, values))
    }

    /// The least and the most that all positions of a layer are worth: two arrays of type int8. Full
    /// tables with one value for each position give the same array twice.
    fn layer_bounds<'py>(
        &self,
        py: Python<'py>,
        seeds: u8,
    ) -> PyResult<(Values<'py>, Values<'py>)> {
        let array = |values| PyArray1::from_vec(py, values);
        let held = self.held()?;
        let numbers = held.read_layer(py, seeds)?;
        if !held.extent().is_full() {
            let [least, most] = py.detach(|| {
                [(Which::Low, 0), (Which::High, 1)].map(|(bound, end)| {
                    let numbers = numbers.as_ref().get(bound).iter();
                    let clamped = numbers.map(|&number| held.number(seeds, number));
                    let ends = clamped.map(|clamped| Some(clamped?.range(seeds)[end].seeds()));
                    ends.map(|end| end.unwrap_or(UNKNOWN)).collect()
                })
            });
            return Ok((array(least), array(most)));
        }
        Ok(match numbers.map(array) {
            Measured::Value(values) => (values.clone(), values),
            Measured::Bounds { low, high } => (low, high),
        })
    }

    /// The best line from a position; None if the position is beyond the tables, or if deciding tables
    /// have cut off its worth. If positions have bounds, `bound` selects the one that the line realises:
    /// "low" or "high".
    #[pyo3(signature = (position, bound = "low"))]
    fn line(&self, py: Python<'_>, position: PositionLike, bound: &str) -> PyResult<Option<Line>> {
        let bound = match bound {
            "low" => Which::Low,
            "high" => Which::High,
            _ => return Err(PyValueError::new_err("a bound is 'low' or 'high'")),
        };
        let (held, limit) = (self.held()?, granero::line::Line::LIMIT);
        let found = py.detach(|| {
            granero::line::Line::best_within(&held, &position.0, bound, limit, &mut |_| {})
        });
        Ok(found.map_err(errors::of_tables)?.map(Line))
    }

    /// Judges a game, as text in OGN or in Aalina's notation, by the rules of the tables. Beyond them, it
    /// searches for a proof of each position for some seconds, or of so many positions, if that is asked for.
    #[pyo3(signature = (game, *, seconds = None, positions = None))]
    fn judge(
        &self,
        py: Python<'_>,
        game: &str,
        seconds: Option<f64>,
        positions: Option<u64>,
    ) -> PyResult<Judgement> {
        let game: Game = game.parse().map_err(errors::of_notation)?;
        Judgement::of(py, &*self.held()?, &game, seconds, positions)
    }

    /// Searches from a position into the tables, and proves the least and the most that the player to move
    /// gets, within some seconds (default: 1) or so many positions. Ctrl-C ends it.
    #[pyo3(signature = (position, *, seconds = None, positions = None))]
    fn prove(
        &self,
        py: Python<'_>,
        position: PositionLike,
        seconds: Option<f64>,
        positions: Option<u64>,
    ) -> PyResult<Proof> {
        let budget = proof::budget(seconds, positions)?;
        let budget = budget.unwrap_or(Budget::time(Duration::from_secs(1)));
        Proof::of(py, &*self.held()?, position.0, budget)
    }

    /// Closes the tables. Look-ups in progress in other threads end first.
    fn close(&self) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn __enter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.close();
    }

    /// Opens the tables again: by their directory, with the same options.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let held = self.held()?;
        let class = py.get_type::<Tables>();
        let cycles = held.cycles().name();
        let Some(directory) = held.directory() else {
            return Ok((class.getattr("sample")?, PyTuple::new(py, [cycles])?));
        };
        let options = PyDict::new(py);
        options.set_item("cycles", cycles)?;
        options.set_item("read", self.options.read)?;
        options.set_item("cache_bytes", self.options.cache_bytes)?;
        options.set_item("in_memory", self.options.in_memory)?;
        let given = (class.getattr("open")?, std::path::absolute(directory)?);
        let partial = py.import("functools")?.getattr("partial")?;
        Ok((partial.call(given, Some(&options))?, PyTuple::empty(py)))
    }

    fn __repr__(&self) -> String {
        let Ok(held) = self.held() else {
            return "<Tables, closed>".into();
        };
        let reach = match held.max_seeds() {
            Some(seeds) => format!("up to {seeds} seeds"),
            None => "empty".into(),
        };
        format!("<Tables {}, {}, {reach}>", held.rules(), held.cycles())
    }
}

/// A convention for endless play by its name.
pub(crate) fn cycles(name: &str) -> PyResult<Cycles> {
    name.parse().map_err(errors::of_value)
}

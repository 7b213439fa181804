//! Tables.

use std::ops::Deref;
use std::path::PathBuf;

use granero::{Access, Bound as Which, Clamped, Cycles, Game, Measured, TableOptions, Value, pool};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{ManyPositions, UNKNOWN};
use crate::assessment::{self, Assessment, Range};
use crate::errors;
use crate::judgement::Judgement;
use crate::line::Line;
use crate::position::PositionLike;
use crate::rules::Ruleset;

/// An array of values.
type Values<'py> = Bound<'py, PyArray1<i8>>;

/// Open tables, to look positions up. Threads can share them, and so can children of `fork`.
#[pyclass(frozen, module = "granero")]
pub(crate) struct Tables(Held);

/// Tables of a directory, or the sample tables inside the library.
enum Held {
    Opened(granero::Tables),
    Sample(&'static granero::Tables),
}

impl Deref for Tables {
    type Target = granero::Tables;

    fn deref(&self) -> &granero::Tables {
        match &self.0 {
            Held::Opened(tables) => tables,
            Held::Sample(tables) => tables,
        }
    }
}

impl Tables {
    /// Opens a directory.
    pub(crate) fn of(
        py: Python<'_>,
        options: &TableOptions,
        directory: PathBuf,
    ) -> PyResult<Tables> {
        let opened = py.detach(|| pool::install(|| options.open(directory)));
        let opened = opened.map_err(errors::of_tables)?;
        Ok(Tables(Held::Opened(opened)))
    }

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
        let mut options = TableOptions::new();
        if let Some(cycles) = cycles {
            options = options.cycles(self::cycles(cycles)?);
        }
        if read {
            options = options.access(Access::Read);
        }
        if let Some(bytes) = cache_bytes {
            options = options.cache_bytes(bytes);
        }
        if let Some(seeds) = in_memory {
            options = options.in_memory(seeds);
        }
        Tables::of(py, &options, directory)
    }

    /// The sample tables inside this package: "abapa", up to 8 seeds.
    #[staticmethod]
    #[pyo3(signature = (cycles = "split"))]
    fn sample(cycles: &str) -> PyResult<Tables> {
        let tables = granero::Tables::sample_of(self::cycles(cycles)?);
        Ok(Tables(Held::Sample(tables)))
    }

    /// The directory of the files; None for the sample.
    #[getter]
    fn directory(&self) -> Option<PathBuf> {
        granero::Tables::directory(self).map(Into::into)
    }

    /// The rules.
    #[getter]
    fn ruleset(&self) -> Ruleset {
        Ruleset(self.rules())
    }

    /// The convention for endless play: "split" or "own-side".
    #[getter(cycles)]
    fn cycles_name(&self) -> &'static str {
        self.cycles().name()
    }

    /// The extent of the values: "full" or "deciding".
    #[getter(extent)]
    fn extent_name(&self) -> &'static str {
        self.extent().name()
    }

    /// The seeds of the game that deciding tables decide; None in full.
    #[getter]
    fn decides(&self) -> Option<u8> {
        self.extent().game()
    }

    /// The most seeds that a position in the tables has; None if they have no layers.
    #[getter(max_seeds)]
    fn most_seeds(&self) -> Option<u8> {
        self.max_seeds()
    }

    /// The value of a position to the player to move. None if the tables do not have it exactly: the
    /// position is beyond them, its bounds differ, or deciding tables have cut it off.
    fn value(&self, py: Python<'_>, position: PositionLike) -> PyResult<Option<i8>> {
        let worth = py.detach(|| self.worth(&position.0));
        let worth = worth.map_err(errors::of_tables)?;
        Ok(worth.and_then(Measured::exact).map(Value::seeds))
    }

    /// The least and the most that the player to move gets, as far as the tables tell it. None
    /// beyond the tables.
    fn range(&self, py: Python<'_>, position: PositionLike) -> PyResult<Option<Range>> {
        let worth = py.detach(|| self.clamped_worth(&position.0));
        let worth = worth.map_err(errors::of_tables)?;
        Ok(worth.map(|worth| assessment::range(worth, position.0.seeds())))
    }

    /// The worth of a position and each of its moves.
    #[pyo3(name = "assess")]
    fn assess_position(&self, py: Python<'_>, position: PositionLike) -> PyResult<Assessment> {
        let assessment = py.detach(|| self.assess(&position.0));
        assessment.map(Assessment).map_err(errors::of_tables)
    }

    /// The values of many positions, an array of shape (N, 12) and type uint8: an array of type int8,
    /// with `UNKNOWN` where `value` gives None.
    fn values<'py>(&self, py: Python<'py>, positions: ManyPositions) -> PyResult<Values<'py>> {
        let found = self.look_up(py, &positions.0)?.into_iter();
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
        let found = self.look_up(py, &positions.0)?;
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
        if self.cycles() == Cycles::OwnSide {
            return Err(errors::of_tables(granero::TableError::HoldBounds));
        }
        let mut values = self.read_layer(py, seeds)?.low();
        if !self.extent().is_full() {
            py.detach(|| {
                for value in &mut values {
                    let exact = self.number(seeds, *value).and_then(Clamped::exact);
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
        let numbers = self.read_layer(py, seeds)?;
        if !self.extent().is_full() {
            let [least, most] = py.detach(|| {
                [(Which::Low, 0), (Which::High, 1)].map(|(bound, end)| {
                    let numbers = numbers.as_ref().get(bound).iter();
                    let clamped = numbers.map(|&number| self.number(seeds, number));
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
        let (tables, limit): (&granero::Tables, _) = (self, granero::line::Line::LIMIT);
        let found = py.detach(|| {
            granero::line::Line::best_within(tables, &position.0, bound, limit, &mut |_| {})
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
        Judgement::of(py, self, &game, seconds, positions)
    }

    fn __repr__(&self) -> String {
        let reach = match self.max_seeds() {
            Some(seeds) => format!("up to {seeds} seeds"),
            None => "empty".into(),
        };
        format!("<Tables {}, {}, {reach}>", self.rules(), self.cycles())
    }
}

/// A convention for endless play by its name.
pub(crate) fn cycles(name: &str) -> PyResult<Cycles> {
    name.parse().map_err(errors::of_value)
}

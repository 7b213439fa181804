//! Tables.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use granero::captures::LayerCaptures;
use granero::find::{self, Condition, MoveKind};
use granero::prove::Budget;
use granero::{
    Access, Bound as Which, Clamped, Cycles, FinalScore, Game, Measured, Side, TableError,
    TableOptions, Value, pool,
};
use granero_answer::document::Statistics;
use granero_answer::{Extremes, LayerAnswer, limit_of};
use numpy::PyArray1;
use pyo3::Borrowed;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{self, ManyPositions, UNKNOWN};
use crate::assessment::{self, Assessment, Range};
use crate::judgement::Judgement;
use crate::line::Line;
use crate::position::Position;
use crate::proof::{self, Proof};
use crate::rules::Ruleset;
use crate::situation::Situation;
use crate::{document, errors};

/// An array of values.
type Values<'py> = Bound<'py, PyArray1<i8>>;

/// The actions of OpenSpiel by their numbers, with their values and regrets.
type Actions = BTreeMap<usize, (Option<i8>, Option<f64>)>;

/// Open tables, to look positions up. Threads can share them, and so can children of `fork`.
///
/// `with` closes them at its end. Pickling opens them again: by their directory, with the same options.
///
/// >>> Tables.sample().value("0 1 0 2 0 1 / 0 2 0 1 1 0")
/// 2
#[pyclass(frozen, module = "granero")]
pub(crate) struct Tables {
    /// None once they are closed. Only threads that hold the lock of the interpreter lock it, so that no
    /// other thread holds it at a `fork`.
    held: Mutex<Option<Arc<granero::Tables>>>,
    options: Options,
}

/// The options that tables were opened with.
#[derive(Clone, Copy, Default, IntoPyObject)]
pub(crate) struct Options {
    pub(crate) cycles: Option<&'static str>,
    pub(crate) read: bool,
    pub(crate) cache_bytes: Option<u64>,
    pub(crate) in_memory: Option<u8>,
}

impl Tables {
    /// Opens a directory.
    pub(crate) fn of(py: Python<'_>, options: Options, directory: &Path) -> PyResult<Tables> {
        let mut asked = TableOptions::new();
        if let Some(cycles) = options.cycles {
            asked = asked.cycles(self::cycles(cycles)?);
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
        Ok(Tables::new(opened.map_err(errors::of_tables)?, options))
    }

    fn new(opened: granero::Tables, options: Options) -> Tables {
        Tables {
            held: Mutex::new(Some(Arc::new(opened))),
            options,
        }
    }

    /// The tables, if they are not closed.
    fn held(&self) -> PyResult<Arc<granero::Tables>> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = || PyValueError::new_err("the tables are closed");
        held.clone().ok_or_else(closed)
    }

    /// Asks without the lock of the interpreter.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&granero::Tables) -> Result<T, TableError> + Send,
    ) -> PyResult<T> {
        let held = self.held()?;
        py.detach(|| question(&held)).map_err(errors::of_tables)
    }

    /// The values or bounds of all positions of a layer. Deciding tables may have cut them off.
    fn read_layer(&self, py: Python<'_>, seeds: u8) -> PyResult<Measured<Vec<i8>>> {
        self.ask(py, |tables| pool::install(|| tables.layer(seeds)))
    }

    /// The exact value of a position, if the tables have it.
    fn value_of(&self, py: Python<'_>, position: &granero::Position) -> PyResult<Option<Value>> {
        let value = self.ask(py, |tables| tables.value(position))?;
        Ok(value.and_then(Measured::exact))
    }

    /// Looks up the value of many positions.
    fn look_up(
        &self,
        py: Python<'_>,
        positions: &[granero::Position],
    ) -> PyResult<Vec<Option<Measured<Clamped>>>> {
        self.ask(py, |tables| {
            pool::install(|| tables.clamped_values(positions))
        })
    }
}

#[pymethods]
impl Tables {
    /// Opens a directory of tables.
    ///
    /// cycles: the convention for endless play, if the directory has tables of both (default: "split" if there
    ///     are such tables).
    /// read: read the files instead of mapping them into memory. If a part of a mapped file cannot be read,
    ///     because a disk fails or another program truncates the file, the operating system ends the program;
    ///     with `read` there is an exception.
    /// cache_bytes: the memory for decoded blocks (default: 64 MiB).
    /// in_memory: decode the layers up to this number of seeds, and keep them in memory.
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
            cycles: cycles.map(Cycles::name),
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
        let tables = granero::Tables::open_sample(self::cycles(cycles)?);
        Ok(Tables::new(tables, Options::default()))
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
        position: Position,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let value = self.value_of(py, &position.0)?;
        Ok(match value {
            Some(value) => Some(value.seeds().into_pyobject(py)?.into_any()),
            None => default,
        })
    }

    /// The value of a position to the player to move. BeyondTables, a LookupError, where `value` gives
    /// None.
    fn __getitem__(&self, py: Python<'_>, position: Position) -> PyResult<i8> {
        let value = self.value_of(py, &position.0)?;
        let missing = || format!("the tables do not have the value of {}", position.0);
        value
            .map(Value::seeds)
            .ok_or_else(|| errors::raise("BeyondTables", missing()))
    }

    /// The seeds that South and North end up with from a situation, by best play. None where `value`
    /// gives None.
    fn final_score(&self, py: Python<'_>, situation: Situation) -> PyResult<Option<(f64, f64)>> {
        let value = self.value_of(py, &situation.0.position())?;
        let score = value.map(|value| FinalScore::new(&situation.0, value));
        Ok(score.map(|score| (score.seeds(Side::South), score.seeds(Side::North))))
    }

    /// The least and the most that the player to move gets, as far as the tables hold it. None
    /// beyond the tables.
    fn range(&self, py: Python<'_>, position: Position) -> PyResult<Option<Range>> {
        let value = self.ask(py, |tables| tables.clamped_value(&position.0))?;
        Ok(value.map(|value| assessment::range(value, position.0.seeds())))
    }

    /// The value of a position and each of its moves.
    #[pyo3(name = "assess")]
    fn assess_position(&self, py: Python<'_>, position: Position) -> PyResult<Assessment> {
        let found = self.ask(py, |tables| tables.assess(&position.0));
        found.map(Assessment::from)
    }

    /// What the actions of an OpenSpiel state of Oware are worth: for each legal action its value and its regret.
    ///
    /// The state is given itself, or as its text. The value is the one of `AssessedMove`; the regret are the seeds that the
    /// action gives away, which with bounds counts the low ones. Both are None if the tables do not have them. A
    /// state at the end of the game has no actions. BeyondTables if the state has more seeds than the tables.
    fn openspiel(&self, py: Python<'_>, state: &Bound<'_, PyAny>) -> PyResult<Actions> {
        let situation = Situation::of_text(&state.str()?.to_cow()?)?.0;
        let position = situation.position();
        let found = self.ask(py, |tables| {
            let beyond = || TableError::NoSuchLayer {
                seeds: position.seeds(),
                max_seeds: tables.max_seeds(),
            };
            let found = tables.assess(&position)?;
            found.clamped.map(|_| found.moves).ok_or_else(beyond)
        })?;
        let lows = found
            .iter()
            .map(|assessed| Some(assessed.value?.low().seeds()));
        let best: Option<i8> = lows
            .collect::<Option<Vec<i8>>>()
            .and_then(|lows| lows.into_iter().max());
        let actions = found.iter().map(|assessed| {
            let regret = best
                .zip(assessed.value)
                .map(|(best, value)| f64::from(best - value.low().seeds()) / 2.0);
            let value = assessed.exact().map(Value::seeds);
            (assessed.play.house.index(), (value, regret))
        });
        Ok(actions.collect())
    }

    /// The values of many positions: an array of type int8, with `UNKNOWN` where `value` gives None.
    ///
    /// This is much faster than asking for one after the other: it uses all processors, and looks up positions
    /// of the same block together.
    fn values<'py>(&self, py: Python<'py>, positions: ManyPositions) -> PyResult<Values<'py>> {
        let found = self.look_up(py, &positions.0)?.into_iter();
        let exact = found.map(|value| value?.exactly()?.exact());
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
        let ranges = found.iter().zip(&positions.0).map(|(value, position)| {
            let range = value.map(|value| assessment::range(value, position.seeds()));
            range.unwrap_or((UNKNOWN, UNKNOWN))
        });
        let (least, most) = ranges.unzip();
        let array = |values| PyArray1::from_vec(py, values);
        Ok((array(least), array(most)))
    }

    /// The values of all positions of a layer, in the order of their numbers: an array of type int8,
    /// with `UNKNOWN` where deciding tables have cut a value off. TableError if the tables hold bounds.
    ///
    /// This decodes all smaller layers, too.
    #[pyo3(name = "layer")]
    fn layer_array<'py>(&self, py: Python<'py>, seeds: u8) -> PyResult<Values<'py>> {
        let held = self.held()?;
        held.hold_values().map_err(errors::of_tables)?;
        let mut values = self.read_layer(py, seeds)?.low();
        if !held.extent().is_full() {
            py.detach(|| {
                for value in &mut values {
                    let exact = number(&held, seeds, *value).and_then(Clamped::exact);
                    *value = exact.map_or(UNKNOWN, Value::seeds);
                }
            });
        }
        Ok(PyArray1::from_vec(py, values))
    }

    /// The least and the most that all positions of a layer are worth, two arrays of type int8: the low and the
    /// high bounds, as far as deciding tables hold them. Full tables with one value for each position give the
    /// same array twice.
    fn layer_bounds<'py>(
        &self,
        py: Python<'py>,
        seeds: u8,
    ) -> PyResult<(Values<'py>, Values<'py>)> {
        let array = |values| PyArray1::from_vec(py, values);
        let held = self.held()?;
        let numbers = self.read_layer(py, seeds)?;
        if !held.extent().is_full() {
            let [least, most] = py.detach(|| {
                [(Which::Low, 0), (Which::High, 1)].map(|(bound, end)| {
                    let numbers = numbers.as_ref().get(bound).iter();
                    let clamped = numbers.map(|&number| self::number(&held, seeds, number));
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
    /// have cut off its value.
    ///
    /// If positions have bounds, `bound` selects the one that the line realises: "low" or "high".
    #[pyo3(signature = (position, bound = "low"))]
    fn line(&self, py: Python<'_>, position: Position, bound: &str) -> PyResult<Option<Line>> {
        let bound = match bound {
            "low" => Which::Low,
            "high" => Which::High,
            _ => return Err(PyValueError::new_err("a bound is 'low' or 'high'")),
        };
        let found = self.ask(py, |tables| {
            granero::line::Line::best(tables, &position.0, bound)
        });
        Ok(found?.map(Line::from))
    }

    /// Finds the positions of a layer that certainly satisfy all given conditions, as `granero find` does: the
    /// numbers of the positions, for `unrank`.
    ///
    /// A condition is a number, or a pair of the least and the most, where None is no limit.
    ///
    /// value: the value; with bounds, both of them.
    /// low, high: the low and the high bound.
    /// gap: the difference of the bounds.
    /// moves, best_moves: the number of legal and of best moves.
    /// stake: the seeds that one wrong move can lose.
    /// only_winning: several moves are legal, and only one wins.
    /// zugzwang: the player to move loses, but would not if it were the opponent's turn.
    /// difficulty: the depth from which a plain search finds a best move, see docs/engines.md.
    /// best: every best move is a "sacrifice" or a "grand-slam".
    ///
    /// Conditions on moves look each move up: this is fastest in tables that were opened with `in_memory`.
    #[pyo3(signature = (
        seeds, *, value = None, low = None, high = None, gap = None, moves = None, best_moves = None,
        stake = None, only_winning = false, zugzwang = false, difficulty = None, best = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "Python names them")]
    fn find<'py>(
        &self,
        py: Python<'py>,
        seeds: u8,
        value: Option<Between>,
        low: Option<Between>,
        high: Option<Between>,
        gap: Option<Between>,
        moves: Option<Between>,
        best_moves: Option<Between>,
        stake: Option<Between>,
        only_winning: bool,
        zugzwang: bool,
        difficulty: Option<Between>,
        best: Option<&str>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let layer = arrays::layer(seeds)?;
        let kind = |name| {
            let named = MoveKind::ALL.into_iter().find(|kind| kind.name() == name);
            let error = || PyValueError::new_err("a kind is 'sacrifice' or 'grand-slam'");
            named.ok_or_else(error)
        };
        let condition = Condition {
            value: value.map(|range| range.0),
            low: low.map(|range| range.0),
            high: high.map(|range| range.0),
            gap: gap.map(|range| range.0),
            legal_moves: moves.map(Between::count).transpose()?,
            best_moves: best_moves.map(Between::count).transpose()?,
            stake: stake.map(Between::count).transpose()?,
            only_winning,
            zugzwang,
            difficulty: difficulty.map(Between::count).transpose()?,
            best_is: best.map(kind).transpose()?,
        };
        let mut numbers = Vec::new();
        self.ask(py, |tables| {
            let found = |found: find::FoundPosition| numbers.push(found.index);
            pool::install(|| find::each(tables, layer, &condition, found, |_| {}))
        })?;
        Ok(PyArray1::from_vec(py, numbers))
    }

    /// The statistics of a layer: the object for it in the document of `granero stats --json`, which docs/json.md
    /// describes. This reads the layer.
    fn statistics<'py>(&self, py: Python<'py>, seeds: u8) -> PyResult<Bound<'py, PyAny>> {
        let (held, layer) = (self.held()?, arrays::layer(seeds)?);
        let values = self.read_layer(py, seeds)?;
        let text = py.detach(|| {
            let answer = LayerAnswer {
                rules: held.rules(),
                statistics: &held.manifest().layers[usize::from(seeds)].statistics,
                limit: limit_of(&held, layer),
                captures: LayerCaptures::of(held.rules(), layer),
                extremes: Some(Extremes::of(layer, &values)),
            };
            document::text(&Statistics::new(&held, &[answer], None))
        });
        let whole = document::read(py, &text?)?;
        whole.get_item("layers")?.get_item(0)
    }

    /// Judges a game, as text in OGN or in Aalina's notation, by the rules of the tables.
    ///
    /// Beyond them, it searches for a proof of each position for some seconds, or of so many positions, if that is
    /// asked for. With `positions` alone it judges as `granero judge --prove-positions` does.
    ///
    /// watch: called about ten times a second during the search; an exception that it raises ends it. Ctrl-C ends
    ///     it, too. Other threads go on.
    #[pyo3(signature = (game, *, seconds = None, positions = None, watch = None))]
    fn judge(
        &self,
        py: Python<'_>,
        game: Bound<'_, PyAny>,
        seconds: Option<f64>,
        positions: Option<u64>,
        watch: Option<Py<PyAny>>,
    ) -> PyResult<Judgement> {
        let text: String = match game.cast::<Situation>() {
            Ok(situation) => situation.get().0.to_string(),
            Err(_) => game.extract()?,
        };
        let game: Game = text.parse().map_err(errors::of_notation)?;
        Judgement::of(py, &*self.held()?, &game, (seconds, positions), watch)
    }

    /// Searches from a position into the tables, and proves the least and the most that the player to move
    /// gets, within some seconds (default: 1) or so many positions.
    ///
    /// With `positions` alone it proves the same on every machine.
    ///
    /// watch: called about ten times a second during the search; an exception that it raises ends it. Ctrl-C ends
    ///     it, too. Other threads go on.
    #[pyo3(signature = (position, *, seconds = None, positions = None, watch = None))]
    fn prove(
        &self,
        py: Python<'_>,
        position: Position,
        seconds: Option<f64>,
        positions: Option<u64>,
        watch: Option<Py<PyAny>>,
    ) -> PyResult<Proof> {
        let budget = proof::budget(seconds, positions)?;
        let budget = budget.unwrap_or(Budget::time(Duration::from_secs(1)));
        Proof::of(py, &*self.held()?, position.0, budget, watch)
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
        let options = Options {
            cycles: Some(cycles),
            ..self.options
        };
        let options = options.into_pyobject(py)?;
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

/// An argument for a range: a number, or a pair of the least and the most.
struct Between(RangeInclusive<i8>);

impl<'a, 'py> FromPyObject<'a, 'py> for Between {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Between> {
        if let Ok(number) = given.extract() {
            return Ok(Between(number..=number));
        }
        let ends = given.extract::<(Option<i8>, Option<i8>)>();
        let (least, most) = ends.map_err(|_| {
            PyTypeError::new_err("a condition is a number, or a pair: (3, 7), (3, None), (None, 7)")
        })?;
        let range = least.unwrap_or(i8::MIN)..=most.unwrap_or(i8::MAX);
        Ok(Between(range))
    }
}

impl Between {
    /// The range of a number that is never negative.
    fn count(self) -> PyResult<RangeInclusive<i8>> {
        u8::try_from(*self.0.end()).map_err(errors::of_value)?;
        Ok(self.0)
    }
}

/// Interprets a number of a layer.
fn number(tables: &granero::Tables, seeds: u8, number: i8) -> Option<Clamped> {
    let number = Value::new(number)?;
    Some(tables.clamped(seeds, Measured::Value(number)).low())
}

/// A convention for endless play by its name.
pub(crate) fn cycles(name: &str) -> PyResult<Cycles> {
    name.parse().map_err(errors::of_value)
}

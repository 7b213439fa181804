//! Verification: whether values are those of the game, whoever worked them out.
//!
//! A layer is checked against the rules and the smaller layers in two steps. Values are
//! **consistent** if each is the best that a move gives, with the values of the children.
//! They have **grounds** if whoever wins can bring the value home in finitely many moves.
//! Only the exact values pass both, as `docs/verify.md` proves; so a layer that does, on top
//! of layers that do, is right. Where positions have bounds, both sides must be able to make
//! sure of what these promise, instead.
//!
//! * moves: the moves of a layer's rows;
//! * consistency: the first step;
//! * groundedness, bounds: the second one, for values and for bounds;
//! * tables: going through all layers of some tables;
//! * sample: positions drawn at random.

mod bounds;
mod consistency;
mod groundedness;
mod moves;
mod sample;
mod tables;

use std::fmt;
use std::sync::Arc;

use rayon::prelude::*;

use self::moves::LayerMoves;
pub use self::sample::{Sample, sample};
pub use self::tables::{LayerReport, Step, check_tables};
use crate::index::Layer;
use crate::measured::{Bound, Measure, Measured};
use crate::position::Position;
use crate::rows::{RowMoves, TurnedLayer};
use crate::rules::Ruleset;

/// So many faults are reported at most: one is enough to know that something is wrong, and
/// a few more may say what.
///
/// ```
/// assert_eq!(granero::verify::MAX_FAULTS, 10);
/// ```
pub const MAX_FAULTS: usize = 10;

/// A value or bound that is wrong, or at least not proven.
///
/// ```
/// use granero::verify::{Fault, FaultKind};
/// use granero::{Measure, Position};
///
/// let kind = FaultKind::Inconsistent { best: 2 };
/// let fault = Fault { position: Position::EMPTY, measure: Measure::Low, value: 0, kind };
/// assert!(fault.to_string().ends_with("is worth 0 at least by the tables, and +2 by its moves"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The position.
    pub position: Position,
    /// What is wrong of it: its value, or one of its bounds.
    pub measure: Measure,
    /// That value or bound, as the table has it.
    pub value: i8,
    /// What is wrong with it.
    pub kind: FaultKind,
}

/// What is wrong with a value or bound.
///
/// ```
/// use granero::verify::FaultKind;
///
/// assert_eq!(FaultKind::Ungrounded.name(), "ungrounded");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// There are not as many seeds on the board; or they cannot be shared so, if it is a
    /// bound, for then every seed goes to one of the players.
    Impossible,
    /// It is not what the moves give, or the end of the game.
    Inconsistent {
        /// What they give, by the values of the children.
        best: i8,
    },
    /// It is what the moves give, but nobody can bring it home: those moves go on for ever. A
    /// bound: one of the players cannot make sure of it when they do.
    Ungrounded,
}

impl FaultKind {
    /// The name used in JSON.
    ///
    /// ```
    /// # use granero::verify::FaultKind;
    /// assert_eq!(FaultKind::Inconsistent { best: 1 }.name(), "inconsistent");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::Impossible => "impossible",
            FaultKind::Inconsistent { .. } => "inconsistent",
            FaultKind::Ungrounded => "ungrounded",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault {
            position,
            measure,
            value,
            kind,
        } = *self;
        let by_tables = match measure {
            Measure::Value => "by the tables",
            Measure::Low => "at least by the tables",
            Measure::High => "at most by the tables",
        };
        write!(f, "{position} is worth {} {by_tables}, ", Signed(value))?;
        match kind {
            FaultKind::Impossible if value.unsigned_abs() > position.seeds() => {
                write!(f, "which is more than its seeds")
            }
            FaultKind::Impossible => write!(f, "but its seeds cannot be shared so"),
            FaultKind::Inconsistent { best } => write!(f, "and {} by its moves", Signed(best)),
            FaultKind::Ungrounded => write!(f, "but no line of play realises it"),
        }
    }
}

/// A number with its sign. It need not be one that a position can be worth.
struct Signed(i8);

impl fmt::Display for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => write!(f, "0"),
            value => write!(f, "{value:+}"),
        }
    }
}

/// Checks layers by the rules of one ruleset, with either convention for endless play.
///
/// ```
/// use std::sync::Arc;
///
/// use granero::index::Layer;
/// use granero::solver::{self, TurnedLayer};
/// use granero::verify::Checker;
/// use granero::{Bound, Cycles, Ruleset};
///
/// let layers = solver::solve_all(Ruleset::Abapa, Cycles::Split, 4, 1);
/// let smaller = |seeds: u8, bound: Bound| {
///     let values = layers[usize::from(seeds)].get(bound);
///     Ok::<_, String>(Arc::new(TurnedLayer::new(Layer::new(seeds).unwrap(), values)))
/// };
/// let checker = Checker::new(Ruleset::Abapa, 4);
/// let layer = Layer::new(4).unwrap();
/// assert!(checker.check(layer, layers[4].clone(), smaller, |_| {})?.is_empty());
///
/// let wrong = layers[4].clone().map(|mut values| {
///     values[1000] += 1;
///     values
/// });
/// assert!(!checker.check(layer, wrong, smaller, |_| {})?.is_empty());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct Checker {
    rows: RowMoves,
}

impl Checker {
    /// For the layers from 0 to `max_seeds`.
    ///
    /// ```
    /// # use granero::{Ruleset, verify::Checker};
    /// let checker = Checker::new(Ruleset::Awari, 6);
    /// ```
    ///
    /// # Panics
    ///
    /// If `max_seeds` is above 48.
    pub fn new(ruleset: Ruleset, max_seeds: u8) -> Checker {
        Checker {
            rows: RowMoves::new(ruleset, max_seeds),
        }
    }

    /// Checks the values of a layer, or its bounds: the first faults, at most [`MAX_FAULTS`].
    /// Without faults all are exact, if those of the smaller layers are. The second step is
    /// only taken when all are consistent.
    ///
    /// `smaller` is asked for the layers that captures lead to, bound by bound. This needs three
    /// bytes for each position of the layer, or four if they have bounds. The work is done by
    /// the threads of the pool (see the crate `rayon`) in which this is called.
    ///
    /// # Errors
    ///
    /// Those of `smaller`.
    ///
    /// # Panics
    ///
    /// If there are not as many values as the layer has positions, or it has more seeds than
    /// the checker was made for.
    ///
    /// ```
    /// use granero::index::Layer;
    /// use granero::verify::{Checker, FaultKind};
    /// use granero::{Measured, Ruleset};
    ///
    /// // Nobody wins anything on the empty board.
    /// let checker = Checker::new(Ruleset::Abapa, 0);
    /// let empty = Layer::new(0).unwrap();
    /// let wrong = Measured::Value(vec![1]);
    /// let faults = checker.check(empty, wrong, |_, _| Err(()), |_| {});
    /// assert_eq!(faults.unwrap()[0].kind, FaultKind::Impossible);
    /// ```
    pub fn check<E>(
        &self,
        layer: Layer,
        values: Measured<Vec<i8>>,
        smaller: impl FnMut(u8, Bound) -> Result<Arc<TurnedLayer>, E>,
        progress: impl Fn(Step) + Sync,
    ) -> Result<Vec<Fault>, E> {
        check(&self.rows, layer, values, smaller, progress)
    }
}

/// Checks a layer, see [`Checker::check`]; `rows` must reach so far.
fn check<E>(
    rows: &RowMoves,
    layer: Layer,
    values: Measured<Vec<i8>>,
    smaller: impl FnMut(u8, Bound) -> Result<Arc<TurnedLayer>, E>,
    progress: impl Fn(Step) + Sync,
) -> Result<Vec<Fault>, E> {
    for (_, values) in values.iter() {
        assert_eq!(values.len() as u64, layer.len());
    }
    let faults = impossible(layer, &values);
    if !faults.is_empty() {
        return Ok(faults);
    }
    progress(Step::Compares(layer));
    let moves = LayerMoves::new(rows, layer, values.cycles(), smaller)?;
    Ok(match values {
        Measured::Value(values) => check_values(&moves, values, progress),
        Measured::Bounds { low, high } => check_bounds(&moves, low, high, progress),
    })
}

fn check_values(
    moves: &LayerMoves<'_>,
    mut values: Vec<i8>,
    progress: impl Fn(Step) + Sync,
) -> Vec<Fault> {
    let turned = TurnedLayer::new(moves.layer(), &values);
    let checked = |positions| progress(Step::Checked(positions));
    let consistency = consistency::check(moves, Measure::Value, &mut values, &turned, |row| {
        // Nobody has to bring 0 home.
        checked(row.iter().filter(|&&value| value == 0).count() as u64);
    });
    if !consistency.faults.is_empty() {
        return consistency.faults;
    }
    progress(Step::LooksForGrounds(moves.layer()));
    groundedness::check(moves, values, turned, &consistency.without_move, checked)
}

fn check_bounds(
    moves: &LayerMoves<'_>,
    mut low: Vec<i8>,
    mut high: Vec<i8>,
    progress: impl Fn(Step) + Sync,
) -> Vec<Fault> {
    let turned_low = TurnedLayer::new(moves.layer(), &low);
    let turned_high = TurnedLayer::new(moves.layer(), &high);
    let mut of_low = consistency::check(moves, Measure::Low, &mut low, &turned_high, |_| {});
    let of_high = consistency::check(moves, Measure::High, &mut high, &turned_low, |_| {});
    of_low.faults.extend(of_high.faults);
    of_low.faults.truncate(MAX_FAULTS);
    if !of_low.faults.is_empty() {
        return of_low.faults;
    }
    progress(Step::LooksForGrounds(moves.layer()));
    let (bounds, turned) = ([low, high], [turned_low, turned_high]);
    bounds::check(moves, bounds, turned, &of_low.without_move, |positions| {
        progress(Step::Checked(positions));
    })
}

/// Values that no position with so many seeds can have, or bounds.
fn impossible(layer: Layer, values: &Measured<Vec<i8>>) -> Vec<Fault> {
    let is_impossible = |measure, value: i8| {
        let is_odd = (value.unsigned_abs() + layer.seeds()) % 2 == 1;
        value.unsigned_abs() > layer.seeds() || (measure != Measure::Value && is_odd)
    };
    let mut faults = Vec::new();
    for (measure, values) in values.iter() {
        if !values
            .par_iter()
            .any(|&value| is_impossible(measure, value))
        {
            continue;
        }
        let numbered = (0..).zip(values);
        let found = numbered.filter(|(_, value)| is_impossible(measure, **value));
        faults.extend(found.take(MAX_FAULTS).map(|(index, &value)| Fault {
            position: layer.position(index).expect("as many values as positions"),
            measure,
            value,
            kind: FaultKind::Impossible,
        }));
    }
    faults.truncate(MAX_FAULTS);
    faults
}

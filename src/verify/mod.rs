//! Verification: whether values are those of the game, whoever worked them out.
//!
//! A layer is checked against the rules and the smaller layers in two steps. Values are
//! **consistent** if each is the best that a move gives, with the values of the children.
//! They have **grounds** if whoever wins can bring the value home in finitely many moves.
//! Only the exact values pass both, as `docs/verify.md` proves; so a layer that does, on top
//! of layers that do, is right.
//!
//! * moves: the moves of a layer's rows;
//! * consistency, groundedness: the two steps;
//! * tables: going through all layers of some tables;
//! * sample: positions drawn at random.

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

/// A value that is wrong, or at least not proven.
///
/// ```
/// use granero::Position;
/// use granero::verify::{Fault, FaultKind};
///
/// let kind = FaultKind::Inconsistent { best: 2 };
/// let fault = Fault { position: Position::EMPTY, value: 0, kind };
/// assert!(fault.to_string().contains("+2"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The position.
    pub position: Position,
    /// Its value, as the table has it.
    pub value: i8,
    /// What is wrong with it.
    pub kind: FaultKind,
}

/// What is wrong with a value.
///
/// ```
/// use granero::verify::FaultKind;
///
/// assert_eq!(FaultKind::Ungrounded.name(), "ungrounded");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// There are not as many seeds on the board.
    Impossible,
    /// It is not what the moves give, or the end of the game.
    Inconsistent {
        /// What they give, by the values of the children.
        best: i8,
    },
    /// It is what the moves give, but nobody can bring it home: those moves go on for ever.
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
            position, value, ..
        } = self;
        write!(f, "{position} is worth {} by the tables, ", Signed(*value))?;
        match self.kind {
            FaultKind::Impossible => write!(f, "which is more than its seeds"),
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

/// Checks layers by the rules of one ruleset, with endless play worth 0.
///
/// ```
/// use std::sync::Arc;
///
/// use granero::index::Layer;
/// use granero::solver::{self, TurnedLayer};
/// use granero::verify::Checker;
/// use granero::Ruleset;
///
/// let layers = solver::solve_all(Ruleset::Abapa, 4, 1);
/// let turned: Vec<_> = Layer::all()
///     .zip(&layers)
///     .map(|(layer, values)| Arc::new(TurnedLayer::new(layer, values)))
///     .collect();
///
/// let checker = Checker::new(Ruleset::Abapa, 4);
/// let layer = Layer::new(4).unwrap();
/// let smaller = |seeds: u8| Ok::<_, String>(turned[usize::from(seeds)].clone());
/// assert!(checker.check(layer, layers[4].clone(), smaller, |_| {})?.is_empty());
///
/// let mut wrong = layers[4].clone();
/// wrong[1000] += 1;
/// assert!(!checker.check(layer, wrong, smaller, |_| {})?.is_empty());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct Checker {
    rows: Arc<RowMoves>,
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
        Checker::with(Arc::new(RowMoves::new(ruleset, max_seeds)))
    }

    fn with(rows: Arc<RowMoves>) -> Checker {
        Checker { rows }
    }

    /// Checks the values of a layer, which are in index order: the first faults, at most
    /// [`MAX_FAULTS`]. Without faults all values are exact, if those of the smaller layers
    /// are. Grounds are only looked for when all values are consistent.
    ///
    /// `smaller` is asked for the layers that captures lead to. This needs three bytes for
    /// each position of the layer. The work is done by the threads of the pool (see the
    /// crate `rayon`) in which this is called.
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
    /// use granero::Ruleset;
    /// use granero::index::Layer;
    /// use granero::verify::{Checker, FaultKind};
    ///
    /// // Nobody wins anything on the empty board.
    /// let checker = Checker::new(Ruleset::Abapa, 0);
    /// let empty = Layer::new(0).unwrap();
    /// let faults = checker.check(empty, vec![1], |_| Err(()), |_| {});
    /// assert_eq!(faults.unwrap()[0].kind, FaultKind::Impossible);
    /// ```
    pub fn check<E>(
        &self,
        layer: Layer,
        mut values: Vec<i8>,
        smaller: impl FnMut(u8) -> Result<Arc<TurnedLayer>, E>,
        progress: impl Fn(Step) + Sync,
    ) -> Result<Vec<Fault>, E> {
        assert_eq!(values.len() as u64, layer.len());
        let faults = impossible(layer, &values);
        if !faults.is_empty() {
            return Ok(faults);
        }
        progress(Step::Compares(layer));
        let moves = LayerMoves::new(&self.rows, layer, smaller)?;
        let turned = TurnedLayer::new(layer, &values);
        let checked = |positions| progress(Step::Checked(positions));
        let consistency = consistency::check(&moves, &mut values, &turned, checked);
        if !consistency.faults.is_empty() {
            return Ok(consistency.faults);
        }
        progress(Step::LooksForGrounds(layer));
        let without_move = &consistency.without_move;
        let faults = groundedness::check(&moves, values, turned, without_move, checked);
        Ok(faults)
    }
}

/// Values that no position with so many seeds can have.
fn impossible(layer: Layer, values: &[i8]) -> Vec<Fault> {
    let too_large = |value: &i8| value.unsigned_abs() > layer.seeds();
    if !values.par_iter().any(too_large) {
        return Vec::new();
    }
    let found = (0..).zip(values).filter(|(_, value)| too_large(value));
    let faults = found.map(|(index, &value)| Fault {
        position: layer.position(index).expect("as many values as positions"),
        value,
        kind: FaultKind::Impossible,
    });
    faults.take(MAX_FAULTS).collect()
}

//! Going through all layers of some tables.

use super::{Fault, FaultKind, MAX_FAULTS, check};
use crate::index::Layer;
use crate::table::{TableError, Tables};

/// What was found in a layer of tables.
///
/// ```
/// use granero::table::Tables;
///
/// let reports = granero::verify::check_tables(Tables::sample(), |_| true, |_| {})?;
/// assert!(reports.iter().all(|report| report.is_right()));
/// # Ok::<(), granero::table::TableError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerReport {
    /// The layer.
    pub layer: Layer,
    /// How many of its positions were compared with their moves: none if a value is
    /// [impossible](super::FaultKind::Impossible), which is found before.
    pub positions: u64,
    /// The first faults.
    pub faults: Vec<Fault>,
    /// Whether the manifest counts the values that there are: its histogram, and that of the
    /// high bounds with what else it says of them.
    pub histogram_is_right: bool,
}

impl LayerReport {
    /// Whether nothing is wrong.
    ///
    /// ```
    /// use granero::index::Layer;
    /// use granero::verify::LayerReport;
    ///
    /// let layer = Layer::new(3).unwrap();
    /// let report = LayerReport {
    ///     layer,
    ///     positions: layer.len(),
    ///     faults: Vec::new(),
    ///     histogram_is_right: false,
    /// };
    /// assert!(!report.is_right());
    /// ```
    pub fn is_right(&self) -> bool {
        self.faults.is_empty() && self.histogram_is_right
    }
}

/// Where a verification is.
///
/// ```
/// use granero::verify::Step;
///
/// assert_ne!(Step::Checked(1), Step::Checked(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// It reads a layer.
    Reads(Layer),
    /// It compares the values of a layer with those of the moves.
    Compares(Layer),
    /// It looks for grounds of the values of a layer, or for ways to make sure of its bounds.
    LooksForGrounds(Layer),
    /// It is done with so many more positions.
    Checked(u64),
}

/// Checks the layers of tables that are `chosen`, in order, each with the smaller ones as they
/// are. It ends early when there are [`MAX_FAULTS`] faults. `progress` is told where it is.
///
/// All smaller layers are kept in memory meanwhile, a byte for each position, and for the
/// layer itself three bytes; twice as much where positions have bounds.
///
/// # Errors
///
/// When a file is damaged or cannot be read.
///
/// ```
/// use granero::table::Tables;
/// use granero::verify;
///
/// let chosen = |layer: granero::index::Layer| layer.seeds() >= 6;
/// let reports = verify::check_tables(Tables::sample(), chosen, |_| {})?;
/// assert_eq!(reports.len(), 3);
/// # Ok::<(), granero::table::TableError>(())
/// ```
pub fn check_tables(
    tables: &Tables,
    chosen: impl Fn(Layer) -> bool,
    progress: impl Fn(Step) + Sync,
) -> Result<Vec<LayerReport>, TableError> {
    let finished = &tables.manifest().layers;
    let held = Layer::all().take(finished.len());
    let Some(last) = held.filter(|&layer| chosen(layer)).last() else {
        return Ok(Vec::new());
    };
    let mut reader = tables.layers();
    let mut reports = Vec::new();
    let mut faults = 0;
    for (layer, finished) in Layer::all().zip(finished) {
        progress(Step::Reads(layer));
        let Some(read) = reader.next() else { break };
        let (_, values) = read?;
        if chosen(layer) {
            let histogram_is_right = finished.statistics.counts_match(&values);
            let smaller = |seeds, bound| reader.smaller(seeds, bound);
            let mut found = check(reader.rows(), layer, values, smaller, &progress)?;
            let is_impossible = |fault: &Fault| fault.kind == FaultKind::Impossible;
            let positions = match found.iter().any(is_impossible) {
                true => 0,
                false => layer.len(),
            };
            found.truncate(MAX_FAULTS - faults);
            faults += found.len();
            reports.push(LayerReport {
                layer,
                positions,
                faults: found,
                histogram_is_right,
            });
        }
        if layer == last || faults == MAX_FAULTS {
            break;
        }
    }
    Ok(reports)
}

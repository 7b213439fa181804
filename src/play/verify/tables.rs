//! Checks of the layers of some tables.

use super::{Fault, FaultKind, MAX_FAULTS, check_with};
use granero_table::index::Layer;
use granero_table::{TableError, Tables};

/// The result of checking a layer of tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerReport {
    /// The layer.
    pub layer: Layer,
    /// The number of its positions compared with their moves: 0 if a value is
    /// [impossible](super::FaultKind::Impossible), which the check finds first.
    pub positions: u64,
    /// The first faults, at most [`MAX_FAULTS`].
    pub faults: Vec<Fault>,
    /// True if the statistics in the manifest match the values: the histograms, and for bounds also
    /// the gaps and draws. `None` after a look at random positions.
    pub histogram_is_right: Option<bool>,
}

impl LayerReport {
    /// Returns true if nothing is wrong.
    pub fn is_right(&self) -> bool {
        self.faults.is_empty() && self.histogram_is_right != Some(false)
    }
}

/// The progress of a verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckProgress {
    /// It reads a layer.
    Reads(Layer),
    /// It begins the first step: comparing the values of a layer with its moves.
    Compares(Layer),
    /// It begins the second step: checking that the values of a layer are grounded, or that its
    /// bounds can be guaranteed.
    LooksForGrounds(Layer),
    /// It has checked this number of positions since the last report.
    Checked(u64),
}

/// Checks the `chosen` layers of tables, in order, each against the smaller layers as they are. The
/// check ends early at [`MAX_FAULTS`] faults.
///
/// Memory: a byte for each position of all smaller layers, and three bytes for each position of
/// the layer itself; twice as much where positions have bounds.
///
/// ```
/// use granero::Tables;
/// use granero::verify;
///
/// let chosen = |layer: granero::index::Layer| layer.seeds() >= 6;
/// let reports = verify::check_tables(Tables::sample(), chosen, |_| {})?;
/// assert_eq!(reports.len(), 3);
/// # Ok::<(), granero::TableError>(())
/// ```
pub fn check_tables(
    tables: &Tables,
    chosen: impl Fn(Layer) -> bool,
    progress: impl Fn(CheckProgress) + Sync,
) -> Result<Vec<LayerReport>, TableError> {
    let finished = &tables.manifest().layers;
    let layers = Layer::all().take(finished.len());
    let Some(last) = layers.filter(|&layer| chosen(layer)).last() else {
        return Ok(Vec::new());
    };
    let mut reader = tables.layers();
    let mut reports = Vec::new();
    let mut faults = 0;
    for (layer, finished) in Layer::all().zip(finished) {
        progress(CheckProgress::Reads(layer));
        let Some(read) = reader.next() else { break };
        let (_, values) = read?;
        if chosen(layer) {
            let histogram_is_right = finished.statistics.counts_match(layer, &values);
            // Beside the values.
            tables.ask_for_memory(layer, 2 * values.iter().count() as u64)?;
            let smaller = |seeds, bound| reader.smaller(seeds, bound);
            let mut found = check_with(reader.rows(), layer, values, &smaller, &progress);
            let is_impossible = |fault: &Fault| fault.kind == FaultKind::Impossible;
            let positions = if found.iter().any(is_impossible) {
                0
            } else {
                layer.len()
            };
            found.truncate(MAX_FAULTS - faults);
            faults += found.len();
            reports.push(LayerReport {
                layer,
                positions,
                faults: found,
                histogram_is_right: Some(histogram_is_right),
            });
        }
        if layer == last || faults == MAX_FAULTS {
            break;
        }
    }
    Ok(reports)
}

//! What all positions of a layer are worth.

use crate::cycles::{Cycles, Measure};

/// What all positions of a layer are worth, in index order: their values, or their bounds.
///
/// ```
/// use granero::{LayerValues, Measure};
///
/// let values = LayerValues::Bounds { low: vec![-2], high: vec![4] };
/// assert_eq!(values.get(Measure::High), Some(&[4][..]));
/// assert_eq!(values.get(Measure::Value), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayerValues {
    /// One value for each position.
    Exact(Vec<i8>),
    /// Two bounds for each position.
    Bounds {
        /// What the player to move gets at least.
        low: Vec<i8>,
        /// What the player to move gets at most.
        high: Vec<i8>,
    },
}

impl LayerValues {
    /// The convention for endless play that these belong to.
    ///
    /// ```
    /// # use granero::{Cycles, LayerValues};
    /// assert_eq!(LayerValues::Exact(vec![0]).cycles(), Cycles::Split);
    /// ```
    pub fn cycles(&self) -> Cycles {
        match self {
            LayerValues::Exact(_) => Cycles::Split,
            LayerValues::Bounds { .. } => Cycles::OwnSide,
        }
    }

    /// The numbers of one measure, if they are here.
    ///
    /// ```
    /// # use granero::{LayerValues, Measure};
    /// let values = LayerValues::Exact(vec![0]);
    /// assert_eq!(values.get(Measure::Value), Some(&[0][..]));
    /// ```
    pub fn get(&self, measure: Measure) -> Option<&[i8]> {
        match (self, measure) {
            (LayerValues::Exact(values), Measure::Value) => Some(values),
            (LayerValues::Bounds { low, .. }, Measure::Low) => Some(low),
            (LayerValues::Bounds { high, .. }, Measure::High) => Some(high),
            _ => None,
        }
    }

    /// How many positions there are.
    ///
    /// # Panics
    ///
    /// If there are not as many low bounds as high ones.
    ///
    /// ```
    /// # use granero::LayerValues;
    /// assert_eq!(LayerValues::Exact(vec![0]).positions(), 1);
    /// ```
    pub fn positions(&self) -> usize {
        match self {
            LayerValues::Exact(values) => values.len(),
            LayerValues::Bounds { low, high } => {
                assert_eq!(low.len(), high.len(), "two bounds for each position");
                low.len()
            }
        }
    }

    /// The values.
    ///
    /// ```
    /// # use granero::LayerValues;
    /// assert_eq!(LayerValues::Exact(vec![0]).into_exact(), Some(vec![0]));
    /// ```
    pub fn into_exact(self) -> Option<Vec<i8>> {
        match self {
            LayerValues::Exact(values) => Some(values),
            LayerValues::Bounds { .. } => None,
        }
    }

    /// All measures that are here, with their numbers.
    pub(crate) fn measures(&self) -> impl Iterator<Item = (Measure, &[i8])> {
        let measures = self.cycles().measures().iter();
        measures.filter_map(|&measure| Some((measure, self.get(measure)?)))
    }
}

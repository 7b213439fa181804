//! Where the solver is in its work.

/// Where the solver is in its work on a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It looks up captures of this number of seeds, from 2 on.
    Captures(u8),
    /// It decides a threshold. With one value for each position: which positions are worth this
    /// number of seeds to either side. With bounds: this is the number of thresholds that are not
    /// decided yet. Either way the number falls from the largest value of the layer to 1, see
    /// [`Extent::limit`](crate::Extent::limit).
    Threshold(u8),
}

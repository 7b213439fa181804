//! The names of the layouts.

use thiserror::Error;

/// A way to write the values of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// A signed byte for each position, in the order of the index.
    Raw,
    /// A signed byte for each position of the public Awari score database, in its order.
    Awari,
    /// An array of NumPy: signed bytes in the order of the index, with a column for each bound.
    Npy,
    /// A line of text for each position, in the order of the index.
    Csv,
}

impl Layout {
    /// All layouts.
    ///
    /// ```
    /// # use granero::export::Layout;
    /// assert_eq!(Layout::ALL.map(Layout::name), ["raw", "awari", "npy", "csv"]);
    /// ```
    pub const ALL: [Layout; 4] = [Layout::Raw, Layout::Awari, Layout::Npy, Layout::Csv];

    /// The name used on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Layout::Raw => "raw",
            Layout::Awari => "awari",
            Layout::Npy => "npy",
            Layout::Csv => "csv",
        }
    }

    /// Returns true if it is text.
    pub const fn is_text(self) -> bool {
        matches!(self, Layout::Csv)
    }
}

granero_game::written_as_its_name!(Layout, UnknownLayout);

/// A name that no layout has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no layout `{name}`; there are {}", Layout::ALL.map(Layout::name).join(", "))]
pub struct UnknownLayout {
    /// The name.
    pub name: String,
}

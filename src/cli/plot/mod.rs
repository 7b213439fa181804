//! Figures for print, as SVG.
//!
//! `plotters` is not used: it places everything on whole pixels, so that bars differ in width, bars of rare
//! values have no height, and letters are spaced unevenly.

mod panel;
mod review;
mod statistics;

use std::path::PathBuf;

pub(super) use review::review;
pub(super) use statistics::statistics;

/// Reads the name of the file for a figure from the command line.
pub(super) fn file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("svg") => Ok(path),
        _ => Err("the name of the file must end in .svg".into()),
    }
}

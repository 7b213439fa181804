//! Figures for print, as SVG.
//!
//! `plotters` is not used: it places everything on whole pixels, so that bars differ in width, bars of rare
//! values have no height, and letters are spaced unevenly.

mod review;
mod statistics;
mod svg;

use std::path::PathBuf;

pub(super) use review::Review;
pub(super) use statistics::Figure;
use svg::Colour;

/// Reads the name of the file for a figure from the command line.
pub(super) fn file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("svg") => Ok(path),
        _ => Err("the name of the file must end in .svg".into()),
    }
}

// Two colours of Okabe and Ito and two greys, safe for colour-blind readers and for print without
// colours.
const WON: Colour = "#0072b2";
const DRAWN: Colour = "#d4d4d4";
/// The result depends on how an endless cycle is decided.
const UNDECIDED: Colour = "#787878";
const LOST: Colour = "#e69f00";
const GRID: Colour = "#e8e8e8";

const WIDTH: f32 = 960.0;
const HEIGHT: f32 = 410.0;

const TITLE_LINE: f32 = 28.0;
const TITLE_SIZE: f32 = 17.0;
const HEADING_SIZE: f32 = 13.0;
const LABEL_SIZE: f32 = 12.0;

/// Returns the slots with a label: evenly spaced, at most about thirteen.
fn labelled_slots((first, last): (f32, f32)) -> impl Iterator<Item = i32> {
    let step = step((last - first) / 13.0).max(1.0);
    let (from, to) = ((first / step).ceil() as i32, (last / step).floor() as i32);
    (from..=to).map(move |number| number * step as i32)
}

/// Returns the smallest round number that is at least `least`.
fn step(least: f32) -> f32 {
    let steps = [0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0];
    // `least` is a quotient, so it may be inexact.
    let fits = |step: &f32| *step >= least - 1e-4;
    steps.into_iter().find(fits).unwrap_or(100.0)
}

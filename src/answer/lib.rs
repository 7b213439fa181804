//! The answers of tables before they become text, and JSON documents for verbs, server and WebAssembly.
//!
//! This crate is for the program and the packages of granero; programs depend on the crate `granero`.
//!
//! * `position`, `proven`: a position by the tables, and by proofs beyond them;
//! * `outcome`, `estimates`: who wins after a move, and about how high if that is not proven;
//! * `line`: best lines of a position, with the running score;
//! * `layer`: statistics of a layer;
//! * `batch`: lines of text with positions;
//! * `chosen_game`: the game to judge in a text;
//! * `document`: JSON documents;
//! * `words`: numbers, ranges and errors in words.

#![allow(missing_docs, reason = "what is public here is for the program alone")]

pub mod batch;
mod chosen_game;
pub mod document;
mod estimates;
mod layer;
mod line;
mod outcome;
mod position;
mod proven;
mod words;

pub use chosen_game::chosen_game;
pub use estimates::{Estimates, POSITIONS, about};
pub use layer::{Example, Extremes, LayerAnswer};
pub use line::{BestLines, PlayedLine, SERVED_LIMIT};
pub use outcome::Outcome;
pub use position::{PositionAnswer, larger_game, values};
pub use proven::{best_known, effort, so_far};
pub use words::{
    Range, between, capitalised, counted, duration, ending, grouped, heading_of, held, limit_of,
    meaning_of, outcomes, rate, reach, rounded, souths, why_halves, with_causes,
};

//! What tables say, before it becomes text, and the documents that verbs, server and WebAssembly print as
//! JSON.
//!
//! This crate is for the program and the packages of granero; programs depend on the crate `granero`.

#![allow(missing_docs, reason = "what is public here is for the program alone")]

pub mod amounts;
pub mod batch;
pub mod causes;
mod chosen_game;
pub mod document;
mod effort;
mod extent;
mod layer;
mod line;
mod played;
mod position;
mod proven;
mod range;
mod reach;
mod worths;

pub use chosen_game::{ChosenGame, NoGame};
pub use extent::{limit_of, meaning_of};
pub use layer::{Example, Extremes, LayerAnswer};
pub use line::{BestLines, FoundLines, SERVED_LIMIT};
pub use played::{LineScore, PlayedLine};
pub use position::PositionAnswer;
pub use proven::{Effort, Proven, so_far};
pub use range::{Range, at_least, at_most, capitalised};
pub use reach::{reach, why_unknown};
pub use worths::worths;

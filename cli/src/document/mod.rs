//! Documents: what is printed as JSON, by verbs and server alike.

mod statistics;
mod worth;

pub(crate) use statistics::HighJson;
pub(crate) use worth::{ScoreJson, WorthJson};

//! Proofs of positions beyond the tables.

use granero::Side;
use serde::Serialize;

use crate::proven::{Effort, Proven};
use crate::words::range::Range;

/// The proven range of a position, and the effort of the search.
#[derive(Serialize)]
pub(crate) struct ProvenJson {
    #[serde(flatten)]
    range: Range,
    best_known: Vec<char>,
    #[serde(flatten)]
    effort: Effort,
    ended: &'static str,
}

impl From<&Proven> for ProvenJson {
    fn from(proven: &Proven) -> ProvenJson {
        ProvenJson {
            range: proven.range,
            best_known: proven.best_known(Side::South),
            effort: proven.effort,
            ended: proven.ended.name(),
        }
    }
}

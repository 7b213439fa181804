//! Documents: the JSON that is printed or served, a file for each kind.
//!
//! Each is a type whose comments are its documentation: `docs/json.md` and the OpenAPI document come from them. If
//! verbs and server use two shapes for one thing, both are in one file.
//!
//! * `position`, `moves`: a position and its moves;
//! * `line`, `judge`: best lines and judged games;
//! * `statistics`: layers and their statistics;
//! * `catalogue`, `error`: the rulesets, the server's tables and errors;
//! * `parts`: what several of these have.

mod catalogue;
mod declare;
mod error;
mod judge;
mod line;
mod moves;
mod parts;
mod position;
mod statistics;

pub use catalogue::{Catalogue, Limits, RulesetJson, Rulesets, ServedTables};
pub use error::{ErrorCode, ErrorDocument, ErrorJson};
pub use judge::{JudgementJson, ServedJudgement};
pub use line::LineJson;
pub use moves::LegalMoves;
pub use parts::RulesAndCycles;
pub use position::{Batch, PositionJson, RatedPosition};
pub use statistics::{
    BuiltLayer, Hashes, HeldLayer, ServedStatistics, Statistics, bits_per_position,
};

/// The unit of all numbers of the server.
const UNIT: &str = "seeds";

//! Documents: the JSON that is printed or served, a file for each kind.
//!
//! `docs/cli.md` and `docs/http-api.md` explain each field. If verbs and server use two shapes for
//! one thing, both are in one file.
//!
//! * `position`, `moves`: a position and its moves;
//! * `line`, `judge`: best lines and judged games;
//! * `layer`, `statistics`: layers and their statistics;
//! * `ruleset`: the rulesets;
//! * `catalogue`, `error`: the server's tables and errors;
//! * `parts`: what several of these have.

mod catalogue;
mod error;
mod judge;
mod layer;
mod line;
mod moves;
mod parts;
mod position;
mod ruleset;
mod statistics;

pub use catalogue::{LimitsJson, ServedTables, catalogue};
pub use error::{ErrorDocument, ErrorJson};
pub use judge::{judge, served_judge};
pub use layer::{bits_per_position, built_layer, held_layer};
pub use line::{line, served_line, unknown_line};
pub use moves::moves;
pub use parts::{Fields, RulesAndCycles};
pub use position::{answered_position, batch, position, query};
pub use ruleset::{ruleset, rulesets};
pub use statistics::{served_statistics, statistics};

/// The unit of all numbers of the server.
const UNIT: &str = "seeds";

//! Documents: what is printed or served as JSON, a file for each kind.
//!
//! `docs/cli.md` and `docs/http-api.md` say what each field means. If verbs and server use two
//! shapes for one thing, both are in one file.

mod catalogue;
mod error;
pub mod fields;
mod health;
mod judge;
pub mod layer;
mod line;
mod moves;
mod over;
pub mod position;
mod proven;
pub mod rules_and_cycles;
mod ruleset;
mod score;
mod situation;
mod statistics;
mod worth;

pub use catalogue::{CatalogueDocument, LimitsJson, ServedTables};
pub use error::{ErrorDocument, ErrorJson};
pub use health::HealthDocument;
pub use judge::{JudgeDocument, ServedJudgeDocument};
pub use layer::{BuiltLayerJson, HeldLayerJson, bits_per_position, bytes_of};
pub use line::{LineDocument, ServedLineDocument};
pub use moves::MovesDocument;
pub use position::{BatchDocument, PositionDocument, QueryDocument};
pub use rules_and_cycles::RulesAndCycles;
pub use ruleset::{RulesetJson, RulesetsDocument};
pub use statistics::{ServedStatisticsDocument, StatisticsDocument};

/// The unit of all numbers of the server.
pub const UNIT: &str = "seeds";

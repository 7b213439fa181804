//! The documents of the HTTP API that a position needs: the files of the command.

#[path = "../../../cli/src/document/error.rs"]
mod error;
#[path = "../../../cli/src/document/fields.rs"]
mod fields;
#[path = "../../../cli/src/document/judge.rs"]
mod judge;
#[path = "../../../cli/src/document/line.rs"]
mod line;
#[path = "../../../cli/src/document/moves.rs"]
mod moves;
#[path = "../../../cli/src/document/over.rs"]
mod over;
#[path = "../../../cli/src/document/position.rs"]
mod position;
#[path = "../../../cli/src/document/proven.rs"]
mod proven;
#[path = "../../../cli/src/document/rules_and_cycles.rs"]
mod rules_and_cycles;
#[path = "../../../cli/src/document/ruleset.rs"]
mod ruleset;
#[path = "../../../cli/src/document/score.rs"]
mod score;
#[path = "../../../cli/src/document/situation.rs"]
mod situation;
#[path = "../../../cli/src/document/worth.rs"]
mod worth;

pub(crate) use error::{ErrorDocument, ErrorJson};
pub(crate) use judge::ServedJudgeDocument;
pub(crate) use line::{LineDocument, ServedLineDocument};
pub(crate) use moves::MovesDocument;
pub(crate) use position::PositionDocument;
pub(crate) use ruleset::RulesetsDocument;

/// The unit of all numbers.
const UNIT: &str = "seeds";

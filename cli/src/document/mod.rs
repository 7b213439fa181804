//! Documents: what is printed or served as JSON, a file for each kind.
//!
//! `docs/cli.md` and `docs/http-api.md` say what each field means. If verbs and server use two
//! shapes for one thing, both are in one file.

mod build;
mod catalogue;
mod cite;
mod compare;
mod error;
mod estimate;
mod export;
mod fields;
mod find;
#[cfg(feature = "get")]
mod get;
mod health;
mod info;
mod judge;
mod layer;
mod line;
mod moves;
mod over;
mod position;
mod proven;
mod referee;
mod rules_and_cycles;
mod ruleset;
mod score;
mod situation;
mod statistics;
mod verify;
mod worth;

pub(crate) use build::BuildDocument;
pub(crate) use catalogue::{CatalogueDocument, LimitsJson, ServedTables};
pub(crate) use cite::CiteDocument;
pub(crate) use compare::{CompareDocument, ComparedLayerJson};
pub(crate) use error::{ErrorDocument, ErrorJson};
pub(crate) use estimate::EstimateDocument;
pub(crate) use export::ExportDocument;
pub(crate) use find::{FindDocument, FoundJson};
#[cfg(feature = "get")]
pub(crate) use get::GetDocument;
pub(crate) use health::HealthDocument;
pub(crate) use info::InfoDocument;
pub(crate) use judge::{JudgeDocument, ServedJudgeDocument};
pub(crate) use layer::{BuiltLayerJson, HeldLayerJson, bits_per_position, bytes_of};
pub(crate) use line::{LineDocument, ServedLineDocument};
pub(crate) use moves::MovesDocument;
pub(crate) use position::{BatchDocument, PositionDocument, QueryDocument};
pub(crate) use referee::{GamesRefereeDocument, MatchJson, MovesRefereeDocument};
pub(crate) use rules_and_cycles::RulesAndCycles;
pub(crate) use ruleset::{RulesetJson, RulesetsDocument};
pub(crate) use statistics::{ServedStatisticsDocument, StatisticsDocument};
pub(crate) use verify::{QuickDocument, VerifiedLayerJson, VerifyDocument};

/// The unit of all numbers of the server.
const UNIT: &str = "seeds";

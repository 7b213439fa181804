//! The rulesets.

use granero::Ruleset;
use granero::rules::{Permission, SlamTakes};
use serde::Serialize;

/// The output of `granero rules --json`.
#[derive(Serialize)]
pub struct RulesetsDocument {
    rulesets: [RulesetJson; Ruleset::ALL.len()],
}

impl RulesetsDocument {
    pub fn all() -> RulesetsDocument {
        RulesetsDocument {
            rulesets: Ruleset::ALL.map(RulesetJson::from),
        }
    }
}

#[derive(Serialize)]
pub struct RulesetJson {
    name: &'static str,
    default: bool,
    summary: &'static str,
    origin: &'static str,
    slam: &'static str,
    slam_takes: &'static str,
    slam_ends_game: bool,
    starving: &'static str,
}

impl From<Ruleset> for RulesetJson {
    fn from(ruleset: Ruleset) -> RulesetJson {
        let variation = ruleset.variation();
        let permission = |permission| match permission {
            Permission::Always => "always",
            Permission::LastResort => "last-resort",
            Permission::Never => "never",
        };
        RulesetJson {
            name: ruleset.name(),
            default: ruleset == Ruleset::default(),
            summary: ruleset.summary(),
            origin: ruleset.origin(),
            slam: permission(variation.slam),
            slam_takes: match variation.slam_takes {
                SlamTakes::Nothing => "nothing",
                SlamTakes::Everything => "everything",
                SlamTakes::AllButLast => "all-but-last",
                SlamTakes::AllButFirst => "all-but-first",
            },
            slam_ends_game: variation.slam_ends_game,
            starving: permission(variation.starving),
        }
    }
}

//! The rulesets.

use granero::Ruleset;
use granero::rules::{Permission, SlamTakes};
use serde::Serialize;

use crate::object;

/// The output of `granero rules --json`.
pub fn rulesets() -> impl Serialize {
    object! {
        rulesets: Ruleset::ALL.map(ruleset),
    }
}

/// The output of `granero rules --json` for one ruleset.
pub fn ruleset(ruleset: Ruleset) -> impl Serialize {
    let variation = ruleset.variation();
    let permission = |permission| match permission {
        Permission::Always => "always",
        Permission::LastResort => "last-resort",
        Permission::Never => "never",
    };
    object! {
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

//! The rulesets.

use granero::Ruleset;
use granero::rules::{Permission, SlamTakes};

use crate::documents;

documents! {
    /// The output of `granero rules --json`.
    pub struct Rulesets(all: [Ruleset; Ruleset::ALL.len()]) {
        rulesets: [RulesetJson; Ruleset::ALL.len()] = all.map(RulesetJson::new),
    }

    /// The output of `granero rules NAME --json`.
    #[schemars(rename = "Ruleset")]
    pub struct RulesetJson(ruleset: Ruleset) {
        let variation = ruleset.variation();
        name: &'static str = ruleset.name(),
        /// The one without `--rules`.
        default: bool = ruleset == Ruleset::default(),
        /// A sentence for people.
        summary: &'static str = ruleset.summary(),
        /// Where it comes from, for people.
        origin: &'static str = ruleset.origin(),
        /// When a grand slam is legal: `always`, `last-resort` (only without another move) or `never`.
        slam: &'static str = permission(variation.slam),
        /// The part of its chain that it captures: `nothing`, `everything`, `all-but-last` (the house furthest back) or
        /// `all-but-first`.
        slam_takes: &'static str = match variation.slam_takes {
            SlamTakes::Nothing => "nothing",
            SlamTakes::Everything => "everything",
            SlamTakes::AllButLast => "all-but-last",
            SlamTakes::AllButFirst => "all-but-first",
        },
        /// It ends the game, and all other seeds go to the opponent.
        slam_ends_game: bool = variation.slam_ends_game,
        /// When a move may leave the opponent without seeds, as `slam`.
        starving: &'static str = permission(variation.starving),
    }
}

fn permission(permission: Permission) -> &'static str {
    match permission {
        Permission::Always => "always",
        Permission::LastResort => "last-resort",
        Permission::Never => "never",
    }
}

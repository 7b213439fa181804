//! The tables that are served.

use granero::rules::{Permission, SlamTakes};
use granero::table::FinishedLayer;
use granero::{Cycles, Extent, Ruleset, Tables};

use super::UNIT;
use super::parts::RulesAndCycles;
use crate::documents;

/// The limits of requests and of builds.
#[derive(serde::Serialize, schemars::JsonSchema)]
pub struct Limits {
    pub batch_positions: usize,
    pub batch_bytes: usize,
    pub position_bytes: usize,
    /// The most seeds of a layer.
    pub buildable_seeds: u8,
    /// The longest time of a search; `null` without searches.
    pub prove_seconds: Option<f64>,
}

documents! {
    /// The server's answer about all its tables.
    pub struct Catalogue(served: Vec<ServedTables>, bounds: Limits) {
        let first = served.first().map(|first| first.tables);
        let listed = Ruleset::ALL.map(|rules| ServedRuleset::new(rules, &served));
        let unserved = || RulesAndCycles::new(Ruleset::default(), Cycles::default(), Extent::default());
        /// `granero`.
        program: &'static str = "granero",
        version: &'static str = env!("CARGO_PKG_VERSION"),
        unit: &'static str = UNIT,
        /// In the order of the rulesets and conventions.
        tables: Vec<ServedTables> = served,
        /// The tables to show first.
        default: RulesAndCycles = first.unwrap_or_else(unserved),
        /// All rulesets, with tables or without.
        rulesets: [ServedRuleset; Ruleset::ALL.len()] = listed,
        /// The conventions for endless play.
        cycles: [Convention; Cycles::ALL.len()] = Cycles::ALL.map(Convention::new),
        limits: Limits = bounds,
    }

    /// Tables that are served.
    pub struct ServedTables(
        served: &Tables, is_sample: bool, is_growing: bool, named: &str, command: Option<String>
    ) {
        let all = &served.manifest().layers;
        ..tables: RulesAndCycles = served.into(),
        /// They are the sample in the program.
        sample: bool = is_sample,
        /// The last layer; `null` if none is finished.
        max_seeds: Option<u8> = served.max_seeds(),
        positions: u64 = all.iter().map(|layer| layer.statistics.positions).sum(),
        bytes: u64 = all.iter().map(|layer| layer.file.bytes).sum(),
        /// A build is writing to the directory, as far as is known.
        building: bool = is_growing,
        /// 16 hexadecimal digits, the same for the same values on every machine.
        fingerprint: String = named.into(),
        /// The finished layers.
        layers: Vec<ServedLayer> = all.iter().map(ServedLayer::new).collect(),
        /// A command that builds more, or `null`.
        more: Option<String> = command,
    }

    /// A layer that is served.
    struct ServedLayer(layer: &FinishedLayer) {
        seeds: u8 = layer.statistics.seeds,
        positions: u64 = layer.statistics.positions,
        bytes: u64 = layer.file.bytes,
        /// SHA-256 of all values, as `export --format raw` writes them; with `own-side` of low bounds.
        sha256: String = layer.statistics.values.as_ref().low().sha256.to_string(),
    }

    /// A ruleset, with its tables.
    struct ServedRuleset(rules: Ruleset, served: &[ServedTables]) {
        ..ruleset: RulesetJson = RulesetJson::new(rules),
        /// The conventions for which there are tables.
        tables: Vec<&'static str> = served.iter().filter_map(|of| of.tables.cycles_of(rules)).collect(),
    }

    /// A convention for endless play.
    struct Convention(cycles: Cycles) {
        name: &'static str = cycles.name(),
        /// A sentence for people.
        summary: &'static str = cycles.summary(),
    }
}

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

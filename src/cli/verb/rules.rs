//! `granero rules`: the rulesets and their differences.

use granero::Ruleset;
use granero::rules::{Permission, SlamTakes};

use granero_answer::document::{RulesetJson, Rulesets};
use granero_console::{Failure, paint, style};

/// List the rulesets, or describe one
///
/// All rulesets share sowing, capturing, feeding and the end of the game. They differ in what
/// happens on a grand slam, a move that would capture all the opponent's seeds.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero rules
  granero rules italian
  granero rules --json")]
pub(crate) struct Args {
    /// Describe this ruleset only
    #[arg(value_parser = granero_console::named(Ruleset::ALL, Ruleset::name))]
    name: Option<Ruleset>,

    /// Print JSON, see docs/json.md
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    match (args.name, args.json) {
        (Some(ruleset), true) => crate::output::json(&RulesetJson::new(ruleset)),
        (Some(ruleset), false) => Ok(describe(ruleset)),
        (None, true) => crate::output::json(&Rulesets::new(Ruleset::ALL)),
        (None, false) => {
            let width = Ruleset::ALL.map(|ruleset| ruleset.name().len());
            let width = width.into_iter().max().unwrap_or_default();
            let lines = Ruleset::ALL.map(|ruleset| {
                let name = paint(style::HEADING, format_args!("{ruleset:width$}"));
                format!("{name}  {}\n", ruleset.summary())
            });
            Ok(lines.concat())
        }
    }
}

fn describe(ruleset: Ruleset) -> String {
    let variation = ruleset.variation();
    let permission = |permission| match permission {
        Permission::Always => "legal",
        Permission::LastResort => "legal only when there is no other move",
        Permission::Never => "not legal",
    };
    let captures = match variation.slam_takes {
        _ if variation.slam == Permission::Never => None,
        SlamTakes::Nothing => Some("captures nothing"),
        SlamTakes::Everything => Some("captures its whole chain"),
        SlamTakes::AllButLast => {
            Some("captures all houses of its chain except the last, the one furthest back")
        }
        SlamTakes::AllButFirst => {
            Some("captures all houses of its chain except the first, where the last seed fell")
        }
    };
    let ends = variation
        .slam_ends_game
        .then_some("ends the game, all other seeds going to the opponent");
    let slam: Vec<&str> = [Some(permission(variation.slam)), captures, ends]
        .into_iter()
        .flatten()
        .collect();

    let heading = paint(style::HEADING, ruleset.name());
    let mut text = format!("{heading}  {}\n\n", ruleset.summary());
    for (what, how) in [
        ("A grand slam", slam.join("; ")),
        (
            "Not feeding an opponent without seeds",
            permission(variation.starving).into(),
        ),
        ("Comes from", ruleset.origin().into()),
    ] {
        text += &format!("  {what:37}  {how}\n");
    }
    text
}

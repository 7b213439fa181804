//! Many judged games: a table for each player.

use std::collections::BTreeMap;

use granero::judge::PlayerSummary;
use granero::{Side, Tables};

use super::Answer;
use super::text::{aligned, cells};
use super::text::{count, in_seeds, plain, unjudged};
use granero_answer::counted;
use granero_console::{paint, style};

/// The moves of players in many games, by name.
#[derive(Default)]
pub(super) struct Players {
    games: usize,
    /// The rows of the games of each player, and all their moves.
    by_name: BTreeMap<String, (Vec<Vec<String>>, PlayerSummary<'static>)>,
    beyond: usize,
    unknown: usize,
    searched: bool,
}

impl Players {
    /// Adds a game to the tables of both players.
    pub(super) fn add(&mut self, number: usize, answer: &Answer<'_>) {
        self.games = number;
        self.beyond += answer.judgement.beyond;
        self.searched |= answer.searched;
        self.unknown += answer.unknown();
        let name = |side| {
            let name = answer.game.player(side).map(plain);
            name.unwrap_or_else(|| side.to_string())
        };
        for side in [Side::South, Side::North] {
            let summary = answer.judgement.player(side);
            let (rows, all) = self.by_name.entry(name(side)).or_default();
            *all += &summary;
            rows.push(row(
                &summary,
                number.to_string(),
                side.to_string(),
                name(side.other()),
            ));
        }
    }

    pub(super) fn describe(self, tables: &Tables) -> String {
        let games = counted(self.games as u64, "game");
        let (rules, cycles) = (tables.rules(), tables.cycles());
        let mut output = format!("{games}; rules {rules}, endless play by {cycles}.\n");
        let beyond = counted(self.beyond as u64, "move");
        if self.beyond > 0 {
            output += &unjudged(tables, self.searched, &beyond, self.unknown);
        }
        for (name, (mut rows, all)) in self.by_name {
            output += &format!("\n{}\n", paint(style::HEADING, name));
            if rows.len() > 1 {
                rows.push(row(&all, "all".into(), String::new(), String::new()));
            }
            let heading = "game|side |judged|best|gave away|changed who wins|harmless|against";
            rows.insert(0, cells(heading));
            output.extend(aligned(&rows));
        }
        output
    }
}

fn row(totals: &PlayerSummary<'_>, number: String, side: String, opponent: String) -> Vec<String> {
    // With bounds, a move may also give up what was possible.
    let lost = match totals.given_up.least {
        0 => in_seeds(totals.lost),
        _ => format!(
            "{}, {} up",
            in_seeds(totals.lost),
            in_seeds(totals.given_up)
        ),
    };
    vec![
        number,
        side,
        totals.judged.to_string(),
        totals.best.to_string(),
        lost,
        count(totals.wrong[0]),
        count(totals.wrong[2]),
        opponent,
    ]
}

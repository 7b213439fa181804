//! Many judged games: a table for each player.

use std::collections::BTreeMap;

use granero::{Side, Tables};

use super::Answer;
use super::text::{plain, unjudged};
use super::totals::{Totals, aligned, cells};
use granero_answer::amounts::counted;
use granero_console::style::{self, paint};

/// The moves of players in many games, by name.
#[derive(Default)]
pub(super) struct Players {
    games: usize,
    by_name: BTreeMap<String, Vec<Played>>,
    beyond: usize,
    searched: bool,
    cut_off: usize,
}

/// A game of a player.
struct Played {
    number: usize,
    side: Side,
    opponent: String,
    totals: Totals,
}

impl Players {
    /// Adds a game to the tables of both players.
    pub(super) fn add(&mut self, number: usize, answer: &Answer<'_>) {
        self.games = number;
        self.beyond += answer.judgement.beyond;
        self.searched |= answer.searched;
        self.cut_off += answer.judgement.cut_off;
        let name = |side| {
            let name = answer.game.player(side).map(plain);
            name.unwrap_or_else(|| side.to_string())
        };
        for side in [Side::South, Side::North] {
            self.by_name.entry(name(side)).or_default().push(Played {
                number,
                side,
                opponent: name(side.other()),
                totals: Totals::of(&answer.judgement.player(side)),
            });
        }
    }

    pub(super) fn describe(&self, tables: &Tables) -> String {
        let games = counted(self.games as u64, "game");
        let (rules, cycles) = (tables.rules(), tables.cycles());
        let mut output = format!("{games}; rules {rules}, endless play by {cycles}.\n");
        let beyond = counted(self.beyond as u64, "move");
        output += &match self.beyond {
            0 => String::new(),
            _ => unjudged(tables, self.searched, &beyond),
        };
        for (name, games) in &self.by_name {
            output += &format!("\n{}\n", paint(style::HEADING, name));
            let heading = "game|side |judged|best|gave away|changed who wins|harmless|against";
            let mut rows = vec![cells(heading)];
            let mut all = Totals::default();
            for game in games {
                let (number, side) = (game.number.to_string(), game.side.to_string());
                rows.push(game.totals.row(number, side, game.opponent.clone()));
                all += game.totals;
            }
            if games.len() > 1 {
                rows.push(all.row("all".into(), String::new(), String::new()));
            }
            output.extend(aligned(&rows));
        }
        output
    }
}

impl Totals {
    fn row(&self, number: String, side: String, opponent: String) -> Vec<String> {
        // With bounds, a move may also give up what was possible.
        let lost = match self.given_up.least {
            0 => self.given_away.to_string(),
            _ => format!("{}, {} up", self.given_away, self.given_up),
        };
        vec![
            number,
            side,
            self.judged.to_string(),
            self.best.to_string(),
            lost,
            self.changed.to_string(),
            self.harmless.to_string(),
            opponent,
        ]
    }
}

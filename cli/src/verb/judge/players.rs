//! Many judged games: a table for each player.

use std::collections::BTreeMap;

use granero::judge::PlayerSummary;
use granero::{Side, Tables};

use super::Answer;
use super::text::{given_away, plain};
use crate::options::counted;
use crate::style::{self, paint};

/// What players did in many games, by their names.
#[derive(Default)]
pub(super) struct Players {
    games: usize,
    by_name: BTreeMap<String, Vec<Played>>,
}

/// A game of a player.
struct Played {
    number: usize,
    side: Side,
    opponent: String,
    judged: usize,
    best: usize,
    given_away: u32,
    /// Whether that is all that was given away.
    complete: bool,
    given_up: u32,
    wrong: [usize; 3],
}

impl Players {
    /// Adds a game to the tables of both players.
    pub(super) fn add(&mut self, number: usize, answer: &Answer<'_>) {
        self.games = number;
        let name = |side| {
            let name = answer.game.player(side).map(plain);
            name.unwrap_or_else(|| side.to_string())
        };
        for side in [Side::South, Side::North] {
            let PlayerSummary {
                judged,
                best,
                given_away,
                given_up,
                wrong,
                beyond,
                ..
            } = answer.judgement.player(side);
            self.by_name.entry(name(side)).or_default().push(Played {
                number,
                side,
                opponent: name(side.other()),
                judged: judged + beyond.judged,
                best: best + beyond.best,
                given_away: given_away + beyond.given_away,
                complete: beyond.complete,
                given_up,
                wrong,
            });
        }
    }

    pub(super) fn describe(&self, tables: &Tables) -> String {
        let games = counted(self.games as u64, "game");
        let (rules, cycles) = (tables.rules(), tables.cycles());
        let mut output = format!("{games}; rules {rules}, endless play by {cycles}.\n");
        for (name, games) in &self.by_name {
            output += &format!("\n{}\n", paint(style::HEADING, name));
            output += "game  side   judged  best  gave away  changed who wins  harmless  against\n";
            for game in games {
                let side = game.side.to_string();
                output += &game.row(&game.number.to_string(), &side, &game.opponent);
            }
            if games.len() > 1 {
                output += &Played::sum(games).row("all", "", "");
            }
        }
        output
    }
}

impl Played {
    fn sum(games: &[Played]) -> Played {
        let mut sum = Played {
            number: 0,
            side: Side::South,
            opponent: String::new(),
            judged: 0,
            best: 0,
            given_away: 0,
            complete: true,
            given_up: 0,
            wrong: [0; 3],
        };
        for game in games {
            sum.judged += game.judged;
            sum.best += game.best;
            sum.given_away += game.given_away;
            sum.complete &= game.complete;
            sum.given_up += game.given_up;
            for (sum, count) in sum.wrong.iter_mut().zip(game.wrong) {
                *sum += count;
            }
        }
        sum
    }

    fn row(&self, number: &str, side: &str, opponent: &str) -> String {
        let [changed, _, harmless] = self.wrong;
        let given_away = given_away(self.given_away, self.complete);
        // With bounds, what was given up beyond what was given away.
        let lost = match self.given_up {
            0 => given_away,
            given_up => format!("{given_away}, {given_up} up"),
        };
        let row = format!(
            "{number:>4}  {side:5}  {:6}  {:4}  {lost:>9}  {changed:>16}  {harmless:>8}  {opponent}",
            self.judged, self.best,
        );
        row.trim_end().to_string() + "\n"
    }
}

//! A judged game, for people.

use granero::judge::{Class, JudgedByProof};
use granero::notation::{board, visible};
use granero::{Cycles, FinalScore, Measured, Ruleset, Side, Tables};

use super::Answer;
use super::judged::Judged;
use super::totals::{Totals, aligned, cells};
use granero_answer::amounts::counted;
use granero_answer::reach;
use granero_console::style::{self, paint};

impl Answer<'_> {
    /// Returns the ruleset that the record names, if the tables have another one.
    fn other_rules(&self) -> Option<Ruleset> {
        let rules = self.game.ruleset().ok()??;
        (rules != self.tables.rules()).then_some(rules)
    }

    pub(super) fn describe(&self) -> String {
        let Answer {
            tables, judgement, ..
        } = self;
        let (rules, cycles) = (tables.rules(), tables.cycles());
        let length = counted(self.game.moves.len() as u64, "move");
        let mut output = self.names();
        output += &format!("{length}; rules {rules}, endless play by {cycles}.\n");
        if let Some(other) = self.other_rules() {
            output += &format!(
                "The record was played by the rules {other}: with tables of those rules, values \
                 may differ.\n"
            );
        }
        if let (Cycles::OwnSide, Some(side)) = (cycles, self.game.favours()) {
            output += &format!(
                "In endless play, the position of the cycle that is best for {side} counts.\n"
            );
        }
        output += &match judgement.beyond {
            0 => String::new(),
            1 => unjudged(tables, self.searched, "the first move"),
            beyond => unjudged(tables, self.searched, &format!("the first {beyond} moves")),
        };
        if judgement.cut_off > 0 {
            output += &format!(
                "Not judged: {} whose values these deciding tables cut off.\n",
                counted(judgement.cut_off as u64, "move")
            );
        }
        if Judged::all(judgement).next().is_none() {
            return output;
        }
        output += "\n";
        output += &self.moves();
        output += &self.mistakes();
        output += "\n";
        output + &self.players()
    }

    /// Names the players, if the record does.
    fn names(&self) -> String {
        let name = |side| {
            let name = self.game.player(side)?;
            Some(format!("{side}: {}", plain(name)))
        };
        let names: Vec<String> = [Side::South, Side::North]
            .into_iter()
            .filter_map(name)
            .collect();
        if names.is_empty() {
            return String::new();
        }
        names.join(", ") + ".\n"
    }

    /// Describes the moves that certainly lost something, each with the position before it.
    fn mistakes(&self) -> String {
        let mut output = String::new();
        let moves = Judged::all(&self.judgement);
        for judged in moves.filter(|judged| judged.class > Class::Harmless) {
            let before = &judged.ply.before;
            let side = before.to_move();
            let changed = match (judged.class, judged.class_at_most) {
                (Class::ChangedWinner, _) => " and changed who wins",
                (_, Class::ChangedWinner) => " and may have changed who wins",
                _ => "",
            };
            let (label, lost) = (judged.label(&self.game), judged.lost());
            let heading = format!("{label} {lost}{changed}. {side} to move:");
            output += &format!("\n{}\n", paint(style::HEADING, heading));
            for line in board::write(&before.position(), side).lines() {
                output += &format!("  {line}\n");
            }
            let [south, north] = [Side::South, Side::North].map(|side| before.store(side));
            output += &format!("Captured so far: South {south}, North {north}.\n");
            let known = if judged.is_settled {
                ""
            } else {
                ", best known"
            };
            output += &format!(
                "With {}{known}: {}.\nWith {}: {}.\n",
                judged.best.join(" or "),
                ends(judged.promised),
                judged.letter(),
                ends(judged.left),
            );
        }
        output
    }

    /// Returns true if moves have bounds, so that they can be wrong in two ways.
    fn has_bounds(&self) -> bool {
        self.tables.cycles() == Cycles::OwnSide && self.game.favours().is_none()
    }

    /// Formats a line for each move.
    fn moves(&self) -> String {
        let has_bounds = self.has_bounds();
        let (second, legend) = if has_bounds {
            (
                "gives up",
                "\n\"Gives away\" is how much less the move guarantees than a best one, \"gives up\"\n\
                 how much less is possible after it, if it guarantees as much.\n",
            )
        } else {
            (
                "score",
                "\n\"Score\" is how the game ends with best play after the move, South's seeds first.\n",
            )
        };
        let is_range = |judged: Judged<'_>| judged.worth.value().is_none();
        let has_ranges = Judged::all(&self.judgement).any(is_range);
        let worth = if has_ranges { "bounds" } else { "value" };
        let heading = format!("move  |seeds|{worth}|played|gives away|{second}|best");
        let mut rows = vec![cells(&heading)];
        // Wrong moves stand out.
        let mut stands_out = vec![true];
        for judged in Judged::all(&self.judgement) {
            let number = self.game.numbering.of(judged.number - 1);
            let sign = if number.second { '…' } else { '.' };
            let is_plain = judged.is_settled || judged.best.is_empty();
            let known = if is_plain { "" } else { "best known " };
            let best = judged.best.join(" ");
            rows.push(vec![
                format!("{:3}{sign} {}", number.pair, judged.letter()),
                judged.ply.before.position().seeds().to_string(),
                judged.worth.to_string(),
                judged.played.to_string(),
                judged.given_away,
                match (has_bounds, judged.given_up) {
                    (false, _) => score(judged.left),
                    (true, Some(seeds)) => seeds.to_string(),
                    (true, None) => "?".into(),
                },
                format!("{known}{best}"),
            ]);
            stands_out.push(judged.class > Class::Best);
        }
        let lines = aligned(&rows).zip(stands_out);
        let lines = lines.map(|(line, stands_out)| {
            if stands_out {
                paint(style::HEADING, line.trim_end()) + "\n"
            } else {
                line
            }
        });
        lines.collect::<String>() + legend
    }

    /// Formats a line for each player.
    fn players(&self) -> String {
        let heading = "|judged|best|gave away|gave up|changed who wins|harmless|worst move";
        let mut rows = vec![cells(heading)];
        for side in [Side::South, Side::North] {
            let summary = self.judgement.player(side);
            let totals = Totals::of(&summary);
            let beyond = summary.by_proof.worst;
            let certain = beyond.map_or(0, JudgedByProof::given_away_at_least);
            let worst = match summary.worst {
                Some(worst) if worst.given_away() > certain || certain == 0 => Some(worst.into()),
                _ => beyond.map(Judged::from),
            };
            let error = |worst: Judged<'_>| {
                let (label, lost) = (worst.label(&self.game), worst.lost());
                format!("{label}, which {lost}")
            };
            rows.push(vec![
                side.to_string(),
                totals.judged.to_string(),
                totals.best.to_string(),
                totals.given_away.to_string(),
                totals.given_up.to_string(),
                totals.changed.to_string(),
                totals.harmless.to_string(),
                worst.map_or_else(|| "-".into(), error),
            ]);
        }
        if !self.has_bounds() {
            rows.iter_mut().for_each(|row| drop(row.remove(4)));
        }
        let mut lines = aligned(&rows);
        let heading = lines.next().unwrap_or_default();
        paint(style::HEADING, heading.trim_end()) + "\n" + &lines.collect::<String>()
    }
}

/// Says that moves beyond the tables are judged by proofs, or not at all.
pub(super) fn unjudged(tables: &Tables, searched: bool, moves: &str) -> String {
    let how = if searched {
        "Judged as far as it is proven"
    } else {
        "Not judged"
    };
    format!("{how}: {moves}; {}.\n", reach(tables))
}

/// Formats the end of a game, South's seeds first; if it is uncertain, the range.
fn score(scores: Measured<FinalScore>) -> String {
    let mut ends = [scores.low(), scores.high()];
    ends.sort_by(|one, other| one.seeds(Side::South).total_cmp(&other.seeds(Side::South)));
    let [low, high] =
        ends.map(|end| format!("{}-{}", end.seeds(Side::South), end.seeds(Side::North)));
    if low == high {
        low
    } else {
        format!("{low}…{high}")
    }
}

/// Describes the end of a game, or the range, with the worse end for the player to move first.
pub(super) fn ends(scores: Measured<FinalScore>) -> String {
    match (scores.low(), scores.high()) {
        (low, high) if low == high => low.to_string(),
        (low, high) => format!("between {low} and {high}"),
    }
}

/// Puts a text from a record on one line, safe for a terminal.
pub(super) fn plain(text: &str) -> String {
    visible(&text.replace(char::is_whitespace, " "))
}

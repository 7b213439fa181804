//! A judged game, for people and as a record.

use std::io::{self, IsTerminal};

use granero::judge::{Class, Count, JudgedMove};
use granero::notation::ogn::{self, Dialect};
use granero::notation::{board, visible};
use granero::{Comments, Cycles, Measured, Move, ReplayError, Side, Tables, Value, seeds_text};

use super::Answer;
use crate::output::text::{captured_so_far, indented};
use granero_answer::{Range, capitalised, counted, ending, reach, souths, why_halves};
use granero_console::{paint, style};

impl Answer<'_> {
    pub(super) fn describe(&self) -> String {
        let Answer {
            tables, judgement, ..
        } = self;
        let (rules, cycles) = (tables.rules(), tables.cycles());
        let length = counted(self.game.moves.len() as u64, "move");
        let names = [Side::South, Side::North].into_iter().filter_map(|side| {
            let name = self.game.player(side)?;
            Some(format!("{side}: {}", plain(name)))
        });
        let names: Vec<String> = names.collect();
        let end = if names.is_empty() { "" } else { ".\n" };
        let mut output = names.join(", ") + end;
        output += &format!("{length}; rules {rules}, endless play by {cycles}.\n");
        let recorded = self.game.ruleset().ok().flatten();
        if let Some(other) = recorded.filter(|&recorded| recorded != rules) {
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
        if judgement.beyond > 0 {
            let first = match judgement.beyond {
                1 => "the first move".into(),
                beyond => format!("the first {beyond} moves"),
            };
            output += &unjudged(tables, self.searched, &first, self.unknown());
        }
        if judgement.cut_off > 0 {
            output += &format!(
                "Not judged: {} whose values these deciding tables cut off.\n",
                counted(judgement.cut_off as u64, "move")
            );
        }
        if self.known().next().is_none() {
            return output;
        }
        output += "\n";
        output += &self.moves();
        output += &self.mistakes();
        output += "\n";
        output += &self.players();
        output += why_halves(&output);
        output
    }

    /// Returns the moves about which something is known, in the order of the game.
    pub(super) fn known(&self) -> impl Iterator<Item = &JudgedMove> {
        let moves = self.judgement.moves.iter();
        moves.filter(|judged| !judged.is_unknown())
    }

    /// Counts the moves that were searched and about which hardly anything is known.
    pub(super) fn unknown(&self) -> usize {
        self.judgement.moves.len() - self.known().count()
    }

    /// Formats a move with its number in the record.
    pub(super) fn label(&self, judged: &JudgedMove) -> String {
        let letter = judged.ply.play.house.letter(judged.side());
        self.game.label(judged.number, letter)
    }

    /// Describes the moves that certainly lost something, each with the position before it.
    fn mistakes(&self) -> String {
        let mut output = String::new();
        let is_mistake = |judged: &&JudgedMove| judged.class_at_least() > Class::Harmless;
        for judged in self.known().filter(is_mistake) {
            let before = &judged.ply.before;
            let side = before.to_move();
            let changed = match (judged.class_at_least(), judged.class_at_most()) {
                (Class::ChangedWinner, _) => " and changed who wins",
                (_, Class::ChangedWinner) => " and may have changed who wins",
                _ => "",
            };
            let (label, lost) = (self.label(judged), lost(judged));
            let heading = format!("{label} {lost}{changed}. {side} to move:");
            output += &format!("\n{}\n", paint(style::HEADING, heading));
            output += &indented(&board::write(&before.position(), side));
            output += &captured_so_far(before);
            let (best, is_certain) = best(judged);
            let known = if is_certain { "" } else { ", best known" };
            output += &format!(
                "With {}{known}: {}.\nWith {}: {}.\n",
                best.join(" or "),
                ending(before, judged.promised()),
                judged.ply.play.house.letter(side),
                ending(before, judged.left()),
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
                "\n\"Gives away\" is how many seeds fewer the move guarantees than a best one; \"gives up\"\n\
                 is how many fewer are possible after it, if it guarantees as many.\n",
            )
        } else {
            (
                "score",
                "\n\"Score\" is how the game ends with best play after the move, South's seeds first.\n\
                 \"Gives away\" counts seeds: a value is a difference, and falls by twice as much.\n",
            )
        };
        let is_range = |judged: &JudgedMove| {
            judged.value.value().is_none()
                && judged.proof().is_none_or(|proof| proof.low < proof.high)
        };
        let has_ranges = self.known().any(is_range);
        let value = if has_ranges { "bounds" } else { "value" };
        let heading = format!("move  |seeds|{value}|played|gives away|{second}|best");
        let mut rows = vec![cells(&heading)];
        // Wrong moves stand out.
        let mut stands_out = vec![false];
        for judged in self.known() {
            let before = &judged.ply.before;
            let on_board = before.position().seeds();
            let brief = |value: Measured<Value>| {
                let (low, high) = (value.low(), value.high());
                let range = judged.proof().map(|_| Range { low, high }.brief(on_board));
                range.unwrap_or_else(|| value.to_string())
            };
            let (best, is_certain) = best(judged);
            let is_plain = is_certain || best.is_empty();
            let known = if is_plain { "" } else { "best known " };
            rows.push(vec![
                format!("{:>6}", self.label(judged)),
                on_board.to_string(),
                brief(judged.value),
                brief(judged.played),
                given_away(judged),
                match (has_bounds, judged.given_up()) {
                    (false, _) => score(judged),
                    (true, Some(lost)) => seeds_text(f64::from(lost) / 2.0),
                    (true, None) => UNKNOWN.into(),
                },
                format!("{known}{}", best.join(" ")),
            ]);
            stands_out.push(judged.class_at_least() > Class::Best);
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
            let error = |worst| format!("{}, which {}", self.label(worst), lost(worst));
            rows.push(vec![
                side.to_string(),
                summary.judged.to_string(),
                summary.best.to_string(),
                in_seeds(summary.lost),
                in_seeds(summary.given_up),
                count(summary.wrong[0]),
                count(summary.wrong[2]),
                summary.worst.map_or_else(|| "-".into(), error),
            ]);
        }
        if !self.has_bounds() {
            rows.iter_mut().for_each(|row| drop(row.remove(4)));
        }
        aligned(&rows).collect()
    }
}

/// Says that moves beyond the tables are judged by proofs, or not at all; of `unknown` ones, hardly anything
/// is known.
pub(super) fn unjudged(tables: &Tables, searched: bool, moves: &str, unknown: usize) -> String {
    let how = if searched {
        "Judged as far as it is proven"
    } else {
        "Not judged"
    };
    let unknown = match unknown {
        0 => String::new(),
        unknown => format!("Not known yet: {unknown} of them.\n"),
    };
    format!("{how}: {moves}; {}.\n{unknown}", reach(tables))
}

const UNKNOWN: &str = "not known yet";

/// Returns the best moves, or the best known ones, and whether they are certainly best.
pub(super) fn best(judged: &JudgedMove) -> (Vec<String>, bool) {
    let (certain, known) = (judged.best(), judged.best_known());
    let letter = |play: &Move| play.house.letter(judged.side()).to_string();
    let moves = if certain.is_empty() { &known } else { &certain };
    (moves.iter().map(letter).collect(), !certain.is_empty())
}

/// Says in words what a move lost.
pub(super) fn lost(judged: &JudgedMove) -> String {
    let (what, seeds) = match judged.given_up() {
        Some(lost @ 1..) => ("gave up", seeds_text(f64::from(lost) / 2.0)),
        _ => ("gave away", given_away(judged)),
    };
    let plural = if ["½", "1"].contains(&&*seeds) {
        ""
    } else {
        "s"
    };
    format!("{what} {seeds} seed{plural}")
}

/// Formats the seeds that a move gave away, as far as they are known.
fn given_away(judged: &JudgedMove) -> String {
    let [least, most] = [judged.lost_at_least(), judged.lost_at_most()].map(usize::from);
    if least == 0 && most > judged.ply.before.position().seeds().into() {
        return UNKNOWN.into();
    }
    match in_seeds(Count { least, most }) {
        unknown if unknown == UNKNOWN => format!("at most {}", seeds_text(most as f64 / 2.0)),
        known => known,
    }
}

/// Formats twice a number of seeds, as far as it is known.
pub(super) fn in_seeds(Count { least, most }: Count) -> String {
    match seeds_text(least as f64 / 2.0) {
        least_seeds if least == most => least_seeds,
        _ if least == 0 => UNKNOWN.into(),
        least => format!("at least {least}"),
    }
}

/// Formats a number of moves, as far as it is known.
pub(super) fn count(Count { least, most }: Count) -> String {
    let [least, most] = [2 * least, 2 * most];
    in_seeds(Count { least, most })
}

/// Formats the end of a game after a move, South's seeds first; if it is uncertain, South's seeds.
fn score(judged: &JudgedMove) -> String {
    let ends = judged.left();
    let exact = ends.low();
    if exact == ends.high() {
        let [south, north] = [Side::South, Side::North].map(|side| seeds_text(exact.seeds(side)));
        return format!("{south}-{north}");
    }
    souths(&judged.ply.before, ends).unwrap_or_else(|| UNKNOWN.into())
}

/// Puts a text from a record on one line, safe for a terminal.
pub(super) fn plain(text: &str) -> String {
    visible(&text.replace(char::is_whitespace, " "))
}

/// Splits the row of a table at each `|`.
pub(super) fn cells(row: &str) -> Vec<String> {
    row.split('|').map(String::from).collect()
}

/// Writes the rows of a table as lines, the first as its heading. All columns but the last are aligned to the right.
pub(super) fn aligned(rows: &[Vec<String>]) -> impl Iterator<Item = String> {
    let length = |cell: &String| cell.chars().count();
    let mut widths = Vec::new();
    for row in rows {
        widths.resize(row.len(), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = length(cell).max(*width);
        }
    }
    widths.pop();
    rows.iter().enumerate().map(move |(number, row)| {
        let widths = widths.iter().copied().chain([0]);
        let cells = row.iter().zip(widths);
        let cells = cells.map(|(cell, width)| format!("{cell:>width$}  "));
        let line = cells.collect::<String>();
        match number {
            0 => paint(style::HEADING, line.trim_end()) + "\n",
            _ => line.trim_end().to_string() + "\n",
        }
    })
}

impl Answer<'_> {
    /// Writes the record up to the first impossible move. On a terminal, control characters are
    /// made visible.
    pub(super) fn record(&self, dialect: Dialect) -> Result<String, ReplayError> {
        let mut game = self.game.clone();
        game.moves.truncate(self.judgement.possible(&game));
        game.comments = Comments::default();
        let mut symbols = std::mem::take(&mut game.symbols).into_iter().peekable();
        let mut judged = self.known().peekable();
        for moves in 0..=game.moves.len() {
            let recorded = std::iter::from_fn(|| symbols.next_if(|(before, _)| *before == moves));
            game.symbols.extend(recorded);
            let comment = self.game.comments.after(moves);
            game.comments.add(moves, comment.unwrap_or_default());
            if let Some(judged) = judged.next_if(|judged| judged.number == moves)
                && judged.class_at_least() != Class::Best
            {
                match judged.class_at_least() {
                    Class::ChangedWinner => game.symbols.push((moves, 4)),
                    Class::GaveAway => game.symbols.push((moves, 2)),
                    // As on the page.
                    Class::Best | Class::Harmless => {}
                }
                let (best, is_certain) = best(judged);
                let known = if is_certain { "best" } else { "best known" };
                let before = &judged.ply.before;
                let comment = format!(
                    "{}: {}; {known} was {}: {}",
                    capitalised(&lost(judged)),
                    ending(before, judged.left()),
                    best.join(" or "),
                    ending(before, judged.promised())
                );
                game.comments.add(moves, &comment);
            }
        }
        if let Some(error) = &self.judgement.error {
            let what = format!("The record goes on with {}: {}", error.sown, error.reason);
            game.comments.add(game.moves.len(), &what);
            game.tags.retain(|(name, _)| name != "Result");
        }
        let record = ogn::write(&game, self.tables.rules(), dialect)?;
        if !io::stdout().is_terminal() {
            return Ok(record);
        }
        let lines: Vec<String> = record.split('\n').map(visible).collect();
        Ok(lines.join("\n"))
    }
}

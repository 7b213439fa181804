//! Totals of a player's moves, by the tables and by proofs; and tables that show them.

use std::fmt;
use std::ops::AddAssign;

use granero::judge::PlayerSummary;

use granero_answer::at_least;

/// Totals of a player's moves, in a game or in several.
#[derive(Clone, Copy, Default)]
pub(super) struct Totals {
    pub(super) judged: usize,
    pub(super) best: usize,
    pub(super) given_away: Count,
    pub(super) given_up: Count,
    pub(super) changed: Count,
    pub(super) harmless: Count,
}

/// A number, or the least that it can be where proofs leave it open.
#[derive(Clone, Copy, Default)]
pub(super) struct Count {
    pub(super) least: u32,
    is_open: bool,
}

impl Totals {
    pub(super) fn of(summary: &PlayerSummary<'_>) -> Totals {
        let beyond = &summary.by_proof;
        let seeds = |least| Count {
            least,
            is_open: !beyond.complete,
        };
        let [changed, _, harmless] = [0, 1, 2].map(|class| Count {
            least: (summary.wrong[class] + beyond.wrong[class]) as u32,
            is_open: beyond.unsettled[class] > 0,
        });
        Totals {
            judged: summary.judged + beyond.judged,
            best: summary.best + beyond.best,
            given_away: seeds(summary.given_away + beyond.given_away),
            given_up: seeds(summary.given_up),
            changed,
            harmless,
        }
    }
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.judged += other.judged;
        self.best += other.best;
        self.given_away += other.given_away;
        self.given_up += other.given_up;
        self.changed += other.changed;
        self.harmless += other.harmless;
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.least += other.least;
        self.is_open |= other.is_open;
    }
}

/// Writes the number, `at least 3`, or `?` if nothing is known.
impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least, self.is_open) {
            (least, false) => least.fmt(f),
            (0, true) => f.write_str("?"),
            (least, true) => f.write_str(&at_least(least)),
        }
    }
}

/// Splits the row of a table at each `|`.
pub(super) fn cells(row: &str) -> Vec<String> {
    row.split('|').map(String::from).collect()
}

/// Writes the rows of a table as lines. All columns but the last are aligned to the right.
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
    rows.iter().map(move |row| {
        let widths = widths.iter().copied().chain([0]);
        let cells = row.iter().zip(widths);
        let cells = cells.map(|(cell, width)| format!("{cell:>width$}  "));
        cells.collect::<String>().trim_end().to_string() + "\n"
    })
}

//! The parts that the reports on moves and on games share.

use std::fmt::Display;

use crate::referee::{Fault, FaultKind, Unjudged};
use granero::notation::visible;
use granero::{Situation, Tables};

use super::Args;
use granero_answer::grouped;
use granero_console::{Failure, hint, paint, style};

/// The number of worst moves or games that are shown, and of faults.
pub(crate) const SHOWN: usize = 10;

/// The engine that was judged, and the conditions.
pub(crate) struct Judged<'a> {
    pub(crate) args: &'a Args,
    pub(crate) tables: &'a Tables,
    pub(crate) engine: String,
    pub(crate) restarts: u32,
    pub(crate) positions: usize,
    pub(crate) unjudged: Unjudged,
    /// The answers that were not legal moves, each with its position or the start of its game.
    pub(crate) faults: Vec<(&'a Situation, &'a Fault)>,
}

impl Judged<'_> {
    /// Formats the first lines of a report, and rows about positions that were not judged.
    pub(crate) fn heading(&self) -> String {
        let from = match &self.args.positions {
            Some(file) => format!("from {}", file.display()),
            None => format!("drawn at random with seed {}", self.args.seed),
        };
        let positions = match self.positions {
            1 => "1 position".to_string(),
            many => format!("{} positions", grouped(many as u64)),
        };
        let (rules, cycles) = (self.tables.rules(), self.tables.cycles());
        let heading = format!(
            "{} in {} {from},\n\
             {} ms for a move, rules {rules}, endless play by {cycles}.\n\n",
            paint(style::HEADING, visible(&self.engine)),
            positions,
            self.args.asking.movetime,
        );
        heading + &self.unjudged()
    }

    fn unjudged(&self) -> String {
        let unjudged = self.unjudged;
        let mut text = String::new();
        if unjudged.over > 0 {
            text += &row("game over", unjudged.over, "not asked");
        }
        if unjudged.beyond > 0 {
            text += &row("beyond the tables", unjudged.beyond, "not asked");
        }
        if unjudged.unasked > 0 {
            let after = format!(
                "not asked: the engine was given up after {} restarts",
                self.restarts
            );
            let line = row("left over", unjudged.unasked, after);
            text += &(paint(style::ERROR, line.trim_end()) + "\n");
        }
        text
    }

    pub(crate) fn count(&self, kind: FaultKind) -> usize {
        let faults = self.faults.iter();
        faults.filter(|(_, fault)| fault.kind == kind).count()
    }

    /// Formats a row for each kind of fault.
    pub(crate) fn fault_rows(&self) -> String {
        let mut text = String::new();
        for kind in FaultKind::ALL {
            let count = self.count(kind);
            let line = row(&kind.to_string(), count, "");
            text += &match count {
                0 => line,
                _ => paint(style::ERROR, line.trim_end()) + "\n",
            };
        }
        text
    }

    /// Lists the first faults, and suggests a command to continue with.
    pub(crate) fn ending(&self, worst: Option<&Situation>) -> String {
        let mut text = String::new();
        if !self.faults.is_empty() {
            text += &(paint(style::HEADING, "\nfault              position") + "\n");
            for (situation, fault) in self.faults.iter().take(SHOWN) {
                let kind = fault.kind.to_string();
                text += &format!("{kind:17}  {situation}  {}\n", fault.what);
            }
            text += &more(self.faults.len());
        }
        if self.count(FaultKind::Ended) > 0 && !self.args.asking.stderr {
            text += "\nWith --stderr you see all that the engine writes there.\n";
        }
        // A query says nothing about an engine that ends or hangs.
        let is_answer =
            |fault: &Fault| !matches!(fault.kind, FaultKind::Ended | FaultKind::Timeout);
        let mut answers = self.faults.iter().filter(|(_, fault)| is_answer(fault));
        let first_fault = answers.next().map(|(situation, _)| *situation);
        if let Some(situation) = worst.or(first_fault) {
            let db = hint::db_option(self.args.asking.db.path());
            text += &format!("\nTry next:\n  granero query {situation}{db}\n");
        }
        text
    }

    /// Returns a report; as a negative finding if there were faults, or not all positions were asked.
    pub(crate) fn outcome(&self, text: String) -> Result<String, Failure> {
        if self.faults.is_empty() && self.unjudged.unasked == 0 {
            Ok(text)
        } else {
            Err(Failure::Negative(text))
        }
    }
}

/// Formats a number with its name before it and a remark after it.
pub(crate) fn row(name: &str, number: impl Display, remark: impl Display) -> String {
    let line = format!("{name:20} {number:>8}  {remark}");
    line.trim_end().to_string() + "\n"
}

/// Says how many more there are than are shown.
pub(crate) fn more(all: usize) -> String {
    match all.checked_sub(SHOWN) {
        Some(more) if more > 0 => format!("and {more} more, see --json\n"),
        _ => String::new(),
    }
}

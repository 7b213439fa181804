//! The reports on moves and on games, for people.

use granero::notation::visible;
use granero::{House, seeds_text};

use super::document::{Conditions, GameReportJson, MoveReportJson, SHOWN, row};
use crate::output::json;
use crate::referee::{Judged, Report};
use crate::uci::{Fault, FaultKind};
use granero_answer::counted;
use granero_console::{Failure, hint, paint, style};

/// The headings of the worst moves and games.
const MOVES: &str = "\ngiven away  played  value    best  value  position";
const GAMES: &str = "\ngiven away  value  result  moves  end         position";

/// Names a kind of fault.
fn name_of(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Illegal => "illegal move",
        FaultKind::NoMove => "answered `0000`",
        FaultKind::Nonsense => "nonsense",
        FaultKind::Timeout => "no answer in time",
        FaultKind::Ended => "engine ended",
    }
}

/// Formats a move or a game that gave seeds away.
fn line(judged: &Judged) -> Option<String> {
    let (value, result) = (judged.value, judged.result.as_ref().ok()?);
    let given = seeds_text(f64::from(judged.difference_lost()?) / 2.0);
    let what = match &judged.end {
        Some(end) => {
            let (moves, end) = (judged.moves.len(), end.name());
            format!("{value:>5}  {result:>6}  {moves:5}  {end:10}")
        }
        None => {
            let letter = |house: House| house.letter(judged.start.to_move());
            let played = letter(judged.moves.first()?.house);
            let best: String = judged.best.iter().copied().map(letter).collect();
            format!("{played:>6}  {result:>5}  {best:>6}  {value:>5}")
        }
    };
    Some(format!("{given:>10}  {what}  {}\n", judged.start))
}

impl Conditions<'_> {
    /// Returns a report; as a negative finding if there were faults, or not all positions were asked.
    pub(super) fn report(&self, report: &Report) -> Result<String, Failure> {
        let (document, heading, rows) = if self.args.play {
            let games = GameReportJson::new(self, report);
            (json(&games)?, GAMES, games.rows())
        } else {
            let moves = MoveReportJson::new(self, report);
            (json(&moves)?, MOVES, moves.rows())
        };
        let output = if self.args.asking.json {
            document
        } else {
            self.describe(report, heading, &rows)
        };
        let is_whole = report.faults().next().is_none() && report.unjudged.unasked == 0;
        Failure::unless(is_whole, output)
    }

    fn describe(&self, report: &Report, heading: &str, rows: &str) -> String {
        let from = match &self.args.positions {
            Some(file) => format!("from {}", file.display()),
            None => format!("drawn at random with seed {}", self.args.seed),
        };
        let (rules, cycles) = (self.tables.rules(), self.tables.cycles());
        let mut text = format!(
            "{} in {} {from},\n\
             {} ms for a move, rules {rules}, endless play by {cycles}.\n\n",
            paint(style::HEADING, visible(&self.engine)),
            counted(self.positions as u64, "position"),
            self.args.asking.movetime,
        );
        // Positions that were not judged.
        let unjudged = report.unjudged;
        if unjudged.over > 0 {
            text += &row("game over", unjudged.over, "not asked");
        }
        if unjudged.beyond > 0 {
            text += &row("beyond the tables", unjudged.beyond, "not asked");
        }
        if unjudged.unasked > 0 {
            let restarts = self.restarts;
            let after = format!("not asked: the engine was given up after {restarts} restarts");
            let line = row("left over", unjudged.unasked, after);
            text += &(paint(style::ERROR, line.trim_end()) + "\n");
        }
        text += rows;
        for kind in FaultKind::ALL {
            let count = report.count(kind);
            let line = row(name_of(kind), count, "");
            text += &match count {
                0 => line,
                _ => paint(style::ERROR, line.trim_end()) + "\n",
            };
        }
        let worst = report.worst();
        text += &list(heading, worst.iter().filter_map(|judged| line(judged)));
        let faults = report.faults().map(|(judged, fault)| {
            let kind = name_of(fault.kind);
            format!("{kind:17}  {}  {}\n", judged.start, fault.what)
        });
        text += &list("\nfault              position", faults);
        if report.count(FaultKind::Ended) > 0 && !self.args.asking.stderr {
            text += "\nWith --stderr you see all that the engine writes there.\n";
        }
        // A query says nothing about an engine that ends or hangs.
        let is_answer =
            |fault: &Fault| !matches!(fault.kind, FaultKind::Ended | FaultKind::Timeout);
        let mut answers = report.faults().filter(|(_, fault)| is_answer(fault));
        let first_fault = answers.next().map(|(judged, _)| judged);
        if let Some(judged) = worst.first().copied().or(first_fault) {
            let db = hint::db_option(self.args.asking.db.path());
            text += &format!("\nTry next:\n  granero query {}{db}\n", judged.start);
        }
        text
    }
}

/// Lists the first lines below a heading, and counts the rest; nothing without lines.
fn list(heading: &str, lines: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return String::new();
    }
    let (shown, more) = lines.split_at(lines.len().min(SHOWN));
    let more = match more.len() {
        0 => String::new(),
        more => format!("and {more} more, see --json\n"),
    };
    paint(style::HEADING, heading) + "\n" + &shown.concat() + &more
}

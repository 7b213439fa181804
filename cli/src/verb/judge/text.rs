//! A judged game, for people.

use granero::judge::{BeyondMove, BeyondSummary, Class, JudgedMove, PlayerSummary};
use granero::notation::{board, visible};
use granero::{Cycles, FinalScore, Measured, Ruleset, Side};

use super::Answer;
use crate::answer::{Proven, Range, at_least, at_most, reach};
use crate::options::counted;
use crate::style::{self, paint};

impl Answer<'_> {
    /// The ruleset that the record names, if it is not that of the tables.
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
                "The record says that the rules were {other}: \
                 with tables of those, values may differ.\n"
            );
        }
        if let (Cycles::OwnSide, Some(side)) = (cycles, self.game.favours()) {
            output += &format!(
                "In endless play, the position of the cycle that is best for {side} counts.\n"
            );
        }
        let reach = reach(tables);
        let how = match self.searched {
            false => "Not judged",
            true => "Judged as far as it is proven",
        };
        output += &match judgement.beyond {
            0 => String::new(),
            1 => format!("{how}: the first move; {reach}.\n"),
            beyond => format!("{how}: the first {beyond} moves; {reach}.\n"),
        };
        if judgement.cut_off > 0 {
            output += &format!(
                "Not judged: {} whose worth these deciding tables cut off.\n",
                counted(judgement.cut_off as u64, "move")
            );
        }
        if judgement.moves.is_empty() && self.beyond().next().is_none() {
            return output;
        }
        output += "\n";
        output += &self.moves();
        output += &self.mistakes();
        output += "\n";
        output + &self.players()
    }

    /// The names of the players, if the record has them.
    fn names(&self) -> String {
        let name = |side| {
            let name = self.game.player(side)?;
            Some(format!("{side}: {}", plain(name)))
        };
        let names: Vec<String> = [Side::South, Side::North]
            .into_iter()
            .filter_map(name)
            .collect();
        match names.is_empty() {
            true => String::new(),
            false => names.join(", ") + ".\n",
        }
    }

    /// A move with its number in the record.
    fn label(&self, number: usize, house: char) -> String {
        format!("{} {house}", self.game.numbering.of(number - 1))
    }

    /// How the game ends with best play after each move, where moves have one value each.
    fn score(&self, judged: &JudgedMove) -> Option<String> {
        only(judged.left()).map(score)
    }

    /// The width of these scores; `None` if there are none.
    fn score_width(&self) -> Option<usize> {
        if self.has_bounds() {
            return None;
        }
        let scores = self.judgement.moves.iter();
        let scores = scores.filter_map(|judged| self.score(judged));
        scores.map(|score| score.len().max(5)).max()
    }

    /// The moves that lost something, each with the position in which it was played.
    fn mistakes(&self) -> String {
        let mut output = String::new();
        let moves = self.judgement.moves.iter();
        for judged in moves.filter(|judged| judged.class() > Class::Harmless) {
            let side = judged.side();
            let letter = judged.ply.play.house.letter(side);
            let best: Vec<String> = judged
                .best()
                .map(|best| best.play.house.letter(side).to_string())
                .collect();
            let what = match judged.class() {
                Class::ChangedWinner => format!("{} and changed who wins", lost(judged)),
                _ => lost(judged),
            };
            let label = self.label(judged.number, letter);
            let heading = format!("{label} {what}. {side} to move:");
            output += &format!("\n{}\n", paint(style::HEADING, heading));
            for line in board::write(&judged.assessment.position, side).lines() {
                output += &format!("  {line}\n");
            }
            let before = &judged.ply.before;
            let [south, north] = [Side::South, Side::North].map(|side| before.store(side));
            output += &format!("Captured so far: South {south}, North {north}.\n");
            output += &format!(
                "With {}: {}.\nWith {letter}: {}.\n",
                best.join(" or "),
                ends(judged.promised()),
                ends(judged.left()),
            );
        }
        output
    }

    /// The moves beyond the tables of which something is proven.
    fn beyond(&self) -> impl Iterator<Item = &BeyondMove> {
        self.judgement.proven.iter().filter(|judged| {
            let seeds = judged.ply.before.position().seeds();
            let &BeyondMove { low, high, .. } = *judged;
            Range { low, high }.in_words(seeds).is_some() || judged.is_best()
        })
    }

    /// Whether moves have bounds, so that they can be wrong in two ways.
    fn has_bounds(&self) -> bool {
        self.tables.cycles() == Cycles::OwnSide && self.game.favours().is_none()
    }

    /// The width of what moves are worth.
    fn width(&self) -> usize {
        match self.has_bounds() || self.beyond().next().is_some() {
            true => 8,
            false => 5,
        }
    }

    /// The width of what moves give away.
    fn loss_width(&self) -> usize {
        let losses = self.beyond().map(|judged| loss(judged).len());
        losses.max().unwrap_or(0).max(10)
    }

    /// A line for each move.
    fn moves(&self) -> String {
        let given_up = match self.has_bounds() {
            false => "",
            true => "  gives up",
        };
        let legend = match (self.has_bounds(), self.score_width()) {
            (true, _) => {
                "\n\"Gives away\" is how much less the move guarantees than a best one, \"gives up\"\n\
                 how much less is possible after it, if it guarantees as much.\n"
            }
            (false, Some(_)) => {
                "\n\"Score\" is how the game ends with best play after the move, South's seeds first.\n"
            }
            (false, None) => "",
        };
        let (width, loss_width) = (self.width(), self.loss_width());
        let score = match self.score_width() {
            Some(width) => format!("  {:>width$}", "score"),
            None => String::new(),
        };
        let name = if width == 8 { "bounds" } else { "value" };
        let heading = format!(
            "move    seeds  {name:>width$}  {:>played$}  {:>loss_width$}{given_up}{score}  best",
            "played",
            "gives away",
            played = width.max(6),
        );
        let mut output = paint(style::HEADING, heading) + "\n";
        for judged in self.beyond() {
            output += &self.line_beyond(judged);
        }
        for judged in &self.judgement.moves {
            output += &self.line(judged);
        }
        output + legend
    }

    fn line(&self, judged: &JudgedMove) -> String {
        let side = judged.side();
        let best = judged.best();
        let best = best.map(|best| best.play.house.letter(side));
        let line = Line {
            number: judged.number,
            house: judged.ply.play.house.letter(side),
            seeds: judged.assessment.position.seeds(),
            worth: judged.worth.to_string(),
            played: judged.played.to_string(),
            given_away: judged.given_away().to_string(),
            given_up: judged.given_up().to_string(),
            score: self.score(judged).unwrap_or_default(),
            best: best.collect(),
        };
        self.row(line, judged.is_best())
    }

    fn line_beyond(&self, judged: &BeyondMove) -> String {
        let side = judged.side();
        let range = |low, high| Range { low, high }.to_string();
        let line = Line {
            number: judged.number,
            house: judged.ply.play.house.letter(side),
            seeds: judged.ply.before.position().seeds(),
            worth: range(judged.low, judged.high),
            played: range(judged.played_low, judged.played_high),
            given_away: loss(judged),
            given_up: if judged.is_best() { "0" } else { "?" }.into(),
            score: String::new(),
            best: Proven::of_played(judged).best_known(side),
        };
        self.row(line, judged.given_away_at_least() == 0)
    }

    /// A row of the table of moves; what is wrong stands out.
    fn row(&self, line: Line, is_right: bool) -> String {
        let (width, loss_width) = (self.width(), self.loss_width());
        let given_up = match self.has_bounds() {
            true => format!("  {:>8}", line.given_up),
            false => String::new(),
        };
        let score = match self.score_width() {
            Some(width) => format!("  {:>width$}", line.score),
            None => String::new(),
        };
        let number = self.game.numbering.of(line.number - 1);
        let sign = if number.second { '…' } else { '.' };
        let best = line.best.iter().map(char::to_string);
        let row = format!(
            "{:3}{sign} {}  {:5}  {:>width$}  {:>played$}  {:>loss_width$}{given_up}{score}  {}",
            number.pair,
            line.house,
            line.seeds,
            line.worth,
            line.played,
            line.given_away,
            best.collect::<Vec<_>>().join(" "),
            played = width.max(6),
        );
        match is_right {
            true => row.trim_end().to_string() + "\n",
            false => paint(style::HEADING, row.trim_end()) + "\n",
        }
    }

    /// A line for each player.
    fn players(&self) -> String {
        let heading = if self.has_bounds() {
            "       judged  best  gave away  gave up  changed who wins  harmless  worst move"
        } else {
            "       judged  best  gave away  changed who wins  harmless  worst move"
        };
        let mut output = paint(style::HEADING, heading) + "\n";
        for side in [Side::South, Side::North] {
            let PlayerSummary {
                judged,
                best,
                given_away,
                given_up,
                worst,
                wrong: [changed, _, harmless],
                beyond,
            } = self.judgement.player(side);
            let BeyondSummary {
                judged: judged_beyond,
                best: best_beyond,
                given_away: given_away_beyond,
                worst: worst_beyond,
                ..
            } = beyond;
            let given_up = if self.has_bounds() {
                format!("  {given_up:7}")
            } else {
                String::new()
            };
            let given_away = self::given_away(given_away + given_away_beyond, beyond.complete);
            let certain = worst_beyond.map_or(0, BeyondMove::given_away_at_least);
            let worst = match worst {
                Some(worst) if worst.given_away() > certain || certain == 0 => self.error(worst),
                _ => worst_beyond.map_or_else(|| "-".into(), |worst| self.error_beyond(worst)),
            };
            output += &format!(
                "{side:5}  {:6}  {:4}  {given_away:>9}{given_up}  {changed:>16}  {harmless:>8}  {worst}\n",
                judged + judged_beyond,
                best + best_beyond,
            );
        }
        output
    }
}

/// A row of the table of moves.
struct Line {
    number: usize,
    house: char,
    seeds: u8,
    worth: String,
    played: String,
    given_away: String,
    given_up: String,
    score: String,
    best: Vec<char>,
}

/// What a move beyond the tables gives away.
pub(super) fn loss(judged: &BeyondMove) -> String {
    match (judged.given_away_at_least(), judged.given_away_at_most()) {
        (least, most) if least == most => least.to_string(),
        (0, most) => at_most(most),
        (least, _) => at_least(least),
    }
}

/// What a move lost, in words.
pub(super) fn lost(judged: &JudgedMove) -> String {
    match judged.given_away() {
        0 => format!("gave up {}", judged.given_up()),
        seeds => format!("gave away {seeds}"),
    }
}

/// The end of a game, South's seeds first.
fn score(score: FinalScore) -> String {
    let [south, north] = [Side::South, Side::North].map(|side| score.seeds(side));
    format!("{south}-{north}")
}

/// The end of a game, if there is only one.
fn only(scores: Measured<FinalScore>) -> Option<FinalScore> {
    (scores.low() == scores.high()).then_some(scores.low())
}

/// The end of a game in words, or two of them, the worse one for the player to move first.
pub(super) fn ends(scores: Measured<FinalScore>) -> String {
    match only(scores) {
        Some(score) => score.to_string(),
        None => format!("between {} and {}", scores.low(), scores.high()),
    }
}

/// The seeds that were given away: all of them, or as far as they are proven.
pub(super) fn given_away(seeds: u32, complete: bool) -> String {
    match (seeds, complete) {
        (_, true) => seeds.to_string(),
        (0, false) => "?".into(),
        (_, false) => at_least(seeds),
    }
}

/// A text from a record on one line, for a terminal.
pub(super) fn plain(text: &str) -> String {
    visible(&text.replace(char::is_whitespace, " "))
}

impl Answer<'_> {
    /// What was wrong with a move, in words.
    fn error(&self, judged: &JudgedMove) -> String {
        let letter = judged.ply.play.house.letter(judged.side());
        let label = self.label(judged.number, letter);
        format!("{label}, which {}", lost(judged))
    }

    /// The same of a move beyond the tables.
    fn error_beyond(&self, judged: &BeyondMove) -> String {
        let letter = judged.ply.play.house.letter(judged.side());
        let label = self.label(judged.number, letter);
        format!("{label}, which gave away {}", loss(judged))
    }
}

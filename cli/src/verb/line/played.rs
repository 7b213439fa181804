//! A best line played through: its moves with the running score, and how it ends.

use granero::line::{Line, LineEnd};
use granero::notation::{PositionText, aalina, ogn};
use granero::table::Tables;
use granero::{Cycles, Game, Measure, Ply, ReplayError, Ruleset, Side, Situation};

use super::json::{EndJson, LineJson, MoveJson, ScoreJson};
use crate::options;
use crate::style::{self, paint};

/// A best line and the game that it makes.
pub(crate) struct Played<'a> {
    rules: Ruleset,
    text: &'a PositionText,
    pub(crate) line: Line,
    pub(crate) game: Game,
    plies: Vec<Ply>,
    /// If it ends in a cycle in which each player takes the seeds on the own side.
    sides: Option<Sides>,
}

/// What the player to move at the start has more on the own side than the other one.
struct Sides {
    /// In each position of the cycle, in their order.
    differences: Vec<i8>,
    /// In the position that counts.
    counts: i8,
}

impl Sides {
    fn of(tables: &Tables, line: &Line, plies: &[Ply]) -> Option<Sides> {
        let LineEnd::Cycle { from, .. } = line.end else {
            return None;
        };
        let differences = (from..).zip(&plies[from..]).map(|(number, ply)| {
            let position = ply.before.position();
            let movers = position.own_seeds() as i8 - position.opponents_seeds() as i8;
            if number % 2 == 0 { movers } else { -movers }
        });
        let differences: Vec<i8> = differences.collect();
        let counts = match (tables.cycles(), line.measure) {
            (Cycles::Split, _) => None,
            (_, Measure::High) => differences.iter().max(),
            (_, _) => differences.iter().min(),
        };
        Some(Sides {
            counts: *counts?,
            differences,
        })
    }
}

impl<'a> Played<'a> {
    pub(crate) fn new(
        tables: &Tables,
        text: &'a PositionText,
        line: Line,
    ) -> Result<Self, ReplayError> {
        let start = text
            .situation()
            .unwrap_or_else(|| Situation::open(text.position()));
        let game = line.game(start);
        let plies = game.replay(tables.rules())?;
        Ok(Played {
            rules: tables.rules(),
            text,
            sides: Sides::of(tables, &line, &plies),
            line,
            game,
            plies,
        })
    }

    /// The situation after the last move.
    fn last(&self) -> Situation {
        self.plies.last().map_or(self.game.start, |ply| ply.after)
    }

    /// What a side has captured: in the whole game if the stores were written, else of the
    /// seeds of the position.
    fn captured(&self, situation: &Situation, side: Side) -> u8 {
        let before = match self.text {
            PositionText::Full(_) => 0,
            PositionText::Bare(_) => self.game.start.store(side),
        };
        situation.store(side) - before
    }

    /// What a side takes from the board when the game is over.
    fn taken(&self, side: Side) -> u8 {
        let last = self.last();
        match self.line.end {
            LineEnd::Over(_) if last.to_move() == side => last.position().own_seeds(),
            LineEnd::Over(_) => last.position().opponents_seeds(),
            _ => 0,
        }
    }

    fn score(&self) -> ScoreJson {
        let last = self.last();
        let of = |side| self.captured(&last, side) + self.taken(side);
        let left = match self.line.end {
            LineEnd::Over(_) => 0,
            _ => last.position().seeds(),
        };
        ScoreJson {
            south: of(Side::South),
            north: of(Side::North),
            left,
        }
    }

    /// What a side gets of the seeds that are left on the board in a cycle.
    fn share(&self, side: Side) -> f64 {
        let ahead = self.sides.as_ref().map_or(0, |sides| sides.counts);
        let ahead = match side == self.game.start.to_move() {
            true => ahead,
            false => -ahead,
        };
        (f64::from(self.score().left) + f64::from(ahead)) / 2.0
    }

    /// The moves, and how they end.
    pub(crate) fn describe(&self) -> String {
        let mut output = String::new();
        if !self.plies.is_empty() {
            output += &self.table();
        }
        output.push('\n');
        output + &self.ending() + &self.result()
    }

    fn table(&self) -> String {
        let mut heading = "\nmove     captures  South  North  on the board".to_string();
        if self.sides.is_some() {
            heading += "  difference";
        }
        let mut output = paint(style::HEADING, heading) + "\n";
        for (number, ply) in (1..).zip(&self.plies) {
            let house = ply.play.house.letter(ply.before.to_move());
            let captures = match ply.play.captured {
                0 => format!("{:8}", 0),
                captured => paint(style::GAIN, format_args!("{captured:8}")),
            };
            output += &format!(
                "{number:3}. {house}   {captures}  {:5}  {:5}  {:12}{}\n",
                self.captured(&ply.after, Side::South),
                self.captured(&ply.after, Side::North),
                ply.after.position().seeds(),
                self.difference(number),
            );
        }
        output
    }

    /// For a table: the difference of the position after a move, if it is one of the cycle.
    fn difference(&self, moves: usize) -> String {
        let (Some(sides), LineEnd::Cycle { from, .. }) = (&self.sides, self.line.end) else {
            return String::new();
        };
        // The last move leads back to the first position.
        let place = moves.checked_sub(from).filter(|&place| place > 0);
        place.map_or_else(String::new, |place| {
            let difference = sides.differences[place % sides.differences.len()];
            let number = match difference {
                0 => "0".into(),
                _ => format!("{difference:+}"),
            };
            let mark = if difference == sides.counts { " *" } else { "" };
            format!("  {number:>10}{mark}")
        })
    }

    fn ending(&self) -> String {
        match self.line.end {
            LineEnd::Over(over) => {
                let [south, north] = [Side::South, Side::North].map(|side| self.taken(side));
                let takes = match (south, north) {
                    (0, 0) => String::new(),
                    (0, _) => format!(" North takes {north}."),
                    (_, 0) => format!(" South takes {south}."),
                    _ => format!(" South takes {south}, North {north}."),
                };
                format!("The game is over: {}.{takes}\n", over.reason)
            }
            LineEnd::GrandSlam => {
                let conceded = self.plies.last().map_or(0, |ply| ply.play.conceded);
                let to = self.last().to_move();
                format!("The grand slam ends the game; {conceded} go to {to}.\n")
            }
            LineEnd::Cycle { .. } => {
                let cycle = self.cycle().unwrap_or_default();
                match self.sides {
                    Some(_) => {
                        let mover = self.game.start.to_move();
                        let other = mover.other();
                        format!(
                            "\"Difference\" is what {mover} has more on the own side than {other}, \
                             in each position\nof the cycle; * marks those that count here.\n\
                             {cycle}\n"
                        )
                    }
                    None => format!("{cycle}\n"),
                }
            }
            LineEnd::Unexplored => format!(
                "The line goes on, but to find how, more than {} positions had to be kept.\n",
                options::grouped(Line::LIMIT as u64)
            ),
        }
    }

    /// The cycle that the line runs into, in words.
    fn cycle(&self) -> Option<String> {
        let LineEnd::Cycle { from, proven } = self.line.end else {
            return None;
        };
        let cycle = format!(
            "Endless play: after move {} the position before move {} is back.",
            self.plies.len(),
            from + 1,
        );
        let seeds = self.score().left;
        if self.sides.is_some() {
            let mover = self.game.start.to_move();
            let which = match self.line.measure {
                Measure::High => "best",
                _ => "worst",
            };
            let [south, north] = [Side::South, Side::North].map(|side| self.share(side));
            return Some(format!(
                "{cycle} Each player takes the seeds on the own side: of the {seeds} on the board \
                 South {south} and North {north}, if the position counts that is {which} for \
                 {mover}."
            ));
        }
        let cycle = format!("{cycle} The {seeds} seeds on the board are shared equally.");
        Some(if proven {
            cycle
        } else {
            let limit = options::grouped(Line::LIMIT as u64);
            cycle
                + " The value is exact, but the cycle need not be all there is: whether other best \
                   moves lead to a capture or to the end was not found out, for more than "
                + &format!("{limit} positions had to be kept.")
        })
    }

    fn result(&self) -> String {
        if self.line.end == LineEnd::Unexplored {
            return String::new();
        }
        let score = self.score();
        let south = f64::from(score.south) + self.share(Side::South);
        let north = f64::from(score.north) + self.share(Side::North);
        let result = match self.text {
            PositionText::Bare(position) => {
                let seeds = position.seeds();
                format!("Of the {seeds} seeds South gets {south} and North {north}.")
            }
            PositionText::Full(_) if south > north => format!("South wins, {south} to {north}."),
            PositionText::Full(_) if north > south => format!("North wins, {north} to {south}."),
            PositionText::Full(_) => format!("A draw, {south} to {north}."),
        };
        paint(style::HEADING, result) + "\n"
    }

    pub(crate) fn ogn(&self) -> Result<String, ReplayError> {
        let mut game = self.game.clone();
        match (self.text, self.line.end) {
            (PositionText::Full(_), LineEnd::Over(_) | LineEnd::GrandSlam) => {
                let score = self.score();
                let result = format!("{}-{}", score.south, score.north);
                game.tags.push(("Result".into(), result));
            }
            _ => {
                if let Some(cycle) = self.cycle() {
                    game.comments.add(game.moves.len(), &cycle);
                }
            }
        }
        ogn::write(&game, self.rules)
    }

    pub(crate) fn json(&self) -> LineJson {
        let moves = self.plies.iter().map(|ply| MoveJson {
            r#move: ply.play.house.letter(ply.before.to_move()),
            captured: ply.play.captured,
            conceded: ply.play.ends_game.then_some(ply.play.conceded),
            position: ply.play.position.houses(),
            south: self.captured(&ply.after, Side::South),
            north: self.captured(&ply.after, Side::North),
        });
        LineJson {
            game: aalina::write_game(&self.game),
            moves: moves.collect(),
            end: self.end(),
            score: self.score(),
        }
    }

    fn end(&self) -> EndJson {
        let reason = match self.line.end {
            LineEnd::Over(over) => over.reason.name(),
            LineEnd::GrandSlam => "grand-slam",
            LineEnd::Cycle { .. } => "cycle",
            LineEnd::Unexplored => "unexplored",
        };
        let (from, proven) = match self.line.end {
            LineEnd::Cycle { from, proven } => (Some(from), Some(proven)),
            _ => (None, None),
        };
        EndJson {
            reason,
            from,
            // Of a bound it says nothing.
            proven: proven.filter(|_| self.sides.is_none()),
            differences: self.sides.as_ref().map(|sides| sides.differences.clone()),
            counts: self.sides.as_ref().map(|sides| sides.counts),
        }
    }
}

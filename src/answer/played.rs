//! A best line played through: its moves with the running score, and its end.

use granero::line::{Line, LineEnd};
use granero::notation::PositionText;
use granero::{Cycles, Game, Measure, Ply, Ruleset, Side, Situation, Tables};
use schemars::JsonSchema;
use serde::Serialize;

/// A best line and the game that it makes.
pub struct PlayedLine<'a> {
    pub rules: Ruleset,
    pub text: &'a PositionText,
    pub line: Line,
    pub game: Game,
    pub plies: Vec<Ply>,
    /// Set if the line ends in a cycle in which each player takes the seeds on their own side.
    pub own_side_cycle: Option<OwnSideCycle>,
}

/// The seeds on the side of the player to move at the start, minus the opponent's.
pub struct OwnSideCycle {
    /// In each position of the cycle, in their order.
    pub differences: Vec<i8>,
    /// In the position that counts.
    pub counts: i8,
}

/// The seeds of each side at the end of a line.
#[derive(Serialize, JsonSchema)]
pub struct LineScore {
    /// South's seeds at the end.
    pub south: u8,
    /// North's seeds at the end.
    pub north: u8,
    /// Seeds left on the board, in a cycle.
    pub left: u8,
}

impl OwnSideCycle {
    fn of(tables: &Tables, line: &Line, plies: &[Ply]) -> Option<OwnSideCycle> {
        let LineEnd::Cycle { from, .. } = line.end else {
            return None;
        };
        if tables.cycles() == Cycles::Split {
            return None;
        }
        let differences = (from..).zip(&plies[from..]).map(|(number, ply)| {
            let position = ply.before.position();
            let movers = position.own_seeds() as i8 - position.opponents_seeds() as i8;
            if number % 2 == 0 { movers } else { -movers }
        });
        let differences: Vec<i8> = differences.collect();
        let counts = match line.measure {
            Measure::High => differences.iter().max(),
            Measure::Value | Measure::Low => differences.iter().min(),
        };
        Some(OwnSideCycle {
            counts: *counts?,
            differences,
        })
    }
}

impl<'a> PlayedLine<'a> {
    pub(super) fn new(tables: &Tables, text: &'a PositionText, line: Line) -> Self {
        let start = text
            .situation()
            .unwrap_or_else(|| Situation::open_for(tables.extent(), text.position()));
        let game = line.game(start);
        // Every move of a line is legal.
        let plies = game.replay(tables.rules()).unwrap_or_default();
        PlayedLine {
            rules: tables.rules(),
            text,
            own_side_cycle: OwnSideCycle::of(tables, &line, &plies),
            line,
            game,
            plies,
        }
    }

    /// The situation after the last move.
    pub fn last(&self) -> Situation {
        self.plies.last().map_or(self.game.start, |ply| ply.after)
    }

    /// The seeds that a side has captured: in the whole game if the stores are written, else of the
    /// seeds of the position.
    pub fn captured(&self, situation: &Situation, side: Side) -> u8 {
        let before = match self.text {
            PositionText::Full(_) => 0,
            PositionText::Bare(_) => self.game.start.store(side),
        };
        situation.store(side) - before
    }

    /// The seeds that a side takes from the board when the game is over.
    pub fn taken(&self, side: Side) -> u8 {
        let last = self.last();
        match self.line.end {
            LineEnd::Over(_) if last.to_move() == side => last.position().own_seeds(),
            LineEnd::Over(_) => last.position().opponents_seeds(),
            _ => 0,
        }
    }

    pub fn score(&self) -> LineScore {
        let last = self.last();
        let of = |side| self.captured(&last, side) + self.taken(side);
        let left = match self.line.end {
            LineEnd::Over(_) => 0,
            _ => last.position().seeds(),
        };
        LineScore {
            south: of(Side::South),
            north: of(Side::North),
            left,
        }
    }
}

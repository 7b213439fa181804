//! The best lines of a position, played through: their moves with the running score, and their ends.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use granero::line::{Line, LineEnd};
use granero::notation::PositionText;
use granero::prove::Proof;
use granero::{
    Bound, Clamped, Cycles, Game, Measure, Measured, Ply, Position, Ruleset, Side, Situation,
    TableError, Tables, Value,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::proven::ordered;
use crate::words::Range;

/// About the most positions that a search for a line may visit if others wait for it: a second of
/// work and 50 MB of memory. Few lines take a tenth of it.
pub const SERVED_LIMIT: usize = 200_000;

/// The best lines of a position, played through.
pub struct BestLines<'a> {
    pub tables: &'a Tables,
    pub text: &'a PositionText,
    /// `None` if it is not known.
    pub value: Option<Measured<Value>>,
    /// The cut-off value by deciding tables, if the line only keeps that.
    pub kept: Option<Measured<Clamped>>,
    /// The line of the value, or of the low bound.
    pub first: PlayedLine<'a>,
    /// The line of the high bound, if the bounds differ.
    pub(crate) high: Option<PlayedLine<'a>>,
    /// The proof of the position, if it is beyond the tables.
    pub proven: Option<Proof>,
}

impl<'a> BestLines<'a> {
    /// A line alone.
    fn of(tables: &'a Tables, text: &'a PositionText, first: Line) -> Self {
        BestLines {
            tables,
            text,
            value: None,
            kept: None,
            first: PlayedLine::new(tables, text, first),
            high: None,
            proven: None,
        }
    }

    /// Finds the lines, visiting about `limit` positions at a time; `None` if the tables do not tell
    /// the value of the position.
    pub fn find(
        tables: &'a Tables,
        text: &'a PositionText,
        limit: usize,
        watch: &mut dyn FnMut(usize),
    ) -> Result<Option<Self>, TableError> {
        let position = &text.position();
        let Some(value) = tables.assess(position)?.value else {
            return Ok(None);
        };
        let mut line = |bound| Line::keeping(tables, position, bound, limit, watch);
        let Some(first) = line(Bound::Low)? else {
            return Ok(None);
        };
        let high = match value.exact() {
            Some(_) => None,
            None => line(Bound::High)?,
        };
        Ok(Some(BestLines {
            value: Some(value),
            high: high.map(|high| PlayedLine::new(tables, text, high)),
            ..BestLines::of(tables, text, first)
        }))
    }

    /// Finds a line that keeps a value which deciding tables have cut off; `None` beyond the tables.
    pub fn keeping(
        tables: &'a Tables,
        text: &'a PositionText,
        bound: Bound,
        limit: usize,
        watch: &mut dyn FnMut(usize),
    ) -> Result<Option<Self>, TableError> {
        let position = &text.position();
        let line = Line::keeping(tables, position, bound, limit, watch)?;
        let kept = tables.clamped_value(position)?;
        Ok(line.map(|first| BestLines {
            kept,
            ..BestLines::of(tables, text, first)
        }))
    }

    /// Finds the lines beyond the tables, as far as they are proven.
    pub fn prove(
        tables: &'a Tables,
        text: &'a PositionText,
        limit: usize,
        watch: &mut dyn FnMut(usize),
        prove: impl Fn(&Position) -> Result<Proof, TableError>,
    ) -> Result<Self, TableError> {
        let position = &text.position();
        let mut proofs: HashMap<Position, Proof> = HashMap::new();
        let mut prove = |position: &Position| -> Result<Proof, TableError> {
            Ok(match proofs.entry(*position) {
                Entry::Occupied(known) => known.get().clone(),
                Entry::Vacant(place) => place.insert(prove(position)?).clone(),
            })
        };
        let position_proof = prove(position)?;
        let mut line = |bound| Line::proven(tables, position, bound, limit, watch, &mut prove);
        let first = line(Bound::Low)?;
        let high = match first.end {
            LineEnd::Unproven(_) => None,
            _ => Some(line(Bound::High)?),
        };
        let proven = ordered(&position_proof);
        let low = first.value;
        let both = match &high {
            Some(line) => Some((low, line.value)),
            None => Range::from(&proven).exact().map(|value| (value, value)),
        };
        let value = both.map(|(low, high)| match tables.cycles() {
            Cycles::Split => Measured::Value(low),
            Cycles::OwnSide => Measured::Bounds { low, high },
        });
        let high = high.filter(|line| line.value != low);
        Ok(BestLines {
            value,
            high: high.map(|high| PlayedLine::new(tables, text, high)),
            proven: Some(proven),
            ..BestLines::of(tables, text, first)
        })
    }

    /// Keeps the line of one bound only.
    #[must_use]
    pub fn only(mut self, bound: Bound) -> Self {
        if let (Bound::High, Some(high)) = (bound, self.high.take()) {
            self.first = high;
        }
        self
    }

    /// Returns true if there is nothing to show: not even the first move is proven to be best.
    pub fn is_empty(&self) -> bool {
        self.first.plies.is_empty() && matches!(self.first.line.end, LineEnd::Unproven(_))
    }

    /// The side to move: South, unless it is written.
    pub fn side(&self) -> Side {
        self.first.game.start.to_move()
    }

    /// The lines, the guaranteed one first.
    pub fn lines(&self) -> impl Iterator<Item = &PlayedLine<'a>> {
        [&self.first].into_iter().chain(&self.high)
    }
}

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
    fn new(tables: &Tables, text: &'a PositionText, line: Line) -> Self {
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

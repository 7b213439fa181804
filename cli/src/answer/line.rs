//! The best lines of a position.

use granero::line::Line;
use granero::notation::PositionText;
use granero::{Bound, Measured, Position, ReplayError, Side, TableError, Tables, Value};

use super::played::PlayedLine;

/// The best lines of a position, and what it is worth.
pub(crate) struct FoundLines {
    worth: Measured<Value>,
    /// The line of the value, or of the low bound.
    first: Line,
    /// The line of the high bound, if that differs from the low one.
    high: Option<Line>,
}

impl FoundLines {
    /// Finds them, visiting about `limit` positions at a time; `None` if the tables do not reach
    /// the position.
    pub(crate) fn find(
        tables: &Tables,
        position: &Position,
        limit: usize,
        watch: &mut dyn FnMut(usize),
    ) -> Result<Option<FoundLines>, TableError> {
        let Some(worth) = tables.assess(position)?.worth else {
            return Ok(None);
        };
        let mut line = |bound| Line::best_within(tables, position, bound, limit, watch);
        let Some(first) = line(Bound::Low)? else {
            return Ok(None);
        };
        let high = match worth.exact() {
            Some(_) => None,
            None => line(Bound::High)?,
        };
        Ok(Some(FoundLines { worth, first, high }))
    }
}

/// The best lines of a position, played through.
pub(crate) struct BestLines<'a> {
    pub(crate) tables: &'a Tables,
    pub(crate) text: &'a PositionText,
    pub(crate) worth: Measured<Value>,
    /// The line of the value, or of the low bound.
    pub(crate) first: PlayedLine<'a>,
    /// The line of the high bound, if that differs from the low one.
    pub(crate) high: Option<PlayedLine<'a>>,
}

impl<'a> BestLines<'a> {
    pub(crate) fn new(
        tables: &'a Tables,
        text: &'a PositionText,
        found: FoundLines,
    ) -> Result<Self, ReplayError> {
        let played = |line| PlayedLine::new(tables, text, line);
        Ok(BestLines {
            tables,
            text,
            worth: found.worth,
            first: played(found.first)?,
            high: found.high.map(played).transpose()?,
        })
    }

    /// The side to move: South, unless it is written.
    pub(crate) fn side(&self) -> Side {
        self.first.game.start.to_move()
    }

    /// The lines, the guaranteed one first.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &PlayedLine<'a>> {
        [&self.first].into_iter().chain(&self.high)
    }
}

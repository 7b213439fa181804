//! The best lines of a position.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use granero::line::{Line, LineEnd};
use granero::notation::PositionText;
use granero::prove::Proof;
use granero::{Bound, Clamped, Cycles, Measured, Position, Side, TableError, Tables, Value};

use crate::played::PlayedLine;
use crate::proven::{Effort, Proven};

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
    /// The proofs, if the position is beyond the tables.
    pub proven: Option<ProvenLines>,
}

/// The proofs behind lines from a position beyond the tables.
pub struct ProvenLines {
    /// The proof of the position itself.
    pub position: Proven,
    /// The effort of all searches together.
    pub effort: Effort,
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
        let mut line = |bound| Line::best_within(tables, position, bound, limit, watch);
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
        let proven = Proven::of(&position_proof);
        let low = first.value;
        let both = match &high {
            Some(line) => Some((low, line.value)),
            None => proven.range.exact().map(|value| (value, value)),
        };
        let value = both.map(|(low, high)| match tables.cycles() {
            Cycles::Split => Measured::Value(low),
            Cycles::OwnSide => Measured::Bounds { low, high },
        });
        let high = high.filter(|line| line.value != low);
        let effort = Effort {
            positions: proofs.values().map(|proof| proof.nodes).sum(),
            time: proofs.values().map(|proof| proof.time).sum(),
        };
        Ok(BestLines {
            value,
            high: high.map(|high| PlayedLine::new(tables, text, high)),
            proven: Some(ProvenLines {
                position: proven,
                effort,
            }),
            ..BestLines::of(tables, text, first)
        })
    }

    /// Keeps the line of one bound only.
    #[must_use]
    pub fn only(mut self, bound: Bound) -> Self {
        match (bound, self.high.take()) {
            (Bound::High, Some(high)) => self.first = high,
            (Bound::High | Bound::Low, _) => {}
        }
        self
    }

    /// Returns true if there is nothing to show: not even the first move is proven to be best.
    pub fn is_empty(&self) -> bool {
        self.first.plies.is_empty() && matches!(self.first.line.end, LineEnd::Unproven(_))
    }

    /// The proof of the position, if it is beyond the tables.
    pub fn proven(&self) -> Option<&Proven> {
        self.proven.as_ref().map(|proven| &proven.position)
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

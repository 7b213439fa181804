//! What the tables say about one position.

use granero::notation::PositionText;
use granero::{Assessment, FinalScore, Measured, Side, TableError, Tables};

/// A position as it was written, and what the tables say about it.
pub(crate) struct PositionAnswer<'a> {
    pub(crate) tables: &'a Tables,
    pub(crate) text: &'a PositionText,
    pub(crate) assessment: Assessment,
}

impl<'a> PositionAnswer<'a> {
    /// Looks the position up.
    pub(crate) fn new(tables: &'a Tables, text: &'a PositionText) -> Result<Self, TableError> {
        Ok(PositionAnswer {
            tables,
            text,
            assessment: tables.assess(&text.position())?,
        })
    }

    /// The same from what is in memory; `None` if not all of it is.
    pub(crate) fn at_hand(
        tables: &'a Tables,
        text: &'a PositionText,
    ) -> Result<Option<Self>, TableError> {
        let assessment = tables.assess_cached(&text.position())?;
        Ok(assessment.map(|assessment| PositionAnswer {
            tables,
            text,
            assessment,
        }))
    }

    /// The side to move: South, unless it is written.
    pub(crate) fn side(&self) -> Side {
        let situation = self.text.situation();
        situation.map_or(Side::South, |situation| situation.to_move())
    }

    /// How the game ends, if stores are written and the worth is known.
    pub(crate) fn scores(&self) -> Option<Measured<FinalScore>> {
        let situation = self.text.situation()?;
        let worth = self.assessment.worth?;
        Some(worth.map(|value| FinalScore::new(&situation, value)))
    }
}

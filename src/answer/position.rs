//! What the tables say about one position, and what is proven of it beyond them.

use granero::line::Distance;
use granero::notation::PositionText;
use granero::prove::Proof;
use granero::{AssessedMove, Assessment, FinalScore, Measured, Side, TableError, Tables};

use crate::proven::{Proven, ProvenPlay};

/// How many positions a search for the next capture looks at.
const REACH: usize = 200_000;

/// A position as it was written, and what the tables say about it.
pub struct PositionAnswer<'a> {
    pub tables: &'a Tables,
    pub text: &'a PositionText,
    /// With what is certain by a proof.
    pub assessment: Assessment,
    /// What was proven, if a search was needed and made.
    pub proven: Option<Proven>,
    /// How far the next capture is, if that was asked.
    pub distance: Option<Distance>,
}

impl<'a> PositionAnswer<'a> {
    /// Looks the position up.
    pub fn new(tables: &'a Tables, text: &'a PositionText) -> Result<Self, TableError> {
        let assessment = tables.assess(&text.position())?;
        Ok(PositionAnswer::of(tables, text, assessment))
    }

    /// The same with what the tables say.
    pub fn of(
        tables: &'a Tables,
        text: &'a PositionText,
        assessment: Assessment,
    ) -> PositionAnswer<'a> {
        PositionAnswer {
            tables,
            text,
            assessment,
            proven: None,
            distance: None,
        }
    }

    /// The same from what is in memory; `None` if not all of it is.
    pub fn cached(tables: &'a Tables, text: &'a PositionText) -> Result<Option<Self>, TableError> {
        let assessment = tables.assess_cached(&text.position())?;
        Ok(assessment.map(|assessment| PositionAnswer {
            tables,
            text,
            assessment,
            proven: None,
            distance: None,
        }))
    }

    /// Finds out how far the next capture is, by a search that usually takes a moment.
    pub fn find_distance(&mut self) -> Result<(), TableError> {
        let position = &self.assessment.position;
        self.distance = Some(Distance::of(self.tables, position, REACH)?);
        Ok(())
    }

    /// Whether the tables say nothing of what the position is worth.
    pub fn is_beyond(&self) -> bool {
        self.assessment.clamped.is_none()
    }

    /// Adds what is proven of the position.
    pub fn prove(&mut self, proof: &Proof) {
        let proven = Proven::of(proof);
        proven.add_to(self.tables.cycles(), &mut self.assessment);
        self.proven = Some(proven);
    }

    /// The moves, the best first, with what is proven of them.
    pub fn moves(&self) -> impl Iterator<Item = (&AssessedMove, Option<&ProvenPlay>)> {
        let moves = self.assessment.moves.iter().enumerate();
        moves.map(|(number, assessed)| {
            let proven = self.proven.as_ref();
            (assessed, proven.and_then(|proven| proven.moves.get(number)))
        })
    }

    /// The side to move: South, unless it is written.
    pub fn side(&self) -> Side {
        let situation = self.text.situation();
        situation.map_or(Side::South, |situation| situation.to_move())
    }

    /// How the game ends, if stores are written and the worth is known.
    pub fn scores(&self) -> Option<Measured<FinalScore>> {
        let situation = self.text.situation()?;
        let worth = self.assessment.worth?;
        Some(worth.map(|value| FinalScore::new(&situation, value)))
    }
}

//! A position by the tables, and by proofs beyond them.

use granero::line::Distance;
use granero::notation::PositionText;
use granero::prove::{Proof, ProvenMove};
use granero::{
    AssessedMove, Assessment, Clamped, FinalScore, Measured, Position, Side, TableError, Tables,
    Value,
};

use crate::estimates::{Estimates, POSITIONS};
use crate::outcome::Outcome;
use crate::proven::{add, ordered};
use crate::words::Range;

/// The most positions that a search for the next capture looks at, about.
const REACH: usize = 200_000;

/// A position as it was written, with its value and its moves.
pub struct PositionAnswer<'a> {
    pub tables: &'a Tables,
    pub text: &'a PositionText,
    /// Its value by the tables, and all that a proof makes certain.
    pub assessment: Assessment,
    /// The proof, if a search was needed and made.
    pub proven: Option<Proof>,
    /// The distance to the next capture, if it was asked for.
    pub distance: Option<Distance>,
    /// Estimates of the moves, if they were asked for.
    pub(crate) estimates: Estimates,
}

impl<'a> PositionAnswer<'a> {
    /// Looks the position up.
    pub fn new(tables: &'a Tables, text: &'a PositionText) -> Result<Self, TableError> {
        let assessment = tables.assess(&text.position())?;
        Ok(PositionAnswer::of(tables, text, assessment))
    }

    /// Takes an assessment by the tables that is already there.
    pub fn of(
        tables: &'a Tables,
        text: &'a PositionText,
        mut assessment: Assessment,
    ) -> PositionAnswer<'a> {
        if assessment.value.is_none() && larger_game(tables, text).is_some() {
            // Moves that are cut off alike may decide a larger game differently.
            for assessed in &mut assessment.moves {
                assessed.best = false;
            }
        }
        PositionAnswer {
            tables,
            text,
            assessment,
            proven: None,
            distance: None,
            estimates: Estimates::default(),
        }
    }

    /// Looks the position up in memory alone; `None` if not all of it is there.
    pub fn cached(tables: &'a Tables, text: &'a PositionText) -> Result<Option<Self>, TableError> {
        let assessment = tables.assess_cached(&text.position())?;
        Ok(assessment.map(|assessment| PositionAnswer::of(tables, text, assessment)))
    }

    /// Finds the distance to the next capture, by a search that usually takes a moment.
    pub fn find_distance(&mut self) -> Result<(), TableError> {
        let position = &self.assessment.position;
        self.distance = Some(Distance::of(self.tables, position, REACH)?);
        Ok(())
    }

    /// Returns true if the tables do not tell the value of the position.
    pub fn is_beyond(&self) -> bool {
        self.assessment.clamped.is_none()
    }

    /// The value by the tables or by a proof, in words.
    pub fn known(&self) -> Option<String> {
        let value = self.assessment.value.map(|value| value.to_string());
        value.or_else(|| self.assessment.clamped.map(|clamped| clamped.to_string()))
    }

    /// The best moves, in letters.
    pub fn best(&self) -> Vec<char> {
        let best = self.assessment.best();
        best.map(|best| best.play.house.letter(self.side()))
            .collect()
    }

    pub fn prove(&mut self, proof: &Proof) {
        let proof = ordered(proof);
        add(&proof, self.tables.cycles(), &mut self.assessment);
        self.proven = Some(proof);
    }

    /// The moves, the best first, with their proven bounds.
    pub fn moves(&self) -> impl Iterator<Item = (&AssessedMove, Option<&ProvenMove>)> {
        let moves = self.assessment.moves.iter().enumerate();
        moves.map(|(number, assessed)| {
            let proven = self.proven.as_ref();
            (assessed, proven.and_then(|proven| proven.moves.get(number)))
        })
    }

    /// The side to move: South, unless it is written.
    pub fn side(&self) -> Side {
        self.text.to_move()
    }

    /// The winner, if the value is cut off and yet tells who wins the game.
    pub fn winner(&self) -> Option<Side> {
        let assessment = &self.assessment;
        let clamped = assessment.clamped.filter(|_| assessment.value.is_none());
        // Without stores: of the game that the tables decide, whatever they are.
        match self.outcome_within(clamped?.range(assessment.position.seeds()))? {
            Outcome::Win => Some(self.side()),
            Outcome::Loss => Some(self.side().other()),
            Outcome::Draw => None,
        }
    }

    /// The end of the game, if stores are written and the value is known.
    pub fn scores(&self) -> Option<Measured<FinalScore>> {
        let situation = self.text.situation()?;
        let value = self.assessment.value?;
        Some(value.map(|value| FinalScore::new(&situation, value)))
    }

    /// Who wins after a move; `None` if that is open.
    pub fn outcome(&self, assessed: &AssessedMove, proven: Option<&ProvenMove>) -> Option<Outcome> {
        let seeds = self.assessment.position.seeds();
        let ends = match (assessed.value, assessed.clamped, proven) {
            (Some(value), _, _) => [value.low(), value.high()],
            (None, Some(clamped), _) => clamped.range(seeds),
            (None, None, Some(proven)) => [proven.low, proven.high],
            (None, None, None) => return None,
        };
        self.outcome_within(ends)
    }

    /// Who wins, if all values between these two decide it alike.
    pub(crate) fn outcome_within(&self, ends: [Value; 2]) -> Option<Outcome> {
        let situation = self.text.situation();
        let [low, high] = ends.map(|value| Outcome::of(value, situation.as_ref()));
        (low == high).then_some(low)
    }

    /// Returns true if nothing is known about a move.
    pub fn is_open(&self, assessed: &AssessedMove, proven: Option<&ProvenMove>) -> bool {
        let seeds = self.assessment.position.seeds();
        assessed.clamped.is_none()
            && assessed.value.is_none()
            && proven.is_none_or(|proven| Range::from(proven).ends(seeds) == (None, None))
    }

    /// Estimates the moves, if nothing is known about one of them.
    pub fn estimate(&mut self) -> Result<(), TableError> {
        if self
            .moves()
            .any(|(found, proven)| self.is_open(found, proven))
        {
            self.estimates = Estimates::of(self.tables, &self.assessment.position, POSITIONS)?;
        }
        Ok(())
    }

    /// The estimate of a move about which nothing is known.
    pub fn estimate_of(&self, assessed: &AssessedMove, proven: Option<&ProvenMove>) -> Option<f64> {
        let estimate = self.estimates.get(assessed.play.house);
        estimate.filter(|_| self.is_open(assessed, proven))
    }

    /// The estimate of the position, if nothing is known about it.
    pub fn estimated(&self) -> Option<f64> {
        let seeds = self.assessment.position.seeds();
        let is_open = self.is_beyond()
            && self.assessment.value.is_none()
            && (self.proven.as_ref())
                .is_none_or(|proof| Range::from(proof).ends(seeds) == (None, None));
        let (_, seeds) = self.estimates.best().filter(|_| is_open)?;
        Some(seeds)
    }
}

/// The seeds of the game that a position is written for, if deciding tables were made for a smaller one.
pub fn larger_game(tables: &Tables, text: &PositionText) -> Option<u8> {
    let game = text.situation()?.game();
    (game > tables.extent().max_seeds()).then_some(game)
}

/// The number of positions beyond the tables that are looked at together: their moves take memory.
const BEYOND: usize = 1 << 16;

/// The value of each position, as far as the tables tell it of the position or of all its moves.
pub fn values(
    tables: &Tables,
    positions: &[Position],
) -> Result<Vec<Option<Measured<Clamped>>>, TableError> {
    let mut values = tables.clamped_values(positions)?;
    let unknown = values
        .iter_mut()
        .zip(positions)
        .filter(|(value, _)| value.is_none());
    let (mut unknown, beyond): (Vec<_>, Vec<Position>) = unknown.unzip();
    for (values, positions) in unknown.chunks_mut(BEYOND).zip(beyond.chunks(BEYOND)) {
        // The tables may still reach all moves of these.
        let assessments = tables.assess_all(positions)?;
        for (place, assessment) in values.iter_mut().zip(assessments) {
            **place = assessment.clamped;
        }
    }
    Ok(values)
}

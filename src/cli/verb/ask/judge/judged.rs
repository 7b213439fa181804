//! A judged move as it is shown, whether tables or proofs judge it.

use granero::judge::{Class, JudgedByProof, JudgedMove, Judgement};
use granero::prove::ProvenMove;
use granero::{AssessedMove, FinalScore, Game, Measured, Ply, Value};

use granero_answer::{at_least, at_most};

/// A move that was judged by the tables or by proofs.
pub(super) struct Judged<'a> {
    pub(super) number: usize,
    pub(super) ply: &'a Ply,
    pub(super) worth: Measured<Value>,
    pub(super) played: Measured<Value>,
    pub(super) promised: Measured<FinalScore>,
    pub(super) left: Measured<FinalScore>,
    /// The mildest class that the move may have.
    pub(super) class: Class,
    /// The worst class that the move may have.
    pub(super) class_at_most: Class,
    pub(super) given_away: String,
    /// `None` if unknown.
    pub(super) given_up: Option<u8>,
    /// The best moves, or the best known ones.
    pub(super) best: Vec<String>,
    /// True if the best moves are certainly best.
    pub(super) is_settled: bool,
}

impl<'a> Judged<'a> {
    /// Returns the moves about which something is known, in the order of the game.
    pub(super) fn all(judgement: &'a Judgement) -> impl Iterator<Item = Judged<'a>> {
        let beyond = judgement.proven.iter();
        let beyond = beyond.filter(|judged| !judged.is_unknown() || judged.is_best());
        let beyond = beyond.map(Judged::from);
        beyond.chain(judgement.moves.iter().map(Judged::from))
    }

    /// Returns the house that was sown.
    pub(super) fn letter(&self) -> char {
        self.ply.play.house.letter(self.ply.before.to_move())
    }

    /// Formats the move with its number in the record.
    pub(super) fn label(&self, game: &Game) -> String {
        format!("{} {}", game.numbering.of(self.number - 1), self.letter())
    }

    /// Says in words what the move lost.
    pub(super) fn lost(&self) -> String {
        match self.given_up {
            Some(seeds @ 1..) => format!("gave up {seeds}"),
            _ => format!("gave away {}", self.given_away),
        }
    }
}

impl<'a> From<&'a JudgedMove> for Judged<'a> {
    fn from(judged: &'a JudgedMove) -> Judged<'a> {
        let letter = |best: &AssessedMove| best.play.house.letter(judged.side()).to_string();
        Judged {
            number: judged.number,
            ply: &judged.ply,
            worth: judged.worth,
            played: judged.played,
            promised: judged.promised(),
            left: judged.left(),
            class: judged.class(),
            class_at_most: judged.class(),
            given_away: judged.given_away().to_string(),
            given_up: Some(judged.given_up()),
            best: judged.best().map(letter).collect(),
            is_settled: true,
        }
    }
}

impl<'a> From<&'a JudgedByProof> for Judged<'a> {
    fn from(judged: &'a JudgedByProof) -> Judged<'a> {
        let (least, most) = (judged.given_away_at_least(), judged.given_away_at_most());
        let letter = |best: &ProvenMove| best.play.house.letter(judged.side()).to_string();
        Judged {
            number: judged.number,
            ply: &judged.ply,
            worth: judged.worth,
            played: judged.played,
            promised: judged.promised(),
            left: judged.left(),
            class: judged.class_at_least(),
            class_at_most: judged.class_at_most(),
            given_away: match (least, most) {
                _ if least == most => least.to_string(),
                (0, most) => at_most(most),
                (least, _) => at_least(least),
            },
            // A move gives something up only if it gives nothing away.
            given_up: (least > 0 || most == 0).then_some(0),
            best: judged.proof.best_known().map(letter).collect(),
            is_settled: judged.proof.best().next().is_some(),
        }
    }
}

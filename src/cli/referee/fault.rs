//! Answers that are not legal moves.

use std::fmt;

use crate::uci::Answer;
use granero::{House, Ruleset, Situation};
use schemars::JsonSchema;
use serde::Serialize;

/// An answer that is not a legal move, or a missing answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// For people.
    pub(crate) what: String,
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// A house that cannot be played.
    Illegal,
    /// `0000`, which wrongly says that the game is over.
    NoMove,
    /// A word that names no house.
    Nonsense,
    /// No answer in time.
    Timeout,
    /// The engine ended.
    Ended,
}

impl FaultKind {
    pub(crate) const ALL: [FaultKind; 5] = [
        FaultKind::Illegal,
        FaultKind::NoMove,
        FaultKind::Nonsense,
        FaultKind::Timeout,
        FaultKind::Ended,
    ];
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            FaultKind::Illegal => "illegal move",
            FaultKind::NoMove => "answered `0000`",
            FaultKind::Nonsense => "nonsense",
            FaultKind::Timeout => "no answer in time",
            FaultKind::Ended => "engine ended",
        })
    }
}

/// Returns the house that an answer names, if it is a legal move.
pub(super) fn legal(
    ruleset: Ruleset,
    situation: &Situation,
    answer: &Answer,
) -> Result<House, Fault> {
    let fault = |kind, what| Err(Fault { kind, what });
    match answer {
        Answer::Sow(sown) => {
            let mover = situation.to_move();
            let kind = FaultKind::Illegal;
            if sown.side != mover {
                return fault(kind, format!("{sown}: {mover} is to move"));
            }
            match situation.play(ruleset, sown.house) {
                Ok(_) => Ok(sown.house),
                Err(illegal) => fault(kind, format!("{sown}: {}", illegal.refusal)),
            }
        }
        Answer::NoMove => fault(FaultKind::NoMove, "the game is not over".into()),
        Answer::Nonsense(text) => fault(FaultKind::Nonsense, text.clone()),
        Answer::Timeout => fault(FaultKind::Timeout, "it was ended".into()),
        Answer::Ended(how) => fault(FaultKind::Ended, how.clone()),
    }
}

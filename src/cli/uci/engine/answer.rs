//! The answers of an engine.

use granero::PlayerHouse;
use granero::notation::quote;

/// An engine's answer to the question for a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This house, which may not be a legal move.
    Sow(PlayerHouse),
    /// No move: `0000`.
    NoMove,
    /// A text that names no house, quoted and shortened.
    Nonsense(String),
    /// Nothing within its time.
    Timeout,
    /// Nothing, because it ended in this way.
    Ended(String),
}

impl Answer {
    /// Reads a line of an engine; returns `None` if it is not the answer.
    pub fn parse(line: &str) -> Option<Answer> {
        let mut words = line.split_whitespace();
        if words.next() != Some("bestmove") {
            return None;
        }
        let word = words.next().unwrap_or_default();
        Some(match word.parse() {
            Ok(house) => Answer::Sow(house),
            Err(_) if word == "0000" => Answer::NoMove,
            Err(_) => Answer::Nonsense(quote(word)),
        })
    }
}

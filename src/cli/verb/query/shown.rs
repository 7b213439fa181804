//! Repeats the positions that were asked for.

use granero::notation::{NOTATIONS, Notation, PositionText, board};

use super::Format;
use crate::verb::text::Text;
use granero_answer::PositionAnswer;
use granero_console::Failure;

/// The form of an answer, and the notation of the positions in it.
pub(super) struct Shown {
    pub(super) format: Format,
    notation: Option<&'static Notation>,
}

impl Shown {
    /// Fails for a notation of several lines with TSV, and for any notation with JSON, which has numbers.
    pub(super) fn new(
        format: Format,
        notation: Option<&'static Notation>,
    ) -> Result<Shown, Failure> {
        let is_possible = match (format, notation) {
            (_, None) | (Format::Text, _) => true,
            (Format::Tsv, Some(notation)) => notation.is_one_line(),
            (Format::Json | Format::Npy, Some(_)) => false,
        };
        if is_possible {
            return Ok(Shown { format, notation });
        }
        let of_one_line = NOTATIONS.iter().filter(|notation| notation.is_one_line());
        let names: Vec<&str> = of_one_line.map(|notation| notation.name).collect();
        Err(Failure::not_possible(
            "--notation cannot be used with this --format",
            format!(
                "choose --format text; or with --format tsv a notation of one line: {}",
                names.join(", ")
            ),
        ))
    }

    /// Formats a position for people: as a board, unless a notation was chosen.
    pub(super) fn of(&self, text: &PositionText) -> String {
        match self.notation {
            None => board::write(&text.position(), text.to_move()),
            Some(notation) => notation.write(text),
        }
    }

    /// Formats a position on a line: as twelve houses, unless a notation was chosen.
    pub(super) fn or_bare(&self, text: &PositionText) -> String {
        match self.notation {
            None => text.position().to_string(),
            Some(notation) => notation.write(text),
        }
    }

    /// Formats a position and its value, with tabs between them.
    pub(super) fn tsv(&self, answer: &PositionAnswer<'_>) -> String {
        let line = Text(answer).tsv();
        match (self.notation, line.split_once('\t')) {
            (Some(notation), Some((_, value))) => {
                format!("{}\t{value}", notation.write(answer.text).trim_end())
            }
            _ => line,
        }
    }
}

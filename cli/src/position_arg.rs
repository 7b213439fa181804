//! The argument POSITION of the verbs that look at one position.

use granero::notation::{ParseError, PositionText};

use crate::failure::Failure;

/// What `--help` says about the argument; the verb shows [`NOTATIONS`] below.
pub(super) const HELP: &str = "The position, in any of the notations below";

/// The notations for positions, and examples of a verb.
pub(super) fn notations_and(examples: &str) -> String {
    format!("{NOTATIONS}\n\n{examples}")
}

const NOTATIONS: &str = "\
Notations of one and the same position:
  4 0 0 1 3 1 2 1 2 0 0 6          twelve houses in sowing order,
                                   those of the player to move first
  \"6 0 0 2 1 2 / 4 0 0 1 3 1\"      the board, the player to move below,
                                   the opponent above, from right to left
  4-0-0-1-3-1-2-1-2-0-0-6-14-14-S  Aalina's: A-F, a-f, South's store, North's,
                                   and the side to move";

/// Reads the position that the words of the argument make up together.
pub(super) fn parse(words: &[String]) -> Result<PositionText, Failure> {
    let text = words.join(" ");
    text.parse().map_err(|error| not_a_position(&text, &error))
}

/// Reads several positions if each argument is a position, and otherwise the one position that all
/// words make up together. Never both: a part of a position is not a position.
pub(super) fn parse_several(arguments: &[String]) -> Result<Vec<PositionText>, Failure> {
    let each: Vec<Result<PositionText, ParseError>> =
        arguments.iter().map(|argument| argument.parse()).collect();
    if each.iter().all(Result::is_err) {
        return Ok(vec![parse(arguments)?]);
    }
    let each = each.into_iter().zip(arguments);
    each.map(|(parsed, argument)| parsed.map_err(|error| not_a_position(argument, &error)))
        .collect()
}

fn not_a_position(text: &str, error: &ParseError) -> Failure {
    Failure::bad_text(
        "a position",
        text,
        error,
        "`granero moves --help` shows one position in all the notations that can be read",
    )
}

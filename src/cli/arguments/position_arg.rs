//! The argument POSITION of the verbs that look at one position.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use granero::notation::{NOTATIONS, Notation, ParseError, PositionText};

use granero_console::Failure;

/// The help of the argument; [`notations_and`] is the help below it.
pub(crate) const HELP: &str = "The position, in any of the notations below";

/// The column in which the help explains the notations.
const COLUMN: usize = 35;

/// Returns the notations for positions, followed by the examples of a verb.
pub(crate) fn notations_and(examples: &str) -> String {
    let mut text =
        String::from("startpos is the start of the game. Notations of one and the same position:");
    for Notation {
        example, explained, ..
    } in &NOTATIONS
    {
        // A shell would take these signs for its own, or split the board at its slash.
        let example = if example.contains(['/', '|']) {
            format!("\"{example}\"")
        } else {
            example.to_string()
        };
        for (number, line) in explained.iter().enumerate() {
            let example = if number == 0 { &*example } else { "" };
            let width = COLUMN - 4;
            text += &format!("\n  {example:width$}  {line}");
        }
    }
    text + "\n\n" + examples
}

/// The values of `--notation`.
pub(crate) fn notation() -> impl TypedValueParser<Value = &'static Notation> {
    let values = NOTATIONS.iter();
    let values = values.map(|notation| PossibleValue::new(notation.name).help(notation.about));
    PossibleValuesParser::new(values).map(|name| {
        let mut notations = NOTATIONS.iter();
        let found = notations.find(|notation| notation.name == name);
        found.expect("one of the values")
    })
}

/// Reads the one position that all words of the argument make up.
pub(crate) fn parse(words: &[String]) -> Result<PositionText, Failure> {
    let text = words.join(" ");
    text.parse().map_err(|error| not_a_position(&text, &error))
}

/// Reads several positions if each argument is a position, otherwise the one position that all words make up.
/// This is unambiguous, because a part of a position is not a position.
pub(crate) fn parse_several(arguments: &[String]) -> Result<Vec<PositionText>, Failure> {
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

//! The argument POSITION of the verbs that look at one position.

use granero::Situation;
use granero::notation::{
    ParseError, PositionText, aalina, board, integers, openspiel, playstrategy,
};

use granero_console::failure::Failure;

/// What `--help` says about the argument; the verb shows [`NOTATIONS`] below.
pub(crate) const HELP: &str = "The position, in any of the notations below";

/// The notations for positions, and examples of a verb.
pub(crate) fn notations_and(examples: &str) -> String {
    format!("{NOTATIONS}\n\n{examples}")
}

const NOTATIONS: &str = "\
Notations of one and the same position:
  4 0 0 1 3 1 2 1 2 0 0 6          twelve houses in sowing order,
                                   those of the player to move first
  \"6 0 0 2 1 2 / 4 0 0 1 3 1\"      the board, the player to move below,
                                   the opponent above, from right to left
  4-0-0-1-3-1-2-1-2-0-0-6-14-14-S  Aalina's: A-F, a-f, South's store, North's,
                                   and the side to move
  \"6S,2,2S,1S,2S/4S,2,1S,3S,1S 14 14 S 1\"  PlayStrategy's, also its older form with
                                   letters, and with _ instead of spaces
  \"0 | 14 14 | 4 0 0 1 3 1 2 1 2 0 0 6\"  OpenSpiel's: player, scores, A-F, a-f;
                                   or its board with both scores";

/// A notation that positions can be written in. Without stores, the seeds that are not on the board
/// are shared, where a notation needs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Notation {
    /// Twelve integers, those of the player to move first
    Integers,
    /// The board, the player to move below
    Board,
    /// Aalina's, with stores and side to move
    Aalina,
    /// PlayStrategy's
    Playstrategy,
    /// OpenSpiel's board with both scores
    Openspiel,
    /// OpenSpiel's string of an observation, on one line
    Observation,
}

impl Notation {
    /// Whether a position takes one line.
    pub(crate) fn takes_a_line(self) -> bool {
        !matches!(self, Notation::Board | Notation::Openspiel)
    }

    /// A position in this notation, with the end of its last line.
    pub(crate) fn write(self, text: &PositionText) -> String {
        let position = text.position();
        let situation = text.situation();
        let situation = situation.unwrap_or_else(|| Situation::open(position));
        let mut written = match self {
            Notation::Integers => integers::write(&position),
            Notation::Board => board::write(&position, situation.to_move()),
            Notation::Aalina => aalina::write(&situation),
            Notation::Playstrategy => playstrategy::write(&situation, 1),
            Notation::Openspiel => openspiel::write(&situation),
            Notation::Observation => openspiel::write_observation(&situation),
        };
        if !written.ends_with('\n') {
            written.push('\n');
        }
        written
    }
}

/// Reads the position that the words of the argument make up together.
pub(crate) fn parse(words: &[String]) -> Result<PositionText, Failure> {
    let text = words.join(" ");
    text.parse().map_err(|error| not_a_position(&text, &error))
}

/// Reads several positions if each argument is a position, and otherwise the one position that all
/// words make up together. Never both: a part of a position is not a position.
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

//! The list of notations for positions, from which reading, `--notation` and the help of verbs follow.

use super::{ParseError, PositionText, aalina, board, integers, openspiel, playstrategy};
use crate::position::Position;
use crate::situation::Situation;

/// A notation for positions.
#[derive(Debug)]
pub struct Notation {
    /// The name on the command line.
    pub name: &'static str,
    /// A few words about texts that are written in it.
    pub about: &'static str,
    /// The position of the examples: `4 0 0 1 3 1 2 1 2 0 0 6`, with 14 seeds in each store.
    pub example: &'static str,
    /// Lines that explain the example in the help; none if another notation's lines do.
    pub explained: &'static [&'static str],
    /// Tells if a text looks as if it were meant to be in this notation, even if it has errors. Asked only
    /// where no later notation of the list claims the text.
    pub(super) claims: fn(&str) -> bool,
    /// Reads a `PositionText::Full` if the notation has stores and the side to move, otherwise a `Bare` one:
    /// a side without stores is dropped.
    parse: fn(&str) -> Result<PositionText, ParseError>,
    /// Writes any situation; it cannot fail. A notation that lacks the stores or the side leaves them out.
    write: fn(&Situation) -> String,
}

/// All notations for positions. Each text is read in the last one that claims it.
pub static NOTATIONS: [Notation; 6] = [
    Notation {
        name: "integers",
        about: "Twelve integers, the houses of the player to move first",
        example: "4 0 0 1 3 1 2 1 2 0 0 6",
        explained: &["twelve houses in sowing order,", "the player to move first"],
        claims: |_| true,
        parse: |text| bare(integers::parse(text)),
        write: |situation| integers::write(&situation.position()),
    },
    Notation {
        name: "board",
        about: "The board, the player to move below",
        example: "6 0 0 2 1 2 / 4 0 0 1 3 1",
        explained: &[
            "the board, the player to move below,",
            "the opponent above, from right to left",
        ],
        claims: board::looks_like,
        parse: |text| bare(board::parse(text)),
        write: |situation| board::write(&situation.position(), situation.to_move()),
    },
    Notation {
        name: "aalina",
        about: "Aalina's, with stores and side to move",
        example: "4-0-0-1-3-1-2-1-2-0-0-6-14-14-S",
        explained: &[
            "Aalina's: A-F, a-f, South's store, North's,",
            "and the side to move",
        ],
        claims: aalina::looks_like,
        parse: |text| full(aalina::parse(text)),
        write: aalina::write,
    },
    Notation {
        name: "playstrategy",
        about: "PlayStrategy's",
        example: "6S,2,2S,1S,2S/4S,2,1S,3S,1S 14 14 S 1",
        explained: &[
            "PlayStrategy's, also its older form with",
            "letters, and with _ instead of spaces",
        ],
        claims: playstrategy::looks_like,
        parse: |text| full(playstrategy::parse(text)),
        write: |situation| playstrategy::write(situation, 1),
    },
    Notation {
        name: "openspiel",
        about: "OpenSpiel's board with both scores",
        example: "Player 1 score = 14\n  f  e  d  c  b  a\n  6  0  0  2  1  2\n  4  0  0  1  3  1\n  \
                  A  B  C  D  E  F\nPlayer 0 score = 14 [PLAYING]",
        explained: &[],
        claims: openspiel::looks_like_a_state,
        parse: |text| full(openspiel::parse(text)),
        write: openspiel::write,
    },
    Notation {
        name: "observation",
        about: "OpenSpiel's string of an observation, on one line",
        example: "0 | 14 14 | 4 0 0 1 3 1 2 1 2 0 0 6",
        explained: &[
            "OpenSpiel's: player, scores, A-F, a-f;",
            "or its board with both scores",
        ],
        claims: openspiel::looks_like_an_observation,
        parse: |text| full(openspiel::parse(text)),
        write: openspiel::write_observation,
    },
];

fn bare(position: Result<Position, ParseError>) -> Result<PositionText, ParseError> {
    position.map(PositionText::Bare)
}

fn full(situation: Result<Situation, ParseError>) -> Result<PositionText, ParseError> {
    situation.map(PositionText::Full)
}

impl Notation {
    /// Reads a position in this notation.
    ///
    /// # Errors
    ///
    /// When the text is not in this notation, or has an impossible number of seeds.
    pub fn parse(&self, text: &str) -> Result<PositionText, ParseError> {
        (self.parse)(text)
    }

    /// Writes a position, with a line break after its last line. A position without stores gets those
    /// of [`Situation::open`] if the notation needs them.
    pub fn write(&self, text: &PositionText) -> String {
        let written = (self.write)(&text.or_open());
        written.trim_end().to_string() + "\n"
    }

    /// Tells if a position takes one line.
    pub fn is_one_line(&self) -> bool {
        (self.write)(&Situation::START).lines().count() == 1
    }
}

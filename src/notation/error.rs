//! What can be wrong with a text, and where.

use thiserror::Error;

/// A text that is not what it should be: what was expected, what stood there
/// instead, and where.
///
/// ```
/// use granero::Position;
///
/// let error = "4 4 4 4 4 4 4 4 4 4 4".parse::<Position>().unwrap_err();
/// assert_eq!(error.expected, "a number of seeds for house 12 of 12");
/// assert_eq!(error.found, "the end of the text");
/// assert_eq!(error.at, 21);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("at character {}: expected {expected}, found {found}", at + 1)]
pub struct ParseError {
    /// What should have stood there.
    pub expected: String,
    /// What stood there; text of the input is quoted.
    pub found: String,
    /// Where: the number of characters (not bytes) before it.
    pub at: usize,
    /// Whether it can be read all the same, and only says what cannot be: more seeds, or
    /// fewer, than the game has.
    ///
    /// ```
    /// # use granero::Position;
    /// assert!("49 0 0 0 0 0 0 0 0 0 0 0".parse::<Position>().unwrap_err().impossible);
    /// assert!(!"one".parse::<Position>().unwrap_err().impossible);
    /// ```
    pub impossible: bool,
}

/// How errors name the place behind the last character.
pub(crate) const END: &str = "the end of the text";

/// The most characters of somebody's text that an error repeats.
const LONGEST_QUOTE: usize = 20;

impl ParseError {
    /// An error at a byte offset of the text.
    pub(crate) fn new(
        text: &str,
        offset: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> ParseError {
        ParseError {
            expected: expected.into(),
            found: found.into(),
            at: text[..offset].chars().count(),
            impossible: false,
        }
    }

    /// The same about a text that can be read, but says what cannot be.
    pub(crate) fn impossible(self) -> ParseError {
        ParseError {
            impossible: true,
            ..self
        }
    }

    /// An error about a piece of the text, which is quoted; at the end of the
    /// text the piece is empty.
    pub(crate) fn at_piece(text: &str, piece: &str, expected: impl Into<String>) -> ParseError {
        let offset = offset_in(text, piece);
        let found = if !piece.is_empty() {
            quote(piece)
        } else if offset >= text.trim_end().len() {
            END.into()
        } else {
            "nothing".into()
        };
        ParseError::new(text, offset, expected, found)
    }

    /// The same error about the whole of a text, of which only `part` was read.
    ///
    /// ```
    /// use granero::notation::moves;
    ///
    /// let text = "startpos moves FfX";
    /// let error = moves::parse_all(&text[15..]).unwrap_err().within(text, &text[15..]);
    /// assert_eq!(error.at, 17);
    /// ```
    ///
    /// # Panics
    ///
    /// If `part` is not a slice of `text`.
    #[must_use]
    pub fn within(mut self, text: &str, part: &str) -> ParseError {
        let offset = offset_in(text, part);
        if self.found == END && offset + part.len() < text.trim_end().len() {
            self.found = "nothing".into();
        }
        self.at += text[..offset].chars().count();
        self
    }
}

/// Where in a text one of its pieces begins.
pub(crate) fn offset_in(text: &str, piece: &str) -> usize {
    (piece.as_ptr() as usize)
        .checked_sub(text.as_ptr() as usize)
        .filter(|&offset| offset + piece.len() <= text.len())
        .expect("a slice of the text")
}

/// A piece of a text as an error names it: in quotes, shortened, and with
/// control characters made visible.
///
/// ```
/// assert_eq!(granero::notation::quote("A\n"), "`A\\n`");
/// ```
pub fn quote(piece: &str) -> String {
    let mut quoted = String::new();
    for c in piece.chars().take(LONGEST_QUOTE) {
        match c {
            '"' | '\'' | '\\' => quoted.push(c),
            _ => quoted.extend(c.escape_debug()),
        }
    }
    if piece.chars().nth(LONGEST_QUOTE).is_some() {
        quoted.push('…');
    }
    format!("`{quoted}`")
}

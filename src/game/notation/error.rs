//! Errors in a text, with their places.

use thiserror::Error;

/// A text that cannot be read: what was expected, what was found instead, and where.
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
    /// The expected text, in words.
    pub expected: String,
    /// The text that was found instead; a piece of the input is in quotes.
    pub found: String,
    /// The place: the number of characters (not bytes) before it.
    pub at: usize,
    /// True if the text can be read, but is impossible because it has more or fewer seeds than the game.
    ///
    /// ```
    /// # use granero::Position;
    /// assert!("49 0 0 0 0 0 0 0 0 0 0 0".parse::<Position>().unwrap_err().impossible);
    /// assert!(!"one".parse::<Position>().unwrap_err().impossible);
    /// ```
    pub impossible: bool,
}

/// The name of the place after the last character.
pub(crate) const END: &str = "the end of the text";

/// The most characters of the input that an error repeats.
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

    /// Marks an error of a text that can be read, but is impossible.
    pub(crate) fn impossible(self) -> ParseError {
        ParseError {
            impossible: true,
            ..self
        }
    }

    /// An error that quotes a piece of the text. At the end of the text, the piece is empty.
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

    /// The line of the place, and the character in this line, both counted from 1.
    ///
    /// ```
    /// use granero::notation::ogn;
    ///
    /// let text = "1. F f\n2. B 5";
    /// assert_eq!(ogn::parse(text).unwrap_err().line_and_column(text), (2, 6));
    /// ```
    pub fn line_and_column(&self, text: &str) -> (usize, usize) {
        let before = || text.chars().take(self.at);
        let line = before().filter(|&c| c == '\n').count();
        let column = before().fold(0, |column, c| if c == '\n' { 0 } else { column + 1 });
        (line + 1, column + 1)
    }

    /// Turns an error in `part`, a slice of `text`, into one with its place in `text`.
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

/// The offset of a piece in its text.
pub(crate) fn offset_in(text: &str, piece: &str) -> usize {
    (piece.as_ptr() as usize)
        .checked_sub(text.as_ptr() as usize)
        .filter(|&offset| offset + piece.len() <= text.len())
        .expect("a slice of the text")
}

/// A piece of a text for an error message: in quotes, shortened, and with control characters made visible.
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

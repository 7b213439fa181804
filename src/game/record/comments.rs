//! The comments of a recorded game.

use std::collections::BTreeMap;

/// The comments of a recorded game. Each follows a number of moves; a comment after 0 moves is about
/// the whole game.
///
/// ```
/// use granero::notation::ogn;
///
/// let game = ogn::parse("{friendly} 1. F f 2. B {hasty} e")?;
/// assert_eq!(game.comments.after(0), Some("friendly"));
/// assert_eq!(game.comments.after(3), Some("hasty"));
/// assert_eq!(game.comments.after(4), None);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comments(
    /// By the number of moves before it.
    BTreeMap<usize, String>,
);

impl Comments {
    /// The comment after this number of moves, if there is one.
    pub fn after(&self, moves: usize) -> Option<&str> {
        self.0.get(&moves).map(String::as_str)
    }

    /// Adds words to the comment after this number of moves, with single spaces between them.
    pub fn add(&mut self, moves: usize, words: &str) {
        for word in words.split_whitespace() {
            let comment = self.0.entry(moves).or_default();
            if !comment.is_empty() {
                comment.push(' ');
            }
            *comment += word;
        }
    }
}

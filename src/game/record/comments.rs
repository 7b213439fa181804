//! The comments of a recorded game.

/// The comments of a recorded game. Each follows a number of moves; a comment after 0 moves is about
/// the whole game.
///
/// They share one string, because a record may have many.
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
pub struct Comments {
    /// All comments, one after the other.
    text: String,
    /// For each comment: the moves before it, and the end of its text.
    ends: Vec<(usize, usize)>,
}

impl Comments {
    /// The comment after this number of moves, if there is one.
    pub fn after(&self, moves: usize) -> Option<&str> {
        let number = self.ends.binary_search_by_key(&moves, |&(moves, _)| moves);
        let number = number.ok()?;
        let start = number.checked_sub(1).map_or(0, |last| self.ends[last].1);
        Some(&self.text[start..self.ends[number].1])
    }

    /// Adds words to the comment after this number of moves, with single spaces between them.
    ///
    /// # Panics
    ///
    /// If there is a comment after more moves already: add comments in the order of the game.
    pub fn add(&mut self, moves: usize, words: &str) {
        for word in words.split_whitespace() {
            let last = self.ends.last().map_or(0, |&(moves, _)| moves);
            assert!(last <= moves, "comments are added in the order of the game");
            match self.ends.last_mut().filter(|(last, _)| *last == moves) {
                Some(_) => self.text.push(' '),
                None => self.ends.push((moves, 0)),
            }
            self.text += word;
            if let Some((_, end)) = self.ends.last_mut() {
                *end = self.text.len();
            }
        }
    }
}

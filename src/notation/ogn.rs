//! OGN, the game record of the board Aualé: tags in brackets, then numbered moves
//! in letters, like PGN for chess.
//!
//! ```text
//! [Event "Friendly"]
//! [South "Ama"]
//! [North "Kofi"]
//! [Result "26-22"]
//! [FEN "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"]
//!
//! 1. F f 2. B e {a comment} 3. B+3 c (or 3. A) 26-22
//! ```
//!
//! `+3` after a move says how much it captures. Comments are in braces, or between a
//! semicolon and the end of the line; variations in parentheses are skipped. The tag `FEN`
//! holds the position the game starts from, in Aalina's notation, unless that is the start
//! of every game.

use super::error::ParseError;
use super::{aalina, scan};
use crate::game::{Game, PlayedMove, ReplayError};
use crate::house::PlayerHouse;
use crate::rules::Ruleset;
use crate::situation::Situation;

/// The tags that every record has, in this order.
const ROSTER: [&str; 8] = [
    "Variant", "Event", "Site", "Date", "Round", "South", "North", "Result",
];

/// The tag that holds the position a game starts from.
const START_TAG: &str = "FEN";

/// Lines of moves are shorter than this, unless a single word of a comment is longer.
const LINE_LENGTH: usize = 80;

/// Reads one game.
///
/// # Errors
///
/// When the text is not OGN, or another game follows. [`Game::replay`] checks whether the
/// moves are legal.
///
/// ```
/// use granero::notation::ogn;
///
/// let game = ogn::parse("[South \"Ama\"]\n\n1. F f 2. B e 3. B c 26-22")?;
/// assert_eq!(game.tag("South"), Some("Ama"));
/// assert_eq!(game.moves.len(), 6);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
pub fn parse(text: &str) -> Result<Game, ParseError> {
    let mut reader = Reader::new(text);
    let game = reader.game()?;
    match reader.peek() {
        None => Ok(game),
        Some(_) => Err(reader.unexpected("the end of the game")),
    }
}

/// Reads all the games of a text; each begins with its tags.
///
/// # Errors
///
/// Like [`parse`].
///
/// ```
/// use granero::notation::ogn;
///
/// let games = ogn::parse_all("[Round \"1\"]\n1. F f *\n\n[Round \"2\"]\n1. A a *\n")?;
/// assert_eq!(games.len(), 2);
/// assert_eq!(games[1].tag("Round"), Some("2"));
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
pub fn parse_all(text: &str) -> Result<Vec<Game>, ParseError> {
    let mut reader = Reader::new(text);
    let mut games = Vec::new();
    while reader.peek().is_some() {
        games.push(reader.game()?);
    }
    Ok(games)
}

/// Writes a game that is legal under a ruleset, with its captures. Missing tags of the
/// roster get the value `?`, the variant the name of the ruleset, the result `*`. Tags
/// whose names are not one word are left out.
///
/// # Errors
///
/// [`ReplayError`] when the game is not legal under these rules.
///
/// ```
/// use granero::notation::{aalina, ogn};
/// use granero::Ruleset;
///
/// let game = aalina::parse_game("FfBeBc").unwrap();
/// let text = ogn::write(&game, Ruleset::Abapa)?;
/// assert!(text.ends_with("\n\n1. F f 2. B e 3. B c\n"), "{text}");
/// # Ok::<(), granero::ReplayError>(())
/// ```
pub fn write(game: &Game, ruleset: Ruleset) -> Result<String, ReplayError> {
    let plies = game.replay(ruleset)?;
    let mut text = String::new();
    for name in ROSTER {
        let absent = match name {
            "Variant" => ruleset.name(),
            "Result" => "*",
            _ => "?",
        };
        text += &tag(name, game.tag(name).unwrap_or(absent));
    }
    for (name, value) in &game.tags {
        let is_name = !name.is_empty() && name.chars().all(is_tag_name);
        if is_name && name != START_TAG && !ROSTER.contains(&name.as_str()) {
            text += &tag(name, value);
        }
    }
    if game.start != Situation::START {
        text += &tag(START_TAG, &aalina::write(&game.start));
    }

    let mut tokens = Vec::new();
    if let Some(comment) = game.comments.after(0) {
        tokens.extend(comment_tokens(comment));
    }
    for (index, (played, ply)) in game.moves.iter().zip(&plies).enumerate() {
        if index % 2 == 0 {
            tokens.push(format!("{}.", index / 2 + 1));
        }
        tokens.push(match ply.play.captured {
            0 => played.sown.to_string(),
            captured => format!("{}+{captured}", played.sown),
        });
        if let Some(comment) = game.comments.after(index + 1) {
            tokens.extend(comment_tokens(comment));
        }
    }
    if let Some(result) = game.tag("Result").filter(|result| is_result(result)) {
        tokens.push(result.into());
    }
    if !tokens.is_empty() {
        text.push('\n');
        text += &wrapped(&tokens);
    }
    Ok(text)
}

fn comment_tokens(comment: &str) -> Vec<String> {
    // A brace would end the comment early.
    let comment = comment.replace('}', ")");
    let words = comment.split_whitespace();
    ["{"]
        .into_iter()
        .chain(words)
        .chain(["}"])
        .map(String::from)
        .collect()
}

fn tag(name: &str, value: &str) -> String {
    let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    format!("[{name} \"{value}\"]\n")
}

/// Lines of tokens with single spaces between them.
fn wrapped(tokens: &[String]) -> String {
    let mut lines = String::new();
    let mut length = 0;
    for token in tokens {
        let token_length = token.chars().count();
        if length > 0 && length + 1 + token_length < LINE_LENGTH {
            lines.push(' ');
            length += 1;
        } else if length > 0 {
            lines.push('\n');
            length = 0;
        }
        lines += token;
        length += token_length;
    }
    lines.push('\n');
    lines
}

fn is_tag_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a word is the result of a game, like `26-22`.
fn is_result(word: &str) -> bool {
    let is_score =
        |score: &str| !score.is_empty() && score.bytes().all(|byte| byte.is_ascii_digit());
    word.split_once('-')
        .is_some_and(|(south, north)| is_score(south) && is_score(north))
}

/// Reads the text of a record.
struct Reader<'a> {
    text: &'a str,
    /// The text that is not read yet.
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Reader<'a> {
        let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
        Reader { text, rest }
    }

    /// The next character that is not white space.
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    /// Reads characters as long as they are wanted.
    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    /// Reads past a character if it is the next one.
    fn skip(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// An error about the next word.
    fn unexpected(&self, expected: &str) -> ParseError {
        let end = self
            .rest
            .find(char::is_whitespace)
            .unwrap_or(self.rest.len());
        ParseError::at_piece(self.text, &self.rest[..end], expected)
    }

    fn game(&mut self) -> Result<Game, ParseError> {
        let mut game = Game::default();
        while self.peek() == Some('[') {
            let (name, raw, value) = self.tag()?;
            if name == START_TAG {
                // A position needs no backslashes, so the raw text will do.
                game.start = aalina::parse(raw).map_err(|error| error.within(self.text, raw))?;
            } else {
                game.tags.push((name.to_string(), value));
            }
        }
        self.moves(&mut game)?;
        Ok(game)
    }

    /// A tag: its name, its value as written, and its value.
    fn tag(&mut self) -> Result<(&'a str, &'a str, String), ParseError> {
        self.skip('[');
        self.peek();
        let name = self.take_while(is_tag_name);
        if name.is_empty() {
            return Err(self.unexpected("the name of a tag"));
        }
        if self.peek() != Some('"') {
            return Err(self.unexpected("the tag's value in quotation marks"));
        }
        self.skip('"');
        let start = self.rest;
        let mut value = String::new();
        loop {
            value += self.take_while(|c| c != '"' && c != '\\');
            if self.skip('\\') {
                let mut rest = self.rest.chars();
                value.extend(rest.next());
                self.rest = rest.as_str();
            } else if self.rest.starts_with('"') {
                break;
            } else {
                return Err(self.unexpected("the quotation mark at the end of the tag's value"));
            }
        }
        let raw = &start[..start.len() - self.rest.len()];
        self.skip('"');
        if self.peek() != Some(']') {
            return Err(self.unexpected("`]` at the end of the tag"));
        }
        self.skip(']');
        Ok((name, raw, value))
    }

    /// The moves and what is between them, up to the end of the text or the tags of another
    /// game.
    fn moves(&mut self, game: &mut Game) -> Result<(), ParseError> {
        let mut result = None;
        while let Some(next) = self.peek() {
            match next {
                '[' => break,
                '{' => {
                    let comment = self.comment()?;
                    game.comments.add(game.moves.len(), comment);
                }
                ';' => {
                    let comment = self.take_while(|c| c != '\n');
                    let comment = comment.trim_start_matches(';');
                    game.comments.add(game.moves.len(), comment);
                }
                '(' => self.variation()?,
                _ if result.is_some() => return Err(self.unexpected("nothing after the result")),
                '*' => {
                    result = Some(self.take_while(|c| c == '*'));
                }
                '0'..='9' => result = self.number_or_result()?,
                _ => {
                    let played = self.played_move()?;
                    game.moves.push(played);
                }
            }
        }
        // Many records have the result only here.
        if let Some(result) = result
            && game.tag("Result").is_none()
        {
            game.tags.push(("Result".into(), result.into()));
        }
        Ok(())
    }

    fn comment(&mut self) -> Result<&'a str, ParseError> {
        let start = self.rest;
        self.skip('{');
        let comment = self.take_while(|c| c != '}');
        if self.skip('}') {
            Ok(comment)
        } else {
            self.rest = start;
            Err(self.unexpected("a comment that ends with `}`"))
        }
    }

    /// Skips a variation, and the variations inside it.
    fn variation(&mut self) -> Result<(), ParseError> {
        let start = self.rest;
        let mut depth = 0usize;
        loop {
            self.take_while(|c| !matches!(c, '(' | ')' | '{'));
            if self.skip('(') {
                depth += 1;
            } else if self.skip(')') {
                depth -= 1;
                if depth == 0 {
                    return Ok(());
                }
            } else if self.rest.is_empty() {
                self.rest = start;
                return Err(self.unexpected("a variation that ends with `)`"));
            } else {
                self.comment()?;
            }
        }
    }

    /// Reads past the number of a move, or returns the result of the game.
    fn number_or_result(&mut self) -> Result<Option<&'a str>, ParseError> {
        let start = self.rest;
        self.take_while(|c| c.is_ascii_digit());
        if self.skip('-') {
            let north = self.take_while(|c| c.is_ascii_digit());
            if north.is_empty() {
                self.rest = start;
                return Err(self.unexpected("a result like `26-22`"));
            }
            return Ok(Some(&start[..start.len() - self.rest.len()]));
        }
        self.take_while(|c| c == '.');
        Ok(None)
    }

    fn played_move(&mut self) -> Result<PlayedMove, ParseError> {
        let letter = self.rest.chars().next().unwrap_or_default();
        let Some(sown) = PlayerHouse::from_letter(letter) else {
            return Err(self.unexpected("a move, `A` to `F` or `a` to `f`"));
        };
        self.skip(letter);
        let mut played = PlayedMove::from(sown);
        if self.skip('+') {
            let seeds = self.take_while(|c| c.is_ascii_digit());
            played.captured = Some(scan::seeds(self.text, seeds)?);
        }
        Ok(played)
    }
}

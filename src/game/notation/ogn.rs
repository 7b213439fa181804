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
//! `+3` or `x3` after a move says that it captures 3 seeds, `x` alone that it captures some. The symbols `!`,
//! `?`, `!!`, `??`, `!?` and `?!` judge a move, and so do numbers such as `$14`. Comments are in braces, or
//! between a semicolon and the end of the line; variations in parentheses are kept as they are. The tag `FEN`
//! holds the first position in Aalina's notation, unless it is the usual start.
//!
//! Records of [PlayStrategy](super::playstrategy) can be read, too, with their positions and moves like
//! `c1f2`.

use std::cmp::Ordering;
use std::iter;

use super::error::{ParseError, offset_in, quote};
use super::{aalina, playstrategy, scan};
use crate::house::{PlayerHouse, Side};
use crate::position::MAX_SEEDS;
use crate::record::{Capture, Game, MoveNumber, PlayedMove, ReplayError};
use crate::rules::Ruleset;
use crate::situation::Situation;

/// The tags that every record has, in this order.
const ROSTER: [&str; 8] = [
    "Variant", "Event", "Site", "Date", "Round", "South", "North", "Result",
];

/// The tag for the first position of a game.
const START_TAG: &str = "FEN";

/// The symbols with numbers from 1 on; others are written as `$14`.
const SYMBOLS: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];

/// Results without seeds.
const OUTCOMES: [&str; 3] = ["1-0", "0-1", "1/2-1/2"];

/// Lines of moves are shorter than this, unless a single word of a comment is longer.
const LINE_LENGTH: usize = 80;

/// Reads one game.
///
/// # Errors
///
/// When the text is not OGN, or another game follows. [`Game::replay`] checks whether the moves are legal.
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

/// Reads the games of a text one by one, up to the first error; each begins with its tags.
///
/// ```
/// let text = "[Round \"1\"] 1. F f * [Round \"2\"] 1. E *";
/// let moves = granero::notation::ogn::games(text).map(|game| game.unwrap().moves.len());
/// assert!(moves.eq([2, 1]));
/// ```
pub fn games(text: &str) -> impl Iterator<Item = Result<Game, ParseError>> {
    let mut reader = Reader::new(text);
    iter::from_fn(move || {
        reader.peek()?;
        let game = reader.game();
        if game.is_err() {
            reader.rest = "";
        }
        Some(game)
    })
}

/// The form of moves, positions and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Letters with captures, Aalina's positions, results in seeds.
    Ogn,
    /// [PlayStrategy's](super::playstrategy) moves and positions; the result only says who won.
    PlayStrategy,
}

/// Writes a game that is legal under a ruleset. Missing tags of the roster get the value `?`, the variant the name of the
/// ruleset, the result `*`. Tags whose names are not one word are left out.
///
/// # Errors
///
/// [`ReplayError`] when the game is not legal under these rules.
///
/// ```
/// use granero::Ruleset;
/// use granero::notation::{aalina, ogn};
///
/// let game = aalina::parse_game("FfBe").unwrap();
/// let write = |dialect| ogn::write(&game, Ruleset::Abapa, dialect);
/// assert!(write(ogn::Dialect::Ogn)?.ends_with("\n\n1. F f 2. B e\n"));
/// let text = write(ogn::Dialect::PlayStrategy)?;
/// assert!(text.ends_with("\n\n1. f1c2 a2d1 2. b1f2 b2c1\n"), "{text}");
/// assert_eq!(ogn::parse(&text).unwrap().moves, game.moves);
/// # Ok::<(), granero::ReplayError>(())
/// ```
pub fn write(game: &Game, ruleset: Ruleset, dialect: Dialect) -> Result<String, ReplayError> {
    let recorded = game.tag("Result").filter(|result| is_possible(result));
    let result = match dialect {
        Dialect::Ogn => recorded,
        Dialect::PlayStrategy => recorded.map(outcome),
    };
    let plies = game.replay(ruleset)?;
    let mut text = String::new();
    for name in ROSTER {
        let tagged = game.tag(name);
        let value = match name {
            "Variant" => tagged
                .filter(|value| Game::ruleset_of(value).is_ok())
                .unwrap_or(ruleset.name()),
            "Result" => result.unwrap_or("*"),
            _ => tagged.unwrap_or("?"),
        };
        text += &tag(name, value);
    }
    for (name, value) in &game.tags {
        let is_name = !name.is_empty() && name.chars().all(is_tag_name);
        if is_name && name != START_TAG && !ROSTER.contains(&name.as_str()) {
            text += &tag(name, value);
        }
    }
    if game.start != Situation::START {
        let start = match dialect {
            Dialect::Ogn => aalina::write(&game.start),
            Dialect::PlayStrategy => playstrategy::write(&game.start, game.numbering.pair),
        };
        text += &tag(START_TAG, &start);
    }

    let mut tokens = tokens_after(game, 0);
    let mut symbols = game.symbols.iter().peekable();
    for (index, (played, ply)) in game.moves.iter().zip(&plies).enumerate() {
        let number = game.numbering.of(index);
        if !number.second {
            tokens.push(format!("{}.", number.pair));
        } else if index == 0 {
            tokens.push(format!("{}...", number.pair));
        }
        let mut written = match (dialect, ply.play.captured) {
            (Dialect::PlayStrategy, _) => playstrategy::write_move(&ply.before, ply.play.house),
            (Dialect::Ogn, 0) => played.sown.to_string(),
            (Dialect::Ogn, captured) => format!("{}+{captured}", played.sown),
        };
        let mut others = Vec::new();
        // Those of no move are left out.
        while symbols.next_if(|(moves, _)| *moves <= index).is_some() {}
        while let Some((_, symbol)) = symbols.next_if(|(moves, _)| *moves == index + 1) {
            match SYMBOLS.get(usize::from(*symbol).wrapping_sub(1)) {
                // Two symbols run together would read as a third.
                Some(sign) if others.is_empty() && !written.ends_with(['!', '?']) => {
                    written += sign;
                }
                _ => others.push(format!("${symbol}")),
            }
        }
        tokens.push(written);
        tokens.extend(others);
        tokens.extend(tokens_after(game, index + 1));
    }
    if let Some(result) = result.filter(|result| is_result(result)) {
        tokens.push(result.into());
    }
    if !tokens.is_empty() {
        text.push('\n');
        text += &wrapped(&tokens);
    }
    Ok(text)
}

/// The comment and the variations after a number of moves, word by word.
fn tokens_after(game: &Game, moves: usize) -> Vec<String> {
    let mut words: Vec<&str> = Vec::new();
    // A brace would end the comment early.
    let comment = game
        .comments
        .after(moves)
        .map(|text| text.replace('}', ")"));
    if let Some(comment) = &comment {
        words.push("{");
        words.extend(comment.split_whitespace());
        words.push("}");
    }
    let variations = game.variations.after(moves).unwrap_or_default();
    words.extend(variations.split_whitespace());
    words.into_iter().map(String::from).collect()
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

/// Tells if a word is the result of a game, like `26-22`.
fn is_result(word: &str) -> bool {
    OUTCOMES.contains(&word) || score(word).is_some()
}

/// The seeds of South and North if a word is a result like `26-22`, in any number.
fn score(word: &str) -> Option<[&str; 2]> {
    let is_score =
        |score: &str| !score.is_empty() && score.bytes().all(|byte| byte.is_ascii_digit());
    let (south, north) = word.split_once('-')?;
    (is_score(south) && is_score(north)).then_some([south, north])
}

/// The result without seeds.
fn outcome(result: &str) -> &str {
    let seeds = |score: &str| score.parse::<u8>().unwrap_or(0);
    match score(result).map(|[south, north]| seeds(south).cmp(&seeds(north))) {
        Some(Ordering::Greater) => "1-0",
        Some(Ordering::Less) => "0-1",
        Some(Ordering::Equal) => "1/2-1/2",
        None => result,
    }
}

/// Tells if a result has no more seeds than the game; true for other words.
fn is_possible(result: &str) -> bool {
    Reader::new(result).check_result(result).is_ok()
}

/// Tells if a word stands for no result.
fn is_open(result: &str) -> bool {
    matches!(result, "" | "?" | "*")
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

    /// Reads characters up to the first that is not wanted.
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
        // Tags with a meaning, as far as they were read.
        let mut seen = Vec::new();
        loop {
            match self.peek() {
                Some('[') => self.tag_of(&mut game, &mut seen)?,
                Some('{' | ';') if game.tags.is_empty() && seen.is_empty() => {
                    self.remark(&mut game)?;
                }
                _ => break,
            }
        }
        self.moves(&mut game)?;
        Ok(game)
    }

    /// Reads a tag into the game.
    fn tag_of(&mut self, game: &mut Game, seen: &mut Vec<&'a str>) -> Result<(), ParseError> {
        let start = self.rest;
        let (name, raw, value) = self.tag()?;
        if name == START_TAG || ROSTER.contains(&name) {
            if seen.contains(&name) {
                self.rest = start;
                return Err(self.unexpected(&format!("the tag `{name}` only once")));
            }
            seen.push(name);
        }
        match name {
            START_TAG => {
                // A position needs no backslashes, so the raw text will do.
                let start = if playstrategy::looks_like(raw) {
                    playstrategy::parse(raw)
                } else {
                    aalina::parse(raw)
                };
                game.start = start.map_err(|error| error.within(self.text, raw))?;
                return Ok(());
            }
            "Variant" => {
                if let Err(unknown) = Game::ruleset_of(&value) {
                    let at = offset_in(self.text, raw);
                    let names = Ruleset::ALL.map(Ruleset::name).join(", ");
                    let expected = format!("the name of a ruleset ({names}) or `?`");
                    let found = quote(&unknown.name);
                    return Err(ParseError::new(self.text, at, expected, found));
                }
            }
            "Result" => self.check_result(raw)?,
            _ => {}
        }
        game.tags.push((name.to_string(), value));
        Ok(())
    }

    /// Refuses results with more seeds than the game has.
    fn check_result(&self, result: &str) -> Result<(), ParseError> {
        let Some(scores) = score(result) else {
            return Ok(());
        };
        let mut seeds = 0;
        for score in scores {
            seeds += u32::from(scan::seeds(self.text, score)?);
        }
        if seeds > u32::from(MAX_SEEDS) {
            let at = offset_in(self.text, result);
            let expected = format!("a result of at most {MAX_SEEDS} seeds together");
            let found = format!("{} seeds in {}", seeds, quote(result));
            return Err(ParseError::new(self.text, at, expected, found).impossible());
        }
        Ok(())
    }

    /// Reads a tag: its name, its value as written, and its value without backslashes.
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

    /// Reads moves, and comments between them, up to the end of the text or the tags of another game.
    fn moves(&mut self, game: &mut Game) -> Result<(), ParseError> {
        let mut result = None;
        let mut is_numbered = false;
        // The current situation, until a move cannot be played.
        let rules = game.ruleset().ok().flatten().unwrap_or_default();
        let mut now = Some(game.start);
        while let Some(next) = self.peek() {
            match next {
                '[' => break,
                '{' | ';' => self.remark(game)?,
                '(' => {
                    let variation = self.variation()?;
                    game.variations.add(game.moves.len(), variation);
                }
                _ if result.is_some() => return Err(self.unexpected("nothing after the result")),
                '*' => {
                    result = Some(self.take_while(|c| c == '*'));
                }
                '!' | '?' | '$' => {
                    let symbol = self.symbol(!game.moves.is_empty())?;
                    game.symbols.push((game.moves.len(), symbol));
                }
                '0'..='9' => {
                    result = self.result()?;
                    if result.is_none() {
                        let number = self.move_number(game.start.to_move())?;
                        if game.moves.is_empty() && !is_numbered {
                            game.numbering = number;
                        }
                        is_numbered = true;
                    }
                }
                _ => {
                    let played = self.played_move(now.as_ref())?;
                    game.moves.push(played);
                    now = now.and_then(|now| {
                        let is_movers = played.sown.side == now.to_move();
                        let play = now.play(rules, played.sown.house).ok();
                        play.filter(|_| is_movers).map(|(_, next)| next)
                    });
                }
            }
        }
        match result {
            Some(result) => self.ends_with(game, result),
            None => Ok(()),
        }
    }

    /// Adds the result behind the moves, which many records have only there.
    fn ends_with(&self, game: &mut Game, result: &'a str) -> Result<(), ParseError> {
        match game.tags.iter_mut().find(|(name, _)| name == "Result") {
            None => game.tags.push(("Result".into(), result.into())),
            Some((_, tag)) if is_open(tag) => *tag = result.into(),
            Some((_, tag)) if !is_open(result) && is_result(tag) && tag != result => {
                let expected = format!("the result of the tag, {}", quote(tag));
                return Err(ParseError::at_piece(self.text, result, expected));
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// A comment, in braces or to the end of the line.
    fn remark(&mut self, game: &mut Game) -> Result<(), ParseError> {
        let comment = if self.rest.starts_with('{') {
            self.comment()?
        } else {
            let comment = self.take_while(|c| c != '\n');
            comment.trim_start_matches(';')
        };
        game.comments.add(game.moves.len(), comment);
        Ok(())
    }

    /// A symbol such as `!` or `$14`.
    fn symbol(&mut self, has_move: bool) -> Result<u8, ParseError> {
        if !has_move {
            return Err(self.unexpected("a move before its symbol"));
        }
        let start = self.rest;
        let symbol = if self.skip('$') {
            self.take_while(|c| c.is_ascii_digit()).parse().ok()
        } else {
            let signs = self.take_while(|c| matches!(c, '!' | '?'));
            let place = SYMBOLS.iter().position(|&symbol| symbol == signs);
            place.and_then(|place| u8::try_from(place + 1).ok())
        };
        symbol.ok_or_else(|| {
            self.rest = start;
            self.unexpected("one of the symbols `!`, `?`, `!!`, `??`, `!?`, `?!`, `$0` to `$255`")
        })
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

    /// A variation, with its parentheses and the variations inside it.
    fn variation(&mut self) -> Result<&'a str, ParseError> {
        let start = self.rest;
        let mut depth = 0usize;
        loop {
            self.take_while(|c| !matches!(c, '(' | ')' | '{'));
            if self.skip('(') {
                depth += 1;
            } else if self.skip(')') {
                depth -= 1;
                if depth == 0 {
                    return Ok(&start[..start.len() - self.rest.len()]);
                }
            } else if self.rest.is_empty() {
                self.rest = start;
                return Err(self.unexpected("a variation that ends with `)`"));
            } else {
                self.comment()?;
            }
        }
    }

    /// The result of the game, if it comes next.
    fn result(&mut self) -> Result<Option<&'a str>, ParseError> {
        let start = self.rest;
        if let Some(rest) = start.strip_prefix("1/2-1/2") {
            self.rest = rest;
            return Ok(Some(&start[..start.len() - rest.len()]));
        }
        self.take_while(|c| c.is_ascii_digit());
        if !self.skip('-') {
            self.rest = start;
            return Ok(None);
        }
        let north = self.take_while(|c| c.is_ascii_digit());
        if north.is_empty() {
            self.rest = start;
            return Err(self.unexpected("a result like `26-22`"));
        }
        let result = &start[..start.len() - self.rest.len()];
        self.check_result(result)?;
        Ok(Some(result))
    }

    /// The number of a move, if it is the first one, of the side `to_move`.
    fn move_number(&mut self, to_move: Side) -> Result<MoveNumber, ParseError> {
        let start = self.rest;
        let digits = self.take_while(|c| c.is_ascii_digit());
        let dots = self.take_while(|c| matches!(c, '.' | '…'));
        match digits.parse() {
            Ok(pair) if !dots.is_empty() => Ok(MoveNumber {
                pair,
                second: dots != "." && to_move == Side::North,
            }),
            _ => {
                self.rest = start;
                Err(self.unexpected(if dots.is_empty() {
                    "a move, a letter `A` to `F` or `a` to `f`, or its number with a dot"
                } else {
                    "the number of a move"
                }))
            }
        }
    }

    /// Reads a move: a letter, or PlayStrategy's two houses. If the situation is known, the second house
    /// must be the one where the last seed falls.
    fn played_move(&mut self, now: Option<&Situation>) -> Result<PlayedMove, ParseError> {
        if let Some(Ok([from, to])) = self.rest.get(..4).map(playstrategy::parse_move) {
            if let Some(now) = now.filter(|now| now.to_move() == from.side)
                && playstrategy::last_house(now, from.house) != to
            {
                let right = playstrategy::write_move(now, from.house);
                return Err(self.unexpected(&format!("`{right}`, where the last seed falls")));
            }
            self.rest = &self.rest[4..];
            return Ok(PlayedMove::from(from));
        }
        let letter = self.rest.chars().next().unwrap_or_default();
        let Some(sown) = PlayerHouse::from_letter(letter) else {
            return Err(self.unexpected("a move, `A` to `F` or `a` to `f`"));
        };
        self.skip(letter);
        let mut played = PlayedMove::from(sown);
        if self.skip('+') {
            let seeds = self.take_while(|c| c.is_ascii_digit());
            played.captured = Some(Capture::Seeds(scan::seeds(self.text, seeds)?));
        } else if self.skip('x') {
            let seeds = self.take_while(|c| c.is_ascii_digit());
            played.captured = Some(match seeds {
                "" => Capture::Any,
                seeds => Capture::Seeds(scan::seeds(self.text, seeds)?),
            });
        }
        Ok(played)
    }
}

//! Recorded games: their moves, the numbers of these, comments, and replaying them.

use std::collections::BTreeMap;
use std::fmt;

use thiserror::Error;

use crate::house::{House, PlayerHouse, Side};
use crate::rules::{IllegalMove, Move, Ruleset, UnknownRuleset};
use crate::situation::Situation;

/// A recorded game: its first position, its moves, and the rest of the record. Its moves may be
/// illegal: [`replay`](Game::replay) checks them. The default has no moves, from the start of the game.
///
/// ```
/// use granero::{Ruleset, notation::aalina};
///
/// let game = aalina::parse_game("FfBeBc")?;
/// let plies = game.replay(Ruleset::Abapa).unwrap();
/// assert_eq!(plies.len(), 6);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// The situation in which the game starts.
    pub start: Situation,
    /// The recorded moves, even if South and North do not take turns.
    pub moves: Vec<PlayedMove>,
    /// Facts about the game by name (`Event`, `South`, …), in the order of the record.
    pub tags: Vec<(String, String)>,
    /// Comments on the whole game and on its moves.
    pub comments: Comments,
    /// Symbols such as `!` and `?`, in the order of the game, each with the number of moves before it. A symbol is a
    /// number as in PGN: 1 is `!`, 2 `?`, 3 `!!`, 4 `??`, 5 `!?`, 6 `?!`, and `$14` is 14.
    ///
    /// ```
    /// let game = granero::notation::ogn::parse("1. F! f 2. B?? $14 e")?;
    /// assert_eq!(game.symbols, [(1, 1), (3, 4), (3, 14)]);
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    pub symbols: Vec<(usize, u8)>,
    /// Variations: other possible moves, in parentheses, as the record has them.
    pub variations: Comments,
    /// The number of the first move.
    pub numbering: MoveNumber,
}

/// A recorded move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedMove {
    /// The house that was sown.
    pub sown: PlayerHouse,
    /// The capture, if the record has one.
    pub captured: Option<Capture>,
}

/// The capture of a recorded move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capture {
    /// The number of seeds, as in `F+3` or `Fx3`.
    Seeds(u8),
    /// Some seeds, as in `Fx`.
    Any,
}

/// Writes the number of seeds, or `something`.
impl fmt::Display for Capture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Capture::Seeds(seeds) => write!(f, "{seeds}"),
            Capture::Any => f.write_str("something"),
        }
    }
}

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

/// The number of a move in a record, where each pair of moves has one, as in chess: `35.`, or `35…` for the second move
/// of the pair. The number of the first move gives those of all others.
///
/// ```
/// use granero::notation::ogn;
///
/// let start = "[FEN \"4-0-0-1-3-1-2-1-2-0-0-6-14-14-N\"]";
/// let game = ogn::parse(&format!("{start} 35... a 36. A b"))?;
/// let labels = [0, 1, 2].map(|index| game.numbering.of(index).to_string());
/// assert_eq!(labels, ["35…", "36.", "36…"]);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveNumber {
    /// The number of the pair.
    pub pair: u32,
    /// True for the second move of the pair.
    pub second: bool,
}

impl Default for MoveNumber {
    /// The first move of the first pair.
    fn default() -> MoveNumber {
        MoveNumber {
            pair: 1,
            second: false,
        }
    }
}

impl MoveNumber {
    /// The number of a move of the game whose first move has this number; `index` is 0 for the first one.
    pub fn of(&self, index: usize) -> MoveNumber {
        let moves = index + usize::from(self.second);
        let pairs = u32::try_from(moves / 2).unwrap_or(u32::MAX);
        MoveNumber {
            pair: self.pair.saturating_add(pairs),
            second: moves % 2 == 1,
        }
    }
}

impl fmt::Display for MoveNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.pair, if self.second { "…" } else { "." })
    }
}

/// One move of a replayed game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The situation in which the move was made.
    pub before: Situation,
    /// The move.
    pub play: Move,
    /// The situation after it.
    pub after: Situation,
}

/// The tag for the player in whose favour endless play is decided.
const FAVOURS: &str = "Favours";

impl From<PlayerHouse> for PlayedMove {
    fn from(sown: PlayerHouse) -> PlayedMove {
        PlayedMove {
            sown,
            captured: None,
        }
    }
}

impl Game {
    /// A game of these moves, without the rest of a record.
    ///
    /// ```
    /// use granero::{Game, PlayerHouse, Situation};
    ///
    /// let game = Game::of(Situation::START, "Ff".chars().filter_map(PlayerHouse::from_letter));
    /// assert_eq!(game.label(2, 'f'), "1… f");
    /// ```
    pub fn of(start: Situation, moves: impl IntoIterator<Item = PlayerHouse>) -> Game {
        Game {
            start,
            moves: moves.into_iter().map(PlayedMove::from).collect(),
            ..Game::default()
        }
    }

    /// The value of a tag, if the record has it.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let tag = self.tags.iter().find(|(tag, _)| tag == name)?;
        Some(&tag.1)
    }

    /// The name of a player, from the tags `South` and `North`, or `P1` and `P2`, or `White` and
    /// `Black`; `None` where it is missing or `?`.
    ///
    /// ```
    /// use granero::{Game, Side};
    ///
    /// let game: Game = "[P1 \"Ama\"] [P2 \"?\"] 1. F f".parse()?;
    /// assert_eq!(game.player(Side::South), Some("Ama"));
    /// assert_eq!(game.player(Side::North), None);
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    pub fn player(&self, side: Side) -> Option<&str> {
        let names = match side {
            Side::South => ["South", "P1", "White"],
            Side::North => ["North", "P2", "Black"],
        };
        let mut named = names.into_iter().filter_map(|name| self.tag(name));
        named.find(|name| !matches!(name.trim(), "" | "?"))
    }

    /// The player in whose favour endless play is decided, if it gives each player the seeds on their
    /// own side: in each cycle the best position for this player counts. This is the tag `Favours`,
    /// `South` or `North`.
    ///
    /// ```
    /// use granero::{Game, Side};
    ///
    /// let game: Game = "[Favours \"North\"] 1. F f".parse()?;
    /// assert_eq!(game.favours(), Some(Side::North));
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    pub fn favours(&self) -> Option<Side> {
        let named = self.tag(FAVOURS)?;
        let sides = [Side::South, Side::North];
        sides.into_iter().find(|side| side.to_string() == named)
    }

    /// Sets the player in whose favour endless play is decided, see [`favours`](Game::favours).
    pub fn set_favours(&mut self, side: Option<Side>) {
        self.tags.retain(|(name, _)| name != FAVOURS);
        self.tags
            .extend(side.map(|side| (FAVOURS.to_string(), side.to_string())));
    }

    /// The ruleset that the tag `Variant` names; `None` if it names none.
    ///
    /// # Errors
    ///
    /// When no ruleset has this name.
    ///
    /// ```
    /// use granero::Ruleset;
    /// use granero::notation::ogn;
    ///
    /// let game = ogn::parse("[Variant \"Slam ends\"] 1. F f")?;
    /// assert_eq!(game.ruleset(), Ok(Some(Ruleset::SlamEnds)));
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    pub fn ruleset(&self) -> Result<Option<Ruleset>, UnknownRuleset> {
        Game::ruleset_of(self.tag("Variant").unwrap_or_default())
    }

    /// The ruleset that a value of the tag `Variant` names. PlayStrategy's "Oware" follows the rules of
    /// the World Oware Federation.
    pub(crate) fn ruleset_of(variant: &str) -> Result<Option<Ruleset>, UnknownRuleset> {
        let name = variant.trim().to_ascii_lowercase();
        match name.replace([' ', '_'], "-").as_str() {
            "" | "?" | "-" => Ok(None),
            "oware" => Ok(Some(Ruleset::Abapa)),
            name => name.parse().map(Some),
        }
    }

    /// A move as records name it: its number, counted from 1 for each player's move, and a house: `35… a`. See
    /// [`of`](Game::of).
    pub fn label(&self, number: usize, house: char) -> String {
        format!("{} {house}", self.numbering.of(number.saturating_sub(1)))
    }

    /// Replays the game under a ruleset.
    ///
    /// The recorded capture of the last move may include the seeds that its player takes from their
    /// own side at the end of the game, as Aualé counts them.
    ///
    /// # Errors
    ///
    /// [`ReplayError`] at the first move that is illegal, out of turn, or captures a different number
    /// of seeds than recorded.
    ///
    /// ```
    /// use granero::{Ruleset, notation::aalina};
    ///
    /// let error = aalina::parse_game("FfF")?.replay(Ruleset::Abapa).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "move 3 (F): the house cannot be played: it is empty; legal are A, B, C, D, E"
    /// );
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    pub fn replay(&self, ruleset: Ruleset) -> Result<Vec<Ply>, ReplayError> {
        self.plies(ruleset).collect()
    }

    /// Replays the game under a ruleset, one move at a time. The first move that
    /// [`replay`](Game::replay) does not accept ends the iteration with an error.
    ///
    /// ```
    /// use granero::{Ruleset, notation::aalina};
    ///
    /// let game = aalina::parse_game("FfF")?;
    /// let accepted = game.plies(Ruleset::Abapa).take_while(Result::is_ok).count();
    /// assert_eq!(accepted, 2);
    /// assert_eq!(game.plies(Ruleset::Abapa).count(), 3);
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    pub fn plies(&self, ruleset: Ruleset) -> impl Iterator<Item = Result<Ply, ReplayError>> {
        let mut now = Some(self.start);
        self.moves
            .iter()
            .enumerate()
            .map_while(move |(index, played)| {
                let last = index + 1 == self.moves.len();
                let ply = play_recorded(&now?, played, ruleset, last);
                now = ply.as_ref().ok().map(|ply| ply.after);
                Some(ply.map_err(|reason| ReplayError {
                    number: index + 1,
                    sown: played.sown,
                    reason,
                }))
            })
    }
}

fn play_recorded(
    before: &Situation,
    played: &PlayedMove,
    ruleset: Ruleset,
    last: bool,
) -> Result<Ply, ReplayErrorReason> {
    let side = before.to_move();
    let legal: Vec<House> = ruleset
        .moves(&before.position())
        .iter()
        .map(|play| play.house)
        .collect();
    // After the end of the game, it is neither player's turn.
    if played.sown.side != side && !legal.is_empty() {
        return Err(ReplayErrorReason::NotTheMover { side, legal });
    }
    let (play, after) =
        before
            .play(ruleset, played.sown.house)
            .map_err(|illegal| ReplayErrorReason::Illegal {
                illegal,
                side,
                legal,
            })?;
    if let Some(recorded) = played.captured {
        let with_own_side = play.captured + play.position.opponents_seeds();
        let most = if last { with_own_side } else { play.captured };
        let agrees = match recorded {
            Capture::Seeds(seeds) => seeds == play.captured || seeds == most,
            Capture::Any => most > 0,
        };
        if !agrees {
            return Err(ReplayErrorReason::OtherCapture {
                recorded,
                ruleset,
                captured: play.captured,
            });
        }
    }
    Ok(Ply {
        before: *before,
        play,
        after,
    })
}

/// The error for a recorded move that is illegal, or has the wrong capture.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("move {number} ({sown}): {reason}")]
pub struct ReplayError {
    /// The number of the move; each player's move counts, from 1.
    pub number: usize,
    /// The move as recorded.
    pub sown: PlayerHouse,
    /// The reason.
    pub reason: ReplayErrorReason,
}

/// The reason why a recorded move is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReplayErrorReason {
    /// It is the other player's turn.
    #[error("{side} is to move{}", list_legal(legal, *side))]
    NotTheMover {
        /// The side to move.
        side: Side,
        /// The legal moves.
        legal: Vec<House>,
    },
    /// The move is not legal.
    #[error("the house cannot be played: {}{}", illegal.refusal, list_legal(legal, *side))]
    Illegal {
        /// The error.
        illegal: IllegalMove,
        /// The side to move.
        side: Side,
        /// The legal moves.
        legal: Vec<House>,
    },
    /// The record and the rules disagree about the capture.
    #[error(
        "the record says that it captured {recorded}, \
         but under the ruleset `{ruleset}` it captures {captured}"
    )]
    OtherCapture {
        /// The recorded capture.
        recorded: Capture,
        /// The rules of the replay.
        ruleset: Ruleset,
        /// The seeds captured under these rules.
        captured: u8,
    },
}

fn list_legal(legal: &[House], side: Side) -> String {
    let letters: Vec<String> = legal
        .iter()
        .map(|house| house.letter(side).to_string())
        .collect();
    match letters.as_slice() {
        [] => String::new(),
        [only] => format!("; only {only} is legal"),
        several => format!("; legal are {}", several.join(", ")),
    }
}

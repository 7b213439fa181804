//! The rules: moves, and the end of the game.

use std::ffi::{CString, c_char};
use std::sync::LazyLock;

use granero::rules::{EndReason, GameOver};
use granero::{House, Ruleset, Turn};

use crate::border;
use crate::position::{self, GRANERO_HOUSES};
use crate::status::{Failure, GRANERO_ERROR_ARGUMENT, GRANERO_ERROR_ILLEGAL_MOVE, GraneroStatus};

/// A set of rules: one of the GRANERO_RULES_…
pub type GraneroRules = u32;

/// The international rules: a grand slam is a legal move, but captures nothing.
pub const GRANERO_RULES_ABAPA: GraneroRules = 0;
/// A grand slam is not a legal move.
pub const GRANERO_RULES_SLAM_ILLEGAL: GraneroRules = 1;
/// A grand slam is captured and ends the game.
pub const GRANERO_RULES_SLAM_ENDS: GraneroRules = 2;
/// A grand slam leaves the last house of its chain.
pub const GRANERO_RULES_SLAM_LEAVES_LAST: GraneroRules = 3;
/// A grand slam leaves the first house of its chain.
pub const GRANERO_RULES_SLAM_LEAVES_FIRST: GraneroRules = 4;
/// A grand slam may be played only when there is no other move.
pub const GRANERO_RULES_ITALIAN: GraneroRules = 5;
/// A grand slam is a capture like any other.
pub const GRANERO_RULES_SLAM_CAPTURES: GraneroRules = 6;
/// The rules under which the game was solved.
pub const GRANERO_RULES_AWARI: GraneroRules = 7;

/// The names of the rulesets by number.
static NAMES: LazyLock<[CString; Ruleset::ALL.len()]> =
    LazyLock::new(|| Ruleset::ALL.map(|ruleset| CString::new(ruleset.name()).unwrap_or_default()));

/// The reason why the game is over: one of the GRANERO_OVER_…
pub type GraneroOver = u8;

/// The game is not over: there are moves.
pub const GRANERO_OVER_NOT: GraneroOver = 0;
/// The player to move has no seeds: the opponent takes the rest.
pub const GRANERO_OVER_NO_SEEDS: GraneroOver = 1;
/// The opponent has no seeds and no move gives any: the player to move takes the rest.
pub const GRANERO_OVER_CANNOT_FEED: GraneroOver = 2;
/// Every move would be a grand slam, which is illegal: each player takes the seeds on their own side.
pub const GRANERO_OVER_ONLY_GRAND_SLAMS: GraneroOver = 3;

/// The most moves of a position.
pub const GRANERO_MAX_MOVES: usize = 6;

/// A legal move and its result.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct GraneroMove {
    /// The house that is sown: 0 for A to 5 for F.
    pub house: u8,
    /// The seeds that the mover captures.
    pub captured: u8,
    /// The seeds that the opponent gets at once.
    pub conceded: u8,
    /// True if the move itself ends the game.
    pub ends_game: bool,
    /// The position after the move, seen from the opponent.
    pub position: [u8; GRANERO_HOUSES],
}

/// The moves of a position, or the end of the game.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct GraneroTurn {
    /// The legal moves; `count` of them.
    pub moves: [GraneroMove; GRANERO_MAX_MOVES],
    /// The number of moves: 0 if the game is over.
    pub count: u8,
    /// The reason why the game is over.
    pub over: GraneroOver,
    /// If the game is over: the value of the position to the player whose turn it would be.
    pub value: i8,
}

impl From<granero::Move> for GraneroMove {
    fn from(play: granero::Move) -> GraneroMove {
        GraneroMove {
            house: play.house.index() as u8,
            captured: play.captured,
            conceded: play.conceded,
            ends_game: play.ends_game,
            position: play.position.houses(),
        }
    }
}

/// The number of a reason why the game is over.
pub(crate) fn over(over: GameOver) -> Result<GraneroOver, Failure> {
    match over.reason {
        EndReason::NoSeeds => Ok(GRANERO_OVER_NO_SEEDS),
        EndReason::CannotFeed => Ok(GRANERO_OVER_CANNOT_FEED),
        EndReason::OnlyGrandSlams => Ok(GRANERO_OVER_ONLY_GRAND_SLAMS),
        reason => Err(Failure::argument(format!("{reason} has no number"))),
    }
}

/// The number of a ruleset: its place in `Ruleset::ALL`.
pub(crate) fn number(ruleset: Ruleset) -> Option<GraneroRules> {
    let mut numbered = (0..).zip(Ruleset::ALL);
    let (number, _) = numbered.find(|(_, known)| *known == ruleset)?;
    Some(number)
}

fn of(rules: GraneroRules) -> Result<Ruleset, Failure> {
    let known = Ruleset::ALL.get(rules as usize).copied();
    known.ok_or_else(|| {
        let last = Ruleset::ALL.len() - 1;
        Failure::argument(format!(
            "there are no rules {rules}: they go from 0 to {last}"
        ))
    })
}

/// The rules with a name, such as "abapa".
///
/// `name`: text that ends with a zero.
/// `rules`: room for the answer.
#[unsafe(no_mangle)]
pub extern "C" fn granero_rules_by_name(
    name: *const c_char,
    rules: *mut GraneroRules,
) -> GraneroStatus {
    border::guard(|| {
        let ruleset = border::text(name, "the name")?.parse::<Ruleset>();
        let ruleset = ruleset.map_err(|error| Failure::of(GRANERO_ERROR_ARGUMENT, &error))?;
        let number = number(ruleset);
        let number = number.ok_or_else(|| Failure::argument("these rules have no number"))?;
        border::write(rules, number, "the place for the rules")
    })
}

/// The name of some rules; a null pointer if there are no such rules.
#[unsafe(no_mangle)]
pub extern "C" fn granero_rules_name(rules: GraneroRules) -> *const c_char {
    border::guard_with(std::ptr::null(), || {
        let known = NAMES.get(rules as usize);
        known.map_or(std::ptr::null(), |name| name.as_ptr())
    })
}

/// The legal moves of a position in the order of their houses, or the end of the game.
///
/// `position`: GRANERO_HOUSES bytes.
/// `turn`: room for the answer.
#[unsafe(no_mangle)]
pub extern "C" fn granero_moves(
    rules: GraneroRules,
    position: *const u8,
    turn: *mut GraneroTurn,
) -> GraneroStatus {
    border::guard(|| {
        let mut found = GraneroTurn::default();
        match of(rules)?.turn(position::of(position)?) {
            Turn::Play(moves) => {
                found.count = moves.len() as u8;
                for (place, &play) in found.moves.iter_mut().zip(&*moves) {
                    *place = play.into();
                }
            }
            Turn::Over(end) => {
                found.over = over(end)?;
                found.value = end.value.seeds();
            }
        }
        border::write(turn, found, "the place for the moves")
    })
}

/// Plays a house, 0 for A to 5 for F. If the move is not legal, the message says why.
///
/// `position`: GRANERO_HOUSES bytes.
/// `play`: room for the answer.
#[unsafe(no_mangle)]
pub extern "C" fn granero_play(
    rules: GraneroRules,
    position: *const u8,
    house: u8,
    play: *mut GraneroMove,
) -> GraneroStatus {
    border::guard(|| {
        let house = House::new(house.into());
        let house = house.ok_or_else(|| Failure::argument("the houses go from 0 to 5"))?;
        let played = of(rules)?.play(position::of(position)?, house);
        let played = played.map_err(|error| Failure::of(GRANERO_ERROR_ILLEGAL_MOVE, &error))?;
        border::write(play, played.into(), "the place for the move")
    })
}

//! A player: perfect within the tables, and with a short search beyond them.

mod search;

use search::Search;

use crate::line::region::Region;
use crate::position::Position;
use crate::rules::{Move, Ruleset, Turn};
use crate::table::{TableError, Tables};
use crate::value::Value;

/// Chooses moves: the best ones, as far as tables reach, and beyond them what a search
/// finds in which the tables have the last word.
///
/// Among several best moves of a won position it takes one that brings the next capture
/// nearer, if a search for it is not too long: a move may be best and lead nowhere, and who
/// makes such moves for ever wins nothing. Otherwise it takes the one that captures most,
/// and then the first.
///
/// ```
/// use granero::player::Player;
/// use granero::{House, Ruleset};
///
/// let player = Player::without_tables(Ruleset::Abapa);
/// let position = "6 0 0 2 1 2 / 4 0 0 1 3 1".parse()?;
/// let choice = player.choose(&position, 1, || false)?.unwrap();
/// assert_eq!(choice.play.house, House::E);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Player<'a> {
    rules: Ruleset,
    tables: Option<&'a Tables>,
}

/// A move that was chosen.
///
/// ```
/// use granero::player::Choice;
///
/// fn describe(choice: &Choice) -> String {
///     let sure = if choice.exact { "exactly" } else { "about" };
///     format!("{} is worth {sure} {}", choice.play.house, choice.value)
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move.
    pub play: Move,
    /// What it is worth to the player who makes it.
    pub value: Value,
    /// Whether the value comes from the tables; else it is that of a search.
    pub exact: bool,
    /// How many moves ahead were looked at.
    pub depth: u8,
}

/// The most positions that are looked at to see which best move makes progress: twice what
/// was ever seen to be needed with up to 15 seeds.
const MOST_POSITIONS: usize = 200_000;

/// The deepest search.
pub const MAX_DEPTH: u8 = 64;

impl<'a> Player<'a> {
    /// A player with tables, and of their rules.
    ///
    /// ```no_run
    /// use granero::player::Player;
    /// use granero::table::Tables;
    ///
    /// let tables = Tables::open("granero-db")?;
    /// let player = Player::new(&tables);
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn new(tables: &'a Tables) -> Player<'a> {
        Player {
            rules: tables.rules(),
            tables: Some(tables),
        }
    }

    /// A player who can only search.
    ///
    /// ```
    /// # use granero::{Ruleset, player::Player};
    /// let player = Player::without_tables(Ruleset::Awari);
    /// ```
    pub fn without_tables(rules: Ruleset) -> Player<'static> {
        Player {
            rules,
            tables: None,
        }
    }

    /// The move to make in a position; `None` if the game is over.
    ///
    /// Looks at most `depth` moves ahead, and no further when `stop` says so. It is asked at
    /// each position, as soon as there is a move to make. Within the tables the move is a
    /// best one however soon it stops.
    ///
    /// # Errors
    ///
    /// When the tables are damaged or cannot be read.
    ///
    /// ```
    /// # use granero::{Position, Ruleset, player::Player};
    /// let player = Player::without_tables(Ruleset::Abapa);
    /// assert!(player.choose(&Position::EMPTY, 4, || false)?.is_none());
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn choose(
        &self,
        position: &Position,
        depth: u8,
        mut stop: impl FnMut() -> bool,
    ) -> Result<Option<Choice>, TableError> {
        let plays = match self.rules.turn(position) {
            Turn::Play(plays) => plays,
            Turn::Over(_) => return Ok(None),
        };
        if let Some(tables) = self.tables
            && let Some(choice) = best_by_tables(tables, position, &mut stop)?
        {
            return Ok(Some(choice));
        }
        let mut search = Search::new(self.rules, self.tables, &mut stop);
        search.deepen(&plays, depth.clamp(1, MAX_DEPTH)).map(Some)
    }
}

/// The best move as the tables have it, if they reach so far.
fn best_by_tables(
    tables: &Tables,
    position: &Position,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Option<Choice>, TableError> {
    tables.hold_values()?;
    let assessment = tables.assess(position)?;
    let Some(value) = assessment.value() else {
        return Ok(None);
    };
    let best: Vec<Move> = assessment.best().map(|best| best.play).collect();
    let progress = if value > Value::ZERO && best.len() > 1 {
        let region = Region::explore(tables, position, MOST_POSITIONS, &mut |_| !stop())?;
        region.way_out().and_then(|way| way.first().copied())
    } else {
        None
    };
    // Of several maxima, `max_by_key` gives the last.
    let largest_capture = || best.iter().rev().max_by_key(|play| play.captured).copied();
    Ok(progress.or_else(largest_capture).map(|play| Choice {
        play,
        value,
        exact: true,
        depth: 1,
    }))
}

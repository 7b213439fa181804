//! Difficulty: how easily a player who searches a few moves ahead goes wrong in a position.

use std::cmp::Reverse;

use super::search::Search;
use crate::line::graph::largest_capture;
use granero_game::rules::{Move, Ruleset, Turn};
use granero_game::{House, Position};
use granero_table::{TableError, Tables};

/// The difficulty of a position: how easily a player goes wrong there, see `docs/engines.md`. Positions are ordered from
/// easy to hard: by the depth, then by the share of wrong moves, then by the length of the trap.
///
/// ```
/// use granero::Tables;
/// use granero::player::Difficulty;
///
/// let position = "0 1 0 2 0 1 / 0 2 0 1 1 0".parse()?;
/// let difficulty = Difficulty::of(Tables::sample(), &position)?.unwrap();
/// assert_eq!((difficulty.keeping, difficulty.moves), (1, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difficulty {
    /// The least depth from which a plain search prefers a best move, up to [`Difficulty::DEEPEST`];
    /// one more if none does, and 0 if no move is wrong.
    pub depth: u8,
    /// The number of moves that keep the value.
    pub keeping: u8,
    /// The number of legal moves.
    pub moves: u8,
    /// The number of moves from the most tempting mistake to the opponent's next capture or the end; 0 if
    /// no move is wrong.
    pub trap: u8,
}

impl Difficulty {
    /// The deepest search that is tried.
    pub const DEEPEST: u8 = 6;

    /// The depth of a search that does not find a best move where it is easy to miss.
    const MISSED: u8 = 3;

    /// The longest trap that is counted.
    pub const LONGEST: u8 = 32;

    /// Finds the difficulty of a position; `None` beyond the tables, or if the game is over.
    ///
    /// # Errors
    ///
    /// When the tables have bounds, are damaged or cannot be read.
    pub fn of(tables: &Tables, position: &Position) -> Result<Option<Difficulty>, TableError> {
        tables.hold_values()?;
        let assessment = tables.assess(position)?;
        let best: Vec<Move> = assessment.best().map(|best| best.play).collect();
        if assessment.clamped.is_none() || best.is_empty() {
            return Ok(None);
        }
        let plays = assessment.moves.iter().map(|assessed| assessed.play);
        let wrong: Vec<Move> = plays.filter(|play| !best.contains(play)).collect();
        let mut never = || false;
        let mut search = Search::new(tables.rules(), None, &mut never);
        let mut difficulty = Difficulty::by_search(&mut search, [&best, &wrong])?;
        if wrong.is_empty() {
            return Ok(Some(difficulty));
        }
        // The deepest search that does not see the mistake.
        let blind = (difficulty.depth - 1).max(1);
        let mut tempting = (i16::MIN, wrong[0]);
        for play in wrong {
            let score = search.score_of_best(&[play], blind)?;
            if score > tempting.0 {
                tempting = (score, play);
            }
        }
        difficulty.trap = trap(tables, tempting.1)?;
        Ok(Some(difficulty))
    }

    /// The difficulty of a position whose best moves somebody else has looked up, without its trap.
    pub fn with_best(rules: Ruleset, position: &Position, best: &[House]) -> Difficulty {
        let (best, wrong): (Vec<Move>, _) = match rules.turn(position) {
            Turn::Play(plays) => plays.iter().partition(|play| best.contains(&play.house)),
            Turn::Over(_) => Default::default(),
        };
        let mut never = || false;
        let mut search = Search::new(rules, None, &mut never);
        let found = Difficulty::by_search(&mut search, [&best, &wrong]);
        found.expect("a search without tables reads none")
    }

    /// Finds all but the trap.
    fn by_search(
        search: &mut Search<'_>,
        [best, wrong]: [&[Move]; 2],
    ) -> Result<Difficulty, TableError> {
        let mut difficulty = Difficulty {
            depth: 0,
            keeping: best.len() as u8,
            moves: (best.len() + wrong.len()) as u8,
            trap: 0,
        };
        if best.is_empty() || wrong.is_empty() {
            return Ok(difficulty);
        }
        difficulty.depth = 1;
        for depth in (1..=Difficulty::DEEPEST).rev() {
            if search.score_of_best(best, depth)? <= search.score_of_best(wrong, depth)? {
                difficulty.depth = depth + 1;
                break;
            }
        }
        Ok(difficulty)
    }

    /// Returns true if even a search of three moves prefers a mistake.
    pub fn is_easy_to_miss(&self) -> bool {
        self.depth > Difficulty::MISSED
    }

    /// A number that is larger for harder positions.
    fn rank(&self) -> (u8, u16, u8) {
        let wrong = u16::from(self.moves - self.keeping);
        // With at most six moves, shares that differ do so after division.
        let share = 3600 * wrong / u16::from(self.moves.max(1));
        (self.depth, share, self.trap)
    }
}

impl Ord for Difficulty {
    fn cmp(&self, other: &Difficulty) -> std::cmp::Ordering {
        let rank = |of: &Difficulty| (of.rank(), Reverse(of.moves));
        rank(self).cmp(&rank(other))
    }
}

impl PartialOrd for Difficulty {
    fn partial_cmp(&self, other: &Difficulty) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Counts the moves from a mistake to the next capture of the opponent or the end, if both then play their
/// best.
fn trap(tables: &Tables, mistake: Move) -> Result<u8, TableError> {
    let mut position = mistake.position;
    for moves in 1..Difficulty::LONGEST {
        let assessment = tables.assess(&position)?;
        let best = assessment.best().map(|best| best.play);
        match largest_capture(best) {
            // Every second move is the opponent's.
            Some(play) if moves % 2 == 0 || play.captured == 0 => position = play.position,
            Some(_) => return Ok(moves + 1),
            None => return Ok(moves),
        }
    }
    Ok(Difficulty::LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use granero_table::index::draw;

    /// Plays out what the documentation says, position by position, with a search for each move alone.
    #[test]
    fn the_parts_are_what_they_are_called() {
        let tables = Tables::sample();
        for position in draw(8, 16).take(400) {
            let assessment = tables.assess(&position).unwrap();
            let difficulty = Difficulty::of(tables, &position).unwrap();
            assert_eq!(difficulty.is_none(), assessment.moves.is_empty());
            let Some(difficulty) = difficulty else {
                continue;
            };
            let best: Vec<Move> = assessment.best().map(|best| best.play).collect();
            let houses: Vec<House> = best.iter().map(|play| play.house).collect();
            let found = Difficulty::with_best(tables.rules(), &position, &houses);
            assert_eq!(
                Difficulty {
                    trap: difficulty.trap,
                    ..found
                },
                difficulty
            );
            assert_eq!(usize::from(difficulty.keeping), best.len());
            assert_eq!(usize::from(difficulty.moves), assessment.moves.len());
            let is_easy = difficulty.keeping == difficulty.moves;
            assert_eq!(
                (difficulty.depth == 0, difficulty.trap == 0),
                (is_easy, is_easy)
            );
            if is_easy {
                continue;
            }
            let sees = |depth| {
                let mut never = || false;
                let mut search = Search::new(tables.rules(), None, &mut never);
                let score = |play: &Move| search.score_of_best(&[*play], depth).unwrap();
                let plays = assessment.moves.iter().map(|assessed| assessed.play);
                let (right, wrong): (Vec<Move>, _) = plays.partition(|play| best.contains(play));
                let mut scores = right.iter().chain(&wrong).map(score);
                let right = scores.by_ref().take(best.len()).max();
                right > scores.max()
            };
            for depth in difficulty.depth..=Difficulty::DEEPEST {
                assert!(sees(depth), "{position}: {depth}");
            }
            assert!(
                difficulty.depth == 1 || !sees(difficulty.depth - 1),
                "{position}"
            );
        }
    }
}

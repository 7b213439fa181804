//! A search for positions beyond the tables: alpha-beta with null windows, one move deeper each
//! time. It counts the seeds captured on the way. When it reaches the tables, they give the value of
//! the rest; if it ends before, it follows captures until there are none, and
//! [estimates](super::evaluation) the rest.

use super::Choice;
use super::evaluation::{self, SEED, Score, seeds};
use super::move_order::MoveOrder;
use super::transpositions::{Entry, ScoreKind, Transpositions};
use granero_game::rules::{Move, Ruleset};
use granero_game::{House, Position, Value};
use granero_table::{TableError, Tables};

/// A search for the best move of a position.
pub(super) struct Search<'a> {
    rules: Ruleset,
    tables: Option<&'a Tables>,
    /// The most seeds of a position within the tables.
    table_seeds: Option<u8>,
    stop: &'a mut dyn FnMut() -> bool,
    /// True once there is a move to make.
    may_stop: bool,
    transpositions: Transpositions,
    order: MoveOrder,
    /// True if it plays as well as it can: it looks less far ahead after moves that are unlikely to be best, and so
    /// further after all others in the same time, and estimates by what was learned.
    pub(super) selective: bool,
}

/// Why a search ended early.
enum Halt {
    Stopped,
    Table(TableError),
}

/// More than any score.
const INFINITE: Score = Score::MAX / 2;

impl<'a> Search<'a> {
    pub(super) fn new(
        rules: Ruleset,
        tables: Option<&'a Tables>,
        stop: &'a mut dyn FnMut() -> bool,
    ) -> Search<'a> {
        Search {
            rules,
            tables,
            table_seeds: tables.and_then(Tables::max_seeds),
            stop,
            may_stop: false,
            transpositions: Transpositions::new(),
            order: MoveOrder::new(),
            selective: false,
        }
    }

    /// Chooses the best of some moves (at least one), by a search of depth 1, 2 and so on. The search
    /// of depth 1 is always completed.
    pub(super) fn deepen(&mut self, plays: &[Move], max_depth: u8) -> Result<Choice, TableError> {
        // Captures are likely to be best.
        let mut plays = plays.to_vec();
        plays.sort_by_key(|play| play.captured == 0);
        let mut choice = Choice {
            play: plays[0],
            value: Value::ZERO,
            exact: false,
            clamped: None,
            depth: 0,
        };
        for depth in 1..=max_depth {
            let mut best = None;
            let end = self.best(&plays, depth, &mut best);
            // The result of a stopped search counts: the best move so far was searched first, so
            // any other move that is best now was better when searched deeper.
            if let Some((place, score)) = best {
                choice.play = plays[place];
                choice.value = in_seeds(score);
                // It is searched first next time: it is likely to be best again, which makes the
                // rest quick.
                plays[..=place].rotate_right(1);
            }
            match end {
                Ok(()) => choice.depth = depth,
                Err(Halt::Stopped) => break,
                Err(Halt::Table(error)) => return Err(error),
            }
            self.may_stop = true;
        }
        Ok(choice)
    }

    /// The score of the best of some moves, by a search of this depth that nothing stops.
    pub(super) fn score_of_best(&mut self, plays: &[Move], depth: u8) -> Result<Score, TableError> {
        let mut best = None;
        match self.best(plays, depth, &mut best) {
            Err(Halt::Table(error)) => Err(error),
            Ok(()) | Err(Halt::Stopped) => Ok(best.map_or(-INFINITE, |(_, score)| score)),
        }
    }

    /// The score of each move, by the deepest search that is completed for all of them before `stop` returns true.
    pub(super) fn score_each(
        &mut self,
        plays: &[Move],
        max_depth: u8,
    ) -> Result<Vec<Score>, TableError> {
        let mut scores = Vec::new();
        for depth in 1..=max_depth {
            let each = plays.iter().map(|play| {
                let mut best = None;
                self.best(&[*play], depth, &mut best)?;
                Ok(best.map_or(0, |(_, score)| score))
            });
            match each.collect() {
                Ok(deeper) => scores = deeper,
                Err(Halt::Stopped) => break,
                Err(Halt::Table(error)) => return Err(error),
            }
            self.may_stop = true;
        }
        Ok(scores)
    }

    /// Finds the place of the best move and its score, even if the search is stopped midway.
    fn best(
        &mut self,
        plays: &[Move],
        depth: u8,
        best: &mut Option<(usize, Score)>,
    ) -> Result<(), Halt> {
        for (place, play) in plays.iter().enumerate() {
            let alpha = best.map_or(-INFINITE, |(_, score)| score);
            let score = self.after(play, [depth - 1; 2], 1, place > 0, [alpha, INFINITE])?;
            if score > alpha {
                *best = Some((place, score));
            }
        }
        Ok(())
    }

    /// The score of a move. A move that is `unlikely` to be best is first only
    /// compared with `alpha`, which is quick, and quicker still by the first, smaller one of two depths.
    fn after(
        &mut self,
        play: &Move,
        [least, depth]: [u8; 2],
        made: usize,
        unlikely: bool,
        [alpha, beta]: [Score; 2],
    ) -> Result<Score, Halt> {
        let (gain, position) = (seeds(play.gain()), &play.position);
        if unlikely {
            let window = [gain - alpha - 1, gain - alpha];
            let mut score = gain - self.score(position, least, made, window)?;
            if score > alpha && least < depth {
                score = gain - self.score(position, depth, made, window)?;
            }
            if score <= alpha || score >= beta {
                return Ok(score);
            }
        }
        Ok(gain - self.score(position, depth, made, [gain - beta, gain - alpha])?)
    }

    /// The score of a position for the player to move, after `made` moves. Outside `alpha` to `beta`
    /// it is only a bound.
    fn score(
        &mut self,
        position: &Position,
        depth: u8,
        made: usize,
        [alpha, beta]: [Score; 2],
    ) -> Result<Score, Halt> {
        if depth == 0 {
            return self.quiet(position, [alpha, beta]);
        }
        self.look()?;
        if let Some(score) = self.by_tables(position)? {
            return Ok(score);
        }
        let entry = self.transpositions.find(position);
        // With results of deeper searches the score would depend on earlier searches, and not on the depth
        // alone, so only selective searches use them.
        let is_deep = |entry: &Entry| entry.depth == depth || self.selective && entry.depth > depth;
        if let Some(entry) = entry.filter(is_deep) {
            let suffices = match entry.kind {
                ScoreKind::Exactly => true,
                ScoreKind::AtLeast => entry.score >= beta,
                ScoreKind::AtMost => entry.score <= alpha,
            };
            if suffices {
                return Ok(entry.score);
            }
        }
        let plays = self.rules.moves(position);
        if plays.is_empty() {
            return Ok(rest(position));
        }
        let order = self
            .order
            .sort(&plays, made, entry.map(|entry| entry.house));
        let (mut best, mut house) = (-INFINITE, House::A);
        for (number, &place) in order[..plays.len()].iter().enumerate() {
            let play = &plays[usize::from(place)];
            let window = [alpha.max(best), beta];
            let less = if self.selective {
                lost_depth(number, play.gain(), depth)
            } else {
                0
            };
            let score = self.after(
                play,
                [depth - 1 - less, depth - 1],
                made + 1,
                number > 0,
                window,
            )?;
            if score > best {
                (best, house) = (score, play.house);
            }
            if best >= beta {
                self.order.refuted(play, made, depth);
                break;
            }
        }
        let kind = if best >= beta {
            ScoreKind::AtLeast
        } else if best <= alpha {
            ScoreKind::AtMost
        } else {
            ScoreKind::Exactly
        };
        self.transpositions.keep(Entry {
            position: *position,
            depth,
            kind,
            house,
            score: best,
        });
        Ok(best)
    }

    /// The score of a position if the players only capture, or stop.
    fn quiet(&mut self, position: &Position, [alpha, beta]: [Score; 2]) -> Result<Score, Halt> {
        self.look()?;
        if let Some(score) = self.by_tables(position)? {
            return Ok(score);
        }
        let plays = self.rules.moves(position);
        if plays.is_empty() {
            return Ok(rest(position));
        }
        let mut best = if self.selective {
            evaluation::learned(position)
        } else {
            evaluation::plain(position)
        };
        for play in plays.iter().filter(|play| play.gain() > 0) {
            if best >= beta {
                break;
            }
            let gain = seeds(play.gain());
            let window = [gain - beta, gain - alpha.max(best)];
            best = best.max(gain - self.quiet(&play.position, window)?);
        }
        Ok(best)
    }

    /// Ends the search if the caller wants to stop. Called at each position.
    fn look(&mut self) -> Result<(), Halt> {
        if self.may_stop && (self.stop)() {
            return Err(Halt::Stopped);
        }
        Ok(())
    }

    fn by_tables(&self, position: &Position) -> Result<Option<Score>, Halt> {
        let Some(tables) = self
            .tables
            .filter(|_| Some(position.seeds()) <= self.table_seeds)
        else {
            return Ok(None);
        };
        let value = tables.clamped_value(position);
        let value = value.map_err(Halt::Table)?;
        Ok(value.map(|value| seeds(value.low().number().seeds())))
    }
}

/// The depth that a selective search loses after a move: none after the first two, a capture, or near its end.
/// By their order, later moves are less likely to be best.
fn lost_depth(number: usize, gain: i8, depth: u8) -> u8 {
    if number < 2 || gain > 0 || depth < 3 {
        return 0;
    }
    1 + u8::from(depth >= 6) + u8::from(depth >= 10)
}

/// The score of a position in which the game is over: each player gets the seeds on their own side.
fn rest(position: &Position) -> Score {
    seeds(position.own_seeds() as i8 - position.opponents_seeds() as i8)
}

/// The nearest value.
fn in_seeds(score: Score) -> Value {
    let half = SEED / 2 * score.signum();
    let nearest = i8::try_from((score + half) / SEED);
    nearest.ok().and_then(Value::new).unwrap_or(Value::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use granero::solver;
    use granero::table::TableWriter;
    use granero_game::Cycles;
    use granero_game::rules::Turn;
    use granero_table::index::draw;
    use test_case::test_case;

    /// A plain search, for comparison.
    struct Plain<'a> {
        ruleset: Ruleset,
        tables: Option<&'a Tables>,
        estimate: fn(&Position) -> Score,
    }

    impl Plain<'_> {
        fn score(&self, position: &Position, depth: u8) -> Score {
            let value = self.tables.map(|tables| tables.value(position).unwrap());
            if let Some(value) = value.flatten() {
                return seeds(value.value().unwrap().seeds());
            }
            let plays = match self.ruleset.turn(position) {
                Turn::Over(over) => return seeds(over.value.seeds()),
                Turn::Play(plays) => plays,
            };
            if depth > 0 {
                let after = plays.iter().map(|play| self.after(play, depth - 1));
                return after.max().unwrap();
            }
            let captures = plays.iter().filter(|play| play.captured > play.conceded);
            let after = captures.map(|play| self.after(play, 0));
            after.fold((self.estimate)(position), Score::max)
        }

        fn after(&self, play: &Move, depth: u8) -> Score {
            seeds(play.gain()) - self.score(&play.position, depth)
        }
    }

    fn searches_like_a_plain_search(ruleset: Ruleset, tables: Option<&Tables>) {
        for most in [11, 20, 48] {
            for position in draw(most, 16).take(12) {
                let Turn::Play(plays) = ruleset.turn(&position) else {
                    continue;
                };
                // A selective search to a depth of 3 leaves nothing out.
                let plain_depths = (1..=4).map(|depth| (depth, false));
                for (depth, selective) in plain_depths.chain((1..=3).map(|depth| (depth, true))) {
                    let mut stop = || false;
                    let mut search = Search::new(ruleset, tables, &mut stop);
                    search.selective = selective;
                    let choice = search.deepen(&plays, depth).unwrap();
                    let estimate = if selective {
                        evaluation::learned
                    } else {
                        evaluation::plain
                    };
                    let plain = Plain {
                        ruleset,
                        tables,
                        estimate,
                    };
                    let best = plays.iter().map(|play| plain.after(play, depth - 1)).max();
                    let said = format!("{ruleset}, {position}, {depth}");
                    assert_eq!(Some(plain.after(&choice.play, depth - 1)), best, "{said}");
                    assert_eq!(Some(choice.value), best.map(in_seeds), "{said}");
                    assert_eq!(choice.depth, depth);
                }
            }
        }
    }

    #[test_case(6)]
    #[test_case(9 => ignore["slow: .ci/run has it"] ())]
    fn the_search_finds_what_a_plain_search_finds(seeds: u8) {
        for ruleset in Ruleset::ALL {
            searches_like_a_plain_search(ruleset, None);
            let place = tempfile::tempdir().unwrap();
            let mut writer = TableWriter::open(place.path(), (ruleset, Cycles::Split)).unwrap();
            for layer in solver::solve_all((ruleset, Cycles::Split), seeds, 2) {
                writer.add_layer(&layer).unwrap();
            }
            let tables = Tables::open(place.path()).unwrap();
            searches_like_a_plain_search(ruleset, Some(&tables));
        }
    }

    #[test]
    fn scores_are_rounded_to_the_nearest_seed() {
        for (score, value) in [(0, 0), (49, 0), (50, 1), (-49, 0), (-50, -1), (-4800, -48)] {
            assert_eq!(in_seeds(score).seeds(), value, "{score}");
        }
    }
}

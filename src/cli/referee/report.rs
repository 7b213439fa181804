//! Reports on an engine after many positions.

use std::cmp::Reverse;

use super::fault::{Fault, FaultKind, legal};
use super::game::{End, Game, lead};
use crate::uci::Answer;
use granero::{Assessment, House, PlayerHouse, Situation, TableError, Tables, Value};
use schemars::JsonSchema;
use serde::Serialize;

/// The report on an engine that was asked in many positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<T> {
    /// The moves or games, in the order of the positions.
    pub judged: Vec<T>,
    /// The positions that were not judged.
    pub unjudged: Unjudged,
}

/// The report on an engine that was asked for one move in each position.
pub type MoveReport = Report<JudgedMove>;

/// The report on an engine that has played each position to the end.
pub type GameReport = Report<JudgedGame>;

/// The numbers of positions that were not judged, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unjudged {
    /// Positions in which the game is over.
    pub(crate) over: usize,
    /// Positions with more seeds than the tables.
    pub(crate) beyond: usize,
    /// Positions left when the restarts were used up.
    pub unasked: usize,
}

/// The answer of an engine in a position, or its game from there, compared with the tables.
pub trait Judged {
    /// Returns the situation that the engine was told.
    fn start(&self) -> &Situation;

    /// Returns the value of the position minus the value of what the engine did; `None` after a fault.
    fn difference_lost(&self) -> Option<i32>;

    /// Returns the answer that was not a legal move.
    fn fault(&self) -> Option<&Fault>;
}

/// A move of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedMove {
    /// The situation in which the engine had to move.
    pub(crate) start: Situation,
    /// The value of the position for the player to move.
    pub(crate) value: Value,
    pub(crate) best: Vec<House>,
    /// True if a legal move is worth less; otherwise there was nothing to choose.
    pub(crate) choice: bool,
    /// The move with its value, or the fault.
    pub(crate) played: Result<(House, Value), Fault>,
}

/// A game of an engine, which made the first move, against perfect defence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedGame {
    /// The situation in which the game began.
    pub start: Situation,
    /// The value of that position for the engine.
    pub value: Value,
    /// The moves, the engine's first.
    pub moves: Vec<PlayerHouse>,
    /// The reason why the game ended.
    pub end: End,
    /// The engine's share of the seeds on the board minus the defence's; `None` if a fault of the engine ended
    /// the game.
    pub result: Option<Value>,
}

impl Judged for JudgedMove {
    fn start(&self) -> &Situation {
        &self.start
    }

    fn difference_lost(&self) -> Option<i32> {
        let (_, played) = self.played.as_ref().ok()?;
        Some(i32::from(self.value.seeds()) - i32::from(played.seeds()))
    }

    fn fault(&self) -> Option<&Fault> {
        self.played.as_ref().err()
    }
}

impl Judged for JudgedGame {
    fn start(&self) -> &Situation {
        &self.start
    }

    /// Negative if the engine got more, which happens only if the defence's way to win is too long to be found.
    fn difference_lost(&self) -> Option<i32> {
        Some(i32::from(self.value.seeds()) - i32::from(self.result?.seeds()))
    }

    fn fault(&self) -> Option<&Fault> {
        match &self.end {
            End::Fault(fault) => Some(fault),
            _ => None,
        }
    }
}

impl<T> Default for Report<T> {
    fn default() -> Report<T> {
        Report {
            judged: Vec::new(),
            unjudged: Unjudged::default(),
        }
    }
}

impl<T: Judged> Report<T> {
    /// Returns the difference lost all together: twice the seeds given away.
    pub fn difference_lost(&self) -> i64 {
        let seeds = self.judged.iter().filter_map(T::difference_lost);
        seeds.map(i64::from).sum()
    }

    /// Returns the answers that were not legal moves.
    pub fn faults(&self) -> impl Iterator<Item = (&T, &Fault)> {
        let judged = self.judged.iter();
        judged.filter_map(|judged| Some((judged, judged.fault()?)))
    }

    /// Counts the faults of a kind.
    pub(crate) fn count(&self, kind: FaultKind) -> usize {
        self.faults()
            .filter(|(_, fault)| fault.kind == kind)
            .count()
    }

    /// Returns the moves or games that gave seeds away, the worst first.
    pub(crate) fn worst(&self) -> Vec<&T> {
        let is_worse = |judged: &&T| judged.difference_lost() > Some(0);
        let mut worst: Vec<&T> = self.judged.iter().filter(is_worse).collect();
        worst.sort_by_key(|judged| Reverse(judged.difference_lost()));
        worst
    }

    /// Looks a position up; counts it and returns `None` if it cannot be judged.
    fn assess(
        &mut self,
        tables: &Tables,
        start: &Situation,
    ) -> Result<Option<(Assessment, Value)>, TableError> {
        let assessment = tables.assess(&start.position())?;
        if assessment.over.is_some() {
            self.unjudged.over += 1;
        } else if let Some(value) = assessment.exact() {
            return Ok(Some((assessment, value)));
        } else {
            self.unjudged.beyond += 1;
        }
        Ok(None)
    }
}

impl MoveReport {
    /// Asks for a move and judges it. If `ask` returns `None`, the engine cannot be asked.
    ///
    /// # Errors
    ///
    /// When the tables are damaged or cannot be read.
    pub fn judge(
        &mut self,
        tables: &Tables,
        start: &Situation,
        ask: impl FnOnce(&Situation) -> Option<Answer>,
    ) -> Result<(), TableError> {
        let Some((assessment, value)) = self.assess(tables, start)? else {
            return Ok(());
        };
        let Some(answer) = ask(start) else {
            self.unjudged.unasked += 1;
            return Ok(());
        };
        let value_of = |house| {
            let mut moves = assessment.moves.iter();
            moves.find(|assessed| assessed.play.house == house)?.exact()
        };
        let legal = legal(tables.rules(), start, &answer);
        let valued = legal.map(|house| Some((house, value_of(house)?)));
        let Some(played) = valued.transpose() else {
            return Ok(());
        };
        self.judged.push(JudgedMove {
            start: *start,
            value,
            best: assessment.best().map(|best| best.play.house).collect(),
            choice: assessment.moves.iter().any(|assessed| !assessed.best),
            played,
        });
        Ok(())
    }

    /// Returns the moves from positions with a choice, whose moves are not all worth the same.
    pub(crate) fn with_choice(&self) -> impl Iterator<Item = &JudgedMove> {
        self.judged.iter().filter(|judged| judged.choice)
    }

    pub(crate) fn best_moves(&self) -> usize {
        let best = self
            .with_choice()
            .filter(|judged| judged.difference_lost() == Some(0));
        best.count()
    }

    /// Returns the share of best moves where there was a choice; `None` if there never was. A fault counts as
    /// not best.
    pub fn accuracy(&self) -> Option<f64> {
        let choices = self.with_choice().count();
        (choices > 0).then(|| self.best_moves() as f64 / choices as f64)
    }

    /// Returns the seeds given away per legal move where there was a choice; `None` without such moves.
    pub(crate) fn given_away_per_move(&self) -> Option<f64> {
        let moves = self.with_choice().filter(|judged| judged.played.is_ok());
        let moves = moves.count();
        (moves > 0).then(|| self.difference_lost() as f64 / 2.0 / moves as f64)
    }
}

impl GameReport {
    /// Plays a position to the end, or up to `most_moves` moves of both players together. `ask` gets the start of
    /// the game and the moves so far.
    ///
    /// # Errors
    ///
    /// When the tables are damaged or cannot be read.
    pub fn play(
        &mut self,
        tables: &Tables,
        start: &Situation,
        most_moves: usize,
        mut ask: impl FnMut(&Situation, &[PlayerHouse]) -> Option<Answer>,
    ) -> Result<(), TableError> {
        let Some((_, value)) = self.assess(tables, start)? else {
            return Ok(());
        };
        let Some(game) = Game::play(tables, start, false, most_moves, &mut ask, None)? else {
            self.unjudged.unasked += 1;
            return Ok(());
        };
        let result = i8::try_from(game.lead - lead(start, start)).ok();
        self.judged.push(JudgedGame {
            start: *start,
            value,
            moves: game.moves,
            result: match game.end {
                End::Fault(_) => None,
                _ => result.and_then(Value::new),
            },
            end: game.end,
        });
        Ok(())
    }

    /// Counts the games in which the engine got at least the value of the position.
    pub fn kept(&self) -> usize {
        let lost = self.judged.iter().filter_map(JudgedGame::difference_lost);
        lost.filter(|&lost| lost <= 0).count()
    }

    /// Counts the games that ended in this way.
    pub fn ended(&self, end: &End) -> usize {
        self.judged.iter().filter(|game| game.end == *end).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_was_not_asked_has_no_accuracy() {
        let report = MoveReport::default();
        assert_eq!(report.accuracy(), None);
        assert_eq!(report.given_away_per_move(), None);
        assert_eq!(report.difference_lost(), 0);
        assert_eq!(GameReport::default().kept(), 0);
    }
}

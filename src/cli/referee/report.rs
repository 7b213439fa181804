//! Reports on an engine after many positions.

use std::cmp::Reverse;

use super::fault::Fault;
use super::game::{End, PlayedGame};
use super::verdict::Verdict;
use crate::uci::Answer;
use granero::{Assessment, PlayerHouse, Situation, TableError, Tables};
use schemars::JsonSchema;
use serde::Serialize;

/// The report on an engine that was asked for one move in each of many positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub(crate) verdicts: Vec<Verdict>,
    /// The positions that were not judged.
    pub unjudged: Unjudged,
}

/// The report on an engine that has played many positions to the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameReport {
    /// The games.
    pub games: Vec<PlayedGame>,
    /// The positions that were not played.
    pub unjudged: Unjudged,
}

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

impl Report {
    /// Asks for a move and judges it. If `ask` returns `None`, the engine cannot be asked.
    ///
    /// # Errors
    ///
    /// When the tables are damaged or cannot be read.
    pub fn judge(
        &mut self,
        tables: &Tables,
        situation: &Situation,
        ask: impl FnOnce(&Situation) -> Option<Answer>,
    ) -> Result<(), TableError> {
        let assessment = tables.assess(&situation.position())?;
        if !self.unjudged.is_known(&assessment) {
            return Ok(());
        }
        match ask(situation) {
            None => self.unjudged.unasked += 1,
            Some(answer) => {
                let verdict = Verdict::new(tables.rules(), situation, &assessment, &answer);
                self.verdicts.extend(verdict);
            }
        }
        Ok(())
    }

    /// Returns the verdicts on positions with a choice, whose moves are not all worth the same.
    pub(crate) fn with_choice(&self) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().filter(|verdict| verdict.choice)
    }

    pub(crate) fn best_moves(&self) -> usize {
        let best = self
            .with_choice()
            .filter(|verdict| verdict.difference_lost() == Some(0));
        best.count()
    }

    /// Returns the share of best moves where there was a choice; `None` if there never was. A fault counts as
    /// not best.
    pub fn accuracy(&self) -> Option<f64> {
        let choices = self.with_choice().count();
        (choices > 0).then(|| self.best_moves() as f64 / choices as f64)
    }

    /// Returns the difference that all legal moves together lost: twice the seeds that they gave away.
    pub(crate) fn difference_lost(&self) -> u64 {
        let seeds = self.verdicts.iter().filter_map(Verdict::difference_lost);
        seeds.map(u64::from).sum()
    }

    /// Returns the seeds given away per legal move where there was a choice; `None` without such moves.
    pub(crate) fn given_away_per_move(&self) -> Option<f64> {
        let moves = self.with_choice().filter(|verdict| verdict.played.is_ok());
        let moves = moves.count();
        (moves > 0).then(|| self.difference_lost() as f64 / 2.0 / moves as f64)
    }

    /// Returns the moves that gave seeds away, the worst first.
    pub(crate) fn blunders(&self) -> Vec<&Verdict> {
        let lesser = |verdict: &&Verdict| verdict.difference_lost().is_some_and(|seeds| seeds > 0);
        let mut blunders: Vec<&Verdict> = self.verdicts.iter().filter(lesser).collect();
        blunders.sort_by_key(|verdict| Reverse(verdict.difference_lost()));
        blunders
    }

    /// Returns the answers that were not legal moves.
    pub fn faults(&self) -> impl Iterator<Item = (&Situation, &Fault)> {
        self.verdicts.iter().filter_map(|verdict| {
            let fault = verdict.played.as_ref().err()?;
            Some((&verdict.situation, fault))
        })
    }
}

impl GameReport {
    /// Plays a position to the end, or up to `max_moves` moves of both players together. `ask` gets the start of
    /// the game and the moves so far.
    ///
    /// # Errors
    ///
    /// When the tables are damaged or cannot be read.
    pub fn play(
        &mut self,
        tables: &Tables,
        start: &Situation,
        max_moves: usize,
        ask: impl FnMut(&Situation, &[PlayerHouse]) -> Option<Answer>,
    ) -> Result<(), TableError> {
        let assessment = tables.assess(&start.position())?;
        let Some(value) = assessment
            .exact()
            .filter(|_| self.unjudged.is_known(&assessment))
        else {
            return Ok(());
        };
        match PlayedGame::play(tables, start, value, max_moves, ask)? {
            Some(game) => self.games.push(game),
            None => self.unjudged.unasked += 1,
        }
        Ok(())
    }

    /// Counts the games in which the engine got at least the value of the position.
    pub fn kept(&self) -> usize {
        let lost = self.games.iter().map(PlayedGame::difference_lost);
        lost.filter(|seeds| seeds.is_some_and(|seeds| seeds <= 0))
            .count()
    }

    /// Counts the games that ended in this way.
    pub fn ended(&self, end: &End) -> usize {
        self.games.iter().filter(|game| game.end == *end).count()
    }

    /// Returns the difference lost in all games together: twice the seeds given away.
    pub fn difference_lost(&self) -> i64 {
        let seeds = self.games.iter().filter_map(PlayedGame::difference_lost);
        seeds.map(i64::from).sum()
    }

    /// Returns the games that gave seeds away, the worst first.
    pub(crate) fn losses(&self) -> Vec<&PlayedGame> {
        let lesser = |game: &&PlayedGame| game.difference_lost().is_some_and(|seeds| seeds > 0);
        let mut losses: Vec<&PlayedGame> = self.games.iter().filter(lesser).collect();
        losses.sort_by_key(|game| Reverse(game.difference_lost()));
        losses
    }

    /// Returns the answers that were not legal moves, with the games that they ended.
    pub fn faults(&self) -> impl Iterator<Item = (&PlayedGame, &Fault)> {
        self.games.iter().filter_map(|game| match &game.end {
            End::Fault(fault) => Some((game, fault)),
            _ => None,
        })
    }
}

impl Unjudged {
    /// Returns true if a position can be judged; counts it otherwise.
    fn is_known(&mut self, assessment: &Assessment) -> bool {
        if assessment.over.is_some() {
            self.over += 1;
        } else if assessment.exact().is_none() {
            self.beyond += 1;
        } else {
            return true;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_was_not_asked_has_no_accuracy() {
        let report = Report::default();
        assert_eq!(report.accuracy(), None);
        assert_eq!(report.given_away_per_move(), None);
        assert_eq!(report.difference_lost(), 0);
        assert_eq!(GameReport::default().kept(), 0);
    }
}

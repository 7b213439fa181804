//! Reports on an engine after many positions.

use std::cmp::Reverse;

use super::game::{End, Game, lead, legal};
use crate::uci::{Answer, Fault, FaultKind};
use granero::{AssessedMove, House, PlayerHouse, Situation, TableError, Tables, Value};
use schemars::JsonSchema;
use serde::Serialize;

/// The report on an engine that was asked for one move in each of many positions, or has played them to the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The moves or games, in the order of the positions.
    pub judged: Vec<Judged>,
    /// The positions that were not judged.
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

/// A move of an engine, or its game against perfect defence, compared with the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The situation that the engine was told.
    pub start: Situation,
    /// The value of the position for the engine.
    pub value: Value,
    pub(crate) best: Vec<House>,
    /// True if a legal move is worth less; otherwise there was nothing to choose.
    pub(crate) choice: bool,
    /// The moves, the engine's first: in a game all of both players.
    pub moves: Vec<PlayerHouse>,
    /// The reason why the game ended; `None` for a move.
    pub end: Option<End>,
    /// The value of the move, or the engine's share of the seeds on the board minus the defence's; or the fault.
    pub result: Result<Value, Fault>,
}

impl Judged {
    /// Returns the value of the position minus the value of what the engine did; `None` after a fault. Negative if the
    /// engine got more, which happens only if the defence's way to win is too long to be found.
    pub(crate) fn difference_lost(&self) -> Option<i32> {
        let result = self.result.as_ref().ok()?;
        Some(i32::from(self.value.seeds()) - i32::from(result.seeds()))
    }
}

impl Report {
    /// Returns the difference lost all together: twice the seeds given away.
    pub fn difference_lost(&self) -> i64 {
        let seeds = self.judged.iter().filter_map(Judged::difference_lost);
        seeds.map(i64::from).sum()
    }

    /// Returns the answers that were not legal moves.
    pub fn faults(&self) -> impl Iterator<Item = (&Judged, &Fault)> {
        let judged = self.judged.iter();
        judged.filter_map(|judged| Some((judged, judged.result.as_ref().err()?)))
    }

    /// Counts the faults of a kind.
    pub(crate) fn count(&self, kind: FaultKind) -> usize {
        let faults = self.faults();
        faults.filter(|(_, fault)| fault.kind == kind).count()
    }

    /// Returns the moves or games that gave seeds away, the worst first.
    pub(crate) fn worst(&self) -> Vec<&Judged> {
        let is_worse = |judged: &&Judged| judged.difference_lost() > Some(0);
        let mut worst: Vec<&Judged> = self.judged.iter().filter(is_worse).collect();
        worst.sort_by_key(|judged| Reverse(judged.difference_lost()));
        worst
    }

    /// Judges an engine's move in a position by full tables of `split`, which have all values; with `most_moves` its game
    /// against perfect defence, of at most so many moves by both players. `ask` gets the start and the moves so far; if it
    /// returns `None`, the engine cannot be asked.
    pub fn judge(
        &mut self,
        tables: &Tables,
        start: &Situation,
        most_moves: Option<usize>,
        mut ask: impl FnMut(&Situation, &[PlayerHouse]) -> Option<Answer>,
    ) -> Result<(), TableError> {
        let assessment = tables.assess(&start.position())?;
        let value = match assessment.exact() {
            _ if assessment.over.is_some() => {
                self.unjudged.over += 1;
                return Ok(());
            }
            None => {
                self.unjudged.beyond += 1;
                return Ok(());
            }
            Some(value) => value,
        };
        let done = match most_moves {
            None => ask(start, &[]).and_then(|answer| {
                let legal = legal(tables.rules(), start, answer);
                let side = start.to_move();
                let moves = legal.iter().map(|&house| PlayerHouse { side, house });
                let moves = moves.collect();
                let value = |house| {
                    let mut moves = assessment.moves.iter();
                    let played = moves.find(|assessed| assessed.play.house == house);
                    played.and_then(AssessedMove::exact)
                };
                Some((moves, None, legal.map(value).transpose()?))
            }),
            Some(most) => Game::play(tables, start, false, most, &mut ask, None)?.map(|game| {
                let result = match &game.end {
                    End::Fault(fault) => Err(fault.clone()),
                    _ => {
                        let result = i8::try_from(game.lead - lead(start, start)).ok();
                        Ok(result.and_then(Value::new).expect("seeds on the board"))
                    }
                };
                (game.moves, Some(game.end), result)
            }),
        };
        match done {
            None => self.unjudged.unasked += 1,
            Some((moves, end, result)) => self.judged.push(Judged {
                start: *start,
                value,
                best: assessment.best().map(|best| best.play.house).collect(),
                choice: assessment.moves.iter().any(|assessed| !assessed.best),
                moves,
                end,
                result,
            }),
        }
        Ok(())
    }

    /// Counts the games in which the engine got at least the value of the position.
    pub fn kept(&self) -> usize {
        let lost = self.judged.iter().filter_map(Judged::difference_lost);
        lost.filter(|&lost| lost <= 0).count()
    }

    /// Counts the games that ended in this way.
    pub fn ended(&self, end: &End) -> usize {
        let ends = self.judged.iter().filter_map(|game| game.end.as_ref());
        ends.filter(|&game| game == end).count()
    }
}

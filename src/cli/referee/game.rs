//! Plays a position to its end against perfect defence.

use std::collections::HashSet;

use super::fault::{self, Fault};
use crate::uci::Answer;
use granero::judge;
use granero::player::Player;
use granero::{PlayerHouse, Situation, TableError, Tables, Turn, Value};

/// A game of an engine, which made the first move, against perfect defence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedGame {
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

/// The ways in which a game ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// No legal move was left.
    Over,
    /// A player had more than half of all seeds, and the engine ended the game, as the rules allow. The seeds on
    /// the board count as the tables say.
    Majority,
    /// A position was repeated: the seeds on the board are shared, as in endless play.
    Repetition,
    /// There were too many moves: the seeds on the board are shared.
    TooLong,
    /// The engine made no legal move.
    Fault(Fault),
}

impl End {
    /// Returns the name used in JSON.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            End::Over => "over",
            End::Majority => "majority",
            End::Repetition => "repetition",
            End::TooLong => "too-long",
            End::Fault(_) => "fault",
        }
    }
}

impl PlayedGame {
    /// Plays a game whose start is worth `value`; `None` if the engine cannot be asked.
    pub(super) fn play(
        tables: &Tables,
        start: &Situation,
        value: Value,
        max_moves: usize,
        mut ask: impl FnMut(&Situation, &[PlayerHouse]) -> Option<Answer>,
    ) -> Result<Option<PlayedGame>, TableError> {
        let rules = tables.rules();
        let defence = Player::new(tables);
        let mut now = *start;
        let mut moves = Vec::new();
        let mut seen = HashSet::new();
        let end = loop {
            if matches!(rules.turn(&now.position()), Turn::Over(_)) {
                break End::Over;
            }
            if !seen.insert(now) {
                break End::Repetition;
            }
            if moves.len() >= max_moves {
                break End::TooLong;
            }
            let house = if now.to_move() == start.to_move() {
                let Some(answer) = ask(start, &moves) else {
                    return Ok(None);
                };
                if answer == Answer::NoMove && judge::decided(&now).is_some() {
                    break End::Majority;
                }
                match fault::legal(rules, &now, &answer) {
                    Ok(house) => house,
                    Err(fault) => break End::Fault(fault),
                }
            } else {
                let choice = defence.choose(&now.position(), 1, || false)?;
                choice.expect("a move, as the game is not over").play.house
            };
            moves.push(PlayerHouse {
                side: now.to_move(),
                house,
            });
            let (_, next) = now.play(rules, house).expect("a legal move");
            now = next;
        };
        let result = match end {
            End::Fault(_) => None,
            End::Over => gained(start, &now).checked_add(rest(tables, start, &now)),
            // The engine is to move, as it was at the start.
            End::Majority => tables
                .value(&now.position())?
                .and_then(|rest| gained(start, &now).checked_add(rest.low().seeds())),
            End::Repetition | End::TooLong => Some(gained(start, &now)),
        };
        Ok(Some(PlayedGame {
            start: *start,
            value,
            moves,
            end,
            result: result.and_then(Value::new),
        }))
    }

    /// Returns the seeds that the engine fell short of the position's value; negative if it got more, which
    /// happens only if the defence's way to win is too long to be found.
    pub(crate) fn difference_lost(&self) -> Option<i32> {
        let result = self.result?;
        Some(i32::from(self.value.seeds()) - i32::from(result.seeds()))
    }
}

/// Returns what the first player has captured since the start, minus what the opponent has.
fn gained(start: &Situation, now: &Situation) -> i8 {
    let side = start.to_move();
    let since = |side| now.store(side) as i8 - start.store(side) as i8;
    since(side) - since(side.other())
}

/// Returns the first player's share of the seeds on the board at the end, minus the opponent's.
fn rest(tables: &Tables, start: &Situation, now: &Situation) -> i8 {
    match tables.rules().turn(&now.position()) {
        Turn::Over(over) if now.to_move() == start.to_move() => over.value.seeds(),
        Turn::Over(over) => -over.value.seeds(),
        Turn::Play(_) => 0,
    }
}

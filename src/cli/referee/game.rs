//! Games: of an engine against perfect defence, or between two engines; and answers that are not legal moves.

use std::collections::HashSet;

use crate::uci::{Answer, Fault, FaultKind};
use granero::judge;
use granero::player::Player;
use granero::{House, PlayerHouse, Ruleset, Situation, TableError, Tables, Turn};

/// A game, played to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Game {
    /// The moves of both players, run together.
    pub(crate) moves: Vec<PlayerHouse>,
    pub(crate) end: End,
    /// The seeds of the player who began minus the opponent's. Seeds that are left on the board are shared, unless the
    /// rules or the tables say whose they are; after a fault the other player is one seed ahead.
    pub(crate) lead: i32,
}

/// The ways in which a game ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// No legal move was left.
    Over,
    /// A player had more than half of all seeds, and the arbiter or the engine ended the game, as the rules allow.
    Majority,
    /// The arbiter ended the game, because the tables know the rest.
    Tables,
    /// A position was repeated: the seeds on the board are shared, as in endless play.
    Repetition,
    /// There were too many moves: the seeds on the board are shared.
    TooLong,
    /// An engine made no legal move.
    Fault(Fault),
}

impl End {
    /// Returns the name used in JSON.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            End::Over => "over",
            End::Majority => "majority",
            End::Tables => "tables",
            End::Repetition => "repetition",
            End::TooLong => "too-long",
            End::Fault(_) => "fault",
        }
    }
}

/// Asks an engine for its answer to the moves since the first situation in which it was to move; `None` if it cannot be
/// asked any more.
pub(crate) type Ask<'a> = dyn FnMut(&Situation, &[PlayerHouse]) -> Option<Answer> + 'a;

impl Game {
    /// Plays a game; `first` is to move, and without a `second` engine the tables are the defence. An arbiter ends it
    /// as soon as its result is known. Returns `None` if an engine cannot be asked any more.
    pub(crate) fn play(
        tables: &Tables,
        start: &Situation,
        has_arbiter: bool,
        most_moves: usize,
        first: &mut Ask<'_>,
        mut second: Option<&mut Ask<'_>>,
    ) -> Result<Option<Game>, TableError> {
        let rules = tables.rules();
        let defence = Player::new(tables);
        let mut now = *start;
        // The situation in which the second player starts.
        let mut begin = *start;
        let mut moves = Vec::new();
        let mut seen = HashSet::new();
        // With the value of the rest to the player to move.
        let (end, rest) = loop {
            if has_arbiter && judge::decided(&now).is_some() {
                break (End::Majority, 0);
            }
            if let Turn::Over(over) = rules.turn(&now.position()) {
                break (End::Over, over.value.seeds());
            }
            let rest = || {
                let value = tables.clamped_value(&now.position())?;
                Ok(value.map(|value| value.low().number().seeds()))
            };
            if has_arbiter && let Some(rest) = rest()? {
                break (End::Tables, rest);
            }
            if !seen.insert(now) {
                break (End::Repetition, 0);
            }
            if moves.len() >= most_moves {
                break (End::TooLong, 0);
            }
            let answer = if now.to_move() == start.to_move() {
                first(start, &moves)
            } else {
                if moves.len() == 1 {
                    begin = now;
                }
                match &mut second {
                    Some(second) => second(&begin, &moves[1..]),
                    None => {
                        let choice = defence.choose(&now.position(), 1, || false)?;
                        choice.map(|choice| {
                            let (side, house) = (now.to_move(), choice.play.house);
                            Ok(PlayerHouse { side, house })
                        })
                    }
                }
            };
            let Some(answer) = answer else {
                return Ok(None);
            };
            let stops = |fault: &Fault| fault.kind == FaultKind::NoMove;
            if answer.as_ref().is_err_and(stops) && judge::decided(&now).is_some() {
                break (End::Majority, rest()?.unwrap_or(0));
            }
            match legal(rules, &now, answer) {
                Ok(house) => {
                    let side = now.to_move();
                    moves.push(PlayerHouse { side, house });
                    (_, now) = now.play(rules, house).expect("a legal move");
                }
                Err(fault) => break (End::Fault(fault), 0),
            }
        };
        let sign = if now.to_move() == start.to_move() {
            1
        } else {
            -1
        };
        let lead = match end {
            End::Fault(_) => -sign,
            _ => lead(start, &now) + sign * i32::from(rest),
        };
        Ok(Some(Game { moves, end, lead }))
    }
}

/// Returns the captures of the player who began minus the opponent's.
pub(super) fn lead(start: &Situation, now: &Situation) -> i32 {
    let captured = |side| i32::from(now.store(side));
    let side = start.to_move();
    captured(side) - captured(side.other())
}

/// Returns the house that an answer names, if it is a legal move.
pub(super) fn legal(
    ruleset: Ruleset,
    situation: &Situation,
    answer: Answer,
) -> Result<House, Fault> {
    let sown = answer?;
    let mover = situation.to_move();
    let why = match situation.play(ruleset, sown.house) {
        _ if sown.side != mover => format!("{mover} is to move"),
        Ok(_) => return Ok(sown.house),
        Err(illegal) => illegal.refusal.to_string(),
    };
    Err(Fault::new(FaultKind::Illegal, format!("{sown}: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_played_to_its_end() {
        let tables = Tables::sample();
        let player = Player::without_tables(tables.rules());
        let answer = |depth: u8| {
            move |start: &Situation, moves: &[PlayerHouse]| {
                let mut now = *start;
                for sown in moves {
                    assert_eq!(sown.side, now.to_move());
                    (_, now) = now.play(tables.rules(), sown.house).unwrap();
                }
                let choice = player.choose(&now.position(), depth, || false).unwrap()?;
                Some(Ok(PlayerHouse {
                    side: now.to_move(),
                    house: choice.play.house,
                }))
            }
        };
        let play = |first: &mut Ask<'_>, second: &mut Ask<'_>| {
            Game::play(tables, &Situation::START, true, 500, first, Some(second)).unwrap()
        };
        let strong_first = play(&mut answer(6), &mut answer(1)).unwrap();
        assert!(strong_first.lead > 0, "{strong_first:?}");
        let weak_first = play(&mut answer(1), &mut answer(6)).unwrap();
        assert!(weak_first.lead < 0, "{weak_first:?}");

        assert_eq!(play(&mut answer(1), &mut |_, _| None), None);
        let stops = Fault::new(FaultKind::NoMove, "");
        let fault = play(&mut answer(1), &mut |_, _| Some(Err(stops.clone()))).unwrap();
        assert_eq!((fault.lead, fault.end.name()), (1, "fault"));
    }
}

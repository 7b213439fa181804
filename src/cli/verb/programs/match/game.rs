//! A game between two engines.

use std::collections::HashSet;
use std::fmt;

use crate::referee::legal;
use crate::uci::Answer;
use granero::{PlayerHouse, Side, Situation, TableError, Tables, Turn};

/// The most moves of a game, by both players together. Few games have more than 150.
const MOST_MOVES: usize = 500;

/// The ways in which a game ends. Seeds that are left on the board are shared, unless the rules or the tables say
/// whose they are; after a wrong answer the other player wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Majority,
    Tables,
    Over,
    Repetition,
    TooLong,
    Fault,
}

impl End {
    pub(crate) const ALL: [End; 6] = [
        End::Majority,
        End::Tables,
        End::Over,
        End::Repetition,
        End::TooLong,
        End::Fault,
    ];

    /// The name used in JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            End::Majority => "majority",
            End::Tables => "tables",
            End::Over => "over",
            End::Repetition => "repetition",
            End::TooLong => "too-long",
            End::Fault => "fault",
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            End::Majority => "more than half of the seeds",
            End::Tables => "by the tables",
            End::Over => "no legal move",
            End::Repetition => "a position came again",
            End::TooLong => "too many moves",
            End::Fault => "no legal answer",
        })
    }
}

/// A player: the moves so far, from the first situation in which it was to move, and its answer.
pub(crate) type Ask<'a> = dyn FnMut(&Situation, &[PlayerHouse]) -> Option<Answer> + 'a;

/// The result of a game: positive if the first player won, negative if the second did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Played {
    pub(crate) result: i32,
    pub(crate) end: End,
}

/// Plays a game; `first` is to move. Returns `None` if an engine cannot be asked any more.
pub(crate) fn play(
    tables: &Tables,
    opening: &Situation,
    first: &mut Ask<'_>,
    second: &mut Ask<'_>,
) -> Result<Option<Played>, TableError> {
    let rules = tables.rules();
    let me = opening.to_move();
    let mut now = *opening;
    let mut seen = HashSet::new();
    let mut moves = Vec::new();
    // The situation in which the second player starts.
    let mut begin = *opening;
    loop {
        let ahead = |rest: i32| {
            let of = |side| i32::from(now.store(side));
            let sign = if now.to_move() == me { 1 } else { -1 };
            of(me) - of(me.other()) + sign * rest
        };
        let done = |result, end| Ok(Some(Played { result, end }));
        if [Side::South, Side::North]
            .map(|side| now.store(side))
            .into_iter()
            .max()
            > Some(opening.game() / 2)
        {
            return done(ahead(0), End::Majority);
        }
        if let Turn::Over(over) = rules.turn(&now.position()) {
            return done(ahead(over.value.seeds().into()), End::Over);
        }
        if let Some(value) = tables.clamped_value(&now.position())? {
            return done(ahead(value.low().number().seeds().into()), End::Tables);
        }
        if !seen.insert(now) {
            return done(ahead(0), End::Repetition);
        }
        if moves.len() == MOST_MOVES {
            return done(ahead(0), End::TooLong);
        }
        let firsts = now.to_move() == me;
        let answer = if firsts {
            first(opening, &moves)
        } else {
            if moves.len() == 1 {
                begin = now;
            }
            second(&begin, &moves[1..])
        };
        let Some(answer) = answer else {
            return Ok(None);
        };
        let Ok(house) = legal(rules, &now, &answer) else {
            return done(if firsts { -1 } else { 1 }, End::Fault);
        };
        let side = now.to_move();
        moves.push(PlayerHouse { side, house });
        (_, now) = now.play(rules, house).expect("a legal move");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use granero::player::Player;

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
                Some(Answer::Sow(PlayerHouse {
                    side: now.to_move(),
                    house: choice.play.house,
                }))
            }
        };
        let start = &Situation::START;
        let strong_first = play(tables, start, &mut answer(6), &mut answer(1));
        let strong_first = strong_first.unwrap().unwrap();
        assert!(strong_first.result > 0, "{strong_first:?}");
        let weak_first = play(tables, start, &mut answer(1), &mut answer(6));
        let weak_first = weak_first.unwrap().unwrap();
        assert!(weak_first.result < 0, "{weak_first:?}");

        let gone = play(tables, start, &mut answer(1), &mut |_, _| None).unwrap();
        assert_eq!(gone, None);
        let fault = play(tables, start, &mut answer(1), &mut |_, _| {
            Some(Answer::NoMove)
        });
        let expected = Played {
            result: 1,
            end: End::Fault,
        };
        assert_eq!(fault.unwrap(), Some(expected));
    }
}

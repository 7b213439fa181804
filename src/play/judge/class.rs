//! Classes of wrong moves, by the result of the game: seeds are not all that counts.

use granero_game::{FinalScore, Side, Situation};

/// The class of a move, with best play before and after it.
///
/// ```
/// use granero::judge::{Class, Judgement};
/// use granero::{Game, Tables};
///
/// let tables = Tables::sample();
/// let classes = |stores: &str| {
///     let game: Game = format!("0-2-0-1-1-0-1-0-2-0-1-0-{stores}-S B").parse().unwrap();
///     Judgement::new(tables, &game).unwrap().moves[0].class().unwrap()
/// };
/// // The move gives away four seeds: the win, or a part of it, or nothing that matters.
/// assert_eq!(classes("20-20"), Class::ChangedWinner);
/// assert_eq!(classes("24-16"), Class::GaveAway);
/// assert_eq!(classes("26-14"), Class::Harmless);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// It is one of the best moves.
    Best,
    /// It loses seeds, but the game was decided: a player had captured more than half of all seeds.
    Harmless,
    /// It loses seeds, but the same player wins, or it is still a draw.
    GaveAway,
    /// It changes who wins: a win becomes a draw or a loss, or a draw a loss.
    ChangedWinner,
}

impl Class {
    /// All classes but [`Best`](Class::Best), the worst first.
    pub const WRONG: [Class; 3] = [Class::ChangedWinner, Class::GaveAway, Class::Harmless];

    /// The name used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Best => "best",
            Class::Harmless => "harmless",
            Class::GaveAway => "gave-away",
            Class::ChangedWinner => "changed-winner",
        }
    }

    /// The class of a move; `ends` are the ends of the game with best play before it and after it.
    pub(super) fn new(before: &Situation, is_wrong: bool, ends: [FinalScore; 2]) -> Class {
        match ends.map(|score| score.winner()) {
            _ if !is_wrong => Class::Best,
            _ if decided(before).is_some() => Class::Harmless,
            [promised, left] if promised == left => Class::GaveAway,
            _ => Class::ChangedWinner,
        }
    }
}

/// The player who has captured more than half of all seeds.
///
/// ```
/// use granero::{Side, judge};
///
/// let situation = "0-0-0-0-0-5-1-0-0-0-0-0-17-25-N".parse()?;
/// assert_eq!(judge::decided(&situation), Some(Side::North));
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
pub fn decided(situation: &Situation) -> Option<Side> {
    let mut sides = [Side::South, Side::North].into_iter();
    sides.find(|&side| situation.store(side) > situation.game() / 2)
}

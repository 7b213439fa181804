//! Moves: the legal moves of a position, with their value, and the moves of a line.

use granero::prove::ProvenMove;
use granero::rules::Refusal;
use granero::{AssessedMove, House, Measured, Move, Ply, Position, Ruleset, Side, Turn, Value};

use super::parts::{Houses, Over, ValueJson};
use crate::outcome::Outcome;
use crate::words::Range;
use crate::{PlayedLine, PositionAnswer, documents};

documents! {
    /// The output of `granero moves --json`.
    pub struct LegalMoves(position: &Position, ruleset: Ruleset) {
        let (over, moves) = match ruleset.turn(position) {
            Turn::Play(moves) => (None, moves.iter().map(LegalMove::new).collect()),
            Turn::Over(end) => (Some(Over::new(&end, position)), Vec::new()),
        };
        rules: &'static str = ruleset.name(),
        /// The twelve houses, the player to move first.
        position: Houses = position.houses(),
        /// Seeds on the board.
        seeds: u8 = position.seeds(),
        /// Why the game is over, or `null`.
        over: Option<Over> = over,
        /// In the order of houses; empty if the game is over.
        moves: Vec<LegalMove> = moves,
    }

    /// A move by the rules alone.
    struct LegalMove(play: &Move) {
        /// `A` to `F`, from the side of the player to move.
        house: char = play.house.letter(Side::South),
        /// 0 to 5.
        index: usize = play.house.index(),
        ..capture: Capture = Capture::new(play),
        /// The position after it; empty if the move ends the game.
        position: Houses = play.position.houses(),
    }

    /// The seeds that a move captures.
    struct Capture(play: &Move) {
        /// Seeds captured.
        captured: u8 = play.captured,
        /// Only of a grand slam in `slam-ends`: seeds that go to the opponent.
        conceded?: u8 = play.ends_game.then_some(play.conceded),
    }

    /// A move with its value to the player to move.
    pub(super) struct RatedMove(
        answer: &PositionAnswer<'_>, assessed: &AssessedMove, proven: Option<&ProvenMove>
    ) {
        let play = &assessed.play;
        // Before the move.
        let seeds = play.position.seeds() + play.captured + play.conceded;
        // The value of the child is what the move captures minus the move's value.
        let nominal = |value: Measured<Value>| play.exact_value(play.value(value).nominal(&play.position));
        /// `A` to `F`, from the side of the player to move.
        house: char = play.house.letter(Side::South),
        ..capture: Capture = Capture::new(play),
        ..value: ValueJson = ValueJson::new(answer.tables.cycles(), assessed.value, assessed.value.map(nominal)),
        /// Only if deciding tables cut the value off: what it can be.
        range?: Range = Range::of_cut_off(assessed.clamped, seeds),
        /// Only after a search: what it has proven of the move.
        proven?: Range = proven.map(Range::from),
        /// Who wins after it with best play, from the mover's view: the game if stores are written, else most of the
        /// seeds on the board; `null` if open.
        outcome: Option<Outcome> = answer.outcome(assessed, proven),
        /// Only if nothing is known or proven: an estimate by a search of 100,000 positions.
        estimate?: f64 = answer.estimate_of(assessed, proven),
        /// Certainly no other move is better; with `own-side` by `low`, then by `high`.
        best: bool = assessed.best,
        /// The position after it; empty if the move ends the game.
        position: Houses = play.position.houses(),
    }

    /// A move of a line.
    pub(super) struct LineMove(played: &PlayedLine<'_>, ply: &Ply) {
        /// `A` to `F` for South, `a` to `f` for North.
        r#move: char = ply.play.house.letter(ply.before.to_move()),
        ..capture: Capture = Capture::new(&ply.play),
        /// The position after it; empty if the move ends the game.
        position: Houses = ply.play.position.houses(),
        /// South's captures up to this move, including stores that were written.
        south: u8 = played.captured(&ply.after, Side::South),
        /// North's captures.
        north: u8 = played.captured(&ply.after, Side::North),
    }

    /// A house of the player to move that cannot be played.
    pub(super) struct IllegalMove(house: House, refusal: Refusal) {
        /// `A` to `F`, from the side of the player to move.
        house: char = house.letter(Side::South),
        /// `empty`; `must-feed`: the opponent would have no seeds; `grand-slam`: forbidden here; `game-over`.
        reason: &'static str = refusal.name(),
        /// The reason in words.
        text: String = refusal.to_string(),
    }
}

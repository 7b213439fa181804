//! A game in progress, for people.

use granero::notation::board as houses;
use granero::player::Difficulty;
use granero::{AssessedMove, Assessment, Move, Side, Situation, judge};

use granero_answer::counted;

pub(super) const HELP: &str = "\
A to F   sow this house; for North a to f, in either case
hint     show the best move, as far as granero knows it
back     take back your last move and the answer to it
board    show the board again
record   show the record of the game
quit     end with the verdict and the record, as the end of the input does
";

pub(super) const REPEATED: &str =
    "the position occurred three times, so the seeds on the board are shared";

/// Formats the board with both stores, as seen from a side.
pub(super) fn board(now: &Situation, below: Side) -> String {
    let store = |side| format!("{side} has {}\n", now.store(side));
    let [above, own] = [below.other(), below].map(store);
    let mut output = format!("\n{above}{}{own}", position(now, below));
    if let Some(side) = judge::decided(now) {
        output += &format!("{side} has more than half of all seeds; `quit` ends the game.\n");
    }
    output + "\n"
}

/// Formats the houses, as seen from a side.
pub(super) fn position(now: &Situation, below: Side) -> String {
    let position = if now.to_move() == below {
        now.position()
    } else {
        now.position().turned()
    };
    let board = houses::write(&position, below);
    let lines: String = board.lines().map(|line| format!("  {line}\n")).collect();
    format!("\n{lines}\n")
}

pub(super) fn captured(play: &Move) -> Option<String> {
    let seeds = Some(play.captured).filter(|&seeds| seeds > 0)?;
    Some(format!(" Captured: {}.\n", counted(seeds.into(), "seed")))
}

/// Says what the tables know of the moves.
pub(super) fn assessed(
    assessment: &Assessment,
    side: Side,
    difficulty: Option<Difficulty>,
) -> String {
    let value = |assessed: &AssessedMove| {
        let letter = assessed.play.house.letter(side);
        let value = assessed.clamped.map(|clamped| format!(" {clamped}"));
        format!("{letter}{}", value.unwrap_or_default())
    };
    let moves = assessment.moves.iter();
    let (best, others): (Vec<_>, Vec<_>) = moves.partition(|assessed| assessed.best);
    let list = |moves: Vec<_>| moves.into_iter().map(value).collect::<Vec<_>>().join(", ");
    let mut output = format!("Best: {}.", list(best));
    if !others.is_empty() {
        output += &format!(" Wrong: {}.", list(others));
    }
    if difficulty.is_some_and(|difficulty| difficulty.is_easy_to_miss()) {
        output += " Easy to miss.";
    }
    output + "\n"
}

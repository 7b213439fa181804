//! A game in progress, for people.

use granero::notation::{board as houses, visible};
use granero::player::{Choice, Difficulty};
use granero::{AssessedMove, Assessment, FinalScore, Move, Side, Situation, judge};

use super::session::Session;
use granero_answer::{capitalised, counted};

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

pub(super) fn introduction(session: &Session<'_>) -> String {
    let seeds = session.tables.and_then(granero::Tables::max_seeds);
    let reach = match seeds {
        Some(seeds) if session.level.number() >= 7 => format!(", tables up to {seeds} seeds"),
        _ => String::new(),
    };
    format!(
        "You are {}; granero plays {} at level {}.\n\
         Rules {}{reach}.\n\
         Type the letter of a house to sow it, or `help`.\n",
        session.side,
        session.side.other(),
        session.level.number(),
        session.rules,
    )
}

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

pub(super) fn captured(play: &Move) -> String {
    match play.captured {
        0 => String::new(),
        seeds => format!(" Captured: {}.\n", counted(seeds.into(), "seed")),
    }
}

/// Says which move granero makes.
pub(super) fn answer(before: &Situation, play: &Move) -> String {
    let letter = play.house.letter(before.to_move());
    format!("granero plays {letter}.{}", captured(play))
        .trim_end()
        .to_string()
        + "\n"
}

pub(super) fn ending(reason: &str, score: &FinalScore) -> String {
    // A reason can be longer than a line of a terminal.
    let reason = capitalised(reason).replace(", so ", ",\nso ");
    let score = capitalised(&score.to_string());
    format!("The game is over. {reason}.\n{score}.\n")
}

pub(super) fn not_a_move(line: &str, side: Side) -> String {
    let [first, last] = match side {
        Side::South => ['A', 'F'],
        Side::North => ['a', 'f'],
    };
    let shown: String = visible(line).chars().take(40).collect();
    format!("\"{shown}\" is not a move: type a letter from {first} to {last}, or `help`.\n")
}

/// Says what the tables know of the moves.
pub(super) fn assessed(
    assessment: &Assessment,
    side: Side,
    difficulty: Option<Difficulty>,
) -> String {
    let value = |assessed: &AssessedMove| match assessed.clamped {
        Some(clamped) => format!("{} {clamped}", assessed.play.house.letter(side)),
        None => assessed.play.house.letter(side).to_string(),
    };
    let list = |moves: Vec<String>| moves.join(", ");
    let (best, others): (Vec<_>, Vec<_>) =
        assessment.moves.iter().partition(|assessed| assessed.best);
    let mut output = format!("Best: {}.", list(best.into_iter().map(value).collect()));
    if !others.is_empty() {
        let others = list(others.into_iter().map(value).collect());
        output += &format!(" Wrong: {others}.");
    }
    if difficulty.is_some_and(|difficulty| difficulty.is_easy_to_miss()) {
        output += " Easy to miss.";
    }
    output + "\n"
}

/// Says what a search beyond the tables finds.
pub(super) fn searched(choice: &Choice, side: Side) -> String {
    let letter = choice.play.house.letter(side);
    if choice.exact {
        return format!("Best, by a proof: {letter} {}.\n", choice.value);
    }
    format!("A search prefers {letter}; nothing is proven here.\n")
}

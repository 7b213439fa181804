//! Text that several verbs print.

use granero::{Side, Situation};

/// Sets each line of a board, or of another text, in from the left.
pub(crate) fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// Says what both players have captured so far.
pub(crate) fn captured_so_far(situation: &Situation) -> String {
    let [south, north] = [Side::South, Side::North].map(|side| situation.store(side));
    format!("Captured so far: South {south}, North {north}.\n")
}

/// Lists the letters of moves.
pub(crate) fn listed(moves: &[char], between: &str) -> String {
    let letters: Vec<String> = moves.iter().map(char::to_string).collect();
    letters.join(between)
}

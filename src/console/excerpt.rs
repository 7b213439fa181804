//! The part of an input around an error.

use granero::notation::is_hidden;

/// The longest line that is shown whole with its error.
const LONGEST_LINE: usize = 100;

/// The characters of a longer line that are shown before the place, and in all.
const BEFORE: usize = 40;
const SHOWN: usize = 76;

/// The line of a text that holds the `at`-th character, or the part of a long line around it, with a
/// mark below. `None` if there is nothing to show.
pub(crate) fn excerpt(text: &str, at: usize) -> Option<String> {
    let mut before = 0;
    for line in text.split('\n') {
        let length = line.chars().count();
        if at <= before + length {
            let column = at - before;
            let (start, end) = if length > LONGEST_LINE {
                let start = column.saturating_sub(BEFORE).min(length - SHOWN);
                (start, start + SHOWN)
            } else {
                (0, length)
            };
            let visible = |c: char| if is_hidden(c) { ' ' } else { c };
            let shown: String = line
                .chars()
                .skip(start)
                .take(end - start)
                .map(visible)
                .collect();
            let [left, right] = [start > 0, end < length].map(|cut| if cut { "…" } else { "" });
            let mark = " ".repeat(column - start + left.chars().count());
            return (length > 0).then(|| format!("  | {left}{shown}{right}\n  | {mark}^\n"));
        }
        before += length + 1;
    }
    None
}

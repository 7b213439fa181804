//! A judged game as a record, with a comment on each move that is not best, and a symbol if it costs seeds.

use std::io::{self, IsTerminal};

use granero::judge::{Class, JudgedMove};
use granero::notation::visible;
use granero::{Comments, Game, ReplayError, Ruleset};

use super::Answer;
use super::text::{best, lost};
use granero_answer::{capitalised, ending};

impl Answer<'_> {
    /// Writes the record with `write`, up to the first impossible move. On a terminal, control characters are
    /// made visible.
    pub(super) fn record(
        &self,
        write: fn(&Game, Ruleset) -> Result<String, ReplayError>,
    ) -> Result<String, ReplayError> {
        let mut game = self.game.clone();
        if let Some(error) = &self.judgement.error {
            game.moves.truncate(error.number - 1);
        }
        game.comments = Comments::default();
        let mut symbols = std::mem::take(&mut game.symbols).into_iter().peekable();
        let mut judged = self.known().peekable();
        for moves in 0..=game.moves.len() {
            let recorded = std::iter::from_fn(|| symbols.next_if(|(before, _)| *before == moves));
            game.symbols.extend(recorded);
            let comment = self.game.comments.after(moves);
            game.comments.add(moves, comment.unwrap_or_default());
            if let Some(judged) = judged.next_if(|judged| judged.number == moves)
                && judged.class_at_least() != Class::Best
            {
                if let Some(symbol) = symbol(judged.class_at_least()) {
                    game.symbols.push((moves, symbol));
                }
                game.comments.add(moves, &comment_on(judged));
            }
        }
        if let Some(error) = &self.judgement.error {
            let what = format!("The record goes on with {}: {}", error.sown, error.reason);
            game.comments.add(game.moves.len(), &what);
            game.tags.retain(|(name, _)| name != "Result");
        }
        let record = write(&game, self.tables.rules())?;
        if !io::stdout().is_terminal() {
            return Ok(record);
        }
        let lines: Vec<String> = record.split('\n').map(visible).collect();
        Ok(lines.join("\n"))
    }
}

/// Returns the symbol `??` or `?`; a harmless move has none, as on the page.
fn symbol(class: Class) -> Option<u8> {
    match class {
        Class::Best | Class::Harmless => None,
        Class::GaveAway => Some(2),
        Class::ChangedWinner => Some(4),
    }
}

fn comment_on(judged: &JudgedMove) -> String {
    let (best, is_certain) = best(judged);
    let known = if is_certain { "best" } else { "best known" };
    let before = &judged.ply.before;
    format!(
        "{}: {}; {known} was {}: {}",
        capitalised(&lost(judged)),
        ending(before, judged.left()),
        best.join(" or "),
        ending(before, judged.promised())
    )
}

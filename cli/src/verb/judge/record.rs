//! A judged game as a record, with a symbol and a comment for each move that is not best.

use std::io::{self, IsTerminal};

use granero::judge::{Class, JudgedMove};
use granero::notation::visible;
use granero::{Comments, Game, ReplayError, Ruleset, Symbols};

use super::text::{ends, lost};
use super::{Answer, text};
use crate::answer::capitalised;

impl Answer<'_> {
    /// The record, as `write` writes it, up to the first move that is impossible. A terminal is not
    /// given what it would obey or hide.
    pub(super) fn record(
        &self,
        write: fn(&Game, Ruleset) -> Result<String, ReplayError>,
    ) -> Result<String, ReplayError> {
        let mut game = self.game.clone();
        if let Some(error) = &self.judgement.error {
            game.moves.truncate(error.number - 1);
        }
        game.comments = Comments::default();
        game.symbols = Symbols::default();
        let mut judged = self.judgement.moves.iter().peekable();
        let mut beyond = self.judgement.proven.iter().peekable();
        for moves in 0..=game.moves.len() {
            for symbol in self.game.symbols.after(moves) {
                game.symbols.add(moves, symbol);
            }
            let comment = self.game.comments.after(moves);
            game.comments.add(moves, comment.unwrap_or_default());
            if let Some(judged) = judged.next_if(|judged| judged.number == moves)
                && let Some(symbol) = symbol(judged)
            {
                game.symbols.add(moves, symbol);
                game.comments.add(moves, &comment_on(judged));
            }
            if let Some(judged) = beyond.next_if(|judged| judged.number == moves)
                && judged.given_away_at_least() > 0
            {
                game.symbols.add(moves, MISTAKE);
                let what = format!("Gave away {}", text::loss(judged));
                game.comments.add(moves, &what);
            }
        }
        if let Some(error) = &self.judgement.error {
            let what = format!("The record goes on with {}: {}", error.sown, error.reason);
            game.comments.add(game.moves.len(), &what);
            game.tags.retain(|(name, _)| name != "Result");
        }
        let record = write(&game, self.tables.rules())?;
        Ok(match io::stdout().is_terminal() {
            true => record
                .split('\n')
                .map(visible)
                .collect::<Vec<_>>()
                .join("\n"),
            false => record,
        })
    }
}

/// The symbol `?`.
const MISTAKE: u8 = 2;

/// `??`, `?` or `?!`; none for best moves.
fn symbol(judged: &JudgedMove) -> Option<u8> {
    match judged.class() {
        Class::Best => None,
        Class::Harmless => Some(6),
        Class::GaveAway => Some(MISTAKE),
        Class::ChangedWinner => Some(4),
    }
}

fn comment_on(judged: &JudgedMove) -> String {
    let side = judged.side();
    let best: Vec<String> = judged
        .best()
        .map(|best| best.play.house.letter(side).to_string())
        .collect();
    format!(
        "{}: {}; best was {}: {}",
        capitalised(&lost(judged)),
        ends(judged.left()),
        best.join(" or "),
        ends(judged.promised())
    )
}

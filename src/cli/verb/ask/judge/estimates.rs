//! Estimates of the moves of a game about which nothing is proven.

use granero::{Game, Ply, TableError};
use rayon::prelude::*;

use super::Answer;
use super::rows::{aligned, cells};
use granero_answer::{Estimates, about};
use granero_console::{paint, style};

/// The positions that a search looks at for the moves of one position.
const POSITIONS: u64 = 20_000;

impl Answer<'_> {
    /// Formats a line for each move about which nothing is proven; nothing if there are none.
    pub(super) fn estimates(&self) -> Result<String, TableError> {
        let error = self.judgement.error.as_ref();
        let legal = error.map_or(self.game.moves.len(), |error| error.number - 1);
        let game = Game {
            start: self.game.start,
            moves: self.game.moves[..legal].to_vec(),
            ..Game::default()
        };
        let plies = game.replay(self.tables.rules()).unwrap_or_default();
        let known: Vec<usize> = self.known().map(|judged| judged.number).collect();
        let open = (1..).zip(plies).filter(|(number, ply)| {
            let seeds = ply.before.position().seeds();
            !known.contains(number) && Some(seeds) > self.tables.max_seeds()
        });
        let open: Vec<_> = open.collect();
        let estimate = |(number, ply): &(usize, Ply)| {
            let position = ply.before.position();
            let found = Estimates::of(self.tables, &position, POSITIONS)?;
            let side = ply.before.to_move();
            let seeds = |seeds: Option<f64>| seeds.map_or_else(String::new, about);
            let best = found.best();
            let label = format!(
                "{} {}",
                self.game.numbering.of(number - 1),
                ply.play.house.letter(side)
            );
            Ok(vec![
                format!("{label:>6}"),
                position.seeds().to_string(),
                seeds(best.map(|(_, seeds)| seeds)),
                seeds(found.get(ply.play.house)),
                best.map_or_else(String::new, |(house, _)| house.letter(side).to_string()),
            ])
        };
        let rows: Result<Vec<_>, TableError> = open.par_iter().map(estimate).collect();
        let mut rows = rows?;
        if rows.is_empty() {
            return Ok(String::new());
        }
        rows.insert(0, cells("move  |seeds|value|played|best"));
        let mut lines = aligned(&rows);
        let heading = lines.next().unwrap_or_default();
        let heading = paint(style::HEADING, heading.trim_end());
        let lines = lines.map(|line| paint(style::ESTIMATE, line.trim_end()) + "\n");
        Ok(format!(
            "\nEstimates by a search, not proven:\n{heading}\n{}",
            lines.collect::<String>()
        ))
    }
}

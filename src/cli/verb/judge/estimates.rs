//! Estimates of the moves of a game about which nothing is proven.

use granero::{Game, House, Ply, TableError};
use rayon::prelude::*;

use super::Answer;
use super::text::{aligned, cells};
use granero_answer::document::JudgementJson;
use granero_answer::{Estimates, about, documents};
use granero_console::{paint, style};

/// The positions that a search looks at for the moves of one position.
const POSITIONS: u64 = 20_000;

documents! {
    /// The output of `granero judge --json`.
    #[schemars(rename = "JudgementWithEstimates")]
    pub(crate) struct WithEstimates(judgement: JudgementJson, found: Option<Vec<EstimatedMove>>) {
        ..judged: JudgementJson = judgement,
        /// Only of a single game: moves of which nothing is proven, by a search.
        estimated?: Vec<EstimatedMove> = found,
    }

    /// The estimated value of a move about which nothing is proven.
    pub(crate) struct EstimatedMove(game: &Game, at: usize, ply: &Ply, found: &Estimates) {
        let position = ply.before.position();
        let letter = |house: House| house.letter(ply.before.to_move());
        let house = ply.play.house;
        // A move that was played has an estimate.
        let (first, of_best) = found.best().unwrap_or((house, 0.0));
        /// Its number in the game, from 1.
        number: usize = at,
        /// As in the record: `35. B`, `35… a`.
        label: String = game.label(at, letter(house)),
        /// `A` to `F` for South, `a` to `f` for North.
        r#move: char = letter(house),
        /// Seeds on the board.
        seeds: u8 = position.seeds(),
        /// The estimate of the position, for the player who moved.
        estimate: f64 = of_best,
        /// The estimate of the move.
        played: f64 = found.get(house).unwrap_or(of_best),
        /// The best move by the estimate.
        best: char = letter(first),
    }
}

impl Answer<'_> {
    /// Estimates the moves about which nothing is proven.
    pub(super) fn estimates(&self) -> Result<Vec<EstimatedMove>, TableError> {
        let plies = self.game.plies(self.tables.rules()).map_while(Result::ok);
        let known: Vec<usize> = self.known().map(|judged| judged.number).collect();
        let open = (1..).zip(plies).filter(|(number, ply)| {
            let seeds = ply.before.position().seeds();
            !known.contains(number) && Some(seeds) > self.tables.max_seeds()
        });
        let open: Vec<_> = open.collect();
        let estimate = |(number, ply): &(usize, Ply)| {
            let found = Estimates::of(self.tables, &ply.before.position(), POSITIONS)?;
            Ok(EstimatedMove::new(&self.game, *number, ply, &found))
        };
        open.par_iter().map(estimate).collect()
    }

    /// Formats a line for each estimate; nothing if there are none.
    pub(super) fn describe_estimates(&self) -> Result<String, TableError> {
        let estimates = self.estimates()?;
        if estimates.is_empty() {
            return Ok(String::new());
        }
        let rows = estimates.iter().map(|estimated| {
            vec![
                format!("{:>6}", estimated.label),
                estimated.seeds.to_string(),
                about(estimated.estimate),
                about(estimated.played),
                estimated.best.to_string(),
            ]
        });
        let mut rows: Vec<_> = rows.collect();
        rows.insert(0, cells("move  |seeds|value|played|best"));
        let mut lines = aligned(&rows);
        let heading = lines.next().unwrap_or_default();
        let lines = lines.map(|line| paint(style::ESTIMATE, line.trim_end()) + "\n");
        let lines = lines.collect::<String>();
        Ok(format!(
            "\nEstimates by a search, not proven:\n{heading}{lines}"
        ))
    }
}

//! The positions that were found, as text and as JSON.

use granero::find::{FoundPosition, stake};
use granero::index::Layer;
use granero::line::Distance;
use granero::notation::PositionText;
use granero::player::Difficulty;
use granero::{Side, Tables};

use super::search::Distances;
use super::{Args, Most};
use crate::verb::ask::Text;
use granero_answer::document::{RulesAndCycles, answered_position};
use granero_answer::{PositionAnswer, counted, grouped, meaning_of, object};
use granero_console::Failure;

/// The positions that were found.
pub(super) struct Answer<'a> {
    pub(super) args: &'a Args,
    pub(super) tables: &'a Tables,
    pub(super) distances: Distances<'a>,
    pub(super) layer: Layer,
    pub(super) found: u64,
    pub(super) shown: Vec<FoundPosition>,
}

impl Answer<'_> {
    /// Formats each position that is shown with `line`.
    pub(super) fn each(
        &self,
        line: impl Fn(&PositionAnswer<'_>) -> String,
    ) -> Result<String, Failure> {
        let mut text = String::new();
        for found in &self.shown {
            let position = PositionText::Bare(found.position);
            text += &line(&PositionAnswer::new(self.tables, &position)?);
        }
        Ok(text)
    }

    pub(super) fn describe(&self) -> Result<String, Failure> {
        let (rules, cycles) = (self.tables.rules(), self.tables.cycles());
        let mut text = format!("Rules {rules}, endless play by {cycles}.\n");
        text += &meaning_of(self.tables.extent());
        let all = self.layer.len();
        text += &format!(
            "{} of {}: {:.3} %.\n",
            counted(self.found, "position"),
            grouped(all),
            self.found as f64 / all as f64 * 100.0
        );
        if self.args.count || self.shown.is_empty() {
            return Ok(text);
        }
        let shown = self.shown.len() as u64;
        text += &match (self.args.random, self.args.most) {
            _ if shown == self.found => "\n".to_string(),
            (Some(_), _) => format!("{shown} of them, drawn at random:\n\n"),
            (None, Some(_)) => format!("The {shown} with the most, in this order:\n\n"),
            (None, None) => format!("The first {shown}:\n\n"),
        };
        for found in &self.shown {
            let position = PositionText::Bare(found.position);
            let answer = PositionAnswer::new(self.tables, &position)?;
            let line = Text(&answer).line();
            text += line.trim_end();
            match self.args.most {
                None | Some(Most::Value) => {}
                Some(Most::Stake) => {
                    let [least, most] = stake(&answer.assessment).unwrap_or_default();
                    let or_more = if least == most { "" } else { " or more" };
                    text += &format!("; {}{or_more} to lose", counted(least.into(), "seed"));
                }
                Some(Most::Distance) => {
                    let distance = self.distances.of(found)?;
                    let moves = distance.moves().unwrap_or(0) as u64;
                    text += &format!("; {} to the next capture", counted(moves, "move"));
                }
            }
            if let Some(difficulty) = self.difficulty(found)? {
                let Difficulty {
                    depth,
                    keeping,
                    moves,
                    trap,
                } = difficulty;
                text += &format!(
                    "; depth {depth}, {keeping} of {}",
                    counted(moves.into(), "move")
                );
                if trap > 0 {
                    text += &format!(", trap {trap}");
                }
                if difficulty.is_easy_to_miss() {
                    text += ", easy to miss";
                }
            }
            text.push('\n');
        }
        Ok(text)
    }

    /// Returns the difficulty, if it was asked for.
    fn difficulty(&self, found: &FoundPosition) -> Result<Option<Difficulty>, Failure> {
        Ok(match self.args.difficulty {
            Some(_) => Difficulty::of(self.tables, &found.position)?,
            None => None,
        })
    }

    pub(super) fn json(&self) -> Result<String, Failure> {
        let mut positions = Vec::new();
        for found in &self.shown {
            let text = PositionText::Bare(found.position);
            let answer = PositionAnswer::new(self.tables, &text)?;
            let distance = match self.args.most {
                Some(Most::Distance) => Some(self.distances.of(found)?),
                _ => None,
            };
            let difficulty = self.difficulty(found)?;
            let best = answer.assessment.best();
            let stake = stake(&answer.assessment);
            let cut_off = stake.filter(|[low, high]| low != high);
            positions.push(object! {
                index: found.index,
                ..position: answered_position(&answer),
                best: best.map(|best| best.play.house.letter(Side::South)).collect::<Vec<_>>(),
                // `null` if the game is over, or if the stake is cut off.
                stake: stake.and_then(|[low, high]| (low == high).then_some(low)),
                stake_range?: cut_off.map(|[low, high]| object! { low: low, high: high, }),
                distance?: distance.map(Distance::moves),
                difficulty?: difficulty.map(|difficulty| object! {
                    depth: difficulty.depth,
                    keeping: difficulty.keeping,
                    moves: difficulty.moves,
                    trap: difficulty.trap,
                    easy_to_miss: difficulty.is_easy_to_miss(),
                }),
            });
        }
        crate::output::json(&object! {
            ..tables: RulesAndCycles::from(self.tables),
            seeds: self.layer.seeds(),
            positions: self.layer.len(),
            found: self.found,
            examples: positions,
        })
    }
}

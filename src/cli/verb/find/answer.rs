//! The positions that were found, as text and as JSON.

use std::cell::{Cell, OnceCell};
use std::cmp::Reverse;
use std::collections::BTreeSet;

use granero::find::{self, FoundPosition, Sampler, stake};
use granero::index::Layer;
use granero::line::Distance;
use granero::notation::PositionText;
use granero::player::Difficulty;
use granero::{Side, TableError, Tables};

use super::{Args, Format, Most};
use crate::output::meter::Meter;
use crate::verb::query;
use granero_answer::document::{RatedPosition, RulesAndCycles};
use granero_answer::{PositionAnswer, counted, documents, grouped, heading_of};
use granero_console::{Failure, machine};

/// The search in a layer.
pub(super) struct Search<'a> {
    args: &'a Args,
    tables: &'a Tables,
    layer: Layer,
    /// True if there is memory for the distances of the whole layer.
    all_at_once: bool,
    searched: Cell<u64>,
    /// The distances of the whole layer, computed when that is faster than more searches; `None` if positions
    /// have bounds.
    distances: OnceCell<Option<Vec<Distance>>>,
}

/// The number of positions that were found, and those to show.
pub(super) type Found = (u64, Vec<FoundPosition>);

impl Search<'_> {
    pub(super) fn new<'a>(args: &'a Args, tables: &'a Tables, layer: Layer) -> Search<'a> {
        let room = machine::available_memory().map_or(USUAL_MEMORY, |free| free / 2);
        Search {
            args,
            tables,
            layer,
            all_at_once: layer.len() * Distance::BYTES_OF_LAYER <= room,
            searched: Cell::new(0),
            distances: OnceCell::new(),
        }
    }

    /// Looks up each position that is shown, with its distance and its difficulty if they were asked for.
    pub(super) fn each<T>(
        &self,
        (_, shown): &Found,
        show: impl Fn(&FoundPosition, &PositionAnswer<'_>, Option<Distance>, Option<Difficulty>) -> T,
    ) -> Result<Vec<T>, Failure> {
        // Tab-separated values have no room for these.
        let has_room = self.args.format != Format::Tsv;
        let shown = shown.iter().map(|found| {
            let text = PositionText::Bare(found.position);
            let answer = PositionAnswer::new(self.tables, &text)?;
            let distance = match self.args.most {
                Some(Most::Distance) if has_room => Some(self.distance(found)?),
                _ => None,
            };
            let difficulty = match self.args.difficulty {
                Some(_) if has_room => Difficulty::of(self.tables, &found.position)?,
                _ => None,
            };
            Ok(show(found, &answer, distance, difficulty))
        });
        shown.collect()
    }

    pub(super) fn describe(&self, found: &Found) -> Result<String, Failure> {
        let (count, shown) = (found.0, found.1.len() as u64);
        let mut text = heading_of(self.tables);
        let all = self.layer.len();
        text += &format!(
            "{} of {}: {:.3} %.\n",
            counted(count, "position"),
            grouped(all),
            count as f64 / all as f64 * 100.0
        );
        if self.args.count || shown == 0 {
            return Ok(text);
        }
        text += &match (self.args.random, self.args.most) {
            _ if shown == count => "\n".to_string(),
            (Some(_), _) => format!("{shown} of them, drawn at random:\n\n"),
            (None, Some(_)) => format!("The {shown} with the most, in this order:\n\n"),
            (None, None) => format!("The first {shown}:\n\n"),
        };
        let lines = self.each(found, |_, answer, distance, difficulty| {
            let mut line = query::text::line(answer).trim_end().to_string();
            if self.args.most == Some(Most::Stake) {
                let [least, most] = stake(&answer.assessment).unwrap_or_default();
                let or_more = if least == most { "" } else { " or more" };
                line += &format!("; {}{or_more} to lose", counted(least.into(), "seed"));
            }
            if let Some(distance) = distance {
                let moves = distance.moves().unwrap_or(0) as u64;
                line += &format!("; {} to the next capture", counted(moves, "move"));
            }
            if let Some(rated) = difficulty {
                let moves = counted(rated.moves.into(), "move");
                line += &format!("; depth {}, {} of {moves}", rated.depth, rated.keeping);
                if rated.trap > 0 {
                    line += &format!(", trap {}", rated.trap);
                }
                if rated.is_easy_to_miss() {
                    line += ", easy to miss";
                }
            }
            line + "\n"
        })?;
        Ok(text + &lines.concat())
    }

    pub(super) fn json(&self, found: &Found) -> Result<String, Failure> {
        let shown = self.each(found, FoundJson::new)?;
        crate::output::json(&FoundPositions::new(self, found.0, shown))
    }

    /// Counts the positions that satisfy the condition, and returns those to show.
    pub(super) fn look(&self, meter: &Meter) -> Result<Found, Failure> {
        let Search {
            args,
            tables,
            layer,
            ..
        } = *self;
        let condition = args.condition();
        let wanted = args.random.or(args.show).unwrap_or(10) as usize;
        let mut count = 0;
        let mut first = Vec::new();
        let mut sampler = Sampler::new(wanted, args.seed);
        // The best so far, the largest first.
        let mut most: BTreeSet<(Reverse<i64>, u64)> = BTreeSet::new();
        let mut failed = None;
        let found = |found: FoundPosition| {
            count += 1;
            if args.random.is_some() {
                sampler.offer(found);
            } else if let Some(what) = args.most {
                // The quantity to sort by; `None` if it is unknown.
                let size = || -> Result<Option<i64>, TableError> {
                    Ok(match what {
                        Most::Value => Some(found.value.numbers().low().seeds().into()),
                        Most::Stake => {
                            stake(&tables.assess(&found.position)?).map(|[least, _]| least.into())
                        }
                        Most::Distance => self.distance(&found)?.moves().map(|moves| moves as i64),
                    })
                };
                match size() {
                    Ok(Some(size)) => {
                        most.insert((Reverse(size), found.index));
                        if most.len() > wanted {
                            most.pop_last();
                        }
                    }
                    Ok(None) => {}
                    Err(error) => failed = failed.take().or(Some(error)),
                }
            } else if !args.count && first.len() < wanted {
                first.push(found);
            }
        };
        find::each(tables, layer, &condition, found, |done| meter.add(done))?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        if args.random.is_some() {
            first = sampler.drawn();
            first.sort_by_key(|found| found.index);
        }
        for (_, index) in most {
            let position = layer.position(index).expect("a number of this layer");
            let value = tables.clamped_value(&position)?;
            let value = value.expect("a layer of these tables");
            first.push(FoundPosition {
                index,
                position,
                value,
            });
        }
        Ok((count, first))
    }

    /// Returns the distance of a position to the next capture.
    fn distance(&self, found: &FoundPosition) -> Result<Distance, TableError> {
        if let Some(Some(all)) = self.distances.get() {
            return Ok(all[found.index as usize]);
        }
        self.searched.update(|searched| searched + 1);
        let is_faster = self.searched.get() > self.layer.len() / POSITIONS_A_SEARCH;
        if self.all_at_once && is_faster && self.distances.get().is_none() {
            let all = Distance::of_layer(self.tables, self.layer)?;
            let _ = self.distances.set(all);
            return self.distance(found);
        }
        Distance::of(self.tables, &found.position, REACH)
    }
}

documents! {
    /// The output of `granero find --json`.
    pub(crate) struct FoundPositions(search: &Search<'_>, count: u64, shown: Vec<FoundJson>) {
        ..tables: RulesAndCycles = search.tables.into(),
        /// The layer.
        seeds: u8 = search.layer.seeds(),
        positions: u64 = search.layer.len(),
        /// Positions that satisfy all conditions.
        found: u64 = count,
        /// The positions that are shown.
        examples: Vec<FoundJson> = shown,
    }

    /// A position that was found.
    #[schemars(rename = "FoundPosition")]
    pub(crate) struct FoundJson(
        found: &FoundPosition, answer: &PositionAnswer<'_>, moves: Option<Distance>, rated: Option<Difficulty>
    ) {
        let lost = stake(&answer.assessment);
        let cut_off = lost.filter(|[low, high]| low != high);
        /// Its number in the index.
        index: u64 = found.index,
        ..position: RatedPosition = RatedPosition::of(answer),
        /// The best moves.
        best: Vec<char> = answer.assessment.best().map(|best| best.play.house.letter(Side::South)).collect(),
        /// Seeds that the worst move loses against the best; `null` if the game is over or the value is cut off.
        stake: Option<u8> = lost.and_then(|[low, high]| (low == high).then_some(low)),
        /// Only if it is cut off: what it can be.
        stake_range?: StakeRange = cut_off.map(StakeRange::new),
        /// Only with `--most distance`: moves to the next capture or the end.
        distance?: Option<usize> = moves.map(Distance::moves),
        /// Only with `--difficulty`: see [engines.md](engines.md#difficulty).
        difficulty?: DifficultyJson = rated.map(DifficultyJson::new),
    }

    /// The least and the most that is at stake.
    struct StakeRange([least, most]: [u8; 2]) {
        low: u8 = least,
        high: u8 = most,
    }

    /// The difficulty of a position.
    #[schemars(rename = "Difficulty")]
    struct DifficultyJson(difficulty: Difficulty) {
        /// 0 to 7.
        depth: u8 = difficulty.depth,
        /// Moves that keep the value.
        keeping: u8 = difficulty.keeping,
        /// Legal moves.
        moves: u8 = difficulty.moves,
        /// 0 to 32.
        trap: u8 = difficulty.trap,
        /// The depth is more than 3.
        easy_to_miss: bool = difficulty.is_easy_to_miss(),
    }
}

/// The most positions that a search for a distance looks at.
const REACH: usize = 200_000;

/// The positions of a whole layer that take as long as one search: 900 were measured with 7 seeds.
const POSITIONS_A_SEARCH: u64 = 1000;

/// The memory for distances if the system does not say how much is free.
const USUAL_MEMORY: u64 = 512 << 20;

//! Searches a layer for positions that satisfy a condition.

use std::cell::{Cell, OnceCell};
use std::cmp::Reverse;
use std::collections::BTreeSet;

use granero::find::{self, FoundPosition, Sampler, stake};
use granero::index::Layer;
use granero::line::Distance;
use granero::{TableError, Tables};

use super::{Args, Most};
use crate::output::meter::Meter;
use granero_console::{Failure, machine};

/// The most positions that a search for a distance looks at.
const REACH: usize = 200_000;

/// The positions of a whole layer that take as long as one search: 900 were measured with 7 seeds.
const POSITIONS_A_SEARCH: u64 = 1000;

/// The memory for distances if the system does not say how much is free.
const USUAL_MEMORY: u64 = 512 << 20;

/// Counts the positions that satisfy the condition, and returns those to show.
pub(super) fn look(
    args: &Args,
    distances: &Distances<'_>,
    layer: Layer,
    meter: &Meter,
) -> Result<(u64, Vec<FoundPosition>), Failure> {
    let tables = distances.tables;
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
                    Most::Distance => distances.of(&found)?.moves().map(|moves| moves as i64),
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

/// The distances to the next captures.
pub(super) struct Distances<'a> {
    tables: &'a Tables,
    layer: Layer,
    /// True if there is memory for the distances of the whole layer.
    all_at_once: bool,
    searched: Cell<u64>,
    /// The distances of the whole layer, computed when that is faster than more searches; `None` if positions
    /// have bounds.
    all: OnceCell<Option<Vec<Distance>>>,
}

impl Distances<'_> {
    pub(super) fn new(tables: &Tables, layer: Layer) -> Distances<'_> {
        let room = machine::available_memory().map_or(USUAL_MEMORY, |free| free / 2);
        Distances {
            tables,
            layer,
            all_at_once: layer.len() * Distance::BYTES_OF_LAYER <= room,
            searched: Cell::new(0),
            all: OnceCell::new(),
        }
    }

    pub(super) fn of(&self, found: &FoundPosition) -> Result<Distance, TableError> {
        if let Some(Some(all)) = self.all.get() {
            return Ok(all[found.index as usize]);
        }
        self.searched.update(|searched| searched + 1);
        let is_faster = self.searched.get() > self.layer.len() / POSITIONS_A_SEARCH;
        if self.all_at_once && is_faster && self.all.get().is_none() {
            let all = Distance::of_layer(self.tables, self.layer)?;
            let _ = self.all.set(all);
            return self.of(found);
        }
        Distance::of(self.tables, &found.position, REACH)
    }
}

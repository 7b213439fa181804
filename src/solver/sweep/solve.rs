//! A layer from captures to values: the phases of both conventions.

use std::sync::Arc;

use super::checkpoint::Resumed;
use super::grid::{Grid, RowNumbers, ZERO};
use super::layer::{LayerState, Plane, Tables};
use super::step::{Phase, Step};
use super::values::SweptLayer;
use crate::checkpoint::CheckpointStore;
use crate::passes::progress::Progress;
use granero_game::{Bound, Cycles};
use granero_table::first_error::Stopped;
use granero_table::index::{Layer, half};
use granero_table::rows::TurnedLayer;

/// The share of positions that change in a sweep below which the rest is done one by one.
const FEW: f64 = 0.005;

/// Returns parts of the layers that captures lead to, given the seeds, the bound and where the part begins.
pub(crate) type SmallerParts<'a> =
    dyn FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, Stopped> + 'a;

/// Reports progress. Its first error ends the work.
pub(crate) type Report<'a> = dyn Fn(Progress) -> Result<(), Stopped> + 'a;

impl Tables {
    /// Solves a layer, or goes on from a checkpoint.
    pub(crate) fn solve(
        &self,
        layer: Layer,
        smaller: &mut SmallerParts<'_>,
        checkpoints: &mut dyn CheckpointStore,
        report: &Report<'_>,
    ) -> Result<SweptLayer, Stopped> {
        let mut state = LayerState {
            tables: self,
            seeds: layer.seeds(),
            planes: Vec::new(),
            stuck: Vec::new(),
            before: Grid::default(),
            sweeps: 0,
        };
        for (_, measure) in self.cycles().measures() {
            let mut captures = self.captures(layer, |seeds, from| {
                report(Progress::Captures(layer.seeds() - seeds))?;
                smaller(seeds, measure.bound().of_child(), from)
            })?;
            // The same for both bounds.
            state.stuck = self.ends(layer, &mut captures);
            state.planes.push(Plane {
                grids: Vec::new(),
                captures,
                secured: Vec::new(),
            });
        }
        let phases: &[Phase] = match self.cycles() {
            Cycles::Split => &[Phase::Settle],
            Cycles::OwnSide => &[Phase::Sink, Phase::Rise],
        };
        state.begin();
        let phase = match state.resume(phases, checkpoints)? {
            Resumed::At(phase) => phase,
            Resumed::Untouched => phases[0],
            Resumed::Spoilt => {
                state.begin();
                phases[0]
            }
        };
        state.run(phase, checkpoints, report)?;
        Ok(state.finish())
    }

    pub(crate) fn cycles(&self) -> Cycles {
        self.rows.limits().cycles()
    }
}

impl LayerState<'_> {
    /// Fills the matrices as before the first sweep: play is endless everywhere, and nothing is secured.
    fn begin(&mut self) {
        for plane in 0..self.planes.len() {
            // First give back what there was.
            (self.planes[plane].grids, self.planes[plane].secured) = Default::default();
            match self.tables.cycles() {
                Cycles::Split => self.planes[plane].grids = self.grids(|_| ZERO),
                Cycles::OwnSide => {
                    let unsecured = Step::of(Phase::Sink, plane).unsecured();
                    self.planes[plane].secured = self.grids(|_| unsecured);
                    self.planes[plane].grids = self.grids(|own| self.sides(own));
                }
            }
        }
    }

    /// Makes matrices, filled by the mover's seeds.
    fn grids(&self, fill: impl Fn(u8) -> u8) -> Vec<Grid> {
        let grid = |own| {
            let rows = RowNumbers::count(self.seeds - own);
            Grid::new(rows, half::count(own) as usize, fill(own))
        };
        (0..=self.seeds).map(grid).collect()
    }

    /// Goes through the phases, from this one on.
    fn run(
        &mut self,
        mut phase: Phase,
        checkpoints: &mut dyn CheckpointStore,
        report: &Report<'_>,
    ) -> Result<(), Stopped> {
        loop {
            self.settle(phase, checkpoints, report)?;
            phase = match phase {
                Phase::Settle => return Ok(()),
                Phase::Sink if self.is_confirmed() => return Ok(()),
                Phase::Sink => Phase::Rise,
                Phase::Rise => {
                    self.secure();
                    Phase::Sink
                }
            };
        }
    }

    /// Sweeps until nothing changes.
    fn settle(
        &mut self,
        phase: Phase,
        checkpoints: &mut dyn CheckpointStore,
        report: &Report<'_>,
    ) -> Result<(), Stopped> {
        let positions = self.positions() * self.planes.len() as u64;
        let few = (positions as f64 * FEW) as u64;
        let mut asleep = self.all_awake();
        // Measured with 12 to 24 seeds, and with bounds to 20.
        let about = [22, 55][self.planes.len() - 1];
        let mut are_few = false;
        loop {
            let changes = self.sweep(phase, are_few, &mut asleep);
            if changes == 0 {
                break;
            }
            are_few = changes < few;
            self.keep(phase, checkpoints)?;
            self.sweeps += 1;
            report(Progress::Sweep {
                sweep: self.sweeps,
                about,
                changes,
                positions,
            })?;
        }
        Ok(())
    }

    /// Tells if a sink has led back to what was secured.
    fn is_confirmed(&self) -> bool {
        self.planes.iter().all(|plane| {
            let mut grids = plane.grids.iter().zip(&plane.secured);
            grids.all(|(grid, secured)| grid.same(secured))
        })
    }

    /// Secures what a rise has reached. The next sink begins at the difference of the sides, but no further from what is
    /// secured than the other bound.
    fn secure(&mut self) {
        let [low, high] = &mut self.planes[..] else {
            unreachable!("positions have two bounds");
        };
        let limits = self.tables.rows.limits();
        for (own, a) in (0..=self.seeds).zip(0..) {
            let sides = super::layer::sides(limits, self.seeds, own);
            std::mem::swap(&mut low.grids[a], &mut low.secured[a]);
            std::mem::swap(&mut high.grids[a], &mut high.secured[a]);
            let (lows, highs) = (low.secured[a].lines(), high.secured[a].lines());
            let begin = low.grids[a]
                .lines_mut()
                .iter_mut()
                .zip(high.grids[a].lines_mut());
            for ((low, high), (&low_secured, &high_secured)) in begin.zip(lows.iter().zip(highs)) {
                *low = low_secured.min(sides.max(high_secured));
                *high = high_secured.max(sides.min(low_secured));
            }
        }
    }
}

//! A layer from captures to values: the phases of both conventions.

use std::sync::Arc;

use super::captures::Stuck;
use super::files::CapturesFile;
use super::in_file::{FileState, InShares, Moved};
use super::in_memory::{LayerState, Plane};
use super::layer::Store;
use super::shares::Shares;
use super::step::Phase;
use super::tables::Tables;
use super::values::SweptLayer;
use crate::checkpoint::CheckpointStore;
use crate::progress::Progress;
use granero_game::{Bound, Cycles};
use granero_table::first_error::Stopped;
use granero_table::index::Layer;
use granero_table::rows::TurnedLayer;

/// Returns parts of the layers that captures lead to, given the seeds, the bound and where the part begins.
pub(crate) type SmallerParts<'a> =
    dyn FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, Stopped> + 'a;

/// Reports progress. Its first error ends the work.
pub(crate) type Report<'a> = dyn Fn(Progress) -> Result<(), Stopped> + 'a;

/// Begins a layer, or goes on from its checkpoint, as all processes do. Returns the phase.
fn begin(
    store: &mut dyn Store,
    phases: &[Phase],
    checkpoints: &mut dyn CheckpointStore,
) -> Result<Phase, Stopped> {
    store.begin()?;
    let number = |phase: &Phase| u64::from(phase.number()) + 1;
    let found = checkpoints
        .phase(&store.sizes())
        .map_or(0, |number| u64::from(number) + 1);
    let found = store.sum(found)?;
    if let Some(&phase) = phases.iter().find(|&phase| number(phase) == found) {
        let is_whole = checkpoints.read(store)?;
        if store.sum(u64::from(!is_whole))? == 0 {
            store.resumed()?;
            return Ok(phase);
        }
        store.begin()?;
    }
    Ok(phases[0])
}

impl Tables {
    /// Solves a layer in memory, or goes on from a checkpoint.
    pub(crate) fn solve(
        &self,
        layer: Layer,
        smaller: &mut SmallerParts<'_>,
        checkpoints: &mut dyn CheckpointStore,
        report: &Report<'_>,
    ) -> Result<SweptLayer, Stopped> {
        let planes = self.cycles().measures().into_iter().count();
        let shares = Shares::whole(layer.seeds(), planes);
        let mut state = self.begin(layer, shares, 0, smaller, report)?;
        self.run(&mut state, checkpoints, report)?;
        Ok(state.finish())
    }

    /// A share with the captures.
    pub(super) fn begin(
        &self,
        layer: Layer,
        shares: Shares,
        share: usize,
        smaller: &mut SmallerParts<'_>,
        report: &Report<'_>,
    ) -> Result<LayerState<'_>, Stopped> {
        let mut state = LayerState::new(self, shares, share);
        for (_, measure) in self.cycles().measures() {
            let opponents = state.opponents();
            let mut captures = self.captures(layer, opponents, |seeds, from| {
                report(Progress::Captures(layer.seeds() - seeds))?;
                smaller(seeds, measure.bound().of_child(), from)
            })?;
            // The same for both bounds.
            state.stuck = self.ends(layer, opponents, &mut captures);
            state.planes.push(Plane {
                captures,
                ..Plane::default()
            });
        }
        Ok(state)
    }

    /// Solves a layer in files.
    pub(crate) fn solve_in_shares<'a>(
        &self,
        layer: Layer,
        smaller: &mut SmallerParts<'_>,
        files: InShares<'a>,
        checkpoints: &mut dyn CheckpointStore,
        report: &Report<'_>,
    ) -> Result<(SweptLayer, Moved), Stopped> {
        let shares = files.within.shares.clone();
        let (mut all_captures, mut stuck) = (Vec::new(), Vec::new());
        let groups = shares.groups(files.within.room);
        for (_, measure) in self.cycles().measures() {
            let file = CapturesFile::new(files.file("captures")?, &shares);
            stuck.clear();
            for (number, group) in groups.iter().enumerate() {
                let opponents = shares.opponents(group.clone());
                let mut captures = self.captures(layer, &opponents, |seeds, from| {
                    report(Progress::CapturesOfPart(number as u64, groups.len() as u64))?;
                    smaller(seeds, measure.bound().of_child(), from)
                })?;
                stuck.append(&mut self.ends(layer, &opponents, &mut captures));
                let written = file.write(&shares, group.clone(), &captures);
                written.map_err(files.fail)?;
            }
            all_captures.push(file);
        }
        stuck.sort_by_key(Stuck::own_seeds);
        let mut state = FileState::new(self, shares, files, all_captures, stuck)?;
        self.run(&mut state, checkpoints, report)?;
        state.finish()
    }

    /// Solves a layer from its captures, or goes on from a checkpoint.
    pub(super) fn run(
        &self,
        store: &mut dyn Store,
        checkpoints: &mut dyn CheckpointStore,
        report: &Report<'_>,
    ) -> Result<(), Stopped> {
        let phases: &[Phase] = match self.cycles() {
            Cycles::Split => &[Phase::Settle],
            Cycles::OwnSide => &[Phase::Sink, Phase::Rise, Phase::Confirm],
        };
        let mut phase = begin(store, phases, checkpoints)?;
        let mut sweeps = 0;
        loop {
            let is_secured = self.settle(store, phase, &mut sweeps, checkpoints, report)?;
            phase = match phase {
                Phase::Settle => return Ok(()),
                Phase::Confirm if is_secured => return Ok(()),
                Phase::Sink | Phase::Confirm => Phase::Rise,
                Phase::Rise => {
                    store.secure()?;
                    Phase::Confirm
                }
            };
        }
    }

    /// Sweeps until nothing changes. `sweeps` are those that have changed something. Returns whether all values have come
    /// back to what was secured.
    fn settle(
        &self,
        store: &mut dyn Store,
        phase: Phase,
        sweeps: &mut u32,
        checkpoints: &mut dyn CheckpointStore,
        report: &Report<'_>,
    ) -> Result<bool, Stopped> {
        let shares = store.shares();
        let positions = shares.positions() * shares.planes as u64;
        let few = (positions as f64 * store.few()) as u64;
        let mut asleep = self.all_awake(&shares);
        // Measured with 12 to 24 seeds, and with bounds to 20.
        let about = [22, 55][shares.planes - 1];
        let (mut is_first, mut are_few) = (true, false);
        loop {
            let (changes, awake) = self.sweep(store, (phase, is_first), are_few, &mut asleep)?;
            is_first = false;
            if changes == 0 {
                return Ok(store.sum(awake)? == 0);
            }
            are_few = changes < few;
            if store.sum(u64::from(checkpoints.is_due()))? > 0 {
                checkpoints.write(phase.number(), store)?;
            }
            *sweeps += 1;
            report(Progress::Sweep {
                sweep: *sweeps,
                about,
                changes,
                positions,
            })?;
        }
    }
}

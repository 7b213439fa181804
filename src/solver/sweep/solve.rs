//! A layer from captures to values: the phases of both conventions.

use std::sync::Arc;

use super::in_file::{Fail, FileState, Moved, Within};
use super::in_memory::{InMemory, Peers};
use super::layer::Store;
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
    smaller: &mut SmallerParts<'_>,
    checkpoints: &mut dyn CheckpointStore,
) -> Result<Phase, Stopped> {
    let number = |phase: u32| u64::from(phase) + 1;
    let found = store.sum(checkpoints.phase().map_or(0, number))?;
    let mut phases_found = phases.iter().filter(|it| number(**it as u32) == found);
    if let Some(&phase) = phases_found.next() {
        store.begin(phase, smaller)?;
        let is_whole = checkpoints.read(store)?;
        if store.sum(u64::from(!is_whole))? == 0 {
            store.resumed()?;
            return Ok(phase);
        }
    }
    store.begin(phases[0], smaller)?;
    Ok(phases[0])
}

impl Tables {
    /// Solves a layer in memory, or goes on from a checkpoint: alone, or together with other processes. Then the process
    /// may take so much memory with what it maps of the values.
    pub(crate) fn solve(
        &self,
        layer: Layer,
        smaller: &mut SmallerParts<'_>,
        peers: Option<(&mut dyn Peers, u64)>,
        checkpoints: &mut dyn CheckpointStore,
        report: &Report<'_>,
    ) -> Result<SweptLayer, Stopped> {
        let (peers, resident) = peers.unzip();
        let mut state = InMemory::new(self, layer, peers);
        let mut reporting = |seeds, bound, from| {
            report(Progress::Captures(layer.seeds() - seeds))?;
            smaller(seeds, bound, from)
        };
        self.run(&mut state, &mut reporting, checkpoints, report)?;
        state.finish(&mut reporting, resident.unwrap_or(0))
    }

    /// Solves a layer in files.
    pub(crate) fn solve_in_shares(
        &self,
        within: Within,
        fail: &Fail<'_>,
        smaller: &mut SmallerParts<'_>,
        checkpoints: &mut dyn CheckpointStore,
        report: &Report<'_>,
    ) -> Result<(SweptLayer, Moved), Stopped> {
        let mut state = FileState::new(self, within, fail)?;
        state.look_up(smaller, report)?;
        self.run(&mut state, smaller, checkpoints, report)?;
        state.finish()
    }

    /// Solves a layer, or goes on from a checkpoint.
    pub(super) fn run(
        &self,
        store: &mut dyn Store,
        smaller: &mut SmallerParts<'_>,
        checkpoints: &mut dyn CheckpointStore,
        report: &Report<'_>,
    ) -> Result<(), Stopped> {
        let phases: &[Phase] = match self.cycles() {
            Cycles::Split => &[Phase::Settle],
            Cycles::OwnSide => &[Phase::Sink, Phase::Rise, Phase::Confirm],
        };
        let mut phase = begin(store, phases, smaller, checkpoints)?;
        let mut sweeps = 0;
        loop {
            let is_secured = self.settle(store, phase, &mut sweeps, checkpoints, report)?;
            phase = match phase {
                Phase::Settle => return Ok(()),
                Phase::Confirm if is_secured => return Ok(()),
                Phase::Sink | Phase::Confirm => Phase::Rise,
                Phase::Rise => Phase::Confirm,
            };
            store.enter(phase)?;
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
                checkpoints.write(phase as u32, store)?;
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

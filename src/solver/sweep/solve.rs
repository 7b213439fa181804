//! A layer from captures to values: the phases of both conventions.

use std::ops::Range;
use std::sync::Arc;

use super::checkpoint::Resumed;
use super::grid::Grid;
use super::in_file::{CapturesFile, FileState, InShares, Moved};
use super::in_memory::{LayerState, Plane};
use super::layer::{Store, Tables};
use super::shares::Shares;
use super::step::Phase;
use super::values::SweptLayer;
use crate::checkpoint::CheckpointStore;
use crate::progress::Progress;
use granero_game::{Bound, Cycles};
use granero_table::first_error::Stopped;
use granero_table::index::Layer;
use granero_table::rows::{Matrix, TurnedLayer};

/// Returns parts of the layers that captures lead to, given the seeds, the bound and where the part begins.
pub(crate) type SmallerParts<'a> =
    dyn FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, Stopped> + 'a;

/// Reports progress. Its first error ends the work.
pub(crate) type Report<'a> = dyn Fn(Progress) -> Result<(), Stopped> + 'a;

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
        let mut state = LayerState::new(self, shares, 0);
        let all: Vec<_> = Matrix::all(layer).map(|matrix| 0..matrix.rows()).collect();
        for (_, measure) in self.cycles().measures() {
            let mut captures = self.captures(layer, &all, |seeds, from| {
                report(Progress::Captures(layer.seeds() - seeds))?;
                smaller(seeds, measure.bound().of_child(), from)
            })?;
            // The same for both bounds.
            state.stuck = self.ends(layer, &all, &mut captures);
            state.planes.push(Plane {
                captures,
                ..Plane::default()
            });
        }
        self.run(&mut state, checkpoints, report)?;
        Ok(state.finish())
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
        let pieces = rows_within(layer, files.within.room);
        for (_, measure) in self.cycles().measures() {
            let file = CapturesFile::new(&files, &shares)?;
            stuck.clear();
            for (number, rows) in pieces.iter().enumerate() {
                let mut captures = self.captures(layer, rows, |seeds, from| {
                    report(Progress::CapturesOfPart(number as u64, pieces.len() as u64))?;
                    smaller(seeds, measure.bound().of_child(), from)
                })?;
                stuck.append(&mut self.ends(layer, rows, &mut captures));
                for (own, (rows, captures)) in (0..).zip(rows.iter().zip(&captures)) {
                    let written = file.write(&shares, own, rows.start, captures);
                    written.map_err(files.fail)?;
                }
            }
            all_captures.push(file);
        }
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
            Cycles::OwnSide => &[Phase::Sink, Phase::Rise],
        };
        store.begin()?;
        let mut phase = match store.resume(phases, checkpoints)? {
            Resumed::At(phase) => phase,
            Resumed::Untouched => phases[0],
            Resumed::Spoilt => {
                store.begin()?;
                phases[0]
            }
        };
        let mut sweeps = 0;
        loop {
            self.settle(store, phase, &mut sweeps, checkpoints, report)?;
            phase = match phase {
                Phase::Settle => return Ok(()),
                Phase::Sink if store.is_confirmed()? => return Ok(()),
                Phase::Sink => Phase::Rise,
                Phase::Rise => {
                    store.secure()?;
                    Phase::Sink
                }
            };
        }
    }

    /// Sweeps until nothing changes. `sweeps` are those that have changed something.
    fn settle(
        &self,
        store: &mut dyn Store,
        phase: Phase,
        sweeps: &mut u32,
        checkpoints: &mut dyn CheckpointStore,
        report: &Report<'_>,
    ) -> Result<(), Stopped> {
        let shares = store.shares();
        let positions = shares.positions() * shares.planes as u64;
        let few = (positions as f64 * store.few()) as u64;
        let mut asleep = self.all_awake(&shares);
        // Measured with 12 to 24 seeds, and with bounds to 20.
        let about = [22, 55][shares.planes - 1];
        let mut are_few = false;
        loop {
            let changes = self.sweep(store, phase, are_few, &mut asleep)?;
            if changes == 0 {
                return Ok(());
            }
            are_few = changes < few;
            store.keep(phase, checkpoints)?;
            *sweeps += 1;
            report(Progress::Sweep {
                sweep: *sweeps,
                about,
                changes,
                positions,
            })?;
        }
    }

    pub(crate) fn cycles(&self) -> Cycles {
        self.rows.kind().cycles
    }
}

/// Divides the rows of a layer: by piece, by the mover's seeds. A piece takes up to `room` bytes, or has a single row.
fn rows_within(layer: Layer, room: usize) -> Vec<Vec<Range<u32>>> {
    let none: Vec<_> = Matrix::all(layer).map(|_| 0..0).collect();
    let (mut pieces, mut left) = (vec![none.clone()], room);
    for (own, matrix) in Matrix::all(layer).enumerate() {
        let mut next = 0;
        while next < matrix.rows() {
            let rows_left = matrix.rows() - next;
            let fit = (left / Grid::stride_of(matrix.row_len())).min(rows_left as usize) as u32;
            if fit == 0 && left < room {
                pieces.push(none.clone());
                left = room;
                continue;
            }
            let end = next + fit.max(1);
            let piece = pieces.last_mut().expect("a piece");
            piece[own] = next..end;
            left = left.saturating_sub((end - next) as usize * Grid::stride_of(matrix.row_len()));
            next = end;
        }
    }
    pieces
}

//! The state of a layer as a checkpoint. Whatever has been found so far is a start that leads to the same end.

use super::grid::Grid;
use super::layer::LayerState;
use super::step::Phase;
use crate::checkpoint::{CheckpointStore, Sink, Source};
use granero_table::first_error::Stopped;

impl LayerState<'_> {
    /// Writes a checkpoint if it is time for one.
    pub(super) fn keep(
        &self,
        phase: Phase,
        checkpoints: &mut dyn CheckpointStore,
    ) -> Result<(), Stopped> {
        if !checkpoints.is_due() {
            return Ok(());
        }
        let planes = self.planes.iter();
        let grids: Vec<&Grid> = planes
            .flat_map(|plane| plane.grids.iter().chain(&plane.secured))
            .collect();
        let lengths: Vec<usize> = grids.iter().map(|grid| grid.lines().len()).collect();
        let mut from = Lines {
            grids: &grids,
            at: 0,
        };
        checkpoints.write(phase.name(), &lengths, &mut from)
    }

    /// Reads the checkpoint, if there is one.
    pub(super) fn resume(
        &mut self,
        phases: &[Phase],
        checkpoints: &mut dyn CheckpointStore,
    ) -> Result<Resumed, Stopped> {
        let planes = self.planes.iter_mut();
        let grids = planes.flat_map(|plane| plane.grids.iter_mut().chain(&mut plane.secured));
        let lines: Vec<&mut [u8]> = grids.map(Grid::lines_mut).collect();
        let lengths: Vec<usize> = lines.iter().map(|lines| lines.len()).collect();
        let mut to = LinesMut {
            phases,
            found: None,
            lines: lines.into_iter(),
            rest: &mut [],
        };
        let is_whole = checkpoints.read(&lengths, &mut to)?;
        Ok(match to.found {
            Some(phase) if is_whole => Resumed::At(phase),
            Some(_) => Resumed::Spoilt,
            None => Resumed::Untouched,
        })
    }
}

/// What a checkpoint has made of the grids.
pub(super) enum Resumed {
    /// The sweeps go on in this phase.
    At(Phase),
    /// There is no checkpoint of this layer.
    Untouched,
    /// It could not be read to its end: the grids hold nothing useful.
    Spoilt,
}

/// Gives the rows of grids.
struct Lines<'a> {
    grids: &'a [&'a Grid],
    /// Where the next bytes begin in the first grid.
    at: usize,
}

impl Source for Lines<'_> {
    fn next(&mut self, length: usize) -> Result<&[u8], Stopped> {
        let lines = self.grids[0].lines();
        let next = &lines[self.at..self.at + length];
        self.at += length;
        if self.at == lines.len() {
            (self.grids, self.at) = (&self.grids[1..], 0);
        }
        Ok(next)
    }
}

/// Takes the rows of grids.
struct LinesMut<'a> {
    /// The phases that are possible.
    phases: &'a [Phase],
    found: Option<Phase>,
    /// The next grids, and the rest of this one.
    lines: std::vec::IntoIter<&'a mut [u8]>,
    rest: &'a mut [u8],
}

impl Sink for LinesMut<'_> {
    fn begin(&mut self, name: &[u8]) -> Result<bool, Stopped> {
        let mut phases = self.phases.iter().copied();
        self.found = phases.find(|phase| phase.name() == name);
        Ok(self.found.is_some())
    }

    fn next(&mut self, length: usize) -> Result<&mut [u8], Stopped> {
        if self.rest.is_empty() {
            self.rest = self.lines.next().expect("a part for each grid");
        }
        let (next, rest) = std::mem::take(&mut self.rest).split_at_mut(length);
        self.rest = rest;
        Ok(next)
    }
}
